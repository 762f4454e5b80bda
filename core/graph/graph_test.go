package graph_test

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/graph"
	"fxlens/core/session"
	"fxlens/internal/bigeffect"
)

func openData(t testing.TB, name string, b []byte) (*session.Session, *graph.Graph) {
	t.Helper()
	s, err := session.Open(name, b, compile.Options{})
	require.NoError(t, err)
	require.NotNil(t, s.Effect)
	g, err := graph.New(s.Effect).Link(context.Background())
	require.NoError(t, err)
	return s, g
}

func open(t testing.TB, path string) (*session.Session, *graph.Graph) {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return openData(t, path, b)
}

// compileAll compiles every unit.
func compileAll(t testing.TB, s *session.Session, g *graph.Graph) graph.Results {
	t.Helper()
	r := make(graph.Results, len(g.Units))
	for u := range r {
		var err error
		r[u], err = g.Compile(context.Background(), s, u)
		require.NoError(t, err)
	}
	return r
}

// effects are the folders of effects with what an independent reader finds in them: the
// bundled ones, and the shared ones where they are.
func effects(t *testing.T) map[string]string {
	out := map[string]string{}
	for _, dir := range []string{"../../testdata/effects", "../../../shared/effects"} {
		err := filepath.WalkDir(filepath.Join(dir, "expected"), func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || d.Name() == "index.json" || !strings.HasSuffix(p, ".json") {
				return err
			}
			rel, err := filepath.Rel(filepath.Join(dir, "expected"), strings.TrimSuffix(p, ".json"))
			if err == nil {
				out[p] = filepath.Join(dir, rel)
			}
			return err
		})
		if dir == "../../testdata/effects" {
			require.NoError(t, err)
		}
	}
	require.NotEmpty(t, out)
	return out
}

func TestLettersAreBodies(t *testing.T) {
	for expected, path := range effects(t) {
		t.Run(strings.TrimPrefix(path, "../../"), func(t *testing.T) {
			var want struct {
				PermutationCount int
				Bodies           []struct{ Permutations []int }
			}
			b, err := os.ReadFile(expected)
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(b, &want))
			_, g := open(t, path)
			require.Equal(t, want.PermutationCount, g.Permutations())
			assert.Equal(t, len(want.Bodies), g.Bodies())
			// Equal letters exactly where bodies are equal.
			of := map[string][]int{}
			for p := range g.Permutations() {
				_, l := g.Identity(p, -1)
				of[l] = append(of[l], p)
			}
			require.Len(t, of, len(want.Bodies))
			for _, body := range want.Bodies {
				_, l := g.Identity(body.Permutations[0], -1)
				assert.Equal(t, body.Permutations, of[l], l)
			}
			// First appearances have the letters in order.
			next := 0
			for p := range g.Permutations() {
				n, l := g.Identity(p, -1)
				require.LessOrEqual(t, n, next)
				next = max(next, n+1)
				assert.Equal(t, n, graph.Number(l))
			}
		})
	}
}

// matters lists the axes that change a pass's code.
func matters(t *testing.T, g *graph.Graph, pass string) []string {
	out := []string{}
	p := g.PassNamed(pass)
	require.GreaterOrEqual(t, p, 0, pass)
	for a, inf := range g.Passes[p].Axes {
		if inf == graph.Code {
			out = append(out, g.Axes[a].Name)
		}
	}
	return out
}

func TestWhichAxesMatter(t *testing.T) {
	_, g := open(t, "../../testdata/effects/quadv5.sm_hi")
	assert.Equal(t, "96 permutations, 84 bodies, 3 passes, 92 pass units", g.Summary())
	assert.Len(t, matters(t, g, "Main/0"), 5)
	assert.Equal(t, []string{"BLEND_MODE", "SKINNED"}, matters(t, g, "Depth/0"))
	_, g = open(t, "../../testdata/effects/decal/decal.sm_hi")
	assert.Equal(t, "128 permutations, 18 bodies, 2 passes, 19 pass units", g.Summary())
	assert.Empty(t, matters(t, g, "Picking/0"))

	data, err := bigeffect.New(bigeffect.Shared)
	require.NoError(t, err)
	_, g = openData(t, "big.sm_hi", data)
	assert.Equal(t, "65536 permutations, 1024 bodies, 3 passes, 273 pass units", g.Summary())
	assert.Equal(t, []string{"A0", "A1", "A2", "A3"}, matters(t, g, "Main/0"))
	assert.Equal(t, []string{"A1", "A2"}, matters(t, g, "Depth/0"))
	assert.Empty(t, matters(t, g, "Picking/0"))
	main := &g.Passes[g.PassNamed("Main/0")]
	assert.Equal(t, graph.States, main.Axes[4], "a render state is no code")
	assert.Equal(t, graph.Nothing, main.Axes[5])
	assert.Len(t, main.Units, 256)
}

// A unit is what the compiler compiles once: units differ exactly where it gets another
// input.
func TestUnitsAreWhatIsCompiled(t *testing.T) {
	for _, path := range []string{"../../testdata/effects/quadv5.sm_hi", "../../testdata/effects/decal/decal.sm_hi", "../../testdata/effects/particles/emit.sm_hi"} {
		if _, err := os.Stat(path); err != nil {
			continue // not all are bundled
		}
		s, g := open(t, path)
		for p := range g.Passes {
			results := map[*compile.Pass]int{}
			for perm := range g.Permutations() {
				u := g.Unit(perm, p)
				if u < 0 {
					continue
				}
				got, err := s.Compile(context.Background(), perm, refIn(t, s, perm, g.Passes[p].Name))
				require.NoError(t, err)
				if was, ok := results[got]; ok {
					require.Equal(t, was, u, "%s, permutation %d: one result, two units", g.Passes[p].Name, perm)
				}
				results[got] = u
			}
			assert.Len(t, results, len(g.Passes[p].Units), "%s of %s", g.Passes[p].Name, path)
		}
	}
}

func refIn(t *testing.T, s *session.Session, perm int, name string) session.PassRef {
	refs, err := s.Passes(perm)
	require.NoError(t, err)
	for _, r := range refs {
		if r.String() == name {
			return r
		}
	}
	require.FailNow(t, "no pass "+name)
	return session.PassRef{}
}

func TestLayouts(t *testing.T) {
	_, g := open(t, "../../testdata/effects/quadv5.sm_hi")
	for _, width := range []int{1, 4, 8, 100, 1000} {
		l := g.Auto(width)
		rows, cols := l.Size(g)
		require.Equal(t, g.Permutations(), rows*cols)
		seen := map[int]bool{}
		for y := range rows {
			for x := range cols {
				p := l.Perm(g, y, x)
				seen[p] = true
				cy, cx, ok := l.Cell(g, p)
				require.True(t, ok)
				require.Equal(t, [2]int{y, x}, [2]int{cy, cx})
			}
		}
		assert.Len(t, seen, g.Permutations(), "every permutation has a cell")
	}
	l, err := g.Layout([]string{"SKINNED"}, []string{"BLEND_MODE"}, g.Default())
	require.NoError(t, err)
	rows, cols := l.Size(g)
	assert.Equal(t, [2]int{2, 3}, [2]int{rows, cols})
	assert.Equal(t, "rows SKINNED; columns BLEND_MODE; with DETAIL_LAYERS=THREE, DETAIL_NORMALS=OFF, DAMAGE=ON", l.Text(g))
	_, _, ok := l.Cell(g, g.With(g.Default(), 1, 0))
	assert.False(t, ok, "another option of a fixed axis is not in the grid")
	l = l.Put(1, "rows")
	assert.Equal(t, []int{2, 1}, l.Rows)
	l = l.Put(1, "")
	assert.Equal(t, []int{1, 3, 4}, l.Others(g))
	for _, names := range [][]string{{"SKINED"}, {"SKINNED", "SKINNED"}} {
		_, err = g.Layout(names, nil, 0)
		assert.ErrorIs(t, err, session.ErrLink)
	}
}

func TestFilters(t *testing.T) {
	s, g := open(t, "../../testdata/effects/quadv5.sm_hi")
	results := compileAll(t, s, g)
	finder := graph.NewFinder(g, s)
	count := func(text string, pass int) int {
		f, err := g.ParseFilter(text)
		require.NoError(t, err, text)
		ok, err := f.Match(context.Background(), g, results, finder, pass)
		require.NoError(t, err)
		n := 0
		for _, b := range ok {
			if b {
				n++
			}
		}
		return n
	}
	for text, want := range map[string]int{
		"":                                   96,
		"BLEND_MODE=BLEND_ALPHATEST":         32,
		"blend_mode=alphatest":               32,
		"!BLEND_MODE=ALPHATEST":              64,
		"BLEND_MODE=OPAQUE SKINNED=ON":       16,
		"!!SKINNED=ON":                       48,
		"body:A":                             len(g.Sharers(0)),
		"translated":                         96,
		"unsupported":                        0,
		"!unsupported":                       96,
		"op:sample":                          96,
		"!op:sample":                         0,
		"op:gather4":                         0,
		"cb0":                                96,
		"t120":                               0,
		"NormalMap !DETAIL_LAYERS=NONE":      72,
		"DAMAGE=ON !body:A !BLEND_MODE=OPAQ": 32,
	} {
		assert.Equal(t, want, count(text, -1), text)
	}
	assert.Less(t, count("t16", -1), 96)
	assert.Positive(t, count("t16", -1))
	assert.Zero(t, count("t16", g.PassNamed("Picking/0")), "asked of one pass")
	for text, hint := range map[string]string{
		"BLEND=OPAQUE": "BLEND_MODE", "BLEND_MODE=x": "BLEND_OPAQUE", "op:gathre4": `did you mean "gather4"?`, "body:ZZZ": "A to CF", "!": "",
	} {
		_, err := g.ParseFilter(text)
		require.ErrorIs(t, err, session.ErrLink, text)
		assert.ErrorContains(t, err, hint)
	}

	data, err := bigeffect.New(bigeffect.Shared)
	require.NoError(t, err)
	s, g = openData(t, "big.sm_hi", data)
	results, finder = make(graph.Results, len(g.Units)), graph.NewFinder(g, s)
	assert.Equal(t, 16384, count("t12", -1))
	assert.Equal(t, 16384, count("A3=TYPED", -1))
	assert.Equal(t, 65536, count("pending", -1), "nothing is known yet")
	for u := range g.Units {
		if g.Units[u].Perm>>6&3 == 3 || g.Units[u].Perm == 0 {
			results[u], err = g.Compile(context.Background(), s, u)
			require.NoError(t, err)
		}
	}
	assert.Equal(t, 16384, count("refused", -1), "a refused pass decides, whatever else is pending")
	f, err := g.ParseFilter("refused")
	require.NoError(t, err)
	assert.True(t, f.NeedsResults())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = f.Match(ctx, g, results, finder, -1)
	assert.ErrorIs(t, err, context.Canceled)
	_, err = g.Link(ctx)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestShortOptions(t *testing.T) {
	_, g := open(t, "../../testdata/effects/quadv5.sm_hi")
	assert.Equal(t, []string{"OPAQUE", "ALPHATEST", "ADDITIVE"}, graph.ShortOptions(&g.Axes[0]))
	a := g.Axes[0]
	for _, c := range [][2][]string{
		{{"A_B_C", "A_B_D"}, {"C", "D"}}, {{"X", "Y"}, {"X", "Y"}}, {{"A_", "A_B"}, {"A_", "A_B"}}, {{"SAME"}, {"SAME"}}, {{"LOW", "LOWER"}, {"LOW", "LOWER"}}, {{"", "A"}, {"", "A"}},
	} {
		a.Options = c[0]
		assert.Equal(t, c[1], graph.ShortOptions(&a))
	}
}

func TestLetters(t *testing.T) {
	for n, want := range map[int]string{0: "A", 25: "Z", 26: "AA", 701: "ZZ", 702: "AAA", 65535: "CRXP"} {
		assert.Equal(t, want, graph.Letters(n))
		assert.Equal(t, n, graph.Number(strings.ToLower(want)))
	}
	assert.Equal(t, -1, graph.Number(""))
	assert.Equal(t, -1, graph.Number("A1"))
}

func TestOptionsOfASet(t *testing.T) {
	_, g := open(t, "../../testdata/effects/quadv5.sm_hi")
	text, exact := g.Options([]int{0})
	assert.True(t, exact)
	assert.Equal(t, []string{"OPAQUE", "NONE", "OFF", "OFF", "OFF"}, text)
	text, exact = g.Options([]int{0, 1, 2})
	assert.True(t, exact)
	assert.Equal(t, "*", text[0])
	text, exact = g.Options([]int{0, 4})
	assert.False(t, exact, "OPAQUE and ALPHATEST with NONE and ONE would be four")
	assert.Equal(t, "OPAQUE|ALPHATEST", text[0])
}

func TestDrawings(t *testing.T) {
	s, g := open(t, "../../testdata/effects/decal/decal.sm_hi")
	results := compileAll(t, s, g)
	dot := g.DOT("decal.sm_hi", results)
	assert.Equal(t, 18, strings.Count(dot, "fillcolor"))
	assert.Equal(t, 36, strings.Count(dot, "->"), "a body has two units")
	l := g.Auto(8)
	svg := g.SVG("decal.sm_hi", &l, results, -1)
	rects := 0
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		tok, err := d.Token()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		if e, ok := tok.(xml.StartElement); ok && e.Name.Local == "rect" {
			rects++
		}
	}
	assert.Equal(t, 129, rects, "a cell for every permutation, and the ground")
	assert.Contains(t, svg, ">A ✓<")
}

// Graphviz reads what DOT writes, also with names that would end a string.
func TestGraphvizAcceptsDOT(t *testing.T) {
	bin, err := exec.LookPath("dot")
	require.NoError(t, err, "Graphviz is missing; scripts/test installs it (apt-get install graphviz)")
	s, g := open(t, "../../testdata/effects/quadv5.sm_hi")
	g.Axes[0].Name = "a\"b\\\n\x1b]0;<b>&\u202e\xff"
	for _, dot := range []string{g.DOT("\"};\\", compileAll(t, s, g)), g.DOT("", nil)} {
		cmd := exec.Command(bin, "-Tplain")
		cmd.Stdin = strings.NewReader(dot)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		assert.Equal(t, 84+92, strings.Count(string(out), "\nnode "))
		assert.NotContains(t, dot, "\x1b")
		assert.NotContains(t, dot, "\u202e")
	}
}

func TestDocument(t *testing.T) {
	s, g := open(t, "../../testdata/effects/quadv5.sm_hi")
	d := g.Document(s, compileAll(t, s, g))
	b, err := json.Marshal(d)
	require.NoError(t, err)
	var back graph.Document
	require.NoError(t, json.Unmarshal(b, &back))
	assert.Equal(t, graph.Counts{Permutations: 96, Bodies: 84, Passes: 3, Units: 92, Contents: 92}, back.Counts)
	assert.Equal(t, []string{"BLEND_MODE", "SKINNED"}, back.Passes[1].Axes)
	assert.Equal(t, "code", back.Passes[1].Matter["SKINNED"])
	assert.Equal(t, "-", back.Passes[1].Matter["DAMAGE"])
	for _, p := range back.Permutations {
		body := back.Bodies[graph.Number(p.Body)]
		assert.Contains(t, body.Permutations, p.Index)
		assert.Equal(t, graph.Translated, p.Status)
	}
}

func BenchmarkOpen(b *testing.B) {
	for name, kind := range map[string]bigeffect.Kind{"shared": bigeffect.Shared, "distinct": bigeffect.Distinct} {
		data, err := bigeffect.New(kind)
		require.NoError(b, err)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s, err := session.Open("big", data, compile.Options{})
				require.NoError(b, err)
				g, err := graph.New(s.Effect).Link(context.Background())
				require.NoError(b, err)
				require.Len(b, g.Passes, 3)
			}
		})
	}
}
