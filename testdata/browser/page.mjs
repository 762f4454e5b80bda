// The page of the browser test: uses fxlens as any page would, and posts what came out.
import { open, FxlensError } from './lib/fxlens.mjs';

const result = { steps: [], errors: {} };
const get = async name => new Uint8Array(await (await fetch(name)).arrayBuffer());

function assert(condition, text) {
  if (!condition) throw new Error(`not so: ${text}`);
}

/** Whether two values are deeply equal, typed arrays included. */
function equal(a, b) {
  if (ArrayBuffer.isView(a)) {
    return b?.constructor === a.constructor && a.length === b.length && a.every((x, i) => x === b[i]);
  }
  if (a === null || typeof a !== 'object') return Object.is(a, b);
  if (b === null || typeof b !== 'object' || Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every(k => Object.hasOwn(b, k) && equal(a[k], b[k]));
}

/** Only plain objects, arrays, typed arrays and primitive values. */
function plain(v) {
  if (v === null || ['string', 'number', 'boolean'].includes(typeof v) || v instanceof Uint8Array) return true;
  if (Array.isArray(v)) return v.every(plain);
  return Object.getPrototypeOf(v) === Object.prototype && Object.values(v).every(plain);
}

async function thrown(promise) {
  try {
    await promise;
  } catch (e) {
    assert(e instanceof FxlensError, `a FxlensError, not ${e}`);
    return { code: e.code, place: e.place, message: e.message, remedy: e.remedy, findings: e.findings };
  }
  throw new Error('nothing was thrown');
}

async function scoped(device, f) {
  device.pushErrorScope('validation');
  const value = await f();
  const error = await device.popErrorScope();
  assert(!error, error?.message);
  return value;
}

const vertexFormats = { f32: 'float32', i32: 'sint32', u32: 'uint32' };

/** Vertex attributes and target formats from the stage interface that buildWgsl returns. */
function interfaces(io) {
  const located = direction => {
    const seen = new Map();
    for (const e of io) if (e.direction === direction && e.location !== undefined) seen.set(e.location, e.type);
    return [...seen].sort((a, b) => a[0] - b[0]);
  };
  const shape = type => {
    const [, width, scalar] = /^(?:vec([234])<)?([a-z0-9]+)>?$/.exec(type);
    return { width: Number(width ?? 1), scalar };
  };
  let offset = 0;
  const attributes = located('in').map(([shaderLocation, type]) => {
    const { width, scalar } = shape(type), format = vertexFormats[scalar] + (width > 1 ? `x${width}` : '');
    offset += 4 * width;
    return { shaderLocation, offset: offset - 4 * width, format };
  });
  const targets = [];
  for (const [location, type] of located('out')) {
    const { width, scalar } = shape(type), kind = { f32: 'float', i32: 'sint', u32: 'uint' }[scalar];
    targets[location] = { format: `${['r', 'rg', 'rg', 'rgba'][width - 1]}16${kind}` };
  }
  return { buffers: attributes.length ? [{ arrayStride: offset, attributes }] : [], targets: Array.from(targets, t => t ?? null) };
}

const visibility = { vertex: 1, fragment: 2, compute: 4 };

/** Creates the pipelines of a package that was read, in WebGPU. */
async function pipelines(device, set, modules) {
  let made = 0;
  for (const layout of set.layouts) {
    const shaders = set.shaders.filter(s => s.techniqueName === layout.techniqueName && s.passIndex === layout.passIndex);
    const groups = [];
    for (const g of layout.bindGroups) {
      groups.push(await scoped(device, () => device.createBindGroupLayout({
        entries: g.bindings.map(b => ({
          binding: b.binding, visibility: b.visibility.reduce((m, s) => m | visibility[s], 0),
          ...(b.buffer && { buffer: b.buffer }), ...(b.texture && { texture: b.texture }), ...(b.sampler && { sampler: b.sampler }),
        })),
      })));
    }
    const pipelineLayout = device.createPipelineLayout({ bindGroupLayouts: groups }), stage = {};
    for (const s of shaders) {
      const module = await scoped(device, () => device.createShaderModule({ code: s.code }));
      const { messages } = await module.getCompilationInfo();
      assert(messages.length === 0, `${s.key}: ${messages[0]?.message}`);
      const io = modules.find(m => m.technique === s.techniqueName && m.pass === s.passIndex && m.stage === s.stage).io;
      stage[s.stage] = { module, entryPoint: s.entryPoint, io: interfaces(io) };
    }
    await scoped(device, async () => {
      if (stage.compute) {
        const { module, entryPoint } = stage.compute;
        await device.createComputePipelineAsync({ layout: pipelineLayout, compute: { module, entryPoint } });
        return;
      }
      const { vertex: v, fragment: f } = stage;
      await device.createRenderPipelineAsync({
        layout: pipelineLayout, vertex: { module: v.module, entryPoint: v.entryPoint, buffers: v.io.buffers },
        fragment: f && { module: f.module, entryPoint: f.entryPoint, targets: f.io.targets },
        depthStencil: { format: 'depth32float', depthWriteEnabled: true, depthCompare: 'always' },
      });
    });
    made++;
  }
  return made;
}

async function run() {
  const step = name => { result.steps.push(name); };
  const fx = await open({ wasm: new URL('lib/fxlens.wasm', location.href) });
  result.version = fx.version;
  const effect = await get('effect.sm_hi');
  const size = effect.length;

  const inspected = await fx.inspect(effect, { name: 'effect.sm_hi' });
  assert(inspected.kind === 'effect' && inspected.fileSize === size, 'inspect');
  assert(effect.length === size, 'the page keeps its bytes');
  step('inspect');

  // The main thread goes on while the worker compiles.
  let ticks = 0;
  const timer = setInterval(() => { ticks++; }, 5);
  const start = performance.now();
  const built = await fx.buildEffect(effect, { name: 'effect.sm_hi', mode: 'all' });
  result.milliseconds = Math.round(performance.now() - start);
  clearInterval(timer);
  result.ticks = ticks;
  result.sha256 = built.sha256;
  result.bytes = built.bytes.length;
  assert(built.bytes instanceof Uint8Array && built.bytes.length === built.size, 'buildEffect');
  step('buildEffect');

  const read = await fx.read(built.bytes);
  assert(read.kind === 'cewgpu' && read.documents.INFO.packageKind === 'tr2-effect-webgpu', 'read');
  for (const c of read.chunks) {
    assert(equal(c.bytes, built.bytes.slice(c.offset, c.offset + c.size)), `the bytes of ${c.tag}`);
  }
  step('read');

  const wgsl = await fx.buildWgsl(effect, { name: 'effect.sm_hi' });
  const adapter = await navigator.gpu.requestAdapter();
  const device = await adapter.requestDevice();
  const uncaptured = [];
  device.onuncapturederror = e => uncaptured.push(e.error.message);
  result.pipelines = await pipelines(device, read.documents.WGSL, wgsl.modules);
  assert(uncaptured.length === 0, uncaptured[0]);
  step('pipelines');

  const analysis = await fx.analyzeEffect(effect, { name: 'effect.sm_hi', link: '#Main/0' });
  assert(analysis.passes.length === 1 && analysis.passes[0].stages.every(s => s.disassembly && s.ssa && s.wgsl && s.bytes.length > 0), 'analyzeEffect');
  step('analyzeEffect');

  const container = await fx.buildEffect(effect, { name: 'effect.sm_hi', format: 'carbon' });
  const view = await fx.read(container.bytes);
  assert(view.kind === 'carbon' && view.wgsl.shaders.length > 0 && container.side.length > 0, 'container');
  step('container');

  for (const [name, value] of Object.entries({ inspected, built, read, wgsl, analysis, container, view })) {
    assert(plain(value), `${name} is plain`);
    assert(equal(structuredClone(value), value), `${name} survives a structured clone`);
    // And the way to another thread and back, which is how most pages will pass them on.
    const { port1, port2 } = new MessageChannel();
    const back = new Promise(resolve => { port2.onmessage = e => resolve(e.data); });
    port1.postMessage(value);
    assert(equal(await back, value), `${name} survives a message`);
    port1.close();
  }
  step('clones');

  // A byte of the source programs is altered.
  const blobs = read.chunks.find(c => c.tag === 'RBLB'), bad = built.bytes.slice();
  bad[blobs.offset + (blobs.size >> 1)] ^= 1;
  result.errors.blob = await thrown(fx.read(bad));
  result.errors.cut = await thrown(fx.inspect(effect.subarray(0, size >> 1), { name: 'effect.sm_hi' }));
  result.errors.axis = await thrown(fx.buildEffect(effect, { name: 'effect.sm_hi', set: { NONE: 'ON' } }));
  result.errors.option = await thrown(fx.buildWgsl(effect, { unknown: 1 }));
  result.errors.refused = await thrown(fx.buildWgsl(await get('refused.sm_hi'), { name: 'refused.sm_hi' }));
  result.errors.bytes = await thrown(fx.read('text'));
  step('errors');

  // Calls wait for their turn and come back to their callers.
  const names = ['a', 'b', 'c'];
  const replies = await Promise.all(names.map(name => fx.inspect(effect, { name })));
  assert(replies.every((r, i) => r.file === names[i]), 'each call gets its own result');
  const waiting = thrown(fx.inspect(effect));
  fx.close();
  assert((await waiting).code === 'closed' && (await thrown(fx.inspect(effect))).code === 'closed', 'close');
  result.errors.missing = await thrown(open({ wasm: 'lib/none.wasm' }));
  step('close');
}

run().catch(e => { result.failure = String(e?.stack ?? e); }).finally(async () => {
  document.getElementById('state').textContent = result.failure ?? 'done';
  await fetch('result', { method: 'POST', body: JSON.stringify(result) });
});
