// Texture formats: [bytes per texel or block, block side, class]. The class is what a fragment output of that
// format is made of: f(loat), u(int), i(nt), d(epth).
const plain = (bytes, cls, ...names) => names.map(n => [n, [bytes, 1, cls]]);
const block = (bytes, ...names) => names.map(n => [n, [bytes, 4, 'f']]);
const FORMATS = new Map([
  ...plain(1, 'f', 'r8unorm', 'r8snorm'), ...plain(1, 'u', 'r8uint'), ...plain(1, 'i', 'r8sint'),
  ...plain(2, 'f', 'rg8unorm', 'rg8snorm', 'r16float', 'r16unorm', 'r16snorm'), ...plain(2, 'u', 'rg8uint', 'r16uint'), ...plain(2, 'i', 'rg8sint', 'r16sint'),
  ...plain(4, 'f', 'rgba8unorm', 'rgba8unorm-srgb', 'rgba8snorm', 'bgra8unorm', 'bgra8unorm-srgb', 'rg16float', 'rg16unorm', 'rg16snorm', 'r32float', 'rgb10a2unorm', 'rg11b10ufloat', 'rgb9e5ufloat'),
  ...plain(4, 'u', 'rgba8uint', 'rg16uint', 'r32uint', 'rgb10a2uint'), ...plain(4, 'i', 'rgba8sint', 'rg16sint', 'r32sint'),
  ...plain(8, 'f', 'rgba16float', 'rgba16unorm', 'rgba16snorm', 'rg32float'), ...plain(8, 'u', 'rgba16uint', 'rg32uint'), ...plain(8, 'i', 'rgba16sint', 'rg32sint'),
  ...plain(16, 'f', 'rgba32float'), ...plain(16, 'u', 'rgba32uint'), ...plain(16, 'i', 'rgba32sint'),
  ...plain(2, 'd', 'depth16unorm'), ...plain(4, 'd', 'depth32float'),
  ...block(8, 'bc1-rgba-unorm', 'bc1-rgba-unorm-srgb', 'bc4-r-unorm', 'bc4-r-snorm'),
  ...block(16, 'bc2-rgba-unorm', 'bc2-rgba-unorm-srgb', 'bc3-rgba-unorm', 'bc3-rgba-unorm-srgb', 'bc5-rg-unorm', 'bc5-rg-snorm', 'bc6h-rgb-ufloat', 'bc6h-rgb-float', 'bc7-rgba-unorm', 'bc7-rgba-unorm-srgb'),
]);

/** { bytes, block, cls } of a WebGPU format name. */
export function format(name) {
  const f = FORMATS.get(name);
  if (!f) throw new Error(`texture format ${JSON.stringify(name)} is not one that the executor knows`);
  return { bytes: f[0], block: f[1], cls: f[2] };
}

/** One subresource of a texture: texels, and the tight rows that hold them. */
export function level(t, mip) {
  const f = format(t.format), w = Math.max(1, t.width >> mip), h = Math.max(1, t.height >> mip);
  const depth = t.dimension === '3d' ? Math.max(1, t.layers >> mip) : 1;
  const columns = Math.ceil(w / f.block), rows = Math.ceil(h / f.block), row = columns * f.bytes;
  return { w, h, depth, row, rows, bytes: row * rows * depth, copy: [columns * f.block, rows * f.block, depth] };
}
