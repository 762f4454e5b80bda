// Opening Dawn: adapters, and devices that have just what a case asks for.
import fs from 'node:fs';

/** Chromium's software Vulkan driver, the one that tests run on. */
const SWIFTSHADER = ['/usr/lib/chromium/vk_swiftshader_icd.json', '/usr/lib/chromium-browser/vk_swiftshader_icd.json'];

let webgpu, gpu;

async function load() {
  if (webgpu) return webgpu;
  try { webgpu = await import('webgpu'); } catch (e) {
    throw new Error(`npm package webgpu does not load (${e.message}); run "npm ci --ignore-scripts" in testdata/tools`);
  }
  Object.assign(globalThis, webgpu.globals);
  return webgpu;
}

/** Points the Vulkan loader at SwiftShader, unless the user chose a driver with VK_ICD_FILENAMES or FXLENS_VK_ICD. */
function chooseDriver() {
  if (process.env.FXLENS_VK_ICD) process.env.VK_ICD_FILENAMES = process.env.FXLENS_VK_ICD;
  if (process.env.VK_ICD_FILENAMES) return;
  const icd = SWIFTSHADER.find(f => fs.existsSync(f));
  if (!icd) throw new Error('no SwiftShader: install Debian\'s chromium (it brings vk_swiftshader_icd.json)');
  process.env.VK_ICD_FILENAMES = icd;
}

/**
 * The adapters and devices of one back end, "null" (validates, executes nothing) or "vulkan".
 * device(features, limits) returns { device, missing }: a device that has exactly the features and limits asked
 * for, so that a program's list of requirements is checked too. What the adapter lacks is named in missing.
 */
export class Backend {
  constructor(name) { this.name = name; this.devices = new Map(); }

  async adapter() {
    const { create } = await load();
    if (this.name === 'vulkan') chooseDriver();
    gpu ??= create([`backend=${this.name}`]);
    const a = await gpu.requestAdapter(); // an adapter gives one device only
    if (!a) throw new Error(`Dawn has no adapter for back end ${this.name}`);
    return a;
  }

  async device(features = [], limits = {}) {
    const key = JSON.stringify([[...features].sort(), Object.entries(limits).sort()]);
    const known = this.devices.get(key);
    if (known && !known.lost) return known;
    const adapter = await this.adapter(), missing = [], want = {}, have = [];
    for (const f of features) (adapter.features.has(f) ? have : missing).push(f);
    for (const [k, v] of Object.entries(limits)) {
      const max = adapter.limits[k];
      if (max === undefined) { missing.push(`limit ${k} (unknown)`); continue; }
      const lower = /^min/.test(k); // alignments: smaller is better
      if (lower ? v < max : v > max) missing.push(`limit ${k} ${v}, the adapter has ${max}`);
      want[k] = lower ? Math.max(v, max) : Math.min(v, max);
    }
    const device = await adapter.requestDevice({ requiredFeatures: have, requiredLimits: want });
    const entry = { device, missing, lost: false, uncaptured: [] };
    device.lost.then(() => { entry.lost = true; });
    device.addEventListener?.('uncapturederror', e => { entry.uncaptured.push(String(e.error?.message)); e.preventDefault?.(); });
    this.devices.set(key, entry);
    return entry;
  }
}

const STAGE_BIT = { vertex: 1, fragment: 2, compute: 4, v: 1, f: 2, c: 4 };

/** GPUShaderStage flags from a number, a stage name or a list of names. */
export function visibility(v) {
  if (typeof v === 'number') return v;
  const names = Array.isArray(v) ? v : String(v ?? '').split(/[|,\s]+/).filter(Boolean);
  return names.reduce((bits, n) => {
    const b = STAGE_BIT[String(n).toLowerCase()];
    if (!b) throw new Error(`visibility ${JSON.stringify(n)} is no stage`);
    return bits | b;
  }, 0);
}

/** A GPUBindGroupLayoutEntry from a planned one: other keys of the plan are dropped. */
export function layoutEntry(e, vis = visibility(e.visibility)) {
  const r = { binding: e.binding, visibility: vis };
  for (const k of ['buffer', 'sampler', 'texture', 'storageTexture']) if (e[k]) r[k] = e[k];
  return r;
}

/** Runs f in validation, internal and out-of-memory scopes and returns { value, errors }. */
export async function scoped(device, f) {
  for (const s of ['validation', 'internal', 'out-of-memory']) device.pushErrorScope(s);
  let value; const errors = [];
  try { value = await f(); } catch (e) { errors.push(String(e.message ?? e)); }
  for (let k = 0; k < 3; k++) {
    const e = await device.popErrorScope();
    if (e && !errors.includes(e.message)) errors.push(e.message);
  }
  return { value, errors };
}

/** Compiles one module: { module, messages }, every message of Tint's included. */
export async function compile(device, code, label) {
  const { value: module, errors } = await scoped(device, async () => device.createShaderModule({ code, label }));
  const messages = [];
  if (module) {
    const info = await module.getCompilationInfo();
    for (const m of info.messages) messages.push({ severity: m.type, line: m.lineNum, col: m.linePos, text: m.message });
  }
  if (!messages.some(m => m.severity === 'error')) for (const text of errors) messages.push({ severity: 'error', text });
  return { module, messages };
}
