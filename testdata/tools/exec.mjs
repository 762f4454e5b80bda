#!/usr/bin/env node
// exec: runs WGSL with Google's Dawn on a software Vulkan driver (Chromium's SwiftShader; FXLENS_VK_ICD names another).
//
//   exec.mjs [--jobs N] [--timeout SECONDS] [FILE.jsonl...]     (default: standard input)
//
// Input, one JSON object a line. All data is base64 of bytes in memory order, rows tight.
//   id, features [names], limits {name: number}
//   buffers   [{name, size?, data?, read?}]            size in bytes, at least the data's; read: give it back
//   textures  [{name, dimension "1d"|"2d"|"3d", format, width, height, layers, mips, samples, data [..], storage?, read?}]
//             layers is the depth of a 3d texture. data: for each layer its mips in order (3d: one item a mip);
//             of a multisampled texture for each sample one image
//   samplers  [{name, ...GPUSamplerDescriptor}]
//   passes    [pass...], run in order, each with
//       wgsl [{stage, entryPoint, code, constants?}], layout [[GPUBindGroupLayoutEntry..]..] or null for 'auto',
//       bind [{group, binding, resource, offset?, size?, view? {GPUTextureViewDescriptor}}], and one of
//       dispatch  [x, y, z]            or  dispatchIndirect {buffer, offset}
//       draw      {vertexCount, instanceCount, firstVertex, baseVertex, firstInstance, buffers [{..GPUVertexBufferLayout, resource}],
//                  index {resource, format}, targets [{resource, view?, clear [4]|absent to load, writeMask?, blend?}],
//                  depth {resource, view?, clear?, compare?, write?}, primitive?, multisample?, viewport [x,y,w,h,min,max]?,
//                  width, height (of the attachment that is made when none is given), stripIndexFormat?}
//       capture   {vertexCount, firstVertex, instanceCount, firstInstance, inputs [{location, data: 4 words a vertex}]}
//                  the vertex module of the pass alone, its exact outputs: see lib/vertex.mjs
// Output, one JSON object a line, in the order of the input:
//   id, messages [...] as dawngate.mjs, ran (all passes done), outputs {name: base64}: buffers and textures with
//   read (every layer, its mips in order), and "passN.position", "passN.location3" of captures
import { fileURLToPath } from 'node:url';
import { main } from './lib/pool.mjs';
import { Backend, compile, layoutEntry, scoped } from './lib/dawn.mjs';
import { format, level } from './lib/formats.mjs';
import { vertexAsCompute } from './lib/vertex.mjs';

const backend = new Backend('vulkan');
const bytes = s => new Uint8Array(Buffer.from(s ?? '', 'base64'));
const base64 = b => Buffer.from(b.buffer, b.byteOffset, b.byteLength).toString('base64');
const up = (n, to) => Math.ceil(n / to) * to;

class Job {
  constructor(c, entry) {
    this.c = c;
    this.entry = entry;
    this.device = entry.device;
    this.resources = new Map();
    this.messages = [];
    this.outputs = {};
  }

  fail(text) { throw new Error(text); }

  named(name) { return this.resources.get(name) ?? this.fail(`no resource is called ${JSON.stringify(name)}`); }

  buffer(data, size, usage) {
    const b = this.device.createBuffer({ size: Math.max(4, up(Math.max(size, data.length), 4)), usage, mappedAtCreation: true });
    new Uint8Array(b.getMappedRange()).set(data);
    b.unmap();
    return b;
  }

  makeBuffers() {
    const U = GPUBufferUsage;
    for (const b of this.c.buffers ?? []) {
      const data = bytes(b.data), size = Math.max(b.size ?? 0, data.length);
      const usage = U.UNIFORM | U.STORAGE | U.VERTEX | U.INDEX | U.INDIRECT | U.COPY_SRC | U.COPY_DST;
      this.resources.set(b.name, { kind: 'buffer', size, read: b.read, gpu: this.buffer(data, size, usage) });
    }
    for (const s of this.c.samplers ?? []) {
      const { name, ...desc } = s;
      this.resources.set(name, { kind: 'sampler', gpu: this.device.createSampler(desc) });
    }
  }

  async makeTextures() {
    const U = GPUTextureUsage;
    const attachments = new Set((this.c.passes ?? []).flatMap(p => [...(p.draw?.targets ?? []), p.draw?.depth].filter(Boolean).map(t => t.resource)));
    for (const spec of this.c.textures ?? []) {
      const t = { dimension: '2d', height: 1, layers: 1, mips: 1, samples: 1, ...spec }, f = format(t.format);
      const drawn = attachments.has(t.name) || f.cls === 'd' || t.samples > 1;
      let usage = U.TEXTURE_BINDING | U.COPY_SRC | U.COPY_DST;
      if (drawn) usage |= U.RENDER_ATTACHMENT;
      if (t.storage) usage |= U.STORAGE_BINDING;
      const gpu = this.device.createTexture({ size: [t.width, t.height, t.layers], dimension: t.dimension, format: t.format, mipLevelCount: t.mips, sampleCount: t.samples, usage });
      this.resources.set(t.name, { kind: 'texture', t, read: t.read, gpu });
      if (!t.data?.length) continue;
      if (t.samples > 1) await this.fillSamples(gpu, t);
      else if (t.format === 'depth32float') await this.fillDepth(gpu, t);
      else this.fill(gpu, t);
    }
  }

  /** Calls f(mip, layer, level) for each subresource in the order of the data. */
  each(t, f) {
    for (let layer = 0; layer < (t.dimension === '3d' ? 1 : t.layers); layer++) for (let mip = 0; mip < t.mips; mip++) f(mip, layer, level(t, mip));
  }

  fill(texture, t) {
    let k = 0;
    this.each(t, (mip, layer, l) => {
      const raw = bytes(t.data[k++]), data = new Uint8Array(l.bytes);
      data.set(raw.subarray(0, l.bytes));
      this.device.queue.writeTexture({ texture, mipLevel: mip, origin: [0, 0, layer] }, data, { bytesPerRow: l.row, rowsPerImage: l.rows }, l.copy);
    });
  }

  /** A full-screen draw whose fragment function reads words of a buffer: for what copies cannot write. */
  async paint(fragment, words, target, constants = {}) {
    const d = this.device, code = `@group(0) @binding(0) var<storage, read> words: array<u32>;
override width: u32;
@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> { return vec4<f32>(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0, 0.0, 1.0); }
${fragment}`;
    const module = d.createShaderModule({ code });
    const pipeline = await d.createRenderPipelineAsync({
      layout: 'auto', vertex: { module, entryPoint: 'vs' },
      fragment: { module, entryPoint: 'fs', targets: target.color ? [{ format: target.format }] : [], constants },
      ...(target.color ? {} : { depthStencil: { format: target.format, depthWriteEnabled: true, depthCompare: 'always' } }),
      multisample: { count: target.samples },
    });
    const data = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
    const group = d.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: [{ binding: 0, resource: { buffer: this.buffer(data, 4, GPUBufferUsage.STORAGE) } }] });
    const e = d.createCommandEncoder();
    const pass = e.beginRenderPass(target.color
      ? { colorAttachments: [{ view: target.view, loadOp: 'clear', storeOp: 'store', clearValue: [0, 0, 0, 0] }] }
      : { colorAttachments: [], depthStencilAttachment: { view: target.view, depthLoadOp: 'clear', depthClearValue: 0, depthStoreOp: 'store' } });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.draw(3);
    pass.end();
    d.queue.submit([e.finish()]);
  }

  async fillDepth(texture, t) {
    const todo = [];
    this.each(t, (mip, layer, l) => todo.push([mip, layer, l]));
    for (const [k, [mip, layer, l]] of todo.entries()) {
      const data = new Uint8Array(l.bytes);
      data.set(bytes(t.data[k]).subarray(0, l.bytes));
      const view = texture.createView({ dimension: '2d', baseMipLevel: mip, mipLevelCount: 1, baseArrayLayer: layer, arrayLayerCount: 1 });
      await this.paint('@fragment fn fs(@builtin(position) p: vec4<f32>) -> @builtin(frag_depth) f32 { return bitcast<f32>(words[u32(p.y) * width + u32(p.x)]); }',
        new Uint32Array(data.buffer), { view, format: t.format, samples: 1 }, { width: l.w });
    }
  }

  /** Each sample gets its own image, unpacked here to four words a texel. */
  async fillSamples(texture, t) {
    const f = format(t.format), per = t.width * t.height, words = new Uint32Array(Math.max(1, per * 4 * t.samples));
    const lanes = { r32float: 1, r32uint: 1, r32sint: 1, depth32float: 1, rg32float: 2, rg32uint: 2, rg32sint: 2, rgba32float: 4, rgba32uint: 4, rgba32sint: 4 }[t.format] ?? (t.format === 'rgba8unorm' ? 4 : this.fail(`data for multisampled ${t.format}`));
    const asFloat = new Float32Array(words.buffer);
    for (let s = 0; s < t.samples; s++) {
      const raw = bytes(t.data[s]), data = new Uint8Array(per * f.bytes);
      data.set(raw.subarray(0, data.length));
      const view = new DataView(data.buffer);
      for (let k = 0; k < per; k++) for (let lane = 0; lane < lanes; lane++) {
        const to = (s * per + k) * 4 + lane;
        if (t.format === 'rgba8unorm') asFloat[to] = data[k * 4 + lane] / 255;
        else words[to] = view.getUint32(k * f.bytes + lane * 4, true);
      }
    }
    const at = 'let k = (s * count + u32(p.y) * width + u32(p.x)) * 4u;', head = '(@builtin(position) p: vec4<f32>, @builtin(sample_index) s: u32) ->';
    const scalar = { f: 'f32', u: 'u32', i: 'i32', d: 'f32' }[f.cls], word = n => (scalar === 'u32' ? `words[k + ${n}u]` : `bitcast<${scalar}>(words[k + ${n}u])`);
    const fragment = `override count: u32;\n` + (f.cls === 'd'
      ? `@fragment fn fs${head} @builtin(frag_depth) f32 { ${at} return ${word(0)}; }`
      : `@fragment fn fs${head} @location(0) vec4<${scalar}> { ${at} return vec4<${scalar}>(${[0, 1, 2, 3].map(word).join(', ')}); }`);
    await this.paint(fragment, words, { view: texture.createView(), format: t.format, samples: t.samples, color: f.cls !== 'd' }, { width: t.width, count: per });
  }

  async modules(pass, change = m => m) {
    const made = {};
    for (const m of (pass.wgsl ?? []).map(change)) {
      const r = await compile(this.device, m.code, m.stage);
      for (const x of r.messages) this.messages.push({ stage: m.stage, ...x });
      if (r.messages.some(x => x.severity === 'error')) this.fail(`the ${m.stage} module does not compile`);
      made[m.stage] = { module: r.module, entryPoint: m.entryPoint || undefined, constants: m.constants ?? {} };
    }
    return made;
  }

  resource(b) {
    const r = this.named(b.resource);
    if (r.kind === 'sampler') return r.gpu;
    if (r.kind === 'texture') return r.gpu.createView(b.view ?? {});
    return { buffer: r.gpu, offset: b.offset ?? 0, size: b.size ?? r.size - (b.offset ?? 0) };
  }

  /** The pipeline layout of a pass, and then its bind groups for the finished pipeline. */
  layouts(pass, changeEntry = e => layoutEntry(e)) {
    return pass.layout && pass.layout.map(g => this.device.createBindGroupLayout({ entries: (g ?? []).map(changeEntry) }));
  }

  bindGroups(pass, pipeline, groups) {
    const byGroup = new Map();
    for (const b of pass.bind ?? []) {
      const g = b.group ?? 0;
      if (!byGroup.has(g)) byGroup.set(g, []);
      byGroup.get(g).push({ binding: b.binding ?? 0, resource: this.resource(b) });
    }
    for (let g = 0; g < (groups?.length ?? 0); g++) if (!byGroup.has(g)) byGroup.set(g, []);
    return [...byGroup].map(([g, entries]) => [g, this.device.createBindGroup({ layout: groups ? groups[g] : pipeline.getBindGroupLayout(g), entries })]);
  }

  /** What make gives for a key. Jobs that run one pipeline over several inputs follow each other and share it. */
  async shared(key, make) {
    const text = JSON.stringify(key), known = this.entry.pipelines ??= new Map();
    if (known.has(text)) return known.get(text);
    const before = this.messages.length, made = await make();
    if (this.messages.length > before) return made; // what has messages says them each time
    if (known.size === 8) known.delete(known.keys().next().value);
    known.set(text, made);
    return made;
  }

  computePipeline(pass) {
    return this.shared([pass.wgsl, pass.layout], async () => {
      const { compute } = await this.modules(pass), groups = this.layouts(pass);
      if (!compute) this.fail('a dispatch needs a compute module');
      const layout = groups ? this.device.createPipelineLayout({ bindGroupLayouts: groups }) : 'auto';
      return { groups, pipeline: await this.device.createComputePipelineAsync({ layout, compute }) };
    });
  }

  async compute(pass) {
    const { pipeline, groups } = await this.computePipeline(pass);
    const e = this.device.createCommandEncoder(), p = e.beginComputePass();
    p.setPipeline(pipeline);
    for (const [g, set] of this.bindGroups(pass, pipeline, groups)) p.setBindGroup(g, set);
    if (pass.dispatchIndirect) p.dispatchWorkgroupsIndirect(this.named(pass.dispatchIndirect.buffer).gpu, pass.dispatchIndirect.offset ?? 0);
    else p.dispatchWorkgroups(...pass.dispatch);
    p.end();
    this.device.queue.submit([e.finish()]);
  }

  async render(pass) {
    const d = pass.draw, fragment = (pass.wgsl ?? []).some(m => m.stage === 'fragment');
    const targets = [], attachments = [];
    for (const t of d.targets ?? []) {
      if (!t?.resource) { targets.push(null); attachments.push(null); continue; }
      const r = this.named(t.resource), state = { format: r.t.format };
      if (t.writeMask !== undefined) state.writeMask = t.writeMask;
      if (t.blend) state.blend = t.blend;
      targets.push(state);
      attachments.push({ view: r.gpu.createView(t.view ?? { dimension: '2d', mipLevelCount: 1, arrayLayerCount: 1 }), storeOp: 'store', ...(t.clear ? { loadOp: 'clear', clearValue: t.clear } : { loadOp: 'load' }), ...(t.resolve ? { resolveTarget: this.named(t.resolve).gpu.createView() } : {}) });
    }
    let depthStencil, depthStencilAttachment;
    if (d.depth) {
      const r = this.named(d.depth.resource);
      depthStencil = { format: r.t.format, depthWriteEnabled: d.depth.write ?? true, depthCompare: d.depth.compare ?? 'always' };
      depthStencilAttachment = { view: r.gpu.createView(d.depth.view ?? { dimension: '2d', mipLevelCount: 1, arrayLayerCount: 1 }), depthStoreOp: 'store', ...(d.depth.clear === undefined ? { depthLoadOp: 'load' } : { depthLoadOp: 'clear', depthClearValue: d.depth.clear }) };
    }
    if (!targets.some(Boolean) && !depthStencil) { // WebGPU has no pass without an attachment
      const texture = this.device.createTexture({ size: [d.width ?? 1, d.height ?? 1], format: 'depth32float', usage: GPUTextureUsage.RENDER_ATTACHMENT });
      depthStencil = { format: 'depth32float', depthWriteEnabled: false, depthCompare: 'always' };
      depthStencilAttachment = { view: texture.createView(), depthLoadOp: 'clear', depthClearValue: 1, depthStoreOp: 'discard' };
    }
    const buffers = (d.buffers ?? []).map(b => b && { arrayStride: b.arrayStride, stepMode: b.stepMode || 'vertex', attributes: b.attributes });
    const state = { primitive: d.primitive ?? {}, multisample: d.multisample ?? {}, ...(depthStencil ? { depthStencil } : {}) };
    const { groups, pipeline } = await this.shared([pass.wgsl, pass.layout, targets, buffers, state], async () => {
      const made = await this.modules(pass), groups = this.layouts(pass);
      if (!made.vertex) this.fail('a draw needs a vertex module');
      const layout = groups ? this.device.createPipelineLayout({ bindGroupLayouts: groups }) : 'auto';
      return { groups, pipeline: await this.device.createRenderPipelineAsync({
        layout, vertex: { ...made.vertex, buffers }, ...(made.fragment ? { fragment: { ...made.fragment, targets } } : {}), ...state,
      }) };
    });
    const e = this.device.createCommandEncoder(), p = e.beginRenderPass({ colorAttachments: fragment ? attachments : [], ...(depthStencilAttachment ? { depthStencilAttachment } : {}) });
    p.setPipeline(pipeline);
    for (const [g, set] of this.bindGroups(pass, pipeline, groups)) p.setBindGroup(g, set);
    (d.buffers ?? []).forEach((b, k) => { if (b) p.setVertexBuffer(k, this.named(b.resource).gpu, b.offset ?? 0); });
    if (d.viewport) p.setViewport(...d.viewport);
    if (d.index) {
      p.setIndexBuffer(this.named(d.index.resource).gpu, d.index.format);
      p.drawIndexed(d.vertexCount, d.instanceCount ?? 1, d.firstVertex ?? 0, d.baseVertex ?? 0, d.firstInstance ?? 0);
    } else p.draw(d.vertexCount, d.instanceCount ?? 1, d.firstVertex ?? 0, d.firstInstance ?? 0);
    p.end();
    this.device.queue.submit([e.finish()]);
  }

  async capture(pass, index) {
    const d = pass.capture, n = d.vertexCount, total = n * (d.instanceCount ?? 1);
    const used = new Set((pass.bind ?? []).map(b => b.group ?? 0)), own = pass.layout ? pass.layout.length : Math.max(-1, ...used) + 1;
    const vertex = (pass.wgsl ?? []).find(m => m.stage === 'vertex') ?? this.fail('a capture needs a vertex module');
    const w = vertexAsCompute(vertex.code, vertex.entryPoint, own);
    const rows = new Uint32Array(Math.max(1, total * w.stride));
    const given = new Map((d.inputs ?? []).map(i => [i.location, new Uint32Array(bytes(i.data).slice().buffer)]));
    for (let k = 0; k < total; k++) {
      const at = k * w.stride;
      rows[at] = (d.firstVertex ?? 0) + (k % n);
      rows[at + 1] = (d.firstInstance ?? 0) + Math.floor(k / n);
      w.inputs.forEach((loc, j) => { const v = given.get(loc) ?? this.fail(`no data for vertex input location ${loc}`); rows.set(v.subarray((k % n) * 4, (k % n) * 4 + 4), at + 2 + 4 * j); });
    }
    const U = GPUBufferUsage, size = total * w.words * 4;
    const inBuffer = this.buffer(new Uint8Array(rows.buffer), 4, U.STORAGE), outBuffer = this.buffer(new Uint8Array(0), size, U.STORAGE | U.COPY_SRC);
    const { groups, pipeline } = await this.shared(['capture', vertex, pass.layout, own], async () => {
      const { compute } = await this.modules({ wgsl: [{ ...vertex, stage: 'compute', entryPoint: 'fx_capture', code: w.code }] });
      const groups = this.layouts(pass, e => layoutEntry(e, 4));
      let layout = 'auto';
      if (groups) {
        groups.push(this.device.createBindGroupLayout({ entries: [{ binding: 0, visibility: 4, buffer: { type: 'read-only-storage' } }, { binding: 1, visibility: 4, buffer: { type: 'storage' } }] }));
        layout = this.device.createPipelineLayout({ bindGroupLayouts: groups });
      }
      return { groups, pipeline: await this.device.createComputePipelineAsync({ layout, compute }) };
    });
    const sets = this.bindGroups(pass, pipeline, groups?.slice(0, own));
    sets.push([own, this.device.createBindGroup({ layout: groups ? groups[own] : pipeline.getBindGroupLayout(own), entries: [{ binding: 0, resource: { buffer: inBuffer } }, { binding: 1, resource: { buffer: outBuffer } }] })]);
    const e = this.device.createCommandEncoder(), p = e.beginComputePass();
    p.setPipeline(pipeline);
    for (const [g, set] of sets) p.setBindGroup(g, set);
    p.dispatchWorkgroups(Math.ceil(total / 64));
    p.end();
    this.device.queue.submit([e.finish()]);
    const all = new Uint32Array((await this.readBuffer(outBuffer, size)).slice().buffer);
    let offset = 0;
    for (const o of w.outputs) {
      const out = new Uint32Array(total * o.words);
      for (let k = 0; k < total; k++) out.set(all.subarray(k * w.words + offset, k * w.words + offset + o.words), k * o.words);
      this.outputs[`pass${index}.${o.name}`] = base64(new Uint8Array(out.buffer));
      offset += o.words;
    }
  }

  async readBuffer(buffer, size) {
    const n = up(Math.max(4, size), 4), to = this.device.createBuffer({ size: n, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
    const e = this.device.createCommandEncoder();
    e.copyBufferToBuffer(buffer, 0, to, 0, n);
    this.device.queue.submit([e.finish()]);
    await to.mapAsync(GPUMapMode.READ);
    const out = new Uint8Array(to.getMappedRange()).slice(0, size);
    to.destroy();
    return out;
  }

  async readTexture(r) {
    if (r.t.samples > 1) this.fail(`texture ${r.t.name} is multisampled: resolve it into another to read it`);
    const parts = [], todo = [], depth = format(r.t.format).cls === 'd';
    this.each(r.t, (mip, layer, l) => todo.push([mip, layer, l]));
    for (const [mip, layer, l] of todo) {
      const pitch = up(l.row, 256), to = this.device.createBuffer({ size: pitch * l.rows * l.depth, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
      const e = this.device.createCommandEncoder();
      e.copyTextureToBuffer({ texture: r.gpu, mipLevel: mip, origin: [0, 0, layer], aspect: depth ? 'depth-only' : 'all' }, { buffer: to, bytesPerRow: pitch, rowsPerImage: l.rows }, l.copy);
      this.device.queue.submit([e.finish()]);
      await to.mapAsync(GPUMapMode.READ);
      const all = new Uint8Array(to.getMappedRange());
      for (let k = 0; k < l.rows * l.depth; k++) parts.push(Buffer.from(all.slice(k * pitch, k * pitch + l.row)));
      to.destroy();
    }
    return Buffer.concat(parts);
  }

  async run() {
    this.makeBuffers();
    await this.makeTextures();
    for (const [k, pass] of (this.c.passes ?? []).entries()) {
      const { errors } = await scoped(this.device, async () => {
        if (pass.dispatch || pass.dispatchIndirect) await this.compute(pass);
        else if (pass.draw) await this.render(pass);
        else if (pass.capture) await this.capture(pass, k);
        else this.fail('the pass has no dispatch, draw or capture');
      });
      if (errors.length) this.fail(`pass ${k}: ${errors.join('; ')}`);
    }
    for (const [name, r] of this.resources) {
      if (!r.read) continue;
      this.outputs[name] = base64(r.kind === 'buffer' ? await this.readBuffer(r.gpu, r.size) : await this.readTexture(r));
    }
  }
}

async function handle(c) {
  const entry = await backend.device(c.features ?? [], c.limits ?? {});
  if (entry.missing.length) return { id: c.id, ran: false, skipped: `the driver lacks ${entry.missing.join(', ')}`, messages: [], outputs: {} };
  const job = new Job(c, entry);
  let ran = false;
  const { errors } = await scoped(entry.device, async () => { await job.run(); ran = true; });
  for (const text of errors) job.messages.push({ severity: 'error', text });
  for (const text of entry.uncaptured.splice(0)) job.messages.push({ severity: 'error', text: `uncaptured: ${text}` });
  return { id: c.id, ran: ran && !job.messages.some(m => m.severity === 'error'), messages: job.messages, outputs: job.outputs };
}

await main(fileURLToPath(import.meta.url), { weigh: c => (c.passes ?? []).reduce((n, p) => n + (p.wgsl?.length ?? 0), 1), handle });
