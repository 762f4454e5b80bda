// The browser's side of `fxlens gate`: takes one pass after the other from the server that this page comes from, creates
// its modules, layouts and pipeline, and sends back every message. It renders nothing.

const state = document.getElementById('state');

async function post(path, value) {
  await fetch(path, { method: 'POST', body: JSON.stringify(value) });
}

/** Devices by what they were asked for; a device that got lost is asked for anew. */
const devices = new Map();

async function deviceFor(adapterOptions, pass, allLimits) {
  const key = JSON.stringify([pass.features, pass.limits]);
  const known = devices.get(key);
  if (known && !known.lost) return known;
  // An adapter gives one device and is spent.
  const adapter = await navigator.gpu.requestAdapter(adapterOptions);
  if (!adapter) throw new Error('no adapter');
  const missing = pass.features.filter(f => !adapter.features.has(f));
  const requiredLimits = {};
  if (allLimits) for (const name in Object.getPrototypeOf(adapter.limits)) {
    if (typeof adapter.limits[name] === 'number') requiredLimits[name] = adapter.limits[name];
  }
  for (const [name, value] of Object.entries(pass.limits)) {
    const has = adapter.limits[name];
    if (has === undefined) missing.push(`limit ${name}`);
    else if (name.startsWith('min') ? has > value : has < value) {
      missing.push(`${name} ${value} (it has ${has})`);
      requiredLimits[name] = has; // enough for modules and layouts
    } else requiredLimits[name] ??= value;
  }
  const requiredFeatures = pass.features.filter(f => adapter.features.has(f));
  const device = await adapter.requestDevice({ requiredFeatures, requiredLimits });
  const entry = { device, missing, lost: '', uncaptured: [], withoutFeatures: requiredFeatures.length < pass.features.length };
  device.lost.then(info => { entry.lost = info.message || info.reason || 'device lost'; });
  device.onuncapturederror = e => { entry.uncaptured.push(e.error.message); };
  devices.set(key, entry);
  return entry;
}

/** Runs f and adds what WebGPU objects to as messages about `at`. */
async function scoped(device, messages, at, f) {
  for (const filter of ['validation', 'internal', 'out-of-memory']) device.pushErrorScope(filter);
  let value = null;
  try {
    value = await f();
  } catch (e) {
    // createPipelineAsync rejects with the same text that its scope would have had.
    messages.push({ at, severity: 'error', text: e.message });
  }
  for (let i = 0; i < 3; i++) {
    const error = await device.popErrorScope();
    if (error) messages.push({ at, severity: 'error', text: error.message });
  }
  return value;
}

const depthStencil = { format: 'depth32float', depthWriteEnabled: true, depthCompare: 'always' };

async function judge(pass, adapterOptions, allLimits) {
  const messages = [], result = { messages, modules: 0, layouts: 0, pipeline: 'not tried', why: '' };
  const entry = await deviceFor(adapterOptions, pass, allLimits);
  if (entry.missing.length) {
    messages.push({ at: 'device', severity: 'unavailable', text: `the adapter lacks ${entry.missing.join(', ')}` });
    result.why = 'the adapter lacks what the pass needs';
    if (entry.withoutFeatures) return result; // its modules would have errors that are none
  }
  const { device } = entry, compiled = {};
  for (const m of pass.modules) {
    const before = messages.length;
    const module = await scoped(device, [], m.key, () => device.createShaderModule({ code: m.code, label: m.key }));
    const info = await module.getCompilationInfo();
    for (const x of info.messages) {
      messages.push({ at: m.key, severity: x.type, line: x.lineNum, column: x.linePos, text: x.message });
    }
    if (!messages.slice(before).some(x => x.severity === 'error')) result.modules++;
    compiled[m.stage] = { module, entryPoint: m.entryPoint };
  }
  const groups = [];
  for (const [i, g] of pass.groups.entries()) {
    const before = messages.length;
    groups.push(await scoped(device, messages, `group ${i}`, () => device.createBindGroupLayout(g)));
    if (messages.length === before) result.layouts++;
  }
  if (messages.some(x => x.severity === 'error')) {
    result.why = 'a module or layout has errors';
  } else if (entry.missing.length) {
    // said already
  } else if (!compiled.compute && !compiled.vertex) {
    result.why = 'the pass has no vertex module';
  } else {
    const before = messages.length;
    await scoped(device, messages, 'pipeline', async () => {
      const layout = device.createPipelineLayout({ bindGroupLayouts: groups });
      if (compiled.compute) {
        await device.createComputePipelineAsync({ layout, compute: compiled.compute, label: pass.key });
        return;
      }
      const desc = { layout, label: pass.key, depthStencil,
        vertex: { ...compiled.vertex, buffers: pass.vertex ? [pass.vertex] : [] } };
      if (compiled.fragment) {
        desc.fragment = { ...compiled.fragment, targets: (pass.targets ?? []).map(format => (format ? { format } : null)) };
      }
      await device.createRenderPipelineAsync(desc);
    });
    result.pipeline = messages.length === before ? 'created' : 'failed';
  }
  for (const text of entry.uncaptured.splice(0)) messages.push({ at: 'device', severity: 'error', text });
  if (entry.lost) messages.push({ at: 'device', severity: 'error', text: `the device was lost: ${entry.lost}` });
  return result;
}

async function main() {
  const { adapterOptions, allLimits } = await (await fetch('options')).json();
  const hello = { userAgent: navigator.userAgent, error: '' };
  if (!navigator.gpu) hello.error = 'the browser has no WebGPU here (navigator.gpu is missing)';
  else {
    const adapter = await navigator.gpu.requestAdapter(adapterOptions);
    if (!adapter) hello.error = 'WebGPU has no adapter';
    else {
      const { vendor, architecture, device, description } = adapter.info;
      hello.adapter = { vendor, architecture, device, description, fallback: Boolean(adapter.info.isFallbackAdapter ?? adapter.isFallbackAdapter) };
    }
  }
  await post('hello', hello);
  if (hello.error) return;
  for (;;) {
    const reply = await fetch('job');
    if (reply.status !== 200) break;
    const { id, pass } = await reply.json();
    state.textContent = pass.key;
    let result;
    try {
      result = await judge(pass, adapterOptions, allLimits);
    } catch (e) {
      result = { messages: [{ at: 'page', severity: 'error', text: String(e) }], modules: 0, layouts: 0, pipeline: 'failed', why: '' };
    }
    await post(`result/${id}`, result);
  }
  state.textContent = 'done';
}

main().catch(e => post('hello', { userAgent: navigator.userAgent, error: String(e) }));
