package wgsl

import (
	"fmt"
	"slices"
	"strings"

	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/ir"
	"fxlens/core/wgsl/layout"
)

// shape is what WGSL calls need to know of a texture.
type shape struct {
	coords  int  // coordinates without the layer, as D3D has them
	array   bool // a layer follows
	flat    bool // a 1D texture, in WGSL a 2D one of height 1
	cube    bool
	offsets int // components of a legal texel offset in WGSL, 0 none
}

func shapeOf(d dxbc.Dim) shape {
	switch d {
	case dxbc.DimTexture1D:
		return shape{coords: 1, flat: true, offsets: 2}
	case dxbc.DimTexture1DArray:
		return shape{coords: 1, flat: true, array: true, offsets: 2}
	case dxbc.DimTexture2DArray:
		return shape{coords: 2, array: true, offsets: 2}
	case dxbc.DimTexture3D:
		return shape{coords: 3, offsets: 3}
	case dxbc.DimTextureCube:
		return shape{coords: 3, cube: true}
	case dxbc.DimTextureCubeArray:
		return shape{coords: 3, array: true, cube: true}
	case dxbc.DimTexture2DMSArray:
		return shape{coords: 2, array: true}
	}
	return shape{coords: 2, offsets: 2}
}

// dims is the number of coordinates in WGSL.
func (s shape) dims() int { return max(s.coords, 2) }

// texture is a texture operation's resource as WGSL sees it.
type texture struct {
	shape
	b     *layout.Binding
	name  string
	kind  ir.Kind // of a texel
	depth bool
	ms    bool
	store bool // a storage texture
	layer int  // the fixed layer of a texture that a transform made one, else -1
}

func (e *emitter) textureOf(v *ir.Value, variant layout.Variant) texture {
	b, name := e.bindingOf(v, v.Res, variant)
	t := texture{shape: shapeOf(e.f.Resources[v.Res].Dim), b: b, name: name, kind: ir.F32, layer: slices.Index(b.Merged, v.Res)}
	switch {
	case b.Texture != nil:
		t.depth, t.ms = b.Texture.SampleType == "depth", b.Texture.Multisampled
		switch b.Texture.SampleType {
		case "sint":
			t.kind = ir.I32
		case "uint":
			t.kind = ir.U32
		}
	case b.Storage != nil:
		t.store = true
		switch {
		case strings.HasSuffix(b.Storage.Format, "sint"):
			t.kind = ir.I32
		case strings.HasSuffix(b.Storage.Format, "uint"):
			t.kind = ir.U32
		}
	}
	return t
}

func (t *texture) ident(ex *exprs) *expr { return ex.ident(t.name, RoleResource, tNone) }

// texel is the type that WGSL's functions return for the texture.
func (t *texture) texel() typ {
	if t.depth {
		return tF32
	}
	return vec(t.kind, 4)
}

// widen makes D3D's four lanes of what a depth texture returns: red alone.
func (t *texture) widen(ex *exprs, x *expr) *expr {
	if !t.depth {
		return x
	}
	return ex.construct(vec(ir.F32, 4), x, ex.litF(0), ex.litF(0), ex.litF(1))
}

// samplerOf is the sampler of v in the binding of a kind: filtering,
// non-filtering or comparison. Any of its bindings serves where the wanted one
// is missing.
func (e *emitter) samplerOf(v *ir.Value, kind string) *expr {
	if v.Samp >= 0 && e.plan != nil {
		for i := range e.plan.Bindings {
			b := &e.plan.Bindings[i]
			if b.Sampler != nil && e.resourceOf(b) == v.Samp && b.Sampler.Type == kind {
				_, name := e.bindingOf(v, v.Samp, b.Variant)
				return e.ident(name, RoleResource, tNone)
			}
		}
	}
	_, name := e.bindingOf(v, v.Samp, layout.Primary)
	return e.ident(name, RoleResource, tNone)
}

// plainSampler is the sampler for sampling t without comparison.
func (e *emitter) plainSampler(v *ir.Value, t *texture) *expr {
	if t.depth || t.kind != ir.F32 || t.b.Texture != nil && t.b.Texture.SampleType == "unfilterable-float" {
		return e.samplerOf(v, "non-filtering")
	}
	return e.samplerOf(v, "filtering")
}

// place is the coordinate arguments of operand 0: coordinates, and the layer
// rounded to nearest even and kept inside the texture as D3D does.
func (e *emitter) place(v *ir.Value, t *texture) []*expr {
	c := e.coords(v, t)
	if t.layer >= 0 {
		return []*expr{c, e.plainInt(uint32(t.layer))}
	}
	if !t.array {
		return []*expr{c}
	}
	if bits, ok := e.laneConst(v.Args[0].Lanes[t.coords]); ok && bits&0x7fffffff == 0 {
		return []*expr{c, e.plainInt(0)}
	}
	layer := e.argLanes(v, 0, t.coords, 1, ir.F32)
	name := e.helperFor("layer "+t.name, t.name+"_layer", func(n string) string {
		return fmt.Sprintf("fn %s(layer: f32) -> i32 {\n  return clamp(i32(round(layer)), 0, i32(textureNumLayers(%s)) - 1);\n}\n", n, t.name)
	})
	return []*expr{c, e.call(name, tI32, layer)}
}

// coords is operand 0's coordinates in WGSL's number, without the layer.
func (e *emitter) coords(v *ir.Value, t *texture) *expr {
	x := e.argLanes(v, 0, 0, t.coords, ir.F32)
	if t.flat {
		return e.construct(vec(ir.F32, 2), x, e.litF(0.5))
	}
	return x
}

// offset is the immediate texel offset as a constant vector, nil if there is none.
func (e *emitter) offset(v *ir.Value, t *texture) *expr {
	if v.Offs == ([3]int8{}) || t.offsets == 0 {
		return nil
	}
	n := t.offsets
	parts := make([]*expr, n)
	for i := range parts {
		o := v.Offs[i]
		if t.flat && i > 0 {
			o = 0
		}
		parts[i] = e.litI(int32(o))
	}
	return e.construct(vec(ir.I32, n), parts...)
}

func appendOffset(args []*expr, o *expr) []*expr {
	if o != nil {
		args = append(args, o)
	}
	return args
}

// sample is the sample family.
func (e *emitter) sample(v *ir.Value) *expr {
	compare := v.Op == ir.OpSampleCmp || v.Op == ir.OpSampleCmpZero
	variant := layout.Primary
	if compare {
		variant = layout.Depth
	}
	t := e.textureOf(v, variant)
	if t.kind != ir.F32 || t.ms || t.store {
		e.report(diag.Error, codeTextureForm, v, "%s of %s, a %s", v.Op, e.resourceName(v.Res), t.b.Type)
		return e.splat(e.lit(0, ir.F32), int(v.N))
	}
	if compare {
		return e.sampleCompare(v, &t)
	}
	if clamp := e.arg(v, len(v.Args)-1, ir.F32); v.Op != ir.OpSampleLevel && clamp != nil && !isZero(clamp) {
		return e.sampleClamped(v, &t, clamp)
	}
	args := append([]*expr{t.ident(&e.exprs), e.plainSampler(v, &t)}, e.place(v, &t)...)
	f := "textureSample"
	switch v.Op {
	case ir.OpSampleBias:
		b := e.arg(v, 1, ir.F32)
		if isZero(b) {
			break
		}
		f = "textureSampleBias"
		args = append(args, b)
	case ir.OpSampleLevel:
		f = "textureSampleLevel"
		args = append(args, e.level(v, &t))
	case ir.OpSampleGrad:
		f = "textureSampleGrad"
		args = append(args, e.gradient(v, 1, &t), e.gradient(v, 2, &t))
	}
	return t.widen(&e.exprs, e.call(f, t.texel(), appendOffset(args, e.offset(v, &t))...))
}

// level is the explicit level of detail; depth textures take an integer.
func (e *emitter) level(v *ir.Value, t *texture) *expr {
	l := e.arg(v, 1, ir.F32)
	if !t.depth {
		return l
	}
	if isZero(l) {
		return e.plainInt(0)
	}
	return e.numeric(e.call("round", tF32, l), ir.I32)
}

func (e *emitter) gradient(v *ir.Value, i int, t *texture) *expr {
	g := e.arg(v, i, ir.F32)
	if t.flat {
		return e.construct(vec(ir.F32, 2), g, e.litF(0))
	}
	return g
}

func (e *emitter) sampleCompare(v *ir.Value, t *texture) *expr {
	args := append([]*expr{t.ident(&e.exprs), e.samplerOf(v, "comparison")}, e.place(v, t)...)
	args = append(args, e.arg(v, 1, ir.F32))
	f := "textureSampleCompare"
	if v.Op == ir.OpSampleCmpZero {
		f = "textureSampleCompareLevel"
	} else if clamp := e.arg(v, 2, ir.F32); clamp != nil && !isZero(clamp) {
		e.note(diag.Warning, codeClamp, v, "the level clamp of the comparison is ignored")
	}
	return e.call(f, tF32, appendOffset(args, e.offset(v, t))...)
}

// sampleClamped is a sample with a minimum level, by an explicit level.
func (e *emitter) sampleClamped(v *ir.Value, t *texture, clamp *expr) *expr {
	e.note(diag.Warning, codeClamp, v, "the level of the sample is computed")
	at := e.place(v, t)
	at[0] = e.bind(at[0], "uv")
	args := append([]*expr{t.ident(&e.exprs), e.plainSampler(v, t)}, at...)
	d := *at[0]
	var lod *expr
	if v.Op == ir.OpSampleGrad {
		lod = e.call(e.gradLevelHelper(v, t), tF32, &d, e.gradient(v, 1, t), e.gradient(v, 2, t))
	} else {
		lod = e.lane(e.call(e.lodHelper(v, t), vec(ir.F32, 2), &d), 1)
		if v.Op == ir.OpSampleBias {
			lod = e.binary("+", tF32, lod, e.arg(v, 1, ir.F32))
		}
	}
	lod = e.call("max", tF32, lod, clamp)
	if t.depth {
		lod = e.numeric(e.call("round", tF32, lod), ir.I32)
	}
	args = append(args, lod)
	return t.widen(&e.exprs, e.call("textureSampleLevel", t.texel(), appendOffset(args, e.offset(v, t))...))
}

// gradLevelHelper computes the level that two gradients give.
func (e *emitter) gradLevelHelper(v *ir.Value, t *texture) string {
	return e.helperFor("gradlevel "+t.name, t.name+"_level", func(n string) string {
		vt := vec(ir.F32, t.dims()).String()
		size := "vec2<f32>(textureDimensions(" + t.name + "))"
		scale := fmt.Sprintf("  let size = %s(textureDimensions(%s));\n", vt, t.name)
		use := "size"
		if t.cube {
			// A face spans directions from -1 to 1 beside a major axis of 1.
			scale = fmt.Sprintf("  let major = max(max(abs(c.x), abs(c.y)), abs(c.z));\n  let size = 0.5 * %s.x / max(major, 1e-30);\n", size)
		}
		return fmt.Sprintf("fn %s(c: %s, ddx: %s, ddy: %s) -> f32 {\n%s  let dx = ddx * %s;\n  let dy = ddy * %s;\n  return 0.5 * log2(max(max(dot(dx, dx), dot(dy, dy)), 1e-30));\n}\n",
			n, vt, vt, vt, scale, use, use)
	})
}

// lodHelper computes the clamped and the unclamped level of an implicit sample.
func (e *emitter) lodHelper(v *ir.Value, t *texture) string {
	level := e.gradLevelHelper(v, t)
	return e.helperFor("lod "+t.name, t.name+"_lod", func(n string) string {
		vt := vec(ir.F32, t.dims())
		return fmt.Sprintf("fn %s(c: %s) -> vec2<f32> {\n  let lod = %s(c, dpdx(c), dpdy(c));\n  return vec2<f32>(clamp(lod, 0.0, f32(textureNumLevels(%s)) - 1.0), lod);\n}\n", n, vt, level, t.name)
	})
}

// sampleLod is the level-of-detail query.
func (e *emitter) sampleLod(v *ir.Value) *expr {
	t := e.textureOf(v, layout.Primary)
	if t.ms || t.store {
		e.report(diag.Error, codeTextureForm, v, "%s of %s, a %s", v.Op, e.resourceName(v.Res), t.b.Type)
		return e.splat(e.lit(0, ir.F32), 2)
	}
	e.note(diag.Warning, codeLod, v, "the level of %s is computed", e.resourceName(v.Res))
	return e.call(e.lodHelper(v, &t), vec(ir.F32, 2), e.coords(v, &t))
}

// gather is the gather family.
func (e *emitter) gather(v *ir.Value) *expr {
	compare := v.Op == ir.OpGatherCmp || v.Op == ir.OpGatherOffsetCmp
	variant := layout.Primary
	if compare {
		variant = layout.Depth
	}
	t := e.textureOf(v, variant)
	if t.ms || t.store || t.dims() == 3 && !t.cube {
		e.report(diag.Error, codeTextureForm, v, "%s of %s, a %s", v.Op, e.resourceName(v.Res), t.b.Type)
		return e.splat(e.lit(0, t.kind), 4)
	}
	if t.depth && !compare && v.Imm[0] != 0 { // a depth texture has red alone
		return e.splat(e.litF(map[bool]float32{true: 1, false: 0}[v.Imm[0] == 3]), 4)
	}
	at := e.place(v, &t)
	off := e.offset(v, &t)
	if v.Op == ir.OpGatherOffset || v.Op == ir.OpGatherOffsetCmp {
		off = e.gatherOffset(v, &t, at)
	}
	var args []*expr
	f := "textureGather"
	switch {
	case compare:
		f = "textureGatherCompare"
		args = append([]*expr{t.ident(&e.exprs), e.samplerOf(v, "comparison")}, at...)
		args = append(args, e.arg(v, len(v.Op.Info().Args)-1, ir.F32))
	case t.depth:
		args = append([]*expr{t.ident(&e.exprs), e.plainSampler(v, &t)}, at...)
	default:
		args = append([]*expr{e.plainInt(v.Imm[0] & 3), t.ident(&e.exprs), e.plainSampler(v, &t)}, at...)
	}
	return e.call(f, vec(t.kind, 4), appendOffset(args, off)...)
}

// gatherOffset is a programmable offset: the low six bits of each lane count,
// signed. A constant that WGSL allows stays an offset; anything else moves the
// coordinate, which gives the same four texels.
func (e *emitter) gatherOffset(v *ir.Value, t *texture, at []*expr) *expr {
	x, okX := e.laneConst(v.Args[1].Lanes[0])
	y, okY := e.laneConst(v.Args[1].Lanes[1])
	if okX && okY {
		ox, oy := int32(x<<26)>>26, int32(y<<26)>>26
		if ox == 0 && oy == 0 {
			return nil
		}
		if ox >= -8 && ox <= 7 && oy >= -8 && oy <= 7 && t.offsets > 0 {
			return e.construct(vec(ir.I32, 2), e.litI(ox), e.litI(oy))
		}
	}
	e.note(diag.Note, codeGatherOffset, v, "the offset of the gather from %s is added to its coordinates", e.resourceName(v.Res))
	t2 := vec(ir.F32, 2)
	o := e.call("extractBits", vec(ir.I32, 2), e.arg(v, 1, ir.I32), e.litU(0), e.litU(6))
	size := e.numeric(e.call("textureDimensions", vec(ir.U32, 2), t.ident(&e.exprs)), ir.F32)
	at[0] = e.binary("+", t2, at[0], e.binary("/", t2, e.numeric(o, ir.F32), size))
	return nil
}

// texelCoords is operand 0 as integer texel coordinates with the immediate
// offset added: x of a 1D texture, otherwise a vector; and the layer.
func (e *emitter) texelCoords(v *ir.Value, t *texture) []*expr {
	c := e.argLanes(v, 0, 0, t.coords, ir.I32)
	if v.Offs != ([3]int8{}) {
		parts := make([]*expr, t.coords)
		for i := range parts {
			parts[i] = e.litI(int32(v.Offs[i]))
		}
		o := parts[0]
		if t.coords > 1 {
			o = e.construct(vec(ir.I32, t.coords), parts...)
		}
		if bits, ok := literalBits(c); ok {
			c = e.litI(int32(bits) + int32(v.Offs[0]))
		} else {
			c = e.binary("+", c.typ, c, o)
		}
	}
	if t.array {
		return []*expr{c, e.argLanes(v, 0, t.coords, 1, ir.I32)}
	}
	return []*expr{c}
}

// texelHelper is the guarded read of a texel: D3D gives zero outside, for a
// level that the texture does not have, and for a missing sample
// (wgsl-patterns.md 7). fixed: level 0 is the only one asked for.
func (e *emitter) texelHelper(t *texture, fixed bool) string {
	key, base := "texel "+t.name, t.name+"_load"
	if fixed && !t.ms && !t.store {
		key, base = "texel0 "+t.name, t.name+"_texel"
	}
	return e.helperFor(key, base, func(n string) string {
		p, pt := "p", vec(ir.I32, t.dims()).String()
		if t.flat {
			p, pt = "vec2<i32>(x, 0)", "i32"
		}
		params := map[bool]string{true: "x", false: "p"}[t.flat] + ": " + pt
		at := t.name + ", " + p
		var checks []string
		size := "textureDimensions(" + t.name + ")"
		if t.array {
			params += ", layer: i32"
			at += ", layer"
			checks = append(checks, "u32(layer) < textureNumLayers("+t.name+")")
		}
		switch {
		case t.ms:
			params += ", s: i32"
			at += ", s"
			checks = append(checks, "u32(s) < textureNumSamples("+t.name+")")
		case t.store:
		case fixed:
			at += ", 0"
		default:
			params += ", mip: i32"
			at += ", mip"
			checks = append(checks, "u32(mip) < textureNumLevels("+t.name+")")
			size = "textureDimensions(" + t.name + ", mip)"
		}
		inside := fmt.Sprintf("all(vec%d<u32>(p) < %s)", t.dims(), size)
		if t.flat {
			inside = "u32(x) < " + size + ".x"
		}
		checks = append(checks, inside)
		rt, load := vec(t.kind, 4), "textureLoad("+at+")"
		if t.depth {
			load = "vec4<f32>(" + load + ", 0.0, 0.0, 1.0)"
		}
		return fmt.Sprintf("fn %s(%s) -> %s {\n  if (%s) {\n    return %s;\n  }\n  return %s;\n}\n",
			n, params, rt, strings.Join(checks, " && "), load, zeroText(rt))
	})
}

// texelLoad is ld and ld_ms.
func (e *emitter) texelLoad(v *ir.Value) *expr {
	if isBuffer(e.f.Resources[v.Res].Dim) {
		return e.loadTyped(v)
	}
	t := e.textureOf(v, layout.Primary)
	if t.cube {
		e.report(diag.Error, codeTextureForm, v, "%s of a cube texture", v.Op)
		return e.splat(e.lit(0, t.kind), int(v.N))
	}
	args := e.texelCoords(v, &t)
	fixed := false
	switch {
	case t.ms:
		if v.Op == ir.OpLoadMS {
			args = append(args, e.arg(v, 1, ir.I32))
		} else {
			args = append(args, e.plainInt(0))
		}
	case t.store:
	default:
		mip := e.arg(v, 1, ir.I32)
		if v.Op == ir.OpLoadMS || mip == nil {
			mip = e.litI(0) // ld_ms of what is not multisampled: its only sample
		}
		fixed = isZero(mip)
		if !fixed {
			args = append(args, mip)
		}
	}
	return e.call(e.texelHelper(&t, fixed), vec(t.kind, 4), args...)
}

// resInfo is the size of a texture: dimensions, layers and levels; zero
// dimensions for a level that it does not have.
func (e *emitter) resInfo(v *ir.Value) *expr {
	r := &e.f.Resources[v.Res]
	if isBuffer(r.Dim) {
		x := e.construct(vec(ir.U32, 4), e.bufInfo(v), e.litU(0), e.litU(0), e.litU(0))
		if v.Imm[0] != 2 {
			return e.numeric(x, ir.F32)
		}
		return x
	}
	t := e.textureOf(v, layout.Primary)
	size := e.helperFor("size "+t.name, t.name+"_size", func(n string) string {
		levels := "textureNumLevels(" + t.name + ")"
		dims := "textureDimensions(" + t.name + ", mip)"
		if t.ms || t.store {
			levels, dims = "1u", "textureDimensions("+t.name+")"
		}
		layers := "textureNumLayers(" + t.name + ")"
		var parts string
		switch {
		case t.flat && t.array:
			parts = dims + ".x, " + layers + ", 0u"
		case t.flat:
			parts = dims + ".x, 0u, 0u"
		case t.coords == 3 && !t.cube:
			parts = dims
		case t.array:
			parts = dims + ", " + layers
		default:
			parts = dims + ", 0u"
		}
		return fmt.Sprintf("fn %s(mip: u32) -> vec4<u32> {\n  if (mip >= %s) {\n    return vec4<u32>(0u, 0u, 0u, %s);\n  }\n  return vec4<u32>(%s, %s);\n}\n", n, levels, levels, parts, levels)
	})
	x := e.call(size, vec(ir.U32, 4), e.arg(v, 0, ir.U32))
	switch v.Imm[0] {
	case 2:
		return x
	case 1:
		name := e.helperFor("rcpsize "+t.name, t.name+"_rcp_size", func(n string) string {
			invert := [...]string{"", "1.0 / s.x, s.yzw", "1.0 / s.xy, s.zw", "1.0 / s.xyz, s.w"}[t.coords-map[bool]int{true: 1, false: 0}[t.cube]]
			return fmt.Sprintf("fn %s(mip: u32) -> vec4<f32> {\n  let s = vec4<f32>(%s(mip));\n  return vec4<f32>(%s);\n}\n", n, size, invert)
		})
		return e.call(name, vec(ir.F32, 4), x.args[0])
	}
	return e.numeric(x, ir.F32)
}

// sampleInfo is a sample count.
func (e *emitter) sampleInfo(v *ir.Value) *expr {
	if v.Res < 0 {
		e.rs.target = true
		e.note(diag.Warning, codeTarget, v, "the program asks for the sample count of the render target")
		return e.ident("target_samples", RoleVariable, tU32)
	}
	t := e.textureOf(v, layout.Primary)
	if !t.ms {
		return e.litU(1)
	}
	return e.call("textureNumSamples", tU32, t.ident(&e.exprs))
}

// samplePos is a sample position relative to the pixel's centre: the standard
// pattern of D3D for one and four samples, all that WebGPU has.
func (e *emitter) samplePos(v *ir.Value) *expr {
	if v.Res < 0 {
		e.note(diag.Warning, codeTarget, v, "the program asks for sample positions of the render target")
	}
	count := e.sampleInfo(v)
	name := e.helperFor("samplepos", "sample_position", func(n string) string {
		return "fn " + n + `(count: u32, i: i32) -> vec2<f32> {
  if (count != 4u) {
    return vec2<f32>();
  }
  switch i {
    case 0: {
      return vec2<f32>(-0.125, -0.375);
    }
    case 1: {
      return vec2<f32>(0.375, -0.125);
    }
    case 2: {
      return vec2<f32>(-0.375, 0.125);
    }
    case 3: {
      return vec2<f32>(0.125, 0.375);
    }
    default: {
      return vec2<f32>();
    }
  }
}
`
	})
	return e.call(name, vec(ir.F32, 2), count, e.arg(v, 0, ir.I32))
}

// eval is an input at another place of the pixel.
func (e *emitter) eval(v *ir.Value) *expr {
	x := e.inputElem(int(v.Imm[0]))
	el := &e.f.Inputs[v.Imm[0]]
	if x.typ.kind != ir.F32 || el.Interp == dxbc.InterpConstant {
		return x
	}
	if v.Op != ir.OpEvalSnapped {
		e.note(diag.Warning, codeEval, v, "%s%d is taken at the centre", el.Semantic, el.Index)
		return x
	}
	o0, ok0 := e.laneConst(v.Args[0].Lanes[0])
	o1, ok1 := e.laneConst(v.Args[0].Lanes[1])
	if ok0 && ok1 && o0&15 == 0 && o1&15 == 0 {
		return x
	}
	e.note(diag.Warning, codeEval, v, "%s%d is moved by its derivatives", el.Semantic, el.Index)
	if ok0 && ok1 {
		at := func(bits uint32) *expr { return e.litF(float32(int32(bits<<28)>>28) / 16) }
		return e.binary("+", x.typ, e.binary("+", x.typ, x, e.binary("*", x.typ, e.call("dpdx", x.typ, e.copy(x)), at(o0))), e.binary("*", x.typ, e.call("dpdy", x.typ, e.copy(x)), at(o1)))
	}
	o := e.bind(e.binary("/", vec(ir.F32, 2), e.numeric(e.call("extractBits", vec(ir.I32, 2), e.arg(v, 0, ir.I32), e.litU(0), e.litU(4)), ir.F32), e.splat(e.litF(16), 2)), "offset")
	o2 := e.copy(o)
	dx := e.binary("*", x.typ, e.call("dpdx", x.typ, e.copy(x)), e.lane(o, 0))
	dy := e.binary("*", x.typ, e.call("dpdy", x.typ, e.copy(x)), e.lane(o2, 1))
	return e.binary("+", x.typ, e.binary("+", x.typ, x, dx), dy)
}
