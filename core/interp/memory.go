package interp

import (
	"bytes"
	"math"

	"fxlens/core/dxbc"
	"fxlens/core/ir"
)

// view is what is bound to the resource of an instruction for an invocation.
func (m *Machine) view(r *resource, reg uint32, rel, i int32) *View {
	s := Slot{m.index(reg, rel, i), r.space}
	var v *View
	if s.Register >= r.lower && s.Register <= r.upper {
		if r.class == ir.UAV {
			v = m.env.UAVs[s]
		} else {
			v = m.env.SRVs[s]
		}
	}
	if v == nil {
		m.event(EventUnbound, i, "%s%d is not bound", [...]string{"t", "u"}[b2i(r.class == ir.UAV)], s.Register)
	}
	return v
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (m *Machine) samplerState(in *inst, i int32) *Sampler {
	if s := m.env.Samplers[Slot{m.index(in.sampReg, in.sampRel, i), in.samp.space}]; s != nil {
		return s
	}
	m.event(EventUnbound, i, "s%d is not bound", m.index(in.sampReg, in.sampRel, i))
	m.flag(i)
	return DefaultSampler()
}

// put writes a result to the scratch rows through the resource's swizzle.
func (m *Machine) put(in *inst, i int32, v [4]uint32) {
	for k := range 4 {
		if in.dst[0][k] >= 0 {
			m.outRows[k][i] = v[in.swz[k]]
		}
	}
}

// memory executes what reads or writes resources.
func (m *Machine) memory(in *inst, lanes []int32) {
	if in.quads && in.kind != kEval {
		if m.quads(); !m.derivOK {
			m.divergent(lanes)
		}
	}
	for _, i := range lanes {
		switch in.kind {
		case kSample:
			m.put(in, i, m.sampleLane(in, i))
		case kLod:
			m.put(in, i, m.lodLane(in, i))
		case kGather:
			m.put(in, i, m.gatherLane(in, i))
		case kLoad:
			m.put(in, i, m.loadLane(in, i))
		case kLoadMem:
			m.loadMemory(in, i)
		case kStoreMem:
			m.storeMemory(in, i)
		case kStoreTyped:
			m.storeTyped(in, i)
		case kAtomic:
			m.atomicLane(in, i)
		case kCounter:
			m.counter(in, i)
		case kResInfo:
			m.put(in, i, m.resInfo(in, i))
		case kBufInfo:
			var n uint32
			if v := m.view(in.res, in.resReg, in.resRel, i); v != nil {
				n = uint32(v.Num)
				if in.res.dim == dxbc.DimRawBuffer {
					n *= 4
				}
			}
			m.put(in, i, [4]uint32{n, n, n, n})
		case kSampleInfo:
			n := uint32(1)
			if in.res != nil {
				n = 0
				if v := m.view(in.res, in.resReg, in.resRel, i); v != nil && v.Tex != nil {
					n = uint32(v.Tex.Samples)
				}
			} else if m.batch != nil && m.batch.Samples > 0 {
				n = uint32(m.batch.Samples)
			}
			if in.result == 0 {
				n = math.Float32bits(float32(n))
			}
			m.put(in, i, [4]uint32{n})
		case kSamplePos:
			m.put(in, i, m.samplePos(in, i))
		case kEval:
			m.evalLane(in, i)
		}
	}
	if in.kind == kSample && m.tainted != nil {
		for k := range 4 {
			if in.dst[0][k] >= 0 {
				for _, i := range lanes {
					if !in.res.isInt() && edge(m.outRows[k][i]) {
						m.cur[k][i] = true
					}
				}
			}
		}
	}
	if in.status >= 0 {
		d := m.rows[in.status]
		for _, i := range lanes {
			d[i] = 1
		}
	}
	m.finish(in, 0, lanes)
}

func (r *resource) isInt() bool { return r.ret == dxbc.RetSint || r.ret == dxbc.RetUint }

func (m *Machine) f32(r, i int32) float32 {
	u := m.rows[r][i]
	if u&0x7F800000 == 0 {
		u &= 0x80000000
	}
	return math.Float32frombits(u)
}

// args collects what a sampling needs; derivatives come from the quad.
func (m *Machine) args(in *inst, i int32) sampleArgs {
	a := sampleArgs{kind: in.sampleKind, offs: in.offs, j: m.j}
	nd, _ := dims(in.res.dim)
	for k := range int(in.n) {
		a.coord[k] = m.f32(in.src[0][k], i)
		if edge(math.Float32bits(a.coord[k])) {
			m.flag(i)
		}
	}
	switch {
	case in.sampleKind == lodGradient:
		for k := range nd {
			a.ddx[k], a.ddy[k] = m.f32(in.dxRow[k], i), m.f32(in.dyRow[k], i)
		}
	case in.sampleKind == lodExplicit:
		a.lod = m.f32(in.lodRow, i)
	case in.quads:
		// One gradient for the whole quad, or that of the row and column: both are
		// what implementations do.
		op := [2]ir.Op{ir.OpDerivXCoarse, ir.OpDerivYCoarse}
		if m.j != nil && m.j.coin() {
			op = [2]ir.Op{ir.OpDerivXFine, ir.OpDerivYFine}
		}
		for k := range nd {
			s := m.rows[in.src[0][k]]
			a.ddx[k], a.ddy[k] = quadDeriv(op[0], s, i, nil), quadDeriv(op[1], s, i, nil)
		}
		if in.lodRow >= 0 {
			a.bias = min(max(m.f32(in.lodRow, i), -16), 15.99)
		}
	}
	if in.refRow >= 0 {
		a.cmp, a.ref = true, m.f32(in.refRow, i)
		if m.j != nil {
			a.ref = math.Float32frombits(m.j.ulps(math.Float32bits(a.ref), 1))
		}
	}
	if in.clampRow >= 0 {
		if a.cmp { // WGSL cannot clamp a comparison
			m.flag(i)
		}
		a.hasClamp, a.minLOD = true, m.f32(in.clampRow, i)
	}
	return a
}

// texture returns the view when it is a texture that fits the declaration.
func (m *Machine) texture(in *inst, i int32) *View {
	v := m.view(in.res, in.resReg, in.resRel, i)
	if v == nil || v.Tex == nil || v.Format == nil || v.mips() < 1 || !isTexture(in.res.dim) {
		return nil
	}
	if v.Dim != in.res.dim { // the declaration decides how many coordinates there are
		w := *v
		w.Dim = in.res.dim
		return &w
	}
	return v
}

func (m *Machine) sampleLane(in *inst, i int32) [4]uint32 {
	v := m.texture(in, i)
	if v == nil {
		return [4]uint32{}
	}
	s, a := m.samplerState(in, i), m.args(in, i)
	if s.Aniso > 1 && a.kind != lodExplicit && a.kind != lodZero {
		m.event(EventAnisotropy, i, "anisotropic filtering is approximated")
	}
	return v.sample(s, &a)
}

func (m *Machine) lodLane(in *inst, i int32) [4]uint32 {
	v := m.texture(in, i)
	if v == nil {
		return [4]uint32{}
	}
	s, a := m.samplerState(in, i), m.args(in, i)
	lod, _, _ := v.lods(s, &a)
	if m.j != nil {
		lod = m.j.lod(lod, true)
	}
	return [4]uint32{math.Float32bits(v.clampLOD(s, &a, lod)), math.Float32bits(lod)}
}

func (m *Machine) gatherLane(in *inst, i int32) [4]uint32 {
	v := m.texture(in, i)
	if v == nil {
		return [4]uint32{}
	}
	a := m.args(in, i)
	for k, r := range in.offRow {
		if r >= 0 { // six bits, signed
			a.offs[k] = int32(m.rows[r][i]<<26) >> 26
		}
	}
	return v.gather(m.samplerState(in, i), &a, in.comp)
}

func (m *Machine) loadLane(in *inst, i int32) [4]uint32 {
	v := m.view(in.res, in.resReg, in.resRel, i)
	if v == nil {
		return [4]uint32{}
	}
	var c [4]int32
	for k := range c {
		c[k] = int32(m.rows[in.src[0][k]][i])
	}
	if in.res.dim == dxbc.DimBuffer {
		if v.Mem == nil {
			return [4]uint32{}
		}
		at, ok := v.element(int64(uint32(c[0])) + int64(in.offs[0]))
		if !ok {
			return [4]uint32{}
		}
		m.touch(v.Mem, at, i, false, 0)
		return v.Format.decode(v.Mem.Data[at : at+v.Format.Bytes])
	}
	if v = m.texture(in, i); v == nil {
		return [4]uint32{}
	}
	nd, l := dims(in.res.dim)
	for k := range nd {
		c[k] += in.offs[k]
	}
	xyz := [3]int32{c[0], c[1], c[2]}
	level, sample := int32(0), int32(0)
	if in.res.class == ir.SRV {
		level = c[3]
		if nd == 1 && l < 0 { // the level is in w for every texture
			xyz = [3]int32{c[0]}
		}
	}
	switch in.dx {
	case dxbc.OpLdms, dxbc.OpLdmsS:
		level, sample = 0, int32(m.rows[in.src[1][0]][i])
	}
	t, _ := v.load(xyz, level, sample)
	if in.res.class == ir.UAV {
		if b, at := v.texelPlace(xyz); b != nil {
			m.touchTexel(v.Tex, at, i, false, false)
		}
	}
	return t
}

// words is the memory of a raw or structured access: where word k behind the
// address is. The memory is nil when nothing is bound.
func (m *Machine) words(in *inst, i int32) (mem *Memory, at func(k uint32) (int, bool)) {
	a := m.rows[in.src[0][0]][i]
	if s := in.shared; s != nil {
		mem = m.shared[s.index]
		if s.raw {
			return mem, func(k uint32) (int, bool) {
				w := uint64(a&^3) + 4*uint64(k)
				return int(w), w+4 <= uint64(s.size)
			}
		}
		off := m.rows[in.src[0][1]][i]
		return mem, func(k uint32) (int, bool) {
			w := uint64(a)*uint64(s.stride) + uint64(off&^3) + 4*uint64(k)
			return int(w), w+4 <= uint64(s.size)
		}
	}
	v := m.view(in.res, in.resReg, in.resRel, i)
	if v == nil || v.Mem == nil {
		return nil, nil
	}
	if in.res.dim == dxbc.DimRawBuffer {
		return v.Mem, func(k uint32) (int, bool) {
			if k > 0 && a+4*k < a {
				return 0, false
			}
			return v.rawWord(a + 4*k)
		}
	}
	off := m.rows[in.src[0][1]][i]
	if off >= in.res.stride && uint64(a) < uint64(v.Num) {
		m.event(EventStride, i, "offset %d in structures of %d bytes", off, in.res.stride)
		m.flag(i)
	}
	return v.Mem, func(k uint32) (int, bool) {
		if off+4*k < off {
			return 0, false
		}
		return v.structWord(a, off+4*k)
	}
}

func (m *Machine) outside(in *inst, i int32) {
	if in.shared != nil {
		m.event(EventSharedRange, i, "address %d of %d bytes", m.rows[in.src[0][0]][i], in.shared.size)
		m.flag(i)
	}
}

// wild marks a whole memory when the address of a store is marked: the store may
// have gone anywhere.
func (m *Machine) wild(mem *Memory, i int32) {
	if m.tainted != nil && m.flagged(i) {
		for w := range mem.Tainted {
			mem.Tainted[w] = true
		}
	}
}

func (m *Machine) loadMemory(in *inst, i int32) {
	mem, at := m.words(in, i)
	for k := range 4 {
		if in.dst[0][k] < 0 {
			continue
		}
		m.outRows[k][i] = 0
		if mem == nil {
			continue
		}
		if w, ok := at(uint32(in.swz[k])); ok {
			m.touch(mem, w, i, false, 0)
			m.outRows[k][i] = mem.load(w)
		} else {
			m.outside(in, i)
		}
	}
}

func (m *Machine) storeMemory(in *inst, i int32) {
	if m.asleep(i) {
		return
	}
	mem, at := m.words(in, i)
	if mem == nil {
		return
	}
	m.wild(mem, i)
	for k := range uint32(4) {
		if in.storeMask>>k&1 == 0 {
			continue
		}
		if w, ok := at(k); ok {
			v := m.rows[in.valRow[k]][i]
			m.touch(mem, w, i, true, v)
			mem.store(w, v)
			if m.tainted != nil && mem.Tainted != nil && m.taint[in.valRow[k]][i] {
				mem.Tainted[w/4] = true
			}
		} else {
			m.outside(in, i)
		}
	}
}

// asleep reports whether the writes of an invocation have no effect.
func (m *Machine) asleep(i int32) bool { return m.helper.has(int(i)) || m.killed.has(int(i)) }

func (m *Machine) storeTyped(in *inst, i int32) {
	if m.asleep(i) {
		return
	}
	v := m.view(in.res, in.resReg, in.resRel, i)
	if v == nil || v.Format == nil {
		return
	}
	var t [4]uint32
	var c [3]int32
	for k := range t {
		t[k] = m.rows[in.valRow[k]][i]
		if k < 3 {
			c[k] = int32(m.rows[in.src[0][k]][i])
		}
		if !v.Format.Integer() && edge(t[k]) {
			m.flag(i)
		}
	}
	if v.Mem != nil {
		if at, ok := v.element(int64(uint32(c[0]))); ok {
			for b := 0; b < v.Format.Bytes; b += 4 {
				m.touch(v.Mem, at+b, i, true, math.MaxUint32)
			}
			v.Format.encode(t, v.Mem.Data[at:at+v.Format.Bytes])
		}
		return
	}
	v = m.texture(in, i)
	if v == nil {
		return
	}
	if b, at := v.texelPlace(c); b != nil {
		var old [16]byte
		n := copy(old[:], b)
		v.Format.encode(t, b)
		m.touchTexel(v.Tex, at, i, true, n == len(b) && bytes.Equal(old[:n], b))
	}
}

// atomicPlace finds the word of an atomic.
func (m *Machine) atomicPlace(in *inst, i int32) (load func() uint32, store func(uint32), mem *Memory, at int) {
	if in.shared != nil || in.res.dim == dxbc.DimRawBuffer || in.res.dim == dxbc.DimStructuredBuffer {
		mem, word := m.words(in, i)
		if mem == nil {
			return nil, nil, nil, 0
		}
		w, ok := word(0)
		if !ok {
			m.outside(in, i)
			return nil, nil, nil, 0
		}
		return func() uint32 { return mem.load(w) }, func(v uint32) { mem.store(w, v) }, mem, w
	}
	v := m.view(in.res, in.resReg, in.resRel, i)
	if v == nil || v.Format == nil || v.Format.Bytes != 4 {
		return nil, nil, nil, 0
	}
	if v.Mem != nil {
		w, ok := v.element(int64(m.rows[in.src[0][0]][i]))
		if !ok {
			return nil, nil, nil, 0
		}
		return func() uint32 { return v.Mem.load(w) }, func(x uint32) { v.Mem.store(w, x) }, v.Mem, w
	}
	v = m.texture(in, i)
	if v == nil {
		return nil, nil, nil, 0
	}
	var c [3]int32
	for k := range min(coordinates(in.res.dim), len(c)) {
		c[k] = int32(m.rows[in.src[0][k]][i])
	}
	b, _ := v.texelPlace(c)
	if b == nil {
		return nil, nil, nil, 0
	}
	t := &Memory{Data: b}
	return func() uint32 { return t.load(0) }, func(x uint32) { t.store(0, x) }, nil, 0
}

func (m *Machine) atomicLane(in *inst, i int32) {
	var old uint32
	if !m.asleep(i) {
		if load, store, mem, at := m.atomicPlace(in, i); load != nil {
			old = load()
			var cmp uint32
			if in.cmpRow >= 0 {
				cmp = m.rows[in.cmpRow][i]
			}
			store(applyAtomic(in.atomic, old, m.rows[in.valRow[0]][i], cmp))
			if mem != nil {
				m.touchAtomic(mem, at, i, in.atomic)
				m.wild(mem, i)
			}
			if mem != nil && m.tainted != nil && mem.Tainted != nil {
				raced := mem.Raced != nil && mem.Raced[at/4]
				if raced {
					m.flag(i)
				}
				mem.Tainted[at/4] = mem.Tainted[at/4] || m.flagged(i)
				// Which invocation comes first is not defined: a returned value is not
				// comparable.
				if in.dst[0] != [4]int32{-1, -1, -1, -1} {
					m.flag(i)
				}
			}
		}
	}
	for k := range 4 {
		if in.dst[0][k] >= 0 {
			m.outRows[k][i] = old
		}
	}
}

func applyAtomic(op ir.AtomicOp, old, v, cmp uint32) uint32 {
	switch op {
	case ir.AtomicAnd:
		return old & v
	case ir.AtomicOr:
		return old | v
	case ir.AtomicXor:
		return old ^ v
	case ir.AtomicAdd:
		return old + v
	case ir.AtomicIMax:
		return uint32(max(int32(old), int32(v)))
	case ir.AtomicIMin:
		return uint32(min(int32(old), int32(v)))
	case ir.AtomicUMax:
		return max(old, v)
	case ir.AtomicUMin:
		return min(old, v)
	case ir.AtomicExch:
		return v
	}
	if old == cmp {
		return v
	}
	return old
}

func (m *Machine) counter(in *inst, i int32) {
	var n uint32
	if v := m.view(in.res, in.resReg, in.resRel, i); v != nil && v.Counter != nil && !m.asleep(i) {
		if in.dx == dxbc.OpImmAtomicAlloc {
			n = *v.Counter
			*v.Counter++
		} else {
			*v.Counter--
			n = *v.Counter
		}
		m.flag(i)
	}
	for k := range 4 {
		if in.dst[0][k] >= 0 {
			m.outRows[k][i] = n
		}
	}
}

func (m *Machine) resInfo(in *inst, i int32) [4]uint32 {
	v := m.texture(in, i)
	if v == nil {
		return [4]uint32{}
	}
	level := m.rows[in.src[0][0]][i]
	if in.res.class == ir.UAV || v.Tex.Samples > 1 {
		level = 0
	}
	r := v.info(level)
	if in.result == 2 {
		return r
	}
	nd, l := dims(in.res.dim)
	if isCube(in.res.dim) {
		nd = 2
		l = 2
	}
	for k := range r {
		x := float32(r[k])
		if in.result == 1 && k < nd && k != l {
			x = 1 / x
			if r[k] == 0 {
				x = float32(math.Inf(1))
			}
		}
		r[k] = math.Float32bits(x)
	}
	return r
}

// samplePositions are the standard patterns in sixteenths of a pixel from the
// centre (D3D11_STANDARD_MULTISAMPLE_QUALITY_LEVELS).
var samplePositions = map[int][][2]int{
	1: {{0, 0}},
	2: {{4, 4}, {-4, -4}},
	4: {{-2, -6}, {6, -2}, {-6, 2}, {2, 6}},
	8: {{1, -3}, {-1, 3}, {5, 1}, {-3, -5}, {-5, 5}, {-7, -1}, {3, 7}, {7, -7}},
	16: {{1, 1}, {-1, -3}, {-3, 2}, {4, -1}, {-5, -2}, {2, 5}, {5, 3}, {3, -5},
		{-2, 6}, {0, -7}, {-4, -6}, {-6, 4}, {-8, 0}, {7, -4}, {6, 7}, {-7, -8}},
}

func (m *Machine) samplePos(in *inst, i int32) [4]uint32 {
	n := 1
	if in.res != nil {
		v := m.texture(in, i)
		if v == nil {
			return [4]uint32{}
		}
		n = v.Tex.Samples
	} else if m.batch != nil && m.batch.Samples > 0 {
		n = m.batch.Samples
	}
	p, s := samplePositions[n], m.rows[in.src[0][0]][i]
	if s >= uint32(len(p)) {
		return [4]uint32{}
	}
	return [4]uint32{math.Float32bits(float32(p[s][0]) / 16), math.Float32bits(float32(p[s][1]) / 16)}
}

func (m *Machine) evalLane(in *inst, i int32) {
	var dx, dy float32
	switch in.dx {
	case dxbc.OpEvalSnapped:
		dx = float32(int32(m.rows[in.src[1][0]][i]<<28)>>28) / 16
		dy = float32(int32(m.rows[in.src[1][1]][i]<<28)>>28) / 16
	case dxbc.OpEvalSampleIndex:
		n := 1
		if m.batch != nil && m.batch.Samples > 0 {
			n = m.batch.Samples
		}
		if p, s := samplePositions[n], m.rows[in.src[1][0]][i]; s < uint32(len(p)) {
			dx, dy = float32(p[s][0])/16, float32(p[s][1])/16
		}
	}
	var at [4]uint32
	exact := m.batch != nil && m.batch.Eval != nil
	if exact {
		at = m.batch.Eval(int(i), uint32(in.input), dx, dy)
	}
	for k := range 4 {
		if in.dst[0][k] < 0 {
			continue
		}
		s := m.rows[in.src[0][k]]
		if exact {
			m.outRows[k][i] = at[in.swz[k]]
			continue
		}
		x := math.Float32frombits(s[i]) + dx*quadDeriv(ir.OpDerivX, s, i, nil) + dy*quadDeriv(ir.OpDerivY, s, i, nil)
		m.outRows[k][i] = math.Float32bits(x)
	}
}

// touch keeps track of who reads and writes a word: it reports races and carries
// the marks of Options.Track.
func (m *Machine) touch(mem *Memory, at int, i int32, write bool, v uint32) {
	w := at / 4
	if mem.access != nil && w < len(mem.access) {
		same := write && at+4 <= len(mem.Data) && mem.load(at&^3) == v
		if m.meets(&mem.access[w], i, write, same) {
			m.raced(mem, w, i)
		}
	}
	if m.tainted != nil && mem.Tainted != nil && w < len(mem.Tainted) {
		switch {
		case mem.Raced != nil && w < len(mem.Raced) && mem.Raced[w]:
			m.flag(i)
			mem.Tainted[w] = true
		case write:
			mem.Tainted[w] = m.flagged(i)
		case mem.Tainted[w]:
			m.flag(i)
		}
	}
}

// meets records an access of invocation i and reports whether it races with one
// before it. A write of what is there already (same) races with nothing.
func (m *Machine) meets(a *access, i int32, write, same bool) bool {
	me := m.group + uint32(i) + 1
	race := !same && (m.unordered(a.writer, a.wEpoch, me) || m.unordered(a.atomic, a.aEpoch, me) || write && m.unordered(a.reader, a.rEpoch, me))
	if write {
		a.writer, a.wEpoch = me, m.epoch
		return race
	}
	if m.unordered(a.reader, a.rEpoch, me) {
		me = math.MaxUint32 // several readers
	}
	a.reader, a.rEpoch = me, m.epoch
	return race
}

// texelAccess is about what a texel that is watched for races takes in its map.
const texelAccess = 128

// touchTexel is touch for a texel of a UAV; same says that a write stores what is
// there. Texels are watched as they are touched, as many as Options.MaxMemory allows.
func (m *Machine) touchTexel(t *Texture, at TexelPlace, i int32, write, same bool) {
	if !m.opt.NoRaces {
		a := t.access[at]
		if a == nil && int64(len(t.access)) < m.opt.memory()/texelAccess {
			if t.access == nil {
				t.access = map[TexelPlace]*access{}
			}
			a = &access{}
			t.access[at] = a
		}
		if a != nil && m.meets(a, i, write, same) {
			m.event(EventRace, i, "a texel is shared without a barrier (byte %d of image %d)", at.Byte, at.Image)
			if m.tainted != nil {
				m.flag(i)
				if t.Raced == nil {
					t.Raced = map[TexelPlace]bool{}
				}
				t.Raced[at] = true
			}
		}
	}
	if m.tainted == nil {
		return
	}
	switch {
	case t.Raced[at]:
		m.flag(i)
		t.taint(at, true)
	case write:
		t.taint(at, m.flagged(i))
	case t.Tainted[at]:
		m.flag(i)
	}
}

// taint sets or clears the mark of a texel.
func (t *Texture) taint(at TexelPlace, yes bool) {
	switch {
	case yes && t.Tainted == nil:
		t.Tainted = map[TexelPlace]bool{at: true}
	case yes:
		t.Tainted[at] = true
	default:
		delete(t.Tainted, at)
	}
}

// touchAtomic is touch for atomics. They do not race with each other, but what is
// left in the word depends on their order where exchanges or different operations
// meet; such a word is marked like a raced one.
func (m *Machine) touchAtomic(mem *Memory, at int, i int32, op ir.AtomicOp) {
	w := at / 4
	if mem.access == nil || w >= len(mem.access) {
		return
	}
	a := &mem.access[w]
	me := m.group + uint32(i) + 1
	if m.unordered(a.writer, a.wEpoch, me) || m.unordered(a.reader, a.rEpoch, me) {
		m.raced(mem, w, i)
	}
	if m.unordered(a.atomic, a.aEpoch, me) {
		if m.tainted != nil && (a.op != op || op == ir.AtomicExch || op == ir.AtomicCmpExch) {
			m.markRaced(mem, w, i)
		}
		me = math.MaxUint32
	}
	a.atomic, a.aEpoch, a.op = me, m.epoch, op
}

// unordered reports whether an access by another invocation is not ordered before
// the present: a barrier orders the invocations of one group only.
func (m *Machine) unordered(other, epoch, me uint32) bool {
	if other == 0 || other == me {
		return false
	}
	return epoch == m.epoch || epoch < m.firstEpoch
}

func (m *Machine) raced(mem *Memory, w int, i int32) {
	m.event(EventRace, i, "word %d is shared without a barrier", w)
	if m.tainted != nil {
		m.markRaced(mem, w, i)
	}
}

func (m *Machine) markRaced(mem *Memory, w int, i int32) {
	m.flag(i)
	if mem.Raced == nil {
		mem.Raced = make([]bool, len(mem.access))
	}
	mem.Raced[w] = true
}
