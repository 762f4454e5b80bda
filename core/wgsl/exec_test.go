package wgsl_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/dxbc"
	"fxlens/core/ir"
	"fxlens/core/wgsl"
	"fxlens/core/wgsl/layout"
	"fxlens/internal/judge"
)

// hand is a compute program built by hand: one body without control flow.
type hand struct {
	f      *ir.Function
	consts map[uint32]ir.ValueID
}

// newHand starts a program of group threads that may read SV_DispatchThreadID.
func newHand(group uint32, res ...ir.Resource) *hand {
	f := &ir.Function{
		Kind: dxbc.Compute, Program: &dxbc.Program{Kind: dxbc.Compute, Major: 5}, ThreadGroup: [3]uint32{group, 1, 1},
		Regions: []ir.Region{{Parent: ir.NoNode}},
		Inputs: []ir.Elem{{Semantic: "SV_DispatchThreadID", Register: 0xFFFFFFFF, RegType: dxbc.RegThreadID, Mask: 7, Used: 7, CompType: 1, Instr: -1},
			{Semantic: "SV_GroupIndex", Register: 0xFFFFFFFF, RegType: dxbc.RegThreadIDInGroupFlattened, Mask: 1, Used: 1, CompType: 1, Instr: -1}},
	}
	for _, r := range res {
		r.Count, r.RangeID, r.Used, r.Instr = 1, r.Register, true, -1
		f.Resources = append(f.Resources, r)
	}
	h := &hand{f: f, consts: map[uint32]ir.ValueID{}}
	for i := range f.Inputs {
		n := uint8(3 - 2*i)
		f.Values = append(f.Values, ir.Value{Op: ir.OpInput, N: n, Reg: -1, Instr: -1, Res: -1, Samp: -1, Node: ir.NoNode, Imm: [4]uint32{uint32(i)}})
	}
	return h
}

// id is the dispatch thread's number.
func (h *hand) id() ir.Arg { return ir.Scalar(ir.Lane{V: 0}) }

func (h *hand) consta(bits ...uint32) ir.Arg {
	a := ir.Arg{N: uint8(len(bits))}
	for i, b := range bits {
		id, ok := h.consts[b]
		if !ok {
			id = ir.ValueID(len(h.f.Values))
			h.f.Values = append(h.f.Values, ir.Value{Op: ir.OpConst, N: 1, Reg: -1, Instr: -1, Res: -1, Samp: -1, Node: ir.NoNode, Imm: [4]uint32{b}})
			h.consts[b] = id
		}
		a.Lanes[i] = ir.Lane{V: id}
	}
	return a
}

func floats(v ...float32) []uint32 {
	out := make([]uint32, len(v))
	for i := range v {
		out[i] = math.Float32bits(v[i])
	}
	return out
}

// op appends an operation with n result lanes and returns them.
func (h *hand) op(v ir.Value, n int, args ...ir.Arg) ir.Arg {
	v.N, v.Args, v.Reg, v.Instr = uint8(n), args, -1, -1
	id := ir.ValueID(len(h.f.Values))
	v.Node = h.f.Add(0, ir.Node{Kind: ir.NodeValue, Value: id, Instr: -1, Target: ir.NoNode})
	h.f.Values = append(h.f.Values, v)
	return ir.ArgOf(id, n)
}

// plain is an operation without a resource.
func (h *hand) plain(op ir.Op, n int, args ...ir.Arg) ir.Arg {
	return h.op(ir.Value{Op: op, Res: -1, Samp: -1}, n, args...)
}

// on is an operation on a resource.
func (h *hand) on(op ir.Op, res int32, imm [4]uint32, n int, args ...ir.Arg) ir.Arg {
	return h.op(ir.Value{Op: op, Res: res, Samp: -1, Imm: imm}, n, args...)
}

var firstFour = [4]uint32{0, 1, 2, 3}

// store writes lanes to raw UAV res: 16 bytes for each thread, behind byte base.
func (h *hand) store(res int32, base uint32, value ir.Arg) {
	at := h.plain(ir.OpIMad, 1, h.id(), h.consta(16), h.consta(base))
	h.on(ir.OpStoreRaw, res, [4]uint32{}, 0, at, value)
}

// emit ends the program and translates it.
func (h *hand) emit(t *testing.T, opt wgsl.Options) (*wgsl.Module, *layout.Plan) {
	t.Helper()
	h.f.Add(0, ir.Node{Kind: ir.NodeReturn, Value: ir.NoValue, Instr: -1, Target: ir.NoNode})
	require.NoError(t, ir.Verify(h.f))
	for _, p := range ir.Phases {
		p.Run(h.f)
		require.NoError(t, ir.Verify(h.f), p.Name)
	}
	plan, ds := layout.New([]layout.StageInput{{Stage: layout.Compute, Func: h.f}}, layout.Options{})
	require.NotNil(t, plan, "%v", ds)
	m, ds := wgsl.Emit(h.f, plan, nil, opt)
	require.NotNil(t, m, "%v", ds)
	return m, plan
}

// job runs the program once; resources are named by the symbols of the plan.
func (h *hand) job(t *testing.T, id string, buffers []judge.Buffer, textures []judge.Texture, samplers []judge.Sampler) judge.Job {
	t.Helper()
	m, plan := h.emit(t, wgsl.Options{})
	limits := map[string]uint64{}
	for n, v := range m.Requires.Limits {
		limits[n] = uint64(v)
	}
	pass := judge.Pass{Modules: []judge.Module{{Stage: judge.Compute, EntryPoint: "main", Code: m.Code}}, Layout: entries(plan), Dispatch: []uint32{1, 1, 1}}
	for i := range plan.Bindings {
		b := &plan.Bindings[i]
		bind := judge.Bind{Group: b.Group, Binding: b.Binding, Resource: b.Symbol}
		if b.Texture != nil {
			bind.View = &judge.View{Dimension: b.Texture.ViewDimension}
		}
		pass.Bind = append(pass.Bind, bind)
	}
	if testing.Verbose() {
		t.Logf("%s\n%s", id, m.Code)
	}
	return judge.Job{ID: id, Buffers: buffers, Textures: textures, Samplers: samplers, Limits: limits, Passes: []judge.Pass{pass}}
}

// ran returns the outputs of a job.
func ran(t *testing.T, o judge.Outcome) map[string][]byte {
	t.Helper()
	require.True(t, o.Ran, o.String())
	return o.Outputs
}

func returns(t dxbc.ReturnType) [4]dxbc.ReturnType { return [4]dxbc.ReturnType{t, t, t, t} }

// half reads a 16-bit float with m mantissa bits and a 5-bit exponent.
func small(bits uint32, m int) float64 {
	exp := int(bits>>m) & 31
	frac := float64(bits&(1<<m-1)) / float64(uint(1)<<m)
	sign := 1.0
	if m == 10 && bits>>15 != 0 {
		sign = -1
	}
	if exp == 0 {
		return sign * math.Ldexp(frac, -14)
	}
	return sign * math.Ldexp(1+frac, exp-15)
}

// field is n bits of b from bit at.
func field(b []byte, at, n int) uint32 {
	v := uint64(0)
	for i := range n {
		bit := at + i
		v |= uint64(b[bit/8]>>(bit%8)&1) << i
	}
	return uint32(v)
}

// decode is what D3D reads from one element: by channel, as 32-bit words.
func decode(f *layout.Format, b []byte) [4]uint32 {
	isFloat := f.Type != dxbc.RetUint && f.Type != dxbc.RetSint
	out := [4]uint32{3: 1}
	if isFloat {
		out[3] = math.Float32bits(1)
	}
	at := 0
	for _, fd := range f.Fields {
		n := int(fd.Bits)
		raw := field(b, at, n)
		at += n
		if fd.Channel > 3 {
			continue
		}
		signed := int32(raw<<(32-n)) >> (32 - n)
		var x float64
		switch f.Type {
		case dxbc.RetUint:
			out[fd.Channel] = raw
			continue
		case dxbc.RetSint:
			out[fd.Channel] = uint32(signed)
			continue
		case dxbc.RetUnorm:
			x = float64(raw) / float64(uint64(1)<<n-1)
		case dxbc.RetSnorm:
			x = max(float64(signed)/float64(uint64(1)<<(n-1)-1), -1)
		default:
			switch n {
			case 32:
				out[fd.Channel] = raw
				continue
			case 16:
				x = small(raw, 10)
			default:
				x = small(raw, n-5)
			}
		}
		out[fd.Channel] = math.Float32bits(float32(x))
	}
	return out
}

// TestTypedFormats reads and writes every view format on the GPU and compares
// with D3D's conversion rules, computed here from the bits. Elements behind the
// end read zero, whole, and are not written.
func TestTypedFormats(t *testing.T) {
	const elements, threads = 4, 6
	var jobs []judge.Job
	var want [][threads][4]uint32
	var names []string
	for _, name := range layout.FormatNames() {
		f, _ := layout.LookupFormat(name)
		data := make([]byte, elements*f.Bytes)
		for i := range data {
			data[i] = byte(i*73 + 41)
		}
		if f.Type == dxbc.RetFloat { // finite numbers in every width
			data = nil
			for e := range elements {
				var bits [16]byte
				at := 0
				for c, fd := range f.Fields {
					v := map[uint8]uint32{
						32: math.Float32bits([]float32{1.5, -2.25, 0, 1e10}[(e+c)%4]),
						16: []uint32{0x3c00, 0xc100, 0x0001, 0x7bff}[(e+c)%4],
						11: []uint32{0x3c0, 0x7bf, 0x001, 0x155}[(e+c)%4],
						10: []uint32{0x1e0, 0x3df, 0x001, 0x0ab}[(e+c)%4],
					}[fd.Bits]
					for i := range int(fd.Bits) {
						bits[(at+i)/8] |= byte(v>>i&1) << ((at + i) % 8)
					}
					at += int(fd.Bits)
				}
				data = append(data, bits[:f.Bytes]...)
			}
		}
		h := newHand(threads,
			ir.Resource{Class: ir.SRV, Dim: dxbc.DimBuffer, Return: returns(f.Type), Register: 0, Format: name, FormatFrom: "flag", Read: true},
			ir.Resource{Class: ir.UAV, Dim: dxbc.DimRawBuffer, Register: 0, Written: true},
			ir.Resource{Class: ir.UAV, Dim: dxbc.DimBuffer, Return: returns(f.Type), Register: 1, Written: true, Format: name, FormatFrom: "flag"},
		)
		texel := h.on(ir.OpLoad, 0, [4]uint32{}, 4, h.id(), ir.Arg{})
		h.store(1, 0, texel)
		h.on(ir.OpStoreTyped, 2, [4]uint32{}, 0, h.id(), texel)
		padded := append(data, make([]byte, (4-len(data)%4)%4)...)
		jobs = append(jobs, h.job(t, name, []judge.Buffer{
			{Name: "t0", Data: padded}, {Name: "u0", Size: threads * 16, Read: true}, {Name: "u1", Size: len(padded), Read: true},
		}, nil, nil))
		var w [threads][4]uint32
		for e := range elements {
			w[e] = decode(f, data[e*f.Bytes:][:f.Bytes])
		}
		want = append(want, w)
		names = append(names, name)
	}
	for i, o := range judge.Run(t, jobs) {
		f, _ := layout.LookupFormat(names[i])
		out := ran(t, o)
		got := judge.AsWords(out["u0"])
		for e := range threads {
			for c := range 4 {
				g, w := got[e*4+c], want[i][e][c]
				if formatIsFloat(f) {
					assert.InDelta(t, math.Float32frombits(w), math.Float32frombits(g), 1e-6*math.Abs(float64(math.Float32frombits(w))), "%s element %d channel %d", names[i], e, c)
					continue
				}
				assert.Equal(t, w, g, "%s element %d channel %d", names[i], e, c)
			}
		}
		// What was read is written back: all bits that the format has, but a snorm
		// of the lowest code, which is another name of -1.
		data, back := jobs[i].Buffers[0].Data, out["u1"]
		for e := range elements {
			at := 0
			for _, fd := range f.Fields {
				n := int(fd.Bits)
				w, g := field(data[e*f.Bytes:], at, n), field(back[e*f.Bytes:], at, n)
				at += n
				if fd.Channel > 3 || f.Type == dxbc.RetSnorm && w == 1<<(n-1) {
					continue
				}
				assert.Equal(t, w, g, "%s element %d written back", names[i], e)
			}
		}
	}
}

func formatIsFloat(f *layout.Format) bool { return f.Type != dxbc.RetUint && f.Type != dxbc.RetSint }

// TestTypedStoresConvert writes values that do not fit their format: integers
// saturate, normalized values clamp (D3D11 functional specification, 3.2.3).
func TestTypedStoresConvert(t *testing.T) {
	cases := []struct {
		format string
		value  []uint32
		want   []byte
	}{
		{"R8G8B8A8_UINT", []uint32{300, 255, 0, 0xffffffff}, []byte{255, 255, 0, 255}},
		{"R8G8B8A8_SINT", []uint32{200, 0xffffff00, 0xffffffff, 5}, []byte{127, 128, 255, 5}},
		{"R16G16_UINT", []uint32{70000, 7, 0, 0}, []byte{255, 255, 7, 0}},
		{"R16G16_SINT", []uint32{0x80000000, 0x7fffffff, 0, 0}, []byte{0, 128, 255, 127}},
		{"R10G10B10A2_UINT", []uint32{2000, 1, 2, 9}, []byte{0xff, 0x07, 0x20, 0xc0}},
		{"R8G8B8A8_UNORM", floats(-1, 0.2, 2, 1), []byte{0, 51, 255, 255}},
		{"B8G8R8A8_UNORM", floats(1, 0.2, 0, 1), []byte{0, 51, 255, 255}},
		{"R8G8B8A8_SNORM", floats(-2, 1, 0, -1), []byte{129, 127, 0, 129}},
		{"R16_UNORM", floats(1.5, 0, 0, 0), []byte{255, 255}},
		{"R16_SNORM", floats(-1, 0, 0, 0), []byte{1, 128}},
		{"R10G10B10A2_UNORM", floats(1, 0, 1, 1), []byte{0xff, 0x03, 0xf0, 0xff}},
		{"R11G11B10_FLOAT", floats(1, 0, -1, 0), []byte{0xc0, 0x03, 0, 0}},
		{"R16G16_FLOAT", floats(1, -2, 0, 0), []byte{0, 0x3c, 0, 0xc0}},
	}
	var jobs []judge.Job
	for _, c := range cases {
		f, ok := layout.LookupFormat(c.format)
		require.True(t, ok)
		h := newHand(1, ir.Resource{Class: ir.UAV, Dim: dxbc.DimBuffer, Return: returns(f.Type), Written: true, Format: c.format, FormatFrom: "flag"})
		h.on(ir.OpStoreTyped, 0, [4]uint32{}, 0, h.id(), h.consta(c.value...))
		jobs = append(jobs, h.job(t, c.format, []judge.Buffer{{Name: "u0", Size: 4, Read: true}}, nil, nil))
	}
	for i, o := range judge.Run(t, jobs) {
		assert.Equal(t, cases[i].want, ran(t, o)["u0"][:len(cases[i].want)], cases[i].format)
	}
}

// TestBufferEdges reads and writes structured and raw buffers inside, across and
// behind the end. D3D: structured records are there or not as a whole, raw memory
// word by word; what is not there reads zero and is not written.
func TestBufferEdges(t *testing.T) {
	const threads = 8
	h := newHand(threads,
		ir.Resource{Class: ir.SRV, Dim: dxbc.DimStructuredBuffer, Stride: 12, Register: 0, Read: true},
		ir.Resource{Class: ir.SRV, Dim: dxbc.DimRawBuffer, Register: 1, Read: true},
		ir.Resource{Class: ir.UAV, Dim: dxbc.DimRawBuffer, Register: 0, Written: true},
		ir.Resource{Class: ir.UAV, Dim: dxbc.DimStructuredBuffer, Stride: 8, Register: 1, Written: true},
		ir.Resource{Class: ir.UAV, Dim: dxbc.DimRawBuffer, Register: 2, Written: true},
	)
	// u0: 16 bytes a thread: t0[id].xz; then t1.Load4(4 * id).
	rec := h.on(ir.OpLoadStructured, 0, [4]uint32{0, 2}, 2, h.id(), h.consta(0))
	huge := h.on(ir.OpLoadStructured, 0, [4]uint32{1}, 1, h.consta(0x55555556), h.consta(4))
	h.store(2, 0, ir.Arg{N: 3, Lanes: [4]ir.Lane{rec.Lanes[0], rec.Lanes[1], huge.Lanes[0]}})
	four := h.plain(ir.OpIMul, 1, h.id(), h.consta(4))
	h.store(2, threads*16, h.on(ir.OpLoadRaw, 1, firstFour, 4, four))
	h.on(ir.OpStoreStructured, 3, [4]uint32{}, 0, h.id(), h.consta(4), h.plain(ir.OpIAdd, 1, h.id(), h.consta(100)))
	at := h.plain(ir.OpIMad, 1, h.id(), h.consta(8), h.consta(0))
	h.on(ir.OpStoreRaw, 4, [4]uint32{}, 0, at, ir.Arg{N: 2, Lanes: [4]ir.Lane{h.id().Lanes[0], h.consta(7).Lanes[0]}})

	j := h.job(t, "edges", []judge.Buffer{
		{Name: "t0", Data: judge.Words(1, 2, 3, 11, 12, 13, 21, 22, 23)}, // three records
		{Name: "t1", Data: judge.Words(50, 51, 52, 53, 54, 55)},
		{Name: "u0", Size: threads * 32, Read: true},
		{Name: "u1", Size: 3 * 8, Read: true}, // three records
		{Name: "u2", Size: 5 * 4, Read: true}, // two pairs and a half
	}, nil, nil)
	out := ran(t, judge.Run(t, []judge.Job{j})[0])
	got := judge.AsWords(out["u0"])
	for i := range uint32(threads) {
		want := []uint32{0, 0, 0}
		if i < 3 {
			want = []uint32{i*10 + 1, i*10 + 3, 0}
		}
		assert.Equal(t, want, got[i*4:][:3], "record %d", i)
		var raw []uint32
		for k := range uint32(4) {
			w := uint32(0)
			if i+k < 6 {
				w = 50 + i + k
			}
			raw = append(raw, w)
		}
		assert.Equal(t, raw, got[threads*4+i*4:][:4], "raw word %d", i)
	}
	assert.Equal(t, []uint32{0, 100, 0, 101, 0, 102}, judge.AsWords(out["u1"]))
	assert.Equal(t, []uint32{0, 7, 1, 7, 2}, judge.AsWords(out["u2"]))
}

// TestAtomics runs every atomic operation on raw, structured, typed and
// groupshared memory, in range and out of it, with both signs on one buffer.
func TestAtomics(t *testing.T) {
	ops := []struct {
		op             ir.AtomicOp
		old, val, want uint32
	}{
		{ir.AtomicAnd, 0xff0f, 0x0ff0, 0x0f00},
		{ir.AtomicOr, 0xff0f, 0x0ff0, 0xffff},
		{ir.AtomicXor, 0xff0f, 0x0ff0, 0xf0ff},
		{ir.AtomicAdd, 0xffffffff, 2, 1},
		{ir.AtomicIMax, 5, 0xfffffffe, 5},
		{ir.AtomicIMin, 5, 0xfffffffe, 0xfffffffe},
		{ir.AtomicUMax, 5, 0xfffffffe, 0xfffffffe},
		{ir.AtomicUMin, 5, 0xfffffffe, 5},
		{ir.AtomicExch, 5, 9, 9},
		{ir.AtomicCmpExch, 5, 9, 9},
	}
	memories := []struct {
		name    string
		res     ir.Resource
		addr    func(h *hand, i uint32) ir.Arg
		outside uint32
	}{
		{"raw", ir.Resource{Class: ir.UAV, Dim: dxbc.DimRawBuffer, Register: 1}, func(h *hand, i uint32) ir.Arg { return h.consta(i * 4) }, 100},
		{"structured", ir.Resource{Class: ir.UAV, Dim: dxbc.DimStructuredBuffer, Stride: 8, Register: 1}, func(h *hand, i uint32) ir.Arg { return h.consta(i/2, i%2*4) }, 100},
		{"typed", ir.Resource{Class: ir.UAV, Dim: dxbc.DimBuffer, Return: returns(dxbc.RetUint), Register: 1}, func(h *hand, i uint32) ir.Arg { return h.consta(i) }, 100},
		{"groupshared", ir.Resource{Class: ir.GroupShared, Dim: dxbc.DimRawBuffer, Size: 64, Register: 0}, func(h *hand, i uint32) ir.Arg { return h.consta(i * 4) }, 100},
		{"groupshared structured", ir.Resource{Class: ir.GroupShared, Dim: dxbc.DimStructuredBuffer, Stride: 8, Size: 64, Register: 0}, func(h *hand, i uint32) ir.Arg { return h.consta(i/2, i%2*4) }, 100},
	}
	var jobs []judge.Job
	for _, m := range memories {
		m.res.Atomic, m.res.Read, m.res.Written, m.res.SignedAtomic, m.res.UnsignedAtomic = true, true, true, true, true
		h := newHand(1, ir.Resource{Class: ir.UAV, Dim: dxbc.DimRawBuffer, Register: 0, Written: true}, m.res)
		atomic := func(op ir.AtomicOp, at ir.Arg, val, cmp uint32, n int) ir.Arg {
			args := []ir.Arg{at, h.consta(val), {}}
			if op == ir.AtomicCmpExch {
				args[2] = h.consta(cmp)
			}
			return h.on(ir.OpAtomic, 1, [4]uint32{uint32(op)}, n, args...)
		}
		for i, o := range ops {
			at := m.addr(h, uint32(i))
			atomic(ir.AtomicExch, at, o.old, 0, 0)
			before := atomic(o.op, at, o.val, o.old, 1)
			after := atomic(ir.AtomicOr, at, 0, 0, 1)
			outside := atomic(o.op, m.addr(h, m.outside), o.val, o.old, 1)
			same := atomic(ir.AtomicCmpExch, at, 1, o.want+1, 1) // does not match: stays
			h.store(0, uint32(i)*16, ir.Arg{N: 4, Lanes: [4]ir.Lane{before.Lanes[0], after.Lanes[0], outside.Lanes[0], same.Lanes[0]}})
		}
		buffers := []judge.Buffer{{Name: "u0", Size: 16 * len(ops), Read: true}}
		if m.res.Class == ir.UAV {
			buffers = append(buffers, judge.Buffer{Name: "u1", Size: 64, Read: true})
		}
		jobs = append(jobs, h.job(t, m.name, buffers, nil, nil))
	}
	for i, o := range judge.Run(t, jobs) {
		out := ran(t, o)
		got := judge.AsWords(out["u0"])
		for k, x := range ops {
			assert.Equal(t, []uint32{x.old, x.want, 0, x.want}, got[k*4:][:4], "%s: operation %d: old, new, out of range, mismatch", memories[i].name, x.op)
		}
		if memories[i].res.Class == ir.UAV {
			words := judge.AsWords(out["u1"])
			for k, x := range ops {
				assert.Equal(t, x.want, words[k])
			}
			assert.Equal(t, make([]uint32, 16-len(ops)), words[len(ops):], "dropped outside")
		}
	}
}

// TestCounters appends and consumes: the old count, and the new one.
func TestCounters(t *testing.T) {
	h := newHand(1,
		ir.Resource{Class: ir.UAV, Dim: dxbc.DimRawBuffer, Register: 0, Written: true},
		ir.Resource{Class: ir.Counter, Register: 3},
	)
	a := h.on(ir.OpCounterInc, 1, [4]uint32{}, 1)
	b := h.on(ir.OpCounterInc, 1, [4]uint32{}, 1)
	c := h.on(ir.OpCounterDec, 1, [4]uint32{}, 1)
	h.store(0, 0, ir.Arg{N: 3, Lanes: [4]ir.Lane{a.Lanes[0], b.Lanes[0], c.Lanes[0]}})
	j := h.job(t, "counters", []judge.Buffer{{Name: "u0", Size: 16, Read: true}, {Name: "u3_counter", Data: judge.Words(5), Read: true}}, nil, nil)
	out := ran(t, judge.Run(t, []judge.Job{j})[0])
	assert.Equal(t, []uint32{5, 6, 6, 0}, judge.AsWords(out["u0"]))
	assert.Equal(t, []uint32{6}, judge.AsWords(out["u3_counter"]))
}

// TestConstantRows reads rows by index: inside, behind the declared end, and
// through a register that chooses among the buffers of a range.
func TestConstantRows(t *testing.T) {
	h := newHand(6,
		ir.Resource{Class: ir.UAV, Dim: dxbc.DimRawBuffer, Register: 0, Written: true},
		ir.Resource{Class: ir.CBuffer, Register: 0, Size: 3, Dynamic: true},
		ir.Resource{Class: ir.CBuffer, Register: 4, Size: 2, Dynamic: true},
		ir.Resource{Class: ir.CBuffer, Register: 5, Size: 2, Dynamic: true},
	)
	for i := range 2 {
		h.f.Resources[2+i].RangeID, h.f.Resources[2+i].Count = 9, 2
	}
	h.f.ICB = [][4]uint32{{1, 2, 3, 4}, {5, 6, 7, 8}}
	h.store(0, 0, h.on(ir.OpCBLoad, 1, [4]uint32{1}, 4, h.id(), ir.Arg{}))
	h.store(0, 6*16, h.on(ir.OpCBLoad, 2, [4]uint32{1}, 4, ir.Arg{}, h.id()))
	h.store(0, 12*16, h.on(ir.OpICBLoad, -1, [4]uint32{0}, 4, h.id()))
	j := h.job(t, "rows", []judge.Buffer{
		{Name: "u0", Size: 18 * 16, Read: true},
		{Name: "cb0", Data: judge.Words(0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23)},
		{Name: "cb4", Data: judge.Words(0, 0, 0, 0, 40, 41, 42, 43)},
		{Name: "cb5", Data: judge.Words(0, 0, 0, 0, 50, 51, 52, 53)},
	}, nil, nil)
	got := judge.AsWords(ran(t, judge.Run(t, []judge.Job{j})[0])["u0"])
	none := []uint32{0, 0, 0, 0}
	row := func(first uint32) []uint32 { return []uint32{first, first + 1, first + 2, first + 3} }
	want := [][]uint32{row(10), row(20), none, none, none, none, row(40), row(50), none, none, none, none, row(1), row(5), none, none, none, none}
	for i, w := range want {
		assert.Equal(t, w, got[i*4:][:4], "row %d", i)
	}
}

// texelsOf is a texture whose texel (x, y) of layer l and mip m is l*100 + m*50 + y*10 + x, as r32float.
func texelsOf(name string, w, h, layers, mips int, dim string) judge.Texture {
	tx := judge.Texture{Name: name, Format: "r32float", Width: w, Height: h, Layers: layers, Mips: mips, Dimension: dim}
	depth := 1
	if dim == "3d" {
		depth, layers = layers, 1
	}
	for l := range max(layers, 1) {
		for m := range mips {
			var b []byte
			for z := range max(depth>>m, 1) {
				for y := range max(h>>m, 1) {
					for x := range max(w>>m, 1) {
						b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32((l+z)*100+m*50+y*10+x)))
					}
				}
			}
			tx.Data = append(tx.Data, b)
		}
	}
	return tx
}

// TestTexelLoads fetches texels inside and outside of every shape. D3D gives
// zero for a coordinate, slice or mip that is not there, alpha too.
func TestTexelLoads(t *testing.T) {
	neg := ^uint32(0)
	shapes := []struct {
		dim  dxbc.Dim
		tex  judge.Texture
		at   [][]uint32 // coordinates with slice, then mip
		want []float32  // red; -1: all zero
		offs [3]int8
	}{
		{dim: dxbc.DimTexture2D, tex: texelsOf("t0", 4, 4, 1, 2, ""),
			at: [][]uint32{{3, 2, 0}, {1, 1, 1}, {4, 0, 0}, {neg, 0, 0}, {0, neg, 0}, {2, 0, 1}, {0, 0, 2}, {0, 0, neg}}, want: []float32{23, 61, -1, -1, -1, -1, -1, -1}},
		{dim: dxbc.DimTexture2D, offs: [3]int8{-1, 2, 0}, tex: texelsOf("t0", 4, 4, 1, 1, ""),
			at: [][]uint32{{3, 1, 0}, {0, 0, 0}, {1, 2, 0}}, want: []float32{32, -1, -1}},
		{dim: dxbc.DimTexture2DArray, tex: texelsOf("t0", 4, 4, 3, 1, ""),
			at: [][]uint32{{1, 2, 2, 0}, {1, 2, 3, 0}, {1, 2, neg, 0}}, want: []float32{221, -1, -1}},
		{dim: dxbc.DimTexture1D, tex: texelsOf("t0", 4, 1, 1, 1, ""),
			at: [][]uint32{{3, 0}, {4, 0}, {neg, 0}}, want: []float32{3, -1, -1}},
		{dim: dxbc.DimTexture1DArray, tex: texelsOf("t0", 4, 1, 2, 1, ""),
			at: [][]uint32{{3, 1, 0}, {3, 2, 0}}, want: []float32{103, -1}},
		{dim: dxbc.DimTexture3D, tex: texelsOf("t0", 4, 4, 2, 1, "3d"),
			at: [][]uint32{{1, 2, 1, 0}, {1, 2, 2, 0}}, want: []float32{121, -1}},
	}
	var jobs []judge.Job
	for i, s := range shapes {
		h := newHand(1, ir.Resource{Class: ir.UAV, Dim: dxbc.DimRawBuffer, Written: true}, ir.Resource{Class: ir.SRV, Dim: s.dim, Return: returns(dxbc.RetFloat), Loaded: true, Read: true})
		for k, at := range s.at {
			n := len(at) - 1
			v := h.op(ir.Value{Op: ir.OpLoad, Res: 1, Samp: -1, Offs: s.offs}, 4, h.consta(at[:n]...), h.consta(at[n]))
			h.store(0, uint32(k)*16, v)
		}
		j := h.job(t, fmt.Sprintf("%s %d", s.dim, i), []judge.Buffer{{Name: "u0", Size: 16 * len(s.at), Read: true}}, []judge.Texture{s.tex}, nil)
		// r32float is not filterable: the plan's float entry takes filterable ones,
		// which the executor has no rule against when only loads happen.
		for g := range j.Passes[0].Layout {
			for b := range j.Passes[0].Layout[g] {
				if x := j.Passes[0].Layout[g][b].Texture; x != nil {
					x.SampleType = "unfilterable-float"
				}
			}
		}
		jobs = append(jobs, j)
	}
	for i, o := range judge.Run(t, jobs) {
		got := judge.AsFloats(ran(t, o)["u0"])
		for k, w := range shapes[i].want {
			want := []float32{w, 0, 0, 1}
			if w < 0 {
				want = []float32{0, 0, 0, 0}
			}
			assert.Equal(t, want, got[k*4:][:4], "%s at %v", o.ID, shapes[i].at[k])
		}
	}
}

// TestTextureSizes asks for the size of every shape in the three forms; a level
// that is not there has zero dimensions and still the number of levels.
func TestTextureSizes(t *testing.T) {
	cases := []struct {
		dim   dxbc.Dim
		tex   judge.Texture
		level uint32
		want  []uint32
	}{
		{dxbc.DimTexture2D, texelsOf("t0", 8, 4, 1, 3, ""), 1, []uint32{4, 2, 0, 3}},
		{dxbc.DimTexture2D, texelsOf("t0", 8, 4, 1, 3, ""), 3, []uint32{0, 0, 0, 3}},
		{dxbc.DimTexture2DArray, texelsOf("t0", 8, 4, 5, 1, ""), 0, []uint32{8, 4, 5, 1}},
		{dxbc.DimTexture1D, texelsOf("t0", 8, 1, 1, 1, ""), 0, []uint32{8, 0, 0, 1}},
		{dxbc.DimTexture1DArray, texelsOf("t0", 8, 1, 3, 1, ""), 0, []uint32{8, 3, 0, 1}},
		{dxbc.DimTexture3D, texelsOf("t0", 8, 4, 2, 2, "3d"), 1, []uint32{4, 2, 1, 2}},
		{dxbc.DimTextureCube, texelsOf("t0", 4, 4, 6, 1, ""), 0, []uint32{4, 4, 0, 1}},
		{dxbc.DimTextureCubeArray, texelsOf("t0", 4, 4, 12, 1, ""), 0, []uint32{4, 4, 2, 1}},
	}
	var jobs []judge.Job
	for i, c := range cases {
		h := newHand(1, ir.Resource{Class: ir.UAV, Dim: dxbc.DimRawBuffer, Written: true}, ir.Resource{Class: ir.SRV, Dim: c.dim, Return: returns(dxbc.RetFloat), Read: true})
		for form := range uint32(3) {
			h.store(0, form*16, h.on(ir.OpResInfo, 1, [4]uint32{form}, 4, h.consta(c.level)))
		}
		j := h.job(t, fmt.Sprintf("%s %d", c.dim, i), []judge.Buffer{{Name: "u0", Size: 48, Read: true}}, []judge.Texture{c.tex}, nil)
		for b := range j.Passes[0].Layout[0] {
			if x := j.Passes[0].Layout[0][b].Texture; x != nil {
				x.SampleType = "unfilterable-float"
			}
		}
		jobs = append(jobs, j)
	}
	for i, o := range judge.Run(t, jobs) {
		out := ran(t, o)["u0"]
		c := cases[i]
		assert.Equal(t, c.want, judge.AsWords(out)[8:12], "%s uint", o.ID)
		var f []float32
		for _, w := range c.want {
			f = append(f, float32(w))
		}
		assert.Equal(t, f, judge.AsFloats(out)[:4], "%s float", o.ID)
		if c.want[0] == 0 {
			continue // the reciprocal of nothing
		}
		dims := map[dxbc.Dim]int{dxbc.DimTexture1D: 1, dxbc.DimTexture1DArray: 1, dxbc.DimTexture3D: 3}[c.dim]
		if dims == 0 {
			dims = 2
		}
		for k := range dims {
			f[k] = 1 / f[k]
		}
		assert.Equal(t, f, judge.AsFloats(out)[4:8], "%s reciprocal", o.ID)
	}
}

// TestGathers gathers with offsets that WGSL has (constants up to 7) and that it
// has not (others, and variables), in D3D's order of texels.
func TestGathers(t *testing.T) {
	tx := judge.Texture{Name: "t0", Format: "rgba8unorm", Width: 64, Height: 64}
	var b []byte
	for y := range 64 {
		for x := range 64 {
			b = append(b, byte(x*3), byte(y*3), 0, 255)
		}
	}
	tx.Data = [][]byte{b}
	offsets := [][2]int32{{0, 0}, {7, -8}, {-20, 30}, {12, -3}}
	h := newHand(1, ir.Resource{Class: ir.UAV, Dim: dxbc.DimRawBuffer, Written: true},
		ir.Resource{Class: ir.SRV, Dim: dxbc.DimTexture2D, Return: returns(dxbc.RetFloat), Read: true, Filtered: true, Samplers: []int32{2}},
		ir.Resource{Class: ir.Sampler, Filtered: true})
	at := h.consta(floats(33.0/64, 33.0/64)...) // between texels 32 and 33
	n := uint32(0)
	for comp := range uint32(2) {
		for _, o := range offsets {
			fixed := h.consta(uint32(o[0]), uint32(o[1]))
			v := ir.Value{Op: ir.OpGatherOffset, Res: 1, Samp: 2, Imm: [4]uint32{comp}}
			h.store(0, n*16, h.op(v, 4, at, fixed))
			moved := h.plain(ir.OpIAdd, 2, fixed, ir.Arg{N: 2, Lanes: [4]ir.Lane{h.id().Lanes[0], h.id().Lanes[0]}})
			h.store(0, n*16+16, h.op(v, 4, at, moved))
			n += 2
		}
	}
	j := h.job(t, "gather", []judge.Buffer{{Name: "u0", Size: int(n) * 16, Read: true}}, []judge.Texture{tx}, []judge.Sampler{{Name: "s0"}})
	got := judge.AsFloats(ran(t, judge.Run(t, []judge.Job{j})[0])["u0"])
	k := 0
	for comp := range 2 {
		for _, o := range offsets {
			for range 2 {
				// The footprint of 33.0/64 is texels 32 and 33.
				x, y := float64(32+o[0]), float64(32+o[1])
				want := [4]float64{x, x + 1, x + 1, x}
				if comp == 1 {
					want = [4]float64{y + 1, y + 1, y, y}
				}
				for i := range want {
					assert.InDelta(t, want[i]*3/255, got[k*4+i], 1e-3, "component %d offset %v texel %d", comp, o, i)
				}
				k++
			}
		}
	}
}

// TestDetailArray draws with three detail maps that became the layers of one
// texture; each layer must be read by its own samples.
func TestDetailArray(t *testing.T) {
	f := program(dxbc.Pixel, []ir.Elem{elem("TEXCOORD", 0, 1, 3, 3)}, target)
	f.Nodes, f.Regions[0].Nodes, f.Values = nil, nil, f.Values[:2]
	h := &hand{f: f, consts: map[uint32]ir.ValueID{}}
	for i := range uint32(3) {
		f.Resources = append(f.Resources, ir.Resource{Class: ir.SRV, Dim: dxbc.DimTexture2D, Register: i, RangeID: i, Count: 1, Return: returns(dxbc.RetFloat), Used: true, Read: true, Filtered: true, Instr: -1})
	}
	f.Resources = append(f.Resources, ir.Resource{Class: ir.Sampler, Count: 1, Used: true, Filtered: true, Instr: -1})
	input := ir.ValueID(len(f.Values))
	f.Values = append(f.Values, ir.Value{Op: ir.OpInput, N: 2, Reg: -1, Instr: -1, Res: -1, Samp: -1, Node: ir.NoNode})
	bias := h.consta(floats(-1)...)
	var out ir.Arg
	for i := range 3 {
		x := h.op(ir.Value{Op: ir.OpSampleBias, Res: int32(i), Samp: 3}, 4, ir.ArgOf(input, 2), bias, ir.Arg{})
		out.Lanes[i] = x.Lanes[0]
	}
	out.N, out.Lanes[3] = 4, bias.Lanes[0]
	f.Add(0, ir.Node{Kind: ir.NodeReturn, Value: ir.NoValue, Instr: -1, Target: ir.NoNode, Args: []ir.Arg{out}})
	phased(t, f)
	var named []layout.NamedTexture
	for i := range uint32(3) {
		named = append(named, layout.NamedTexture{Name: fmt.Sprintf("Detail%dMap", i+1), Register: i, Type: 2, Elements: 1})
	}
	tr, ds := layout.DetailMaps(f, named, "Main.pass0")
	require.NotNil(t, tr, "%v", ds)
	plan, ds := layout.New([]layout.StageInput{{Stage: layout.Fragment, Func: f}}, layout.Options{Transforms: []*layout.Transform{tr}})
	require.NotNil(t, plan, "%v", ds)
	m, ds := wgsl.Emit(f, plan, nil, wgsl.Options{})
	require.NotNil(t, m, "%v", ds)
	assert.Contains(t, m.Code, "texture_2d_array<f32>")
	vs := "struct Out { @builtin(position) p: vec4<f32>, @location(1) uv: vec2<f32> }\n@vertex fn main(@builtin(vertex_index) i: u32) -> Out {\n" +
		"  let x = f32(i32(i & 1u) * 4 - 1);\n  let y = f32(i32(i >> 1u) * 4 - 1);\n  return Out(vec4<f32>(x, y, 0.5, 1.0), vec2<f32>(0.5));\n}"
	j := judge.Job{ID: "detail", Samplers: []judge.Sampler{{Name: "s0"}}, Textures: []judge.Texture{
		{Name: "rt", Format: "rgba32float", Width: 1, Height: 1, Read: true},
		{Name: "t0", Format: "rgba8unorm", Width: 1, Height: 1, Layers: 3, Data: [][]byte{{51, 0, 0, 0}, {102, 0, 0, 0}, {153, 0, 0, 0}}},
	}, Passes: []judge.Pass{{
		Modules: []judge.Module{{Stage: judge.Vertex, EntryPoint: "main", Code: vs}, {Stage: judge.Fragment, EntryPoint: "main", Code: m.Code}},
		Layout:  entries(plan),
		Bind:    []judge.Bind{{Binding: 0, Resource: "t0", View: &judge.View{Dimension: "2d-array"}}, {Binding: 1, Resource: "s0"}},
		Draw:    &judge.Draw{VertexCount: 3, Targets: []judge.DrawTarget{{Resource: "rt", Clear: []float64{0, 0, 0, 0}}}},
	}}}
	got := judge.AsFloats(ran(t, judge.Run(t, []judge.Job{j})[0])["rt"])
	require.Len(t, got, 4)
	for i, w := range []float32{0.2, 0.4, 0.6, -1} {
		assert.InDelta(t, w, got[i], 1e-5)
	}
}

// TestLoopCounterBounds checks which guards go: the counter of a loop with a
// constant end is inside behind the loop's test, and not before it.
func TestLoopCounterBounds(t *testing.T) {
	for _, c := range []struct {
		name    string
		limit   uint32
		step    uint32
		op      ir.Op // of the test that ends the loop where it is true
		before  bool  // the access stands before the test
		guarded bool
	}{
		{name: "below the end", limit: 16, step: 1, op: ir.OpUGe, guarded: false},
		{name: "signed test", limit: 16, step: 4, op: ir.OpIGe, guarded: false},
		{name: "too far", limit: 17, step: 1, op: ir.OpUGe, guarded: true},
		{name: "before the test", limit: 16, step: 1, op: ir.OpUGe, before: true, guarded: true},
		{name: "a step that wraps", limit: 16, step: 1 << 31, op: ir.OpUGe, guarded: true},
		{name: "no end that is known", limit: 16, step: 1, op: ir.OpIEq, guarded: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHand(1, ir.Resource{Class: ir.UAV, Dim: dxbc.DimRawBuffer, Written: true},
				ir.Resource{Class: ir.GroupShared, Dim: dxbc.DimStructuredBuffer, Stride: 4, Size: 64, Read: true, Written: true})
			f := h.f
			param := ir.ValueID(len(f.Values))
			loop := ir.NodeID(len(f.Nodes))
			f.Values = append(f.Values, ir.Value{Op: ir.OpParam, N: 1, Reg: -1, Instr: -1, Res: -1, Samp: -1, Node: loop})
			start := h.consta(0)
			f.Regions = append(f.Regions, ir.Region{Parent: loop})
			add := func(r ir.RegionID, n ir.Node) {
				n.Instr = -1
				f.Add(r, n)
			}
			add(0, ir.Node{Kind: ir.NodeLoop, Value: ir.NoValue, Target: ir.NoNode,
				Construct: &ir.Construct{EndInstr: -1, Regions: []ir.RegionID{1}, Header: []ir.ValueID{param}, Inits: []ir.Arg{start}}})
			value := func(v ir.Value) ir.Arg {
				v.Reg, v.Instr, v.Samp = -1, -1, -1
				id := ir.ValueID(len(f.Values))
				v.Node = ir.NodeID(len(f.Nodes))
				f.Values = append(f.Values, v)
				add(1, ir.Node{Kind: ir.NodeValue, Value: id, Target: ir.NoNode})
				return ir.ArgOf(id, 1)
			}
			i := ir.ArgOf(param, 1)
			access := func() {
				value(ir.Value{Op: ir.OpStoreStructured, Res: 1, Args: []ir.Arg{i, h.consta(0), h.consta(7)}})
			}
			if c.before {
				access()
			}
			cond := value(ir.Value{Op: c.op, N: 1, Res: -1, Args: []ir.Arg{i, h.consta(c.limit)}})
			branch := ir.NodeID(len(f.Nodes))
			f.Regions = append(f.Regions, ir.Region{Parent: branch}, ir.Region{Parent: branch})
			add(1, ir.Node{Kind: ir.NodeIf, Value: ir.NoValue, Target: ir.NoNode, Construct: &ir.Construct{EndInstr: -1, Cond: cond, Regions: []ir.RegionID{2, 3}}})
			add(2, ir.Node{Kind: ir.NodeBreak, Value: ir.NoValue, Target: loop})
			add(3, ir.Node{Kind: ir.NodeYield, Value: ir.NoValue, Target: branch})
			if !c.before {
				access()
			}
			next := value(ir.Value{Op: ir.OpIAdd, N: 1, Res: -1, Args: []ir.Arg{i, h.consta(c.step)}})
			add(1, ir.Node{Kind: ir.NodeContinue, Value: ir.NoValue, Target: loop, Args: []ir.Arg{next}})
			h.store(0, 0, h.on(ir.OpLoadStructured, 1, [4]uint32{0}, 1, h.consta(3), h.consta(0)))
			m, _ := h.emit(t, wgsl.Options{})
			if c.guarded {
				assert.Contains(t, m.Code, "g0_store(")
			} else {
				assert.NotContains(t, m.Code, "g0_store(")
			}
		})
	}
}

// TestSampling samples every shape at explicit levels: layers are rounded to even
// and clamped, a 1D texture is one row, offsets move by texels, and depth
// textures give red alone and compare.
func TestSampling(t *testing.T) {
	// Each texel of layer l (face of cube c: l = 6c + face) is (10*l + 2*x, 20*y, mip*50, 255) / 255.
	colors := func(w, hgt, layers, mips int, dim string) judge.Texture {
		tx := judge.Texture{Name: "t0", Format: "rgba8unorm", Width: w, Height: hgt, Layers: layers, Mips: mips, Dimension: dim}
		depth := 1
		if dim == "3d" {
			depth, layers = layers, 1
		}
		for l := range layers {
			for m := range mips {
				var b []byte
				for z := range max(depth>>m, 1) {
					for y := range max(hgt>>m, 1) {
						for x := range max(w>>m, 1) {
							b = append(b, byte(10*(l+z)+2*x), byte(20*y), byte(m*50), 255)
						}
					}
				}
				tx.Data = append(tx.Data, b)
			}
		}
		return tx
	}
	type at struct {
		coords []float32
		level  float32
		want   [3]int // of 255: red, green, blue
	}
	shapes := []struct {
		dim  dxbc.Dim
		offs [3]int8
		tex  judge.Texture
		at   []at
	}{
		{dim: dxbc.DimTexture2D, tex: colors(4, 4, 1, 2, ""), at: []at{{[]float32{0.6, 0.9}, 0, [3]int{4, 60, 0}}, {[]float32{0.6, 0.9}, 1, [3]int{2, 20, 50}}}},
		{dim: dxbc.DimTexture2D, offs: [3]int8{1, -2}, tex: colors(4, 4, 1, 1, ""), at: []at{{[]float32{0.3, 0.9}, 0, [3]int{4, 20, 0}}}},
		{dim: dxbc.DimTexture1D, tex: colors(8, 1, 1, 1, ""), at: []at{{[]float32{0.7}, 0, [3]int{10, 0, 0}}}},
		{dim: dxbc.DimTexture1D, offs: [3]int8{2}, tex: colors(8, 1, 1, 1, ""), at: []at{{[]float32{0.2}, 0, [3]int{6, 0, 0}}}},
		{dim: dxbc.DimTexture1DArray, tex: colors(8, 1, 3, 1, ""), at: []at{{[]float32{0.7, 1.6}, 0, [3]int{30, 0, 0}}}},
		{dim: dxbc.DimTexture2DArray, tex: colors(2, 2, 4, 1, ""), at: []at{
			{[]float32{0.1, 0.1, 0.5}, 0, [3]int{0, 0, 0}}, {[]float32{0.1, 0.1, 1.5}, 0, [3]int{20, 0, 0}}, {[]float32{0.1, 0.1, 2.4}, 0, [3]int{20, 0, 0}},
			{[]float32{0.1, 0.1, -7}, 0, [3]int{0, 0, 0}}, {[]float32{0.1, 0.1, 99}, 0, [3]int{30, 0, 0}}}},
		{dim: dxbc.DimTexture3D, tex: colors(2, 2, 4, 1, "3d"), at: []at{{[]float32{0.9, 0.1, 0.6}, 0, [3]int{22, 0, 0}}}},
		{dim: dxbc.DimTexture3D, offs: [3]int8{0, 1, -1}, tex: colors(2, 2, 4, 1, "3d"), at: []at{{[]float32{0.9, 0.1, 0.6}, 0, [3]int{12, 20, 0}}}},
		{dim: dxbc.DimTextureCube, tex: colors(1, 1, 6, 1, ""), at: []at{{[]float32{1, 0, 0}, 0, [3]int{0, 0, 0}}, {[]float32{0, -2, 0.5}, 0, [3]int{30, 0, 0}}, {[]float32{0.1, 0, -3}, 0, [3]int{50, 0, 0}}}},
		{dim: dxbc.DimTextureCubeArray, tex: colors(1, 1, 12, 1, ""), at: []at{{[]float32{0, 1, 0, 0}, 0, [3]int{20, 0, 0}}, {[]float32{0, 1, 0, 0.8}, 0, [3]int{80, 0, 0}}, {[]float32{0, 1, 0, 9}, 0, [3]int{80, 0, 0}}}},
	}
	var jobs []judge.Job
	for i, s := range shapes {
		h := newHand(1, ir.Resource{Class: ir.UAV, Dim: dxbc.DimRawBuffer, Written: true},
			ir.Resource{Class: ir.SRV, Dim: s.dim, Return: returns(dxbc.RetFloat), Read: true, Filtered: true}, ir.Resource{Class: ir.Sampler, Filtered: true})
		for k, a := range s.at {
			v := ir.Value{Op: ir.OpSampleLevel, Res: 1, Samp: 2, Offs: s.offs}
			h.store(0, uint32(k)*16, h.op(v, 4, h.consta(floats(a.coords...)...), h.consta(floats(a.level)...)))
		}
		jobs = append(jobs, h.job(t, fmt.Sprintf("%s %d", s.dim, i), []judge.Buffer{{Name: "u0", Size: 16 * len(s.at), Read: true}}, []judge.Texture{s.tex}, []judge.Sampler{{Name: "s0"}}))
	}
	for i, o := range judge.Run(t, jobs) {
		got := judge.AsFloats(ran(t, o)["u0"])
		for k, a := range shapes[i].at {
			for c := range 3 {
				assert.InDelta(t, float32(a.want[c])/255, got[k*4+c], 1e-3, "%s at %v channel %d", o.ID, a.coords, c)
			}
			assert.InDelta(t, 1, got[k*4+3], 1e-3)
		}
	}
}

// TestDepthTextures compares with and reads one depth texture through two
// samplers, and through one sampler that does both.
func TestDepthTextures(t *testing.T) {
	tx := judge.Texture{Name: "t0", Format: "depth16unorm", Width: 2, Height: 1, Data: [][]byte{{0x00, 0x40, 0x00, 0xc0}}} // 0.25, 0.75
	h := newHand(1, ir.Resource{Class: ir.UAV, Dim: dxbc.DimRawBuffer, Written: true},
		ir.Resource{Class: ir.SRV, Dim: dxbc.DimTexture2D, Return: returns(dxbc.RetFloat), Read: true, Filtered: true, Compared: true},
		ir.Resource{Class: ir.Sampler, Filtered: true, Compared: true})
	left, right := h.consta(floats(0.25, 0.5)...), h.consta(floats(0.75, 0.5)...)
	half := h.consta(floats(0.5)...)
	zero := h.consta(floats(0)...)
	a := h.op(ir.Value{Op: ir.OpSampleCmpZero, Res: 1, Samp: 2}, 1, left, half)
	b := h.op(ir.Value{Op: ir.OpSampleCmpZero, Res: 1, Samp: 2}, 1, right, half)
	h.store(0, 0, ir.Arg{N: 2, Lanes: [4]ir.Lane{a.Lanes[0], b.Lanes[0]}})
	h.store(0, 16, h.op(ir.Value{Op: ir.OpSampleLevel, Res: 1, Samp: 2}, 4, right, zero))
	h.store(0, 32, h.on(ir.OpLoad, 1, [4]uint32{}, 4, h.consta(0, 0), h.consta(0)))
	h.store(0, 48, h.on(ir.OpLoad, 1, [4]uint32{}, 4, h.consta(2, 0), h.consta(0)))
	h.store(0, 64, h.op(ir.Value{Op: ir.OpGatherCmp, Res: 1, Samp: 2}, 4, h.consta(floats(0.5, 0.5)...), half))
	j := h.job(t, "depth", []judge.Buffer{{Name: "u0", Size: 80, Read: true}}, []judge.Texture{tx},
		[]judge.Sampler{{Name: "s0"}, {Name: "s0_comparison", Compare: "less"}})
	got := judge.AsFloats(ran(t, judge.Run(t, []judge.Job{j})[0])["u0"])
	want := []float32{0, 1, 0, 0, 0.75, 0, 0, 1, 0.25, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 0} // less: the reference is less than the texel
	for i := range want {
		assert.InDelta(t, want[i], got[i], 1e-3, "word %d", i)
	}
}
