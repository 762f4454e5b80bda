// The thread that the compiler runs in. fxlens.mjs starts it and talks to it: the first message is
// {wasm: URL | ArrayBuffer | WebAssembly.Module}, every later one {id, name, bytes, options}.
import './wasm_exec.js'; // Go's glue, which comes with the compiler that built fxlens.wasm; it sets globalThis.Go

async function start(wasm) {
  const go = new Go();
  let instance;
  if (wasm instanceof WebAssembly.Module) {
    instance = await WebAssembly.instantiate(wasm, go.importObject);
  } else if (typeof wasm === 'string') {
    const reply = await fetch(wasm);
    if (!reply.ok) throw new Error(`${wasm}: ${reply.status} ${reply.statusText}`);
    // A server that does not know the type application/wasm is no reason to fail.
    const streams = (reply.headers.get('Content-Type') ?? '').startsWith('application/wasm');
    ({ instance } = streams
      ? await WebAssembly.instantiateStreaming(reply, go.importObject)
      : await WebAssembly.instantiate(await reply.arrayBuffer(), go.importObject));
  } else {
    ({ instance } = await WebAssembly.instantiate(wasm, go.importObject));
  }
  const ready = new Promise(resolve => { globalThis.fxlensReady = resolve; });
  const ended = go.run(instance).then(() => { throw new Error('the compiler ended'); });
  const version = await Promise.race([ready, ended]);
  ended.catch(e => postMessage({ fatal: String(e?.message ?? e) }));
  return version;
}

/** Puts the bytes into a result at their places. */
function assemble({ value, blobs }) {
  const result = JSON.parse(value), transfer = [];
  for (const { path, bytes } of blobs) {
    const keys = JSON.parse(path), last = keys.pop();
    keys.reduce((at, key) => at[key], result)[last] = bytes;
    transfer.push(bytes.buffer);
  }
  return { result, transfer };
}

let compiler = null;

onmessage = async ({ data }) => {
  if (!compiler) {
    compiler = start(data.wasm);
    try {
      postMessage({ ready: await compiler });
    } catch (e) {
      postMessage({ fatal: `the compiler does not start: ${e?.message ?? e}` });
    }
    return;
  }
  try {
    await compiler;
    const answer = fxlensCall(data.name, data.bytes, data.options);
    if (answer.error) {
      postMessage({ id: data.id, error: JSON.parse(answer.error) });
      return;
    }
    const { result, transfer } = assemble(answer);
    postMessage({ id: data.id, result }, transfer);
  } catch (e) {
    postMessage({ id: data.id, error: { code: 'bug', place: '', message: String(e?.message ?? e), remedy: 'report it', findings: [] } });
  }
};
