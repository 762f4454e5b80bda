package wgsl_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/ir"
	"fxlens/core/wgsl"
	"fxlens/core/wgsl/layout"
	"fxlens/internal/judge"
)

// builder makes functions by hand.
type builder struct{ generator }

// newBuilder is a pixel program with one float4 input, which reads as value in,
// and one float4 output; or a compute program with a raw buffer.
func newBuilder(kind dxbc.ProgramKind) (*builder, ir.ValueID) {
	b := &builder{generator{r: rand.New(rand.NewPCG(1, 1)), f: &ir.Function{
		Kind: kind, Shader: &dxbc.Shader{}, Program: &dxbc.Program{}, ThreadGroup: [3]uint32{1, 1, 1},
	}}}
	b.region(ir.NoNode)
	if kind == dxbc.Pixel {
		b.f.Inputs = []ir.Elem{{Semantic: "TEXCOORD", Register: 0, RegType: dxbc.RegInput, Mask: 15, Used: 15, CompType: 3, Instr: -1}}
		b.f.Outputs = []ir.Elem{{Semantic: "SV_Target", Register: 0, RegType: dxbc.RegOutput, Mask: 15, Used: 15, SysValue: 64, CompType: 3, Instr: -1}}
		return b, b.value(ir.Value{Op: ir.OpInput, Kind: ir.F32, N: 4, Node: ir.NoNode})
	}
	b.f.Inputs = []ir.Elem{{Register: 0xffffffff, RegType: dxbc.RegThreadID, Mask: 7, Used: 7, CompType: 1, Instr: -1}}
	b.f.Resources = []ir.Resource{{Class: ir.UAV, Dim: dxbc.DimRawBuffer, Count: 1, Used: true, Read: true, Written: true, Instr: -1}}
	return b, b.value(ir.Value{Op: ir.OpInput, Kind: ir.U32, N: 3, Node: ir.NoNode})
}

func lanesOf(v ir.ValueID, lanes ...uint8) ir.Arg {
	a := ir.Arg{N: uint8(len(lanes))}
	for i, l := range lanes {
		a.Lanes[i] = ir.Lane{V: v, L: l}
	}
	return a
}

// do adds an operation of n lanes to region r.
func (b *builder) do(r ir.RegionID, op ir.Op, k ir.Kind, n int, args ...ir.Arg) ir.ValueID {
	v := ir.Value{Op: op, Kind: k, N: uint8(n), Args: args, Imm: [4]uint32{0, 1, 2, 3}}
	return b.op(r, v)
}

// text emits f, has Dawn compile it without a message, and returns the body.
func (b *builder) text(t *testing.T) string {
	t.Helper()
	require.NoError(t, ir.Verify(b.f))
	stage := layout.Fragment
	if b.f.Kind == dxbc.Compute {
		stage = layout.Compute
	}
	plan, ds := layout.New([]layout.StageInput{{Stage: stage, Func: b.f}}, layout.Options{})
	require.NotNilf(t, plan, "%v", ds)
	m, ds := wgsl.Emit(b.f, plan, nil, wgsl.Options{})
	require.Falsef(t, diag.HasErrors(ds), "%v", ds)
	judge.Check(t, []judge.Case{{ID: t.Name(), Modules: []judge.Module{{Code: m.Code}}}})
	_, body, _ := strings.Cut(m.Code, "fn main(")
	_, body, _ = strings.Cut(body, "\n")
	return strings.TrimSuffix(body, "}\n")
}

func (b *builder) ret(r ir.RegionID, args ...ir.Arg) {
	b.node(r, ir.Node{Kind: ir.NodeReturn, Args: args})
}

// TestDerivativeNotBehindAnd: the right side of && is control flow.
func TestDerivativeNotBehindAnd(t *testing.T) {
	for _, c := range []struct {
		name  string
		first bool // which side has a derivative
		both  bool
		want  string
	}{
		{"right", false, false, "texcoord.y < texcoord.z"},
		{"left", true, false, "dpdx(texcoord.x)"},
		{"both", true, true, "dpdx(texcoord.y)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, in := newBuilder(dxbc.Pixel)
			test := func(derivative bool, l uint8) ir.ValueID {
				a := lanesOf(in, l)
				if derivative {
					a = ir.ArgOf(b.do(0, ir.OpDerivX, ir.F32, 1, a), 1)
				}
				return b.do(0, ir.OpFLt, ir.Bool, 1, a, lanesOf(in, l+1))
			}
			x := test(c.both || c.first, 0)
			y := test(c.both || !c.first, 1)
			if !c.first {
				x, y = test(false, 1), test(true, 0)
			}
			both := b.do(0, ir.OpAnd, ir.Bool, 1, ir.ArgOf(x, 1), ir.ArgOf(y, 1))
			id := b.node(0, ir.Node{Kind: ir.NodeIf, Construct: &ir.Construct{Cond: ir.ArgOf(both, 1)}})
			b.f.Nodes[id].Regions = []ir.RegionID{b.region(id), b.region(id)}
			b.do(b.f.Nodes[id].Regions[0], ir.OpDiscard, ir.Bits, 0, ir.ArgOf(b.constant(1), 1))
			for _, r := range b.f.Nodes[id].Regions {
				b.node(r, ir.Node{Kind: ir.NodeYield})
			}
			b.ret(0, ir.ArgOf(in, 4))
			body := b.text(t)
			assert.Contains(t, body, c.want)
			_, right, _ := strings.Cut(body, "&&")
			assert.NotContains(t, right, "dpdx", body)
		})
	}
}

// TestLoadsAndStores: a load does not move over a store to the same buffer.
func TestLoadsAndStores(t *testing.T) {
	b, in := newBuilder(dxbc.Compute)
	at := ir.ArgOf(b.constant(16), 1)
	load := func() ir.ValueID {
		v := b.op(0, ir.Value{Op: ir.OpLoadRaw, Kind: ir.U32, N: 1, Args: []ir.Arg{at}})
		b.f.Values[v].Res = 0
		return v
	}
	store := func(v ir.ValueID) {
		s := b.op(0, ir.Value{Op: ir.OpStoreRaw, Args: []ir.Arg{at, ir.ArgOf(v, 1)}})
		b.f.Values[s].Res = 0
	}
	early := load()
	store(b.do(0, ir.OpIAdd, ir.U32, 1, ir.ArgOf(load(), 1), lanesOf(in, 0)))
	store(early)
	b.ret(0)
	assert.Equal(t, `  let n = u0_load(4u);
  u0_store(4u, u0_load(4u) + thread_id.x);
  u0_store(4u, n);
`, b.text(t))
}

// TestSwapInLoop: a loop that exchanges two values needs one copy, no more.
func TestSwapInLoop(t *testing.T) {
	b, in := newBuilder(dxbc.Pixel)
	id := b.node(0, ir.Node{Kind: ir.NodeLoop})
	param := func(k ir.Kind) ir.ValueID { return b.value(ir.Value{Op: ir.OpParam, Kind: k, N: 1, Node: id}) }
	i, x, y := param(ir.I32), param(ir.F32), param(ir.F32)
	body := b.region(id)
	n := &b.f.Nodes[id]
	n.Header = []ir.ValueID{i, x, y}
	n.Inits = []ir.Arg{ir.ArgOf(b.constant(0), 1), lanesOf(in, 0), lanesOf(in, 1)}
	b.f.Nodes[id].Regions = []ir.RegionID{body}
	done := b.do(body, ir.OpIGe, ir.Bool, 1, ir.ArgOf(i, 1), ir.ArgOf(b.constant(5), 1))
	out := b.node(body, ir.Node{Kind: ir.NodeIf, Construct: &ir.Construct{Cond: ir.ArgOf(done, 1)}})
	b.f.Nodes[out].Regions = []ir.RegionID{b.region(out), b.region(out)}
	b.node(b.f.Nodes[out].Regions[0], ir.Node{Kind: ir.NodeBreak, Target: id})
	b.node(b.f.Nodes[out].Regions[1], ir.Node{Kind: ir.NodeYield})
	next := b.do(body, ir.OpIAdd, ir.I32, 1, ir.ArgOf(i, 1), ir.ArgOf(b.constant(1), 1))
	sum := b.do(body, ir.OpFAdd, ir.F32, 1, ir.ArgOf(x, 1), ir.ArgOf(y, 1))
	b.node(body, ir.Node{Kind: ir.NodeContinue, Target: id, Args: []ir.Arg{ir.ArgOf(next, 1), ir.ArgOf(y, 1), ir.ArgOf(sum, 1)}})
	b.ret(0, ir.Arg{N: 4, Lanes: [4]ir.Lane{{V: x}, {V: y}, {V: x}, {V: y}}})
	assert.Equal(t, `  var t = texcoord.x;
  var t2 = texcoord.y;
  for (var i = 0; i < 5; i += 1) {
    let t_now = t;
    t = t2;
    t2 += t_now;
  }
  return vec4<f32>(t, t2, t, t2);
`, b.text(t))
}

// TestTooDeep: more nesting than WGSL allows is refused, with a place.
func TestTooDeep(t *testing.T) {
	b, in := newBuilder(dxbc.Pixel)
	c := b.do(0, ir.OpFLt, ir.Bool, 1, lanesOf(in, 0), lanesOf(in, 1))
	var nest func(r ir.RegionID, n int)
	nest = func(r ir.RegionID, n int) {
		if n > 0 {
			id := b.node(r, ir.Node{Kind: ir.NodeIf, Construct: &ir.Construct{Cond: ir.ArgOf(c, 1)}})
			then, els := b.region(id), b.region(id)
			b.f.Nodes[id].Regions, b.f.Nodes[id].Instr = []ir.RegionID{then, els}, int32(200-n)
			nest(then, n-1)
			b.node(then, ir.Node{Kind: ir.NodeYield})
			b.node(els, ir.Node{Kind: ir.NodeYield})
		}
	}
	nest(0, 200)
	b.ret(0, ir.ArgOf(in, 4))
	require.NoError(t, ir.Verify(b.f))
	m, ds := wgsl.Emit(b.f, &layout.Plan{}, nil, wgsl.Options{})
	assert.Nil(t, m)
	require.Len(t, ds, 1)
	assert.Equal(t, diag.Code("wgsl.nesting"), ds[0].Code)
	assert.Equal(t, diag.At(199), ds[0].At, "the deepest")
}

// TestSpecialValues: comparisons that look for NaN and infinity are on bits.
func TestSpecialValues(t *testing.T) {
	b, in := newBuilder(dxbc.Pixel)
	inf := b.value(ir.Value{Op: ir.OpConst, Kind: ir.F32, N: 1, Imm: [4]uint32{0x7f800000}, Node: ir.NoNode})
	one := b.value(ir.Value{Op: ir.OpConst, Kind: ir.F32, N: 1, Imm: [4]uint32{0x3f800000}, Node: ir.NoNode})
	zero := b.value(ir.Value{Op: ir.OpConst, Kind: ir.F32, N: 1, Node: ir.NoNode})
	choose := func(op ir.Op, x, y ir.Arg) ir.Lane {
		c := b.do(0, op, ir.Bool, 1, x, y)
		return ir.Lane{V: b.do(0, ir.OpSelect, ir.F32, 1, ir.ArgOf(c, 1), ir.ArgOf(one, 1), ir.ArgOf(zero, 1))}
	}
	x := lanesOf(in, 0)
	b.ret(0, ir.Arg{N: 4, Lanes: [4]ir.Lane{
		choose(ir.OpFNe, x, x), choose(ir.OpFEq, x, ir.ArgOf(inf, 1)), choose(ir.OpFLt, x, ir.ArgOf(inf, 1)), choose(ir.OpFNe, x, lanesOf(in, 1)),
	}})
	assert.Equal(t, `  let t = select(0.0, 1.0, is_nan(texcoord.x));
  let t2 = select(0.0, 1.0, bitcast<u32>(texcoord.x) == 0x7f800000u);
  return vec4<f32>(t, t2, select(0.0, 1.0, is_below_infinity(texcoord.x)),
      select(1.0, 0.0, texcoord.x == texcoord.y));
`, b.text(t))
}
