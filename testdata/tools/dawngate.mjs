#!/usr/bin/env node
// dawngate: validates WGSL with Google's Dawn (null back end: no GPU is needed, nothing runs).
//
//   dawngate.mjs [--jobs N] [--timeout SECONDS] [--max MODULES] [FILE.jsonl...]     (default: standard input)
//
// Input, one JSON object a line:
//   id         any string, comes back in the result
//   wgsl       [{stage: "vertex"|"fragment"|"compute", entryPoint, code, constants?}]; stage "" is a module alone
//   layout     [[GPUBindGroupLayoutEntry...] per group]; null: 'auto'. visibility: number, name or list of names
//   pipeline   null or absent: modules only. Else {buffers?: [GPUVertexBufferLayout|null...],
//              targets?: [GPUColorTargetState|format|null...], depthStencil?, primitive?, multisample?,
//              varyings?: [{location, type, interpolate?}] for a fragment module without its vertex module}
//   features   [names], limits {name: number}: requested where the adapter has them
// Output, one JSON object a line, in the order of the input:
//   id, messages [{stage?, severity: "error"|"warning"|"info"|"crash", line?, col?, text}],
//   pipeline "formed" | "failed" | "not tried", and skipped (why) where the adapter lacks what the case needs.
//
// A pipeline without colour target or depth attachment is no pipeline in WebGPU, and a frag_depth output needs an
// attachment: in both cases a depth32float attachment is added when the case names none.
import { fileURLToPath } from 'node:url';
import { main } from './lib/pool.mjs';
import { Backend, compile, layoutEntry, scoped } from './lib/dawn.mjs';

const backend = new Backend('null'), modules = new Map();

async function module(device, code, label) {
  let perDevice = modules.get(device);
  if (!perDevice) modules.set(device, perDevice = new Map());
  if (!perDevice.has(code)) perDevice.set(code, await compile(device, code, label));
  return perDevice.get(code);
}

/** A vertex module that feeds the given varyings with zeros. */
function vertexFor(varyings) {
  const members = varyings.map(v => {
    const attr = v.interpolate ? ` @interpolate(${v.interpolate})` : '';
    return `  @location(${v.location})${attr} v${v.location}: ${v.type},`;
  });
  return `struct Out {\n  @builtin(position) position: vec4<f32>,\n${members.join('\n')}\n}\n@vertex\nfn main() -> Out {\n  return Out();\n}\n`;
}

const depthDefault = { format: 'depth32float', depthWriteEnabled: true, depthCompare: 'always' };

function descriptor(c, compiled, layout) {
  const stage = name => {
    const k = c.wgsl.findIndex(m => m.stage === name);
    if (k < 0) return null;
    const m = c.wgsl[k];
    return { module: compiled[k].module, entryPoint: m.entryPoint || undefined, constants: m.constants ?? {} };
  };
  const compute = stage('compute');
  if (compute) return { kind: 'compute', desc: { layout, compute } };
  const vertex = stage('vertex'), fragment = stage('fragment'), p = c.pipeline;
  const targets = (p.targets ?? []).map(t => (typeof t === 'string' ? { format: t } : t));
  const writesDepth = fragment && /\bfrag_depth\b/.test(c.wgsl.find(m => m.stage === 'fragment').code);
  const desc = { layout, vertex: { ...vertex, buffers: p.buffers ?? [] }, primitive: p.primitive ?? {}, multisample: p.multisample ?? {} };
  if (fragment) desc.fragment = { ...fragment, targets };
  if (p.depthStencil) desc.depthStencil = p.depthStencil;
  else if (!fragment || targets.every(t => !t) || writesDepth) desc.depthStencil = depthDefault;
  return { kind: 'render', desc };
}

async function handle(c) {
  const result = { id: c.id, messages: [], pipeline: 'not tried' };
  const { device, missing, uncaptured } = await backend.device(c.features ?? [], c.limits ?? {});
  const wgsl = [...(c.wgsl ?? [])];
  if (!wgsl.length) result.messages.push({ severity: 'error', text: 'the case has no module' });
  const fragmentAlone = c.pipeline && wgsl.some(m => m.stage === 'fragment') && !wgsl.some(m => m.stage === 'vertex');
  if (fragmentAlone) wgsl.push({ stage: 'vertex', entryPoint: 'main', code: vertexFor(c.pipeline.varyings ?? []) });
  const full = { ...c, wgsl }, compiled = [];
  for (const m of wgsl) {
    const r = await module(device, m.code, m.stage || 'module');
    compiled.push(r);
    for (const x of r.messages) result.messages.push({ stage: m.stage, ...x });
  }
  const bad = result.messages.some(m => m.severity === 'error');
  if (c.pipeline && missing.length) result.skipped = `pipeline not formed, the null adapter lacks ${missing.join(', ')}`;
  else if (c.pipeline && !bad) {
    const { errors } = await scoped(device, async () => {
      const groups = c.layout && c.layout.map(g => device.createBindGroupLayout({ entries: (g ?? []).map(e => layoutEntry(e)) }));
      const layout = groups ? device.createPipelineLayout({ bindGroupLayouts: groups }) : 'auto';
      const { kind, desc } = descriptor(full, compiled, layout);
      if (kind === 'compute') await device.createComputePipelineAsync(desc);
      else await device.createRenderPipelineAsync(desc);
    });
    for (const text of errors) result.messages.push({ stage: 'pipeline', severity: 'error', text });
    result.pipeline = errors.length ? 'failed' : 'formed';
  }
  for (const text of uncaptured.splice(0)) result.messages.push({ severity: 'error', text: `uncaptured: ${text}` });
  return result;
}

await main(fileURLToPath(import.meta.url), { weigh: c => (c.wgsl?.length ?? 0) + 1, handle });
