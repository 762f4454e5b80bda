// A vertex entry point as a compute program, so that every output word is exact: no rasteriser in between.
//
// WGSL lets nobody call an entry point. So the entry point's attributes are taken off its head, which makes it an
// ordinary function, and a compute entry point calls it once per vertex: inputs come from one buffer of words,
// every member of the result goes to another.

const blank = s => s.replace(/\/\*[\s\S]*?\*\//g, m => m.replace(/[^\n]/g, ' ')).replace(/\/\/[^\n]*/g, m => ' '.repeat(m.length));

/** Splits at commas that are in no bracket. */
function commas(s) {
  const parts = [];
  let depth = 0, from = 0;
  for (let k = 0; k < s.length; k++) {
    if ('(<['.includes(s[k])) depth++;
    else if (')>]'.includes(s[k])) depth--;
    else if (s[k] === ',' && depth === 0) { parts.push(s.slice(from, k)); from = k + 1; }
  }
  parts.push(s.slice(from));
  return parts.map(p => p.trim()).filter(Boolean);
}

/** "@location(1) @interpolate(flat) uv: vec2<f32>" as { attrs, name, type }; a return type has no name. */
function declaration(s) {
  const attrs = new Map();
  const rest = s.replace(/@\s*(\w+)\s*(?:\(([^()]*)\))?/g, (_, n, a) => { attrs.set(n, (a ?? '').trim()); return ' '; });
  const colon = rest.indexOf(':');
  return { attrs, name: colon < 0 ? '' : rest.slice(0, colon).trim(), type: rest.slice(colon + 1).trim() };
}

function structMembers(code, name) {
  const m = new RegExp(`\\bstruct\\s+${name}\\s*\\{([^}]*)\\}`).exec(code);
  return m && commas(m[1]).map(declaration);
}

/** { n, scalar, array } of an entry point's input or output type. */
function shape(code, type) {
  let m;
  if ((m = new RegExp(`\\balias\\s+${type.replace(/\W/g, '.')}\\s*=\\s*([^;]+);`).exec(code))) return shape(code, m[1].trim());
  if ((m = /^vec([234])([fui])$/.exec(type))) return { n: +m[1], scalar: { f: 'f32', u: 'u32', i: 'i32' }[m[2]] };
  if ((m = /^vec([234])\s*<\s*(f32|u32|i32)\s*>$/.exec(type))) return { n: +m[1], scalar: m[2] };
  if ((m = /^(f32|u32|i32)$/.exec(type))) return { n: 1, scalar: m[1] };
  if ((m = /^array\s*<\s*f32\s*,\s*(\d+)u?\s*,?\s*>$/.exec(type))) return { n: +m[1], scalar: 'f32', array: true };
  throw new Error(`vertex capture: type ${type} at the stage interface`);
}

const place = attrs => {
  if (attrs.has('location')) return `location${parseInt(attrs.get('location'), 10)}`;
  if (attrs.has('builtin')) return attrs.get('builtin');
  return null;
};

/**
 * vertexAsCompute(code, entry, group) returns { code, inputs, stride, outputs, words }:
 * the new module, whose buffers are @group(group) @binding(0) (inputs, `stride` words a vertex: vertex index,
 * instance index, then four words for each location of `inputs`) and @binding(1) (outputs, `words` words a vertex:
 * for each output {name, words} in order). name is "position", "clip_distances" or "location3".
 */
export function vertexAsCompute(source, entry, group) {
  const code = blank(source);
  const found = entry ? new RegExp(`\\bfn\\s+(${entry})\\s*\\(`).exec(code) : /@\s*vertex\b[^{]*?\bfn\s+(\w+)\s*\(/.exec(code);
  if (!found) throw new Error(`vertex capture: no vertex entry point ${entry ?? ''}`);
  const name = found[1], open = found.index + found[0].length - 1, fn = code.lastIndexOf('fn', open);
  let close = open;
  for (let depth = 0; close < code.length; close++) {
    if (code[close] === '(') depth++;
    else if (code[close] === ')' && --depth === 0) break;
  }
  const body = code.indexOf('{', close), at = code.lastIndexOf('@', fn), head = /@\s*vertex\s*$/.exec(code.slice(0, fn));
  if (!head || at < 0) throw new Error(`vertex capture: ${name} is no vertex entry point`);
  const params = commas(code.slice(open + 1, close)).map(declaration);
  const result = declaration(code.slice(close + 1, body).replace('->', ' '));
  const plain = `fn ${name}(${params.map(p => `${p.name}: ${p.type}`).join(', ')}) -> ${result.type} `;
  const inputs = [];
  const load = (attrs, type) => {
    const s = shape(code, type), where = place(attrs);
    let word;
    if (where === 'vertex_index') word = 0;
    else if (where === 'instance_index') word = 1;
    else if (where?.startsWith('location')) {
      const loc = Number(where.slice(8));
      if (!inputs.includes(loc)) inputs.push(loc);
      word = 2 + 4 * inputs.indexOf(loc);
    } else throw new Error(`vertex capture: input ${where}`);
    const one = k => {
      const e = `fx_in[fx_at + ${word + k}u]`;
      return s.scalar === 'u32' ? e : `bitcast<${s.scalar}>(${e})`;
    };
    return s.n === 1 ? one(0) : `vec${s.n}<${s.scalar}>(${Array.from({ length: s.n }, (_, k) => one(k)).join(', ')})`;
  };
  let before = '', after = '', words = 0;
  const args = params.map((p, k) => {
    const members = place(p.attrs) ? null : structMembers(code, p.type);
    if (!members) before += `  let fx_p${k} = ${load(p.attrs, p.type)};\n`;
    else {
      before += `  var fx_p${k}: ${p.type};\n`;
      for (const m of members) before += `  fx_p${k}.${m.name} = ${load(m.attrs, m.type)};\n`;
    }
    return `fx_p${k}`;
  });
  const members = place(result.attrs) ? [{ ...result, path: 'fx_r' }] : (structMembers(code, result.type) ?? []).map(m => ({ ...m, path: `fx_r.${m.name}` }));
  const outputs = [];
  for (const m of members) {
    const s = shape(code, m.type), where = place(m.attrs);
    for (let k = 0; k < s.n; k++) {
      const e = s.n === 1 && !s.array ? m.path : `${m.path}[${k}]`;
      after += `  fx_out[fx_to + ${words + k}u] = ${s.scalar === 'u32' ? e : `bitcast<u32>(${e})`};\n`;
    }
    outputs.push({ name: where, words: s.n });
    words += s.n;
  }
  const stride = 2 + 4 * inputs.length;
  return {
    inputs, stride, outputs, words,
    code: `${source.slice(0, head.index)}${plain}${source.slice(body)}
@group(${group}) @binding(0) var<storage, read> fx_in: array<u32>;
@group(${group}) @binding(1) var<storage, read_write> fx_out: array<u32>;
@compute @workgroup_size(64)
fn fx_capture(@builtin(global_invocation_id) fx_id: vec3<u32>) {
  if (fx_id.x >= arrayLength(&fx_out) / ${words}u) { return; }
  let fx_at = fx_id.x * ${stride}u;
  let fx_to = fx_id.x * ${words}u;
${before}  let fx_r = ${name}(${args.join(', ')});
${after}}
`,
  };
}
