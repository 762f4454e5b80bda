package interp

import (
	"math"

	"fxlens/core/ir"
)

// jitter perturbs results within the errors that WGSL allows its implementations
// (WGSL, "Floating point evaluation": correctly rounded operations may still be
// fused or reordered, the others have bounds in units in the last place). Runs with
// different seeds show how far a result may move without anybody being wrong, so
// that a comparison needs no tolerance chosen by hand.
type jitter struct {
	s uint64
	// seams: cube faces filter without their neighbours, as SwiftShader does. It is
	// one choice for a whole run, so that no sample mixes both.
	seams bool
	// shift moves every computed level of detail of a run the same way.
	shift float64
	// run, the same for a whole run, and turn, the same in all runs, choose sides: the
	// way each coordinate of the present sample moves, a bit each. Where texels meet in
	// a corner, four runs in turn see all four of them.
	run, turn uint64
	sides     uint64
}

func newJitter(seed uint64) *jitter {
	return &jitter{s: seed*0x9E3779B97F4A7C15 + 0x1234567, seams: seed&1 != 0, shift: float64(int(seed%3)-1) / 6, run: seed}
}

func (j *jitter) next() uint64 {
	j.s ^= j.s << 13
	j.s ^= j.s >> 7
	j.s ^= j.s << 17
	return j.s
}

func (j *jitter) coin() bool { return j.next()&0x10000 != 0 }

// unit is a number in -1..1.
func (j *jitter) unit() float64 { return float64(int64(j.next())>>11) / (1 << 52) }

// ulps moves a float by up to n units in the last place.
func (j *jitter) ulps(u uint32, n float64) uint32 {
	e := u >> 23 & 255
	if e == 0 || e == 255 {
		return u
	}
	d := int32(math.Round(j.unit() * n))
	v := uint32(int32(u&0x7FFFFFFF) + d)
	if v>>23 == 0 || v>>23 == 255 {
		return u
	}
	return u&0x80000000 | v
}

// near moves a float by up to an absolute error. Zero, which what follows may treat as no
// other number, comes up wherever it is within reach.
func (j *jitter) near(u uint32, abs float64) uint32 {
	x := math.Float32frombits(u)
	if x != x || math.IsInf(float64(x), 0) {
		return u
	}
	if math.Abs(float64(x)) <= abs && j.coin() {
		return u & 0x80000000
	}
	return math.Float32bits(float32(float64(x) + j.unit()*abs))
}

// sample begins another sample or gather.
func (j *jitter) sample() {
	j.turn++
	j.sides = j.turn*0x9E3779B97F4A7C15>>61 + j.run
}

// coord moves texel coordinate k by the precision that filters have: eight bits
// behind the point, or that of the float.
func (j *jitter) coord(k int, x float64) float64 {
	e := max(1.0/256, math.Abs(x)*3e-7)
	if j.sides>>k&1 != 0 {
		return x + e
	}
	return x - e
}

// lod moves a level of detail: by the precision of the mip filter, and for levels
// that are computed also by that of the gradient's length and logarithm, which
// drivers approximate (Vulkan, "Scale Factor Operation").
func (j *jitter) lod(x float32, computed bool) float32 {
	if computed {
		return x + float32(j.shift+j.unit()/32)
	}
	return x + float32(j.unit()/32)
}

// result perturbs the results of op in row d; a is its first operand as it was.
func (j *jitter) result(op ir.Op, d, a []uint32, lanes []int32) {
	switch op {
	case ir.OpFAdd, ir.OpFMul:
		for _, i := range lanes {
			d[i] = j.ulps(d[i], 1)
		}
	case ir.OpFDiv, ir.OpFRcp:
		for _, i := range lanes {
			d[i] = j.ulps(d[i], 2.5)
		}
	case ir.OpFSqrt, ir.OpFRsq:
		for _, i := range lanes {
			d[i] = j.ulps(d[i], 4)
		}
	case ir.OpFExp2:
		for _, i := range lanes {
			d[i] = j.ulps(d[i], 3+2*math.Abs(float64(math.Float32frombits(a[i]))))
		}
	case ir.OpFLog2:
		for _, i := range lanes {
			d[i] = j.near(j.ulps(d[i], 3), 1.0/(1<<21))
		}
	case ir.OpFSin, ir.OpFCos:
		for _, i := range lanes {
			// Implementations reduce the range as they like.
			d[i] = j.near(d[i], max(1.0/(1<<11), math.Abs(float64(math.Float32frombits(a[i])))*1.2e-7))
		}
	case ir.OpFFract:
		for _, i := range lanes {
			d[i] = j.ulps(d[i], 1)
		}
	case ir.OpF32ToF16: // either neighbour
		for _, i := range lanes {
			if back, _ := ir.EvalLane(ir.OpF16ToF32, []uint32{d[i]}); back != a[i] && j.coin() && d[i]&0x7FFF < 0x7BFF {
				d[i]++
			}
		}
	}
}

// mad is fused or not.
func (j *jitter) mad(d, a, b, c []uint32, lanes []int32) {
	for _, i := range lanes {
		args := [3]uint32{a[i], b[i], c[i]}
		d[i], _ = ir.EvalLane(ir.OpFMad, args[:])
		if j.coin() && !edge(d[i]) && !edge(args[0]) && !edge(args[1]) && !edge(args[2]) {
			x, y, z := math.Float32frombits(args[0]), math.Float32frombits(args[1]), math.Float32frombits(args[2])
			if f := math.Float32bits(float32(math.FMA(float64(x), float64(y), float64(z)))); !edge(f) {
				d[i] = f
			}
		}
		d[i] = j.ulps(d[i], 1)
	}
}

// edge reports whether a float is NaN, infinite or denormal.
func edge(u uint32) bool {
	e := u & 0x7F800000
	return e == 0x7F800000 || e == 0 && u&0x007FFFFF != 0
}

// trackArgs marks the results of component k that WGSL may compute otherwise by
// what goes in.
func (m *Machine) trackArgs(op ir.Op, k int, lanes []int32, args ...[]uint32) {
	info := op.Info()
	cur := m.cur[k]
	for n, a := range args {
		if info.Args[n] != 'f' {
			continue
		}
		for _, i := range lanes {
			if edge(a[i]) {
				cur[i] = true
			}
		}
	}
	switch op {
	case ir.OpFToI, ir.OpFToU:
		for _, i := range lanes {
			x := math.Float32frombits(args[0][i])
			if op == ir.OpFToI && !(x > -2147483648 && x < 2147483520) || op == ir.OpFToU && !(x > -1 && x < 4294967040) {
				cur[i] = true
			}
		}
	case ir.OpF32ToF16:
		for _, i := range lanes {
			if x := math.Float32frombits(args[0][i]); !(x > -65504 && x < 65504) || x > -6.2e-5 && x < 6.2e-5 && x != 0 {
				cur[i] = true
			}
		}
	case ir.OpFLog2, ir.OpFRsq, ir.OpFSqrt:
		for _, i := range lanes {
			if x := math.Float32frombits(args[0][i]); !(x > 0) && !(op == ir.OpFSqrt && x == 0) {
				cur[i] = true
			}
		}
	case ir.OpFSin, ir.OpFCos:
		for _, i := range lanes {
			// As far as Direct3D bounds their errors.
			if x := math.Float32frombits(args[0][i]); !(x > -100*math.Pi && x < 100*math.Pi) {
				cur[i] = true
			}
		}
	case ir.OpFDiv:
		for _, i := range lanes {
			if e := args[1][i] >> 23 & 255; e == 0 || e > 252 {
				cur[i] = true
			}
		}
	}
}

// trackResult marks results of component k that are edges themselves.
func (m *Machine) trackResult(op ir.Op, k int, d []uint32, lanes []int32) {
	if op.Info().Result != 'f' {
		return
	}
	cur := m.cur[k]
	for _, i := range lanes {
		if edge(d[i]) {
			cur[i] = true
		}
	}
}

// flag marks the results of the present instruction for an invocation.
func (m *Machine) flag(i int32) {
	if m.tainted != nil {
		for k := range m.cur {
			m.cur[k][i] = true
		}
	}
}

// flagged reports whether the present instruction's sources are marked.
func (m *Machine) flagged(i int32) bool { return m.cur[0][i] || m.tainted[i] }

// gather marks the results whose sources are marked: by component for
// instructions that compute each one alone, else all of them.
func (m *Machine) gather(in *inst, lanes []int32) {
	for k := range m.cur {
		cur := m.cur[k]
		for _, i := range lanes {
			cur[i] = false
		}
	}
	switch in.kind {
	case kLane, kLane2, kMov, kSwapc:
		for s := range int(in.nsrc) {
			for k, r := range in.src[s] {
				if r < 0 {
					continue
				}
				t, cur := m.taint[r], m.cur[k]
				for _, i := range lanes {
					cur[i] = cur[i] || t[i]
				}
			}
		}
		return
	}
	from := func(r int32) {
		if r < 0 {
			return
		}
		t := m.taint[r]
		for _, i := range lanes {
			if t[i] {
				m.flag(i)
			}
		}
	}
	for s := range in.src {
		for _, r := range in.src[s] {
			from(r)
		}
	}
	for _, r := range []int32{in.resRel, in.sampRel, in.lodRow, in.refRow, in.clampRow, in.cmpRow} {
		from(r)
	}
	switch in.kind {
	case kSample:
		if in.sampleKind == lodGradient {
			for k := range 4 {
				from(in.dxRow[k])
				from(in.dyRow[k])
			}
		}
	case kStoreTyped, kAtomic:
		for _, r := range in.valRow {
			from(r)
		}
	case kGather:
		from(in.offRow[0])
		from(in.offRow[1])
	}
	if in.quads { // what a derivative is made of
		for _, i := range lanes {
			for q := i &^ 3; q < i|3 && int(q) < m.n; q++ {
				for _, r := range in.src[0] {
					if r >= 0 && m.taint[r][q] {
						m.flag(i)
					}
				}
			}
		}
	}
}
