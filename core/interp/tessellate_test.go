package interp

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/dxbc"
)

// hull is a hull program whose patch constants o0, o1, ... are the factors.
func hull(t *testing.T, domain, partition, out string, names []string) *Hull {
	t.Helper()
	text := "hs_5_0\nhs_decls\ndcl_input_control_point_count 3\ndcl_output_control_point_count 3\ndcl_tessellator_domain domain_" + domain +
		"\ndcl_tessellator_partitioning partitioning_" + partition + "\ndcl_tessellator_output_primitive output_" + out + "\nhs_fork_phase\n"
	for i, n := range names {
		text += fmt.Sprintf("dcl_output_siv o%d.x, %s\n", i, n)
	}
	p, err := dxbc.AssembleProgram(text + "mov o0.x, l(1.000000)\nret\n")
	require.NoError(t, err)
	h, err := CompileHull(&dxbc.Shader{Program: p})
	require.NoError(t, err)
	return h
}

var (
	triFactors  = []string{"finalTriUeq0EdgeTessFactor", "finalTriVeq0EdgeTessFactor", "finalTriWeq0EdgeTessFactor", "finalTriInsideTessFactor"}
	quadFactors = []string{"finalQuadUeq0EdgeTessFactor", "finalQuadVeq0EdgeTessFactor", "finalQuadUeq1EdgeTessFactor", "finalQuadVeq1EdgeTessFactor", "finalQuadUInsideTessFactor", "finalQuadVInsideTessFactor"}
)

func factors(fs ...float32) *Patch {
	p := &Patch{Constants: Vertex{}}
	for i, f := range fs {
		p.Constants[uint32(i)] = [4]uint32{math.Float32bits(f)}
	}
	return p
}

// check requires that the triangles cover the domain once: all turn the same way, their
// areas add up, and each edge inside belongs to two of them.
func (x *Tessellation) check(t *testing.T, tri bool, name string) {
	t.Helper()
	sum, turn := 0.0, 0.0
	edges := map[[2]int]int{}
	for _, tr := range x.Triangles {
		a, b, c := x.Points[tr[0]], x.Points[tr[1]], x.Points[tr[2]]
		area := (float64(b[0]-a[0])*float64(c[1]-a[1]) - float64(c[0]-a[0])*float64(b[1]-a[1])) / 2
		if turn == 0 {
			turn = area
		}
		require.Positive(t, turn*area, "%s: %v %v %v", name, a, b, c)
		sum += math.Abs(area)
		for k := range 3 {
			e := [2]int{tr[k], tr[(k+1)%3]}
			if e[0] > e[1] {
				e[0], e[1] = e[1], e[0]
			}
			edges[e]++
		}
	}
	want := 1.0
	if tri {
		want = 0.5
	}
	require.InDelta(t, want, sum, 1e-5, name)
	outside := func(p, q [3]float32) bool {
		for k := range 3 {
			if p[k] == q[k] && (p[k] == 0 && (tri || k < 2) || p[k] == 1 && !tri) {
				return true
			}
		}
		return false
	}
	for e, n := range edges {
		p, q := x.Points[e[0]], x.Points[e[1]]
		if outside(p, q) {
			require.Equal(t, 1, n, "%s: edge %v %v", name, p, q)
		} else {
			require.Equal(t, 2, n, "%s: edge %v %v", name, p, q)
		}
	}
}

func TestTessellateTriangles(t *testing.T) {
	h := hull(t, "tri", "integer", "triangle_cw", triFactors)
	for _, a := range []float32{1, 2, 3, 5} {
		for _, b := range []float32{1, 2, 4} {
			for _, c := range []float32{1, 3, 64} {
				for inside := range 8 {
					x, err := h.Tessellate(factors(a, b, c, float32(inside+1)))
					require.NoError(t, err)
					x.check(t, true, fmt.Sprint(a, b, c, inside+1))
				}
			}
		}
	}
	x, err := h.Tessellate(factors(1, 1, 1, 1))
	require.NoError(t, err)
	assert.Len(t, x.Triangles, 1)
	x, err = h.Tessellate(factors(1.5, 2, 1.01, 1))
	require.NoError(t, err)
	assert.Len(t, x.Points, 7, "two segments on each edge and the centre")
	assert.Len(t, x.Triangles, 6)
	assert.Contains(t, x.Points, [3]float32{0.5, 0, 0.5})
	for _, f := range []float32{0, -1, float32(math.NaN())} {
		x, err = h.Tessellate(factors(1, f, 1, 1))
		require.NoError(t, err)
		assert.Empty(t, x.Triangles, "a factor of %v leaves the patch out", f)
	}
	x, err = h.Tessellate(factors(1, 1, 1, float32(math.NaN())))
	require.NoError(t, err)
	assert.Len(t, x.Triangles, 1, "an inside factor that is no number counts as one")
	ccw, err := hull(t, "tri", "pow2", "triangle_ccw", triFactors).Tessellate(factors(1, 1, 1, 1))
	require.NoError(t, err)
	assert.Equal(t, [][3]int{{0, 2, 1}}, ccw.Triangles)
	x, err = hull(t, "tri", "pow2", "triangle_cw", triFactors).Tessellate(factors(3, 5, 2, 6))
	require.NoError(t, err)
	x.check(t, true, "pow2")
	assert.Contains(t, x.Points, [3]float32{0, 0.75, 0.25}, "three becomes four")
	_, err = hull(t, "tri", "fractional_odd", "triangle_cw", triFactors).Tessellate(factors(1, 1, 1, 1))
	require.ErrorIs(t, err, ErrUnsupported)
}

func TestTessellateQuads(t *testing.T) {
	h := hull(t, "quad", "integer", "triangle_cw", quadFactors)
	for _, e := range [][4]float32{{1, 1, 1, 1}, {2, 3, 4, 5}, {1, 7, 1, 2}, {6, 6, 6, 6}} {
		for u := range 7 {
			for v := range 7 {
				x, err := h.Tessellate(factors(e[0], e[1], e[2], e[3], float32(u+1), float32(v+1)))
				require.NoError(t, err)
				x.check(t, false, fmt.Sprint(e, u+1, v+1))
			}
		}
	}
}

// TestGeometry: instances, streams, cuts and the limit of vertices.
func TestGeometry(t *testing.T) {
	p, err := dxbc.AssembleProgram(`gs_5_0
dcl_globalFlags refactoringAllowed
dcl_input v[2][0].xy
dcl_input vPrim
dcl_input vGSInstanceID
dcl_temps 1
dcl_gsinstances 2
dcl_inputprimitive line
dcl_stream m0
dcl_outputtopology linestrip
dcl_output o0.xyz
dcl_maxout 3
mov r0.x, vGSInstanceID.x
mov o0.x, v[r0.x + 0][0].x
mov o0.y, vPrim
mov o0.z, l(7)
emit_stream m0
mov o0.z, l(8)
emit_then_cut_stream m0
mov o0.z, l(9)
emit_stream m0
emit_stream m0
ret
`)
	require.NoError(t, err)
	exe, err := Compile(&dxbc.Shader{Program: p}, CompileOptions{})
	require.NoError(t, err)
	strips, _, err := Geometry(t.Context(), exe, &Env{}, [][]Vertex{{{0: {10}}, {0: {11}}}, {{0: {20}}, {0: {21}}}}, Options{})
	require.NoError(t, err)
	require.Len(t, strips, 8)
	v := func(x, prim, z uint32) Vertex { return Vertex{0: {x, prim, z}} }
	assert.Equal(t, []Vertex{v(10, 0, 7), v(10, 0, 8)}, strips[0].Vertices)
	assert.Equal(t, []Vertex{v(10, 0, 9)}, strips[1].Vertices, "the fourth is one too many")
	assert.Equal(t, []Vertex{v(11, 0, 7), v(11, 0, 8)}, strips[2].Vertices, "the second instance")
	assert.Equal(t, []Vertex{v(21, 1, 9)}, strips[7].Vertices)
}

// TestBounds: what these stages make is bounded, and phases report places in the whole
// program.
func TestBounds(t *testing.T) {
	assemble := func(text string) *dxbc.Shader {
		p, err := dxbc.AssembleProgram(text)
		require.NoError(t, err)
		return &dxbc.Shader{Program: p}
	}
	gs, err := Compile(assemble("gs_5_0\ndcl_inputprimitive point\ndcl_stream m0\ndcl_outputtopology pointlist\ndcl_output o0.x\ndcl_maxout 1024\nmov o0.x, l(1)\nloop\nemit_stream m0\nendloop\nret\n"), CompileOptions{})
	require.NoError(t, err)
	prims := [][]Vertex{{{}}}
	_, _, err = Geometry(t.Context(), gs, &Env{}, prims, Options{MaxMemory: 10_000})
	require.ErrorIs(t, err, ErrMemory)
	assert.ErrorContains(t, err, "instruction 7 (emit_stream)")
	strips, rep, err := Geometry(t.Context(), gs, &Env{}, prims, Options{MaxSteps: 10_000})
	require.ErrorIs(t, err, ErrSteps, "the loop goes on when no more vertices are taken")
	assert.Empty(t, strips)
	assert.Greater(t, rep.Steps, int64(9_000))

	h, err := CompileHull(assemble(`hs_5_0
hs_decls
dcl_input_control_point_count 1
dcl_output_control_point_count 1
dcl_temps 2
hs_fork_phase
dcl_hs_fork_phase_instance_count 3
dcl_input vForkInstanceID
dcl_output o0.x
mov o0.x, vForkInstanceID.x
ret
hs_join_phase
dcl_input vpc0.x
dcl_output o1.x
iadd o1.x, vpc0.x, r1.x
ret
`))
	require.NoError(t, err)
	patch, rep, err := h.Run(t.Context(), &Env{}, []Vertex{{0: {5}}}, 0, Options{})
	require.NoError(t, err)
	assert.Equal(t, Vertex{0: {2}, 1: {2}}, patch.Constants, "the last instance of the fork phase, then the join phase")
	assert.Equal(t, []Vertex{{0: {5}}}, patch.Points)
	require.Len(t, rep.Events, 1)
	assert.Equal(t, EventUndefined, rep.Events[0].Kind)
	assert.Equal(t, dxbc.OpIadd, h.shader.Program.Instrs[rep.Events[0].Instr].Op)
	_, _, err = h.Run(t.Context(), &Env{}, []Vertex{{}}, 0, Options{MaxSteps: rep.Steps - 1})
	require.ErrorIs(t, err, ErrSteps)
	var place *Error
	require.ErrorAs(t, err, &place)
	assert.Equal(t, len(h.shader.Program.Instrs)-1, place.Instr, "phases share the bound: the last ret is one too many")
}
