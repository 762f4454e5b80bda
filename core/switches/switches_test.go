package switches_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/graph"
	"fxlens/core/session"
	"fxlens/core/switches"
	"fxlens/core/variant"
	"fxlens/core/variant/bundle"
	"fxlens/core/variant/manifest"
)

func deferred(t testing.TB) *switches.Workspace {
	t.Helper()
	w, err := switches.Open(os.DirFS("../../testdata/switches/deferred"), manifest.FileName, "", "deferred")
	require.NoError(t, err)
	return w
}

// quad is an effect of a few axes, opened once.
var quad = sync.OnceValues(func() (*switches.Workspace, error) {
	data, err := os.ReadFile("../../testdata/effects/quadv5.sm_hi")
	if err != nil {
		return nil, err
	}
	s, err := session.Open("effects/quadv5.sm_hi", data, compile.Options{})
	if err != nil {
		return nil, err
	}
	return switches.OpenEffect(context.Background(), s)
})

func effectWorkspace(t testing.TB) *switches.Workspace {
	t.Helper()
	w, err := quad()
	require.NoError(t, err)
	return w
}

func number(t testing.TB, w *switches.Workspace, shader string) int {
	t.Helper()
	n, err := w.Shader(shader)
	require.NoError(t, err)
	return n
}

func one(t testing.TB, w *switches.Workspace, text string) *variant.Set {
	t.Helper()
	sets, err := w.Set(text)
	require.NoError(t, err)
	require.Len(t, sets, 1)
	return sets[0]
}

func keys(w *switches.Workspace, shaders []int) []string {
	var out []string
	for _, i := range shaders {
		out = append(out, w.Shaders[i].Key)
	}
	return out
}

func names(parts []switches.Part) string {
	var out []string
	for _, p := range parts {
		out = append(out, p.Name)
	}
	return strings.Join(out, " ")
}

func TestSets(t *testing.T) {
	t.Parallel()
	w := deferred(t)
	assert.Same(t, variant.Empty, one(t, w, "default"))
	assert.Equal(t, "shadow technique=Virtual", one(t, w, "virtual").String(), "a name of the manifest")
	assert.Same(t, one(t, w, "virtual"), one(t, w, "shadow technique=Virtual"), "by label")
	assert.Same(t, one(t, w, "shadow=Virtual,local=Reservoirs"), one(t, w, "local=Reservoirs, shadow=Virtual"))
	assert.Equal(t, "shadow=Virtual,local=Reservoirs", w.SetText(one(t, w, "local=Reservoirs,shadow=Virtual")))
	all, err := w.Set("all")
	require.NoError(t, err)
	assert.Len(t, all, 12)
	assert.Len(t, w.Built(), 12)
	for text, want := range map[string]string{
		"virtul":          `there is no set "virtul"; did you mean "virtual"?; or write SWITCH=MEMBER`,
		"shado=Virtual":   `there is no switch "shado"; did you mean "shadow"?`,
		"shadow=Virtuell": `switch "shadow technique" has no member "Virtuell"; did you mean "Virtual"?`,
		"shadow=Virtual,": `"" is not of the form SWITCH=MEMBER`,
	} {
		_, err := w.Set(text)
		require.ErrorIs(t, err, switches.ErrSet)
		assert.ErrorContains(t, err, want)
	}
}

// What flipping a switch compiles again: shaders, and template passes per template, whose
// graph holds it.
func TestAffected(t *testing.T) {
	t.Parallel()
	w := deferred(t)
	for key, want := range map[string][]string{
		"shadow":   {"shade", "transparent/wood", "transparent/glass", "resolve", "water", "particles", "fog_scatter", "fog_irradiance", "shadow_mask"},
		"indirect": {"transparent/wood", "transparent/glass", "resolve", "water", "fog_irradiance", "reflections", "froxel_gi"},
		"local":    {"shade", "particles"},
	} {
		s, err := w.Switch(key)
		require.NoError(t, err)
		assert.Equal(t, want, keys(w, w.Affected(s.Switch)), key)
	}
}

// What each value drops or adds, as the measured table of the seed has it.
func TestTable(t *testing.T) {
	t.Parallel()
	w := deferred(t)
	rows, err := w.Table(t.Context(), []int{number(t, w, "shade"), number(t, w, "resolve")}, nil, nil)
	require.NoError(t, err)
	require.Len(t, rows, 4+6)
	by := map[string]switches.Row{}
	for _, r := range rows {
		require.NoError(t, r.Err)
		by[r.Label] = r
	}
	virtual := by["Shade From G-Buffer [shadow technique=Virtual]"]
	assert.Equal(t, "cascade_of", names(virtual.Dropped))
	assert.Equal(t, "PAGE_ABSENT PAGE_SIDE ShadowPage shadow_page", names(virtual.Added))
	assert.Equal(t, []string{"shadow_directional"}, virtual.Changed, "only the choice's own function changes its body")
	base := by["Shade From G-Buffer"]
	assert.Empty(t, base.Dropped)
	assert.Equal(t, base.Content.Functions, virtual.Content.Functions)
	assert.Equal(t, base.Content.Declarations+3, virtual.Content.Declarations)
	assert.Equal(t, len([]rune(virtual.Modules[0].Text)), virtual.Content.Characters)
	probes := by["Transparent resolve [shadow technique=Virtual, indirect lighting=Probes]"]
	assert.Equal(t, "cascade_of environment_radiance", names(probes.Dropped))
}

func TestEqualTextIsNoted(t *testing.T) {
	t.Parallel()
	text := "graph = \"g\"\n[switches.s]\nvalues = [\"A\", \"B\", \"C\"]\n[chunks.x]\ntext = \"fn f() -> i32 { return 1; }\"\n[chunks.y]\ntext = \"fn f() -> i32 { return 2; }\"\n" +
		"[choices.c]\nswitch = \"s\"\npicks = { A = \"x\", B = \"y\", C = \"x\" }\n[chunks.main]\ntext = \"@compute @workgroup_size(1) fn main() { _ = f(); }\"\nneeds = [\"c\"]\n[shaders.main]\ntype = \"compute\"\nbody = \"main\"\n"
	w, err := switches.Open(fstest.MapFS{"switches.toml": {Data: []byte(text)}}, "switches.toml", "", "g")
	require.NoError(t, err)
	rows, err := w.Table(t.Context(), nil, nil, nil)
	require.NoError(t, err)
	require.Len(t, rows, 3)
	assert.Empty(t, rows[1].Same)
	assert.Equal(t, "main", rows[2].Same, "C has the text of A")
	_, r, err := w.Package(t.Context(), nil, nil, bundle.Generic, "1.0.0", nil)
	require.NoError(t, err)
	assert.Equal(t, 2, r.Modules, "equal text is stored once")
	found, err := w.Audit(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, found, 1)
	assert.Equal(t, switches.RuleDefaultOnly, found[0].Rule, "no set to build is named")
	assert.Equal(t, 14, found[0].Line)
}

func TestVariantBindings(t *testing.T) {
	t.Parallel()
	w := deferred(t)
	n := number(t, w, "shade")
	reads := func(set string) (out []string) {
		v, err := w.Variant(t.Context(), n, one(t, w, set))
		require.NoError(t, err)
		for _, b := range v.Bindings {
			if b.Read && b.Group == 2 {
				out = append(out, b.Name)
			}
		}
		return out
	}
	assert.Equal(t, []string{"lights", "cascades", "shadow_atlas", "shadow_compare", "clusters"}, reads("default"))
	assert.Equal(t, []string{"lights", "shadow_pages", "shadow_pool", "reservoir_radiance"}, reads("shadow=Virtual,local=Reservoirs"))
}

func TestTree(t *testing.T) {
	t.Parallel()
	w := deferred(t)
	var b strings.Builder
	for _, r := range w.Tree(number(t, w, "fog_scatter"), one(t, w, "shadow=Virtual")) {
		mark := "  "
		if r.Selected {
			mark = "* "
		}
		b.WriteString(mark + strings.Repeat("  ", r.Depth) + r.Kind.String() + " " + r.Name + "\n")
	}
	assert.Equal(t, `* shader Fog / scatter
*   chunk pass_fog_scatter
*     chunk view_position
*       chunk view_types
*     choice shadow_sample
        alternative Cascades
          chunk shadow_cascades
            chunk shadow_types
*       alternative Virtual
*         chunk shadow_virtual
*           chunk shadow_pages
`, b.String())
}

func TestDiff(t *testing.T) {
	t.Parallel()
	w := deferred(t)
	changes, err := w.Diff(t.Context(), number(t, w, "reflections"), one(t, w, "default"), one(t, w, "indirect=Probes"))
	require.NoError(t, err)
	var got []string
	for _, c := range changes {
		got = append(got, c.Name)
	}
	assert.Equal(t, []string{"bounce_at", "environment_radiance", "indirect_irradiance", "indirect_radiance", "probe_index", "probe_texel"}, got)
	same, err := w.Diff(t.Context(), number(t, w, "reflections"), one(t, w, "default"), one(t, w, "shadow=Virtual"))
	require.NoError(t, err)
	assert.Empty(t, same, "a switch that the shader does not have changes nothing")
}

// Each rule of the audit can fail, and says where.
func TestAudit(t *testing.T) {
	t.Parallel()
	w := deferred(t)
	found, err := w.Audit(t.Context(), nil)
	require.NoError(t, err)
	assert.Empty(t, found)

	fsys := fstest.MapFS{"switches.toml": {Data: []byte(`graph = "g"
[switches.s]
values = ["A", "B", "C"]
[switches.idle]
bool = true
[resources.r]
kind = "storage"
type = "array<u32>"
access = "read"
[resources.elsewhere]
kind = "sampler"
[chunks.silent]
[chunks.proud]
reads = ["r", "elsewhere"]
text = "fn f() -> u32 { return 1u; }"
[chunks.second]
text = "const a = 1;\nconst f = 2;"
[chunks.broken]
text = '''
fn f() -> u32 {
    return 1u +;
}
'''
[choices.c]
switch = "s"
picks = { A = "silent", B = "proud" }
[chunks.main]
needs = ["c"]
text = "@compute @workgroup_size(1) fn main() { _ = f(); }"
[chunks.main2]
needs = ["proud", "second"]
text = "@compute @workgroup_size(1) fn main() { _ = f(); }"
[chunks.main3]
needs = ["broken"]
text = "@compute @workgroup_size(1) fn main() { _ = f(); }"
[groups.g]
visibility = ["compute"]
binds = [{ name = "r", type = "array<i32>" }]
[shaders.one]
type = "compute"
body = "main"
groups = ["g"]
[shaders.two]
type = "compute"
body = "main2"
groups = ["g"]
[shaders.three]
type = "compute"
body = "main3"
`)}, "silent.wgsl": {Data: []byte("fn f() -> u32 {\n    return r[0] + helper();\n}\n")}}
	w, err = switches.Open(fsys, "switches.toml", "", "g")
	require.NoError(t, err)
	found, err = w.Audit(t.Context(), nil)
	require.NoError(t, err)
	var got []string
	for _, f := range found {
		assert.NotEmpty(t, f.Remedy, f.Rule)
		line := f.Rule + " " + f.Chunk + " " + f.Name
		if f.Line > 0 {
			line += " " + manifest.Pos{File: f.File, Line: f.Line, Col: f.Column}.String()
		}
		if f.Error {
			line = "! " + line
		}
		got = append(got, line)
	}
	slices.Sort(got)
	assert.Equal(t, []string{
		`! invalid silent  silent.wgsl:2:19`,
		`! link choice of "s" C switches.toml:24:10`,
		`! mistyped proud r switches.toml:13:9`,
		`! mistyped proud r switches.toml:13:9`,
		`! syntax broken  switches.toml:21:16`,
		`! twice second f switches.toml:17:9`,
		`! unbound proud elsewhere switches.toml:13:9`,
		`! unbound proud elsewhere switches.toml:13:9`,
		`! undeclared silent r silent.wgsl:2:12`,
		`default-only  one switches.toml:39:10`,
		`unused  idle switches.toml:4:11`,
	}, got)
}

func TestPackages(t *testing.T) {
	t.Parallel()
	w := deferred(t)
	sets := w.Built()
	generic, r, err := w.Package(t.Context(), nil, sets, bundle.Generic, "1.2.3", nil)
	require.NoError(t, err)
	assert.Equal(t, 48, r.Variants)
	assert.Equal(t, 11, r.Shaders)
	extended, x, err := w.Package(t.Context(), nil, sets, bundle.Extended, "1.2.3", nil)
	require.NoError(t, err)
	assert.Less(t, x.Size, r.Size/2, "chunks are stored once")
	assert.Greater(t, x.Saved, r.Saved)
	for _, data := range [][]byte{generic, extended} {
		p, err := bundle.Open(data)
		require.NoError(t, err)
		assert.Equal(t, "1.2.3", p.Version)
		for _, v := range p.Variants {
			n := number(t, w, p.Shaders[v.Shader].Label)
			set := "default"
			if v.Set != "" {
				set = strings.ReplaceAll(v.Set, ", ", ",")
			}
			want, err := w.Variant(t.Context(), n, one(t, w, set))
			require.NoError(t, err)
			assert.Equal(t, want.Label, v.Label)
			require.Len(t, v.Modules, 1)
			assert.Equal(t, want.Modules[0].Text, p.Modules[v.Modules[0].Module].Text(), v.Label)
		}
	}
	again, _, err := w.Package(t.Context(), nil, sets, bundle.Generic, "1.2.3", nil)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(generic, again), "same input, same bytes")
}

// The axes of an effect are switches, its passes shaders, and what a pass depends on is
// what package graph says.
func TestEffect(t *testing.T) {
	t.Parallel()
	w := effectWorkspace(t)
	assert.Equal(t, "quadv5.sm_hi", w.Name)
	data, err := os.ReadFile("../../testdata/effects/quadv5.sm_hi")
	require.NoError(t, err)
	s, err := session.Open("q", data, compile.Options{})
	require.NoError(t, err)
	g, err := graph.New(s.Effect).Link(t.Context())
	require.NoError(t, err)
	require.Len(t, w.Switches, len(g.Axes))
	for i, sw := range w.Switches {
		a := g.Axes[i]
		assert.Equal(t, a.Name, sw.Label())
		assert.Equal(t, a.Options[a.Default], sw.NameOf(0), "value 0 is the default option")
		for o, m := range sw.Members() {
			assert.Equal(t, a.Options[o], m.Name, "in the effect's order")
		}
	}
	require.Len(t, w.Shaders, len(g.Passes))
	for i, p := range g.Passes {
		var code []string
		for a, inf := range p.Axes {
			if inf == graph.Code {
				code = append(code, g.Axes[a].Name)
			}
		}
		var have []string
		for _, sw := range w.Shaders[i].Switches {
			have = append(have, sw.Label())
		}
		assert.Equal(t, code, have, p.Name)
	}
	// The permutation of a set and the set of a permutation are inverse, and permutations
	// that agree on a pass's switches have one unit.
	for perm := range g.Permutations() {
		set, err := w.SetOf(perm)
		require.NoError(t, err)
		assert.Equal(t, perm, w.Permutation(set))
		for i := range w.Shaders {
			assert.Equal(t, g.Unit(perm, i), g.Unit(w.Permutation(w.Restricted(i, set)), i), "pass %d of permutation %d", i, perm)
		}
	}
	assert.Equal(t, g.Default(), w.Permutation(variant.Empty))
	bodies := w.Bodies()
	require.Len(t, bodies, g.Bodies())
	total := 0
	labels := map[string]bool{}
	for _, b := range bodies {
		total += b.Permutations
		labels[b.Label] = true
	}
	assert.Equal(t, g.Permutations(), total)
	assert.Len(t, labels, len(bodies), "the set string tells bodies apart")
	assert.True(t, labels["quadv5.sm_hi"], "the default body has no set")
}

func TestEffectVariants(t *testing.T) {
	t.Parallel()
	w := effectWorkspace(t)
	shader := 0
	v, err := w.Variant(t.Context(), shader, variant.Empty)
	require.NoError(t, err)
	require.Len(t, v.Modules, 2)
	assert.Equal(t, w.Shaders[0].Key, v.Label)
	for _, m := range v.Modules {
		assert.Empty(t, m.Check(), m.Stage)
	}
	sw := w.Shaders[0].Switches[0]
	other := sw.Members()[0].Value
	if other == 0 {
		other = sw.Members()[1].Value
	}
	set, err := variant.Empty.With(sw, other)
	require.NoError(t, err)
	v, err = w.Variant(t.Context(), shader, set)
	require.NoError(t, err)
	assert.Equal(t, w.Shaders[0].Key+" ["+sw.Label()+"="+sw.NameOf(other)+"]", v.Label)
	pkg, r, err := w.Package(t.Context(), []int{0}, []*variant.Set{variant.Empty, set}, bundle.Extended, "1.0.0", nil)
	require.NoError(t, err)
	assert.Equal(t, 2, r.Variants)
	_, err = bundle.Open(pkg)
	require.NoError(t, err)
}

func TestOnlyEffectsHaveAxes(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../testdata/dxbc/golden/abort_ps50.dxbc")
	require.NoError(t, err)
	s, err := session.Open("program", data, compile.Options{})
	require.NoError(t, err)
	_, err = switches.OpenEffect(t.Context(), s)
	require.ErrorIs(t, err, switches.ErrNoAxes)
}

// One mistake is one finding, at its place, however many variants have it.
func TestAuditSaysItOnce(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{"switches.toml": {Data: []byte(`graph = "g"
[switches.s]
values = ["A", "B"]
[switches.other]
bool = true
[chunks.one]
text = "fn f() -> Missing { return g(); }"
[choices.c]
switch = "s"
picks = { A = "one" }
[chunks.g1]
text = "fn g() -> u32 { return 1u; }"
[chunks.g2]
text = "fn g() -> u32 { return 2u; }"
[choices.d]
switch = "other"
picks = { false = "g1", true = "g2" }
[resources.block]
kind = "uniform"
type = "Block"
[groups.g]
visibility = ["fragment"]
binds = ["block"]
[chunks.main]
needs = ["c", "d"]
text = "@fragment fn main() { _ = f(); }"
[shaders.x]
type = "image"
body = "main"
groups = ["g"]
[shaders.y]
type = "image"
body = "main"
groups = ["g"]
`)}}
	w, err := switches.Open(fsys, "switches.toml", "", "g")
	require.NoError(t, err)
	found, err := w.Audit(t.Context(), nil)
	require.NoError(t, err)
	var got []string
	for _, f := range found {
		if f.Error {
			got = append(got, fmt.Sprintf("%d %s +%d: %s; %s", f.Line, f.Rule, f.More, f.Text, f.Remedy))
		}
	}
	assert.Equal(t, []string{
		`7 invalid +1: unresolved type "Missing"; define it, or add the chunk that defines it to what this one needs`,
		`8 link +3: choice of "s" has no alternative for B; add the alternative, or take the member away`,
		`18 invalid +1: unresolved type "Block"; correct the resource, or name the chunk that defines its type in its needs`,
	}, got)
}

// What a judge says of a module's text stands in a file that a person can open.
func TestSource(t *testing.T) {
	t.Parallel()
	w := deferred(t)
	i, err := w.Shader("shade")
	require.NoError(t, err)
	v, err := w.Variant(t.Context(), i, variant.Empty)
	require.NoError(t, err)
	m := &v.Modules[0]
	found := 0
	for n, line := range strings.Split(m.Text, "\n") {
		col := strings.Index(line, "light_attenuation(")
		if col < 0 {
			continue
		}
		at, chunk, ok := w.Source(m, n+1, col+1)
		require.True(t, ok, line)
		data, err := os.ReadFile("../../testdata/switches/deferred/" + at.File)
		require.NoError(t, err)
		assert.Equal(t, strings.TrimSuffix(line, "\r"), strings.Split(string(data), "\n")[at.Line-1], chunk)
		assert.Equal(t, col+1, at.Col)
		found++
	}
	assert.Positive(t, found)
	_, _, ok := w.Source(m, 1<<20, 1)
	assert.False(t, ok)
}
