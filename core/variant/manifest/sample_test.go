package manifest_test

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/variant"
	"fxlens/core/variant/manifest"
	"fxlens/internal/judge"
)

func sample(t testing.TB) *manifest.Graph {
	t.Helper()
	g, err := manifest.Load(os.DirFS("../../../testdata/switches"), "deferred/switches.toml", "")
	require.NoError(t, err)
	return g
}

func shader(t testing.TB, g *manifest.Graph, key string) *manifest.Shader {
	t.Helper()
	i := slices.IndexFunc(g.Shaders, func(s *manifest.Shader) bool { return s.Key == key })
	require.GreaterOrEqual(t, i, 0, key)
	return g.Shaders[i]
}

func set(t testing.TB, g *manifest.Graph, pairs ...string) *variant.Set {
	t.Helper()
	out := variant.Empty
	for i := 0; i < len(pairs); i += 2 {
		s, err := g.Switch(pairs[i])
		require.NoError(t, err)
		v, ok := s.Parse(pairs[i+1])
		require.True(t, ok)
		out, err = out.With(s.Switch, v)
		require.NoError(t, err)
	}
	return out
}

// techniques are, for each switch and member, the functions that only that member links.
var techniques = map[string]map[string][]string{
	"shadow": {
		"Cascades": {"cascade_of"},
		"Virtual":  {"shadow_page"},
	},
	"indirect": {
		"Environment": {"environment_radiance"},
		"Bricks":      {"brick_at", "brick_sample"},
		"Probes":      {"probe_index", "probe_texel"},
	},
	"local": {
		"Clustered":  {"light_attenuation"},
		"Reservoirs": nil,
	},
}

// consumers are the sample's shaders with the switches that they depend on.
var consumers = map[string][]string{
	"shade":             {"shadow", "local"},
	"transparent/wood":  {"shadow", "indirect"},
	"transparent/glass": {"indirect", "shadow"},
	"resolve":           {"shadow", "indirect"},
	"water":             {"shadow", "indirect"},
	"particles":         {"shadow", "local"},
	"fog_scatter":       {"shadow"},
	"fog_irradiance":    {"shadow", "indirect"},
	"reflections":       {"indirect"},
	"froxel_gi":         {"indirect"},
	"shadow_mask":       {"shadow"},
}

func allSets(t testing.TB, g *manifest.Graph) []*variant.Set {
	t.Helper()
	var list []*variant.Switch
	for _, s := range g.Switches {
		list = append(list, s.Switch)
	}
	sets, err := variant.Product(list, 100)
	require.NoError(t, err)
	require.Len(t, sets, 12)
	return sets
}

// Every shader under every set of the three switches: exactly the selected sampling is
// linked and no other, and every variant has the same interface.
func TestConsumers(t *testing.T) {
	t.Parallel()
	g := sample(t)
	require.Len(t, g.Shaders, len(consumers))
	for key, switches := range consumers {
		s := shader(t, g, key)
		var have []string
		for _, x := range s.Switches() {
			i := slices.IndexFunc(g.Switches, func(m *manifest.Switch) bool { return m.Switch == x })
			have = append(have, g.Switches[i].Key)
		}
		assert.Equal(t, switches, have, key)
		for _, t2 := range allSets(t, g) {
			v, err := s.Variant(t2)
			require.NoError(t, err)
			l, err := v.Linked()
			require.NoError(t, err)
			for name, members := range techniques {
				sw, err := g.Switch(name)
				require.NoError(t, err)
				for member, functions := range members {
					selected := slices.Contains(switches, name) && sw.NameOf(t2.Get(sw.Switch)) == member
					for _, f := range functions {
						assert.Equal(t, selected, strings.Contains(l.Text, "fn "+f+"("), "%s [%s]: %s", key, t2, f)
					}
				}
			}
			assert.Same(t, s.Resources(), v.Resources(), "one interface whatever the set")
			assert.Contains(t, l.Text, s.Resources().Declarations())
			if want := t2.RestrictedTo(s.Switches()); want != variant.Empty {
				assert.Equal(t, s.Label()+" ["+want.String()+"]", v.Label())
			} else {
				assert.Same(t, s.Shader, v)
			}
		}
	}
}

// At all defaults: cascades, the environment map, clustered lamps.
func TestDefaults(t *testing.T) {
	t.Parallel()
	g := sample(t)
	for key, functions := range map[string]string{"shade": "cascade_of light_attenuation", "water": "cascade_of environment_radiance", "reflections": "environment_radiance"} {
		src, err := shader(t, g, key).Source()
		require.NoError(t, err)
		for f := range strings.FieldsSeq(functions) {
			assert.Contains(t, src, "fn "+f, key)
		}
	}
	r, ok := shader(t, g, "shade").Resources().Find("reservoir_radiance")
	require.True(t, ok, "both ways of shading lamps bind alike")
	assert.Equal(t, "black", r.Default.Fallback)
}

// Dawn has not one message on any variant, and forms a pipeline of each.
func TestVariantsAreValid(t *testing.T) {
	t.Parallel()
	g := sample(t)
	var cases []judge.Case
	seen := map[string]bool{}
	for _, s := range g.Shaders {
		for _, t2 := range allSets(t, g) {
			v, err := s.Variant(t2)
			require.NoError(t, err)
			src, err := v.Source()
			require.NoError(t, err)
			if !seen[v.Label()] {
				seen[v.Label()] = true
				cases = append(cases, judge.Case{ID: v.Label(), Modules: []judge.Module{{Code: src}}})
			}
		}
	}
	assert.Len(t, cases, 4+6+6+6+6+4+2+6+3+3+2, "sets that agree on a shader's switches are one variant")
	judge.Check(t, cases)
}

// A chunk's dependencies are declared: taking one away is found.
func TestWaterNeedsItsLight(t *testing.T) {
	t.Parallel()
	g := sample(t)
	water := shader(t, g, "water").Body().(*variant.Chunk)
	bare := variant.NewChunk("pass_water", water.Text())
	for _, d := range water.Dependencies() {
		if c, ok := d.(*variant.Choice); ok && c.Switch().Label() == "indirect lighting" {
			continue
		}
		_, err := bare.AddDependency(d)
		require.NoError(t, err)
	}
	s, err := variant.NewShader(variant.ShaderOptions{Label: "Water optics", Resources: shader(t, g, "water").Resources(), Body: bare})
	require.NoError(t, err)
	var names []string
	for _, f := range s.Lint() {
		names = append(names, f.Rule+" "+f.Name)
	}
	assert.Equal(t, []string{"hidden indirect_irradiance", "hidden indirect_radiance"}, names)
}

// Every chunk of every variant declares what its own functions read, and nothing else.
func TestSampleIsClean(t *testing.T) {
	t.Parallel()
	g := sample(t)
	assert.Empty(t, g.Unused)
	for _, s := range g.Shaders {
		assert.Empty(t, s.Audit(allSets(t, g)), s.Key)
		assert.Empty(t, s.Lint(), s.Key)
	}
}

// The whole graph in one file is the same graph.
func TestOneFile(t *testing.T) {
	t.Parallel()
	g, err := manifest.Load(os.DirFS("../../../testdata/switches"), "single.toml", "")
	require.NoError(t, err)
	require.Len(t, g.Shaders, 1)
	v, err := g.Shaders[0].Variant(set(t, g, "blur", "true"))
	require.NoError(t, err)
	src, err := v.Source()
	require.NoError(t, err)
	assert.Contains(t, src, "fn blurred")
	judge.Check(t, []judge.Case{{ID: "single", Modules: []judge.Module{{Code: src}}}})
	c := g.ChunkOf(v.Body().(*variant.Chunk))
	require.NotNil(t, c)
	data, err := os.ReadFile("../../../testdata/switches/single.toml")
	require.NoError(t, err)
	lines := strings.Split(string(data), "\n")
	assert.Equal(t, strings.Split(c.Chunk.Text(), "\n")[2], lines[c.In(3, 1).Line-1], "places in a text are places in the file")
}

// Declarations check and change nothing: without any of them every variant links the same
// text.
func TestDeclarationsChangeNoText(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../../testdata/switches/deferred/switches.toml")
	require.NoError(t, err)
	bare := fstest.MapFS{}
	require.NoError(t, fs.WalkDir(os.DirFS("../../../testdata/switches/deferred"), ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			text, rerr := os.ReadFile("../../../testdata/switches/deferred/" + p)
			bare[p] = &fstest.MapFile{Data: text}
			return rerr
		}
		return err
	}))
	bare["switches.toml"].Data = regexp.MustCompile(`(?m)^reads = .*$`).ReplaceAll(data, nil)
	without, err := manifest.Load(bare, "switches.toml", "")
	require.NoError(t, err)
	with := sample(t)
	for i, s := range with.Shaders {
		plain, declared := allSets(t, without), allSets(t, with)
		for k := range declared {
			a, err := s.Variant(declared[k])
			require.NoError(t, err)
			b, err := without.Shaders[i].Variant(plain[k])
			require.NoError(t, err)
			x, err := a.Source()
			require.NoError(t, err)
			y, err := b.Source()
			require.NoError(t, err)
			assert.Equal(t, x, y, a.Label())
		}
	}
}
