package interp

import (
	"fmt"
	"math"

	"fxlens/core/dxbc"
)

// Tessellation is the mesh that the tessellator makes of a patch.
type Tessellation struct {
	Points    [][3]float32 // vDomain: u, v and for triangles w
	Triangles [][3]int
}

// Numbers of dcl_tessellator_domain, of partitionings and output primitives, and the
// system names of tessellation factors: the first and the last (opcodes.tsv).
const (
	domainTri, domainQuad               = 2, 3
	partitionInteger, partitionPow2     = 1, 2
	outputTriangleCW, outputTriangleCCW = 3, 4
	maxTessFactor                       = 64
	firstFactor, lastFactor             = 11, 22
)

// Tessellate makes the mesh of a patch by its factors ("Tessellator" of the Direct3D
// 11.3 functional specification): rings of points, each one step further inside. The
// points are those of the specification; between rings of different numbers of points
// the triangles may be others than a device's, which do not change what linear
// attributes become. A patch with an edge factor that is not above zero gives nothing.
// It fails with ErrUnsupported on fractional partitionings, lines and points.
func (h *Hull) Tessellate(patch *Patch) (*Tessellation, error) {
	p := h.shader.Program
	domain, part, out := number(p, dxbc.OpDclTessellatorDomain, 0), number(p, dxbc.OpDclTessellatorPartitioning, 0), number(p, dxbc.OpDclTessellatorOutputPrimitive, 0)
	if part != partitionInteger && part != partitionPow2 {
		return nil, &Error{-1, 0, fmt.Errorf("%w: fractional partitioning of patches", ErrUnsupported)}
	}
	if out != outputTriangleCW && out != outputTriangleCCW {
		return nil, &Error{-1, 0, fmt.Errorf("%w: tessellation to points or lines", ErrUnsupported)}
	}
	edges, insides := 0, 0
	switch domain {
	case domainTri:
		edges, insides = 3, 1
	case domainQuad:
		edges, insides = 4, 2
	default:
		return nil, &Error{-1, 0, fmt.Errorf("%w: tessellation of lines", ErrUnsupported)}
	}
	factors := h.factors(patch)
	if len(factors) < edges+insides {
		return nil, &Error{-1, 0, fmt.Errorf("%w: %d tessellation factors", ErrMalformed, len(factors))}
	}
	var n [6]int
	for i, f := range factors[:edges+insides] {
		if i < edges && !(f > 0) {
			return &Tessellation{}, nil
		}
		if !(f > 1) { // NaN too
			f = 1
		}
		n[i] = int(math.Ceil(min(float64(f), maxTessFactor)))
		if part == partitionPow2 {
			x := 1
			for x < n[i] {
				x *= 2
			}
			n[i] = x
		}
	}
	t := &mesh{index: map[[3]float32]int{}}
	if domain == domainTri {
		t.tri([3]int(n[:3]), n[3])
	} else {
		t.quad([4]int(n[:4]), n[4], n[5])
	}
	if out == outputTriangleCCW {
		for i := range t.Triangles {
			t.Triangles[i][1], t.Triangles[i][2] = t.Triangles[i][2], t.Triangles[i][1]
		}
	}
	return &t.Tessellation, nil
}

// factors are the patch's factors in the order of their system names: edges, then
// insides.
func (h *Hull) factors(patch *Patch) []float32 {
	byName := map[uint32]float32{}
	for i := range h.shader.Program.Instrs {
		in := &h.shader.Program.Instrs[i]
		if in.Op != dxbc.OpDclOutputSiv || len(in.Operands) == 0 || in.Decl == nil || in.Decl.SysName < firstFactor || in.Decl.SysName > lastFactor {
			continue
		}
		o := &in.Operands[0]
		for k := range 4 {
			if o.Mask>>k&1 != 0 {
				byName[in.Decl.SysName] = math.Float32frombits(patch.Constants[o.Index(0).Imm][k])
			}
		}
	}
	var out []float32
	for n := uint32(firstFactor); n <= lastFactor; n++ {
		if f, ok := byName[n]; ok {
			out = append(out, f)
		}
	}
	return out
}

type mesh struct {
	Tessellation
	index map[[3]float32]int
}

func (t *mesh) point(p [3]float32) int {
	if i, ok := t.index[p]; ok {
		return i
	}
	t.index[p] = len(t.Points)
	t.Points = append(t.Points, p)
	return len(t.Points) - 1
}

// ring is a closed polygon by its sides; each side has its first and last point.
type ring [][]int

// stitch fills the band between the sides of two rings with triangles.
func (t *mesh) stitch(outer, inner ring) {
	for s := range outer {
		a, b := outer[s], inner[s]
		i, j := 0, 0
		for i < len(a)-1 || j < len(b)-1 {
			// The side goes on whose next point comes first.
			fa, fb := math.Inf(1), math.Inf(1)
			if i < len(a)-1 {
				fa = (float64(i) + 0.5) / float64(len(a)-1)
			}
			if j < len(b)-1 {
				fb = (float64(j) + 0.5) / float64(len(b)-1)
			}
			if fa <= fb {
				t.triangle(a[i], a[i+1], b[j])
				i++
			} else {
				t.triangle(a[i], b[j+1], b[j])
				j++
			}
		}
	}
}

func (t *mesh) triangle(a, b, c int) {
	if a != b && b != c && c != a {
		t.Triangles = append(t.Triangles, [3]int{a, b, c})
	}
}

// tri fills a triangle: edges by n, and rings by inside.
func (t *mesh) tri(n [3]int, inside int) {
	if inside == 1 {
		if n == [3]int{1, 1, 1} {
			t.Points = [][3]float32{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
			t.Triangles = [][3]int{{0, 1, 2}}
			return
		}
		inside = 2 // so that there is an inside to stitch to
	}
	// Side s runs at a constant coordinate s, from the corner of coordinate s+1 to that of s+2.
	side := func(s, from, to, of, ringAt int) []int {
		var out []int
		perp := float64(0)
		if ringAt > 0 {
			perp = float64(ringAt) / float64(of) * 2 / 3
		}
		for k := from; k <= to; k++ {
			x := float64(k)/float64(of) - perp/2
			var p [3]float32
			p[s], p[(s+2)%3] = float32(perp), float32(x)
			p[(s+1)%3] = float32(1 - perp - x)
			if 2*ringAt == of { // the centre, the same from all sides
				p = [3]float32{1.0 / 3, 1.0 / 3, 1.0 / 3}
			}
			out = append(out, t.point(p))
		}
		return out
	}
	rings := func(k int) ring {
		var r ring
		for s := range 3 {
			if k == 0 {
				r = append(r, side(s, 0, n[s], n[s], 0))
			} else {
				r = append(r, side(s, k, inside-k, inside, k))
			}
		}
		// Corners are reached along two sides, with other roundings: they are one point.
		for s := range r {
			r[s][len(r[s])-1] = r[(s+1)%3][0]
		}
		return r
	}
	last := rings(0)
	for k := 1; 2*k <= inside; k++ {
		next := rings(k)
		t.stitch(last, next)
		last = next
	}
	if inside%2 == 1 {
		t.triangle(last[0][0], last[1][0], last[2][0])
	}
}

// quad fills a square: edges at u = 0, v = 0, u = 1, v = 1 by n, rings by nu and nv.
func (t *mesh) quad(n [4]int, nu, nv int) {
	if nu == 1 || nv == 1 {
		if n == [4]int{1, 1, 1, 1} && nu == 1 && nv == 1 {
			t.Points = [][3]float32{{0, 0}, {1, 0}, {1, 1}, {0, 1}}
			t.Triangles = [][3]int{{0, 1, 2}, {0, 2, 3}}
			return
		}
		nu, nv = max(nu, 2), max(nv, 2)
	}
	// Corners in turn: (0,1) (0,0) (1,0) (1,1); side s leads from corner s to s+1.
	side := func(s, k int) []int {
		along, across := nv, nu
		if s&1 != 0 {
			along, across = nu, nv
		}
		from, to, of := k, along-k, along
		if k == 0 {
			from, to, of = 0, n[s], n[s]
		}
		perp := float32(k) / float32(across)
		var out []int
		for i := from; i <= to; i++ {
			x := float32(i) / float32(of)
			switch s {
			case 0:
				out = append(out, t.point([3]float32{perp, 1 - x}))
			case 1:
				out = append(out, t.point([3]float32{x, perp}))
			case 2:
				out = append(out, t.point([3]float32{1 - perp, x}))
			default:
				out = append(out, t.point([3]float32{1 - x, 1 - perp}))
			}
		}
		return out
	}
	rings := func(k int) ring {
		r := ring{side(0, k), side(1, k), side(2, k), side(3, k)}
		for s := range r {
			r[s][len(r[s])-1] = r[(s+1)%4][0]
		}
		return r
	}
	last := rings(0)
	k := 1
	for ; 2*k < nu && 2*k < nv; k++ {
		next := rings(k)
		t.stitch(last, next)
		last = next
	}
	if 2*k > nu && 2*k > nv { // one square is left
		t.triangle(last[0][0], last[1][0], last[2][0])
		t.triangle(last[0][0], last[2][0], last[3][0])
		return
	}
	t.collapse(last, k, nu, nv)
}

// collapse fills the innermost ring, where one direction has no points left but a line
// through the middle (even numbers), or a strip one square wide (odd ones).
func (t *mesh) collapse(last ring, k, nu, nv int) {
	if nu >= nv { // along u
		if nv%2 == 1 {
			t.strip(last[1], last[3])
			return
		}
		var mid []int
		for i := k; i <= nu-k; i++ {
			mid = append(mid, t.point([3]float32{float32(i) / float32(nu), 0.5}))
		}
		back := reversed(mid)
		t.stitch(last, ring{mid[:1], mid, back[:1], back})
		return
	}
	if nu%2 == 1 {
		t.strip(last[2], last[0])
		return
	}
	var mid []int
	for i := k; i <= nv-k; i++ {
		mid = append(mid, t.point([3]float32{0.5, float32(i) / float32(nv)}))
	}
	back := reversed(mid)
	t.stitch(last, ring{back, mid[:1], mid, back[:1]})
}

// strip fills the band between two opposite sides of a ring.
func (t *mesh) strip(a, b []int) { t.stitch(ring{a}, ring{reversed(b)}) }

func reversed(s []int) []int {
	out := make([]int, len(s))
	for i := range s {
		out[len(s)-1-i] = s[i]
	}
	return out
}
