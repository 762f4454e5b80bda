package effect_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/effect"
)

// allocated returns the bytes that f allocates in total, freed or not.
func allocated(f func()) uint64 {
	var a, b runtime.MemStats
	runtime.ReadMemStats(&a)
	f()
	runtime.ReadMemStats(&b)
	return b.TotalAlloc - a.TotalAlloc
}

// fixed is what Parse needs whatever the size of the file: the Effect, the decoder
// and an error.
const fixed = 8 << 10

// mustSurvive parses b and, if it is valid, decodes every body. Both together
// must stay under 16 times the file.
func mustSurvive(t *testing.T, b []byte) *effect.Effect {
	t.Helper()
	var e *effect.Effect
	var err error
	got := allocated(func() {
		if e, err = effect.Parse(b); err != nil {
			return
		}
		for i := range e.Bodies() {
			if _, err = e.UniqueBody(i); err != nil {
				return
			}
		}
	})
	if limit := uint64(16*len(b)+fixed) * raceFactor; got > limit {
		t.Fatalf("%d bytes allocated for a file of %d, at most %d are allowed", got, len(b), limit)
	}
	if err != nil {
		var typed *effect.Error
		require.ErrorAs(t, err, &typed)
		require.Nil(t, e)
		require.GreaterOrEqual(t, typed.Offset, 0)
		require.LessOrEqual(t, typed.Offset, len(b))
		require.NotEmpty(t, typed.Path)
	}
	return e
}

// Ten thousand seeded mutations, bytes and truncations, of three effects. What
// Parse accepts must also encode to the same bytes.
func TestMutations(t *testing.T) {
	const perFile = 3334
	c := bundled(t)
	rng := rand.New(rand.NewPCG(8, 15))
	start := time.Now()
	for _, file := range []string{"decal/decal.sm_hi", "dx12/raytracing/sunshadow.sm_hi", "versions/v08/booster/trail.sm_hi"} {
		orig := c.read(t, file)
		table := mustSurvive(t, orig)
		require.NotNil(t, table)
		behind := table.StringTableOffset + len(table.StringTable)
		accepted := 0
		for i := range perFile {
			b := slices.Clone(orig)
			switch i % 4 {
			case 0: // anywhere
				b[rng.IntN(len(b))] ^= byte(1 + rng.IntN(255))
			case 1, 2: // where the structure is
				b[behind+rng.IntN(len(b)-behind)] ^= byte(1 + rng.IntN(255))
			case 3:
				n := rng.IntN(len(b))
				b = b[:n:n]
			}
			e := mustSurvive(t, b)
			if e == nil {
				continue
			}
			accepted++
			if e.Version == effect.WriteVersion {
				out, err := e.Encode()
				require.NoError(t, err)
				require.True(t, slices.Equal(b, out), "mutation %d of %s is not encoded as it was read", i, file)
			}
			if i%32 == 0 || len(b) < 20000 {
				for _, d := range e.AllFindings() {
					require.NotEmpty(t, d.Text)
				}
				require.NotEmpty(t, e.Inspect(file).Bodies)
			}
		}
		assert.Greater(t, accepted, perFile/10, "some mutations must be valid files, or the test sees only half")
		assert.Less(t, accepted, perFile)
	}
	assert.Less(t, time.Since(start), 2*time.Minute)
}

// Files that are made to need much memory or time.
func TestHostileFiles(t *testing.T) {
	hash := noHash
	empty := func() effect.Body { return effect.Body{} }
	cases := []struct {
		name string
		make func() *effect.Model
		// whether the decoded bodies, too, are under the limit; Parse always is
		decoded bool
	}{
		{"65,536 bodies of a few bytes", func() *effect.Model {
			m := &effect.Model{SourceHash: hash}
			for i := range 16 {
				m.Axes = append(m.Axes, effect.Axis{Name: fmt.Sprintf("A%d", i), Options: []string{"N", "Y"}})
			}
			for i := range 1 << 16 {
				b := empty()
				b.Techniques = []effect.Technique{{Name: "Main", Passes: []effect.Pass{{States: []effect.RenderState{{State: 57, Value: uint32(i)}}}}}}
				m.Bodies = append(m.Bodies, &b)
			}
			return m
		}, true},
		{"65,536 permutations of one body", func() *effect.Model {
			m := minimal()
			for i := range 16 {
				m.Axes = append(m.Axes, effect.Axis{Name: fmt.Sprintf("A%d", i), Options: []string{"N", "Y"}})
			}
			m.Bodies = slices.Repeat(m.Bodies, 1<<16)
			return m
		}, true},
		{"empty passes", func() *effect.Model { // two bytes each, the worst there is
			m := minimal()
			m.Bodies[0].Techniques = slices.Repeat([]effect.Technique{{Name: "", Passes: make([]effect.Pass, 64)}}, 255)
			return m
		}, false},
		{"empty techniques", func() *effect.Model {
			m := minimal()
			m.Bodies[0].Techniques = make([]effect.Technique, 255)
			return m
		}, true},
		{"empty stages", func() *effect.Model {
			m := minimal()
			all := make([]effect.Stage, 6)
			for i := range all {
				all[i].Type = effect.StageType(i)
			}
			m.Bodies[0].Techniques = slices.Repeat([]effect.Technique{{Passes: slices.Repeat([]effect.Pass{{Stages: all}}, 64)}}, 255)
			return m
		}, true},
		{"annotations", func() *effect.Model {
			m := minimal()
			for i := range 256 {
				m.Bodies[0].Groups = append(m.Bodies[0].Groups, effect.ParameterGroup{Name: fmt.Sprintf("%03d", i), Annotations: make([]effect.Annotation, 255)})
			}
			return m
		}, true},
		{"axes of one option", func() *effect.Model {
			m := minimal()
			for i := range 255 {
				m.Axes = append(m.Axes, effect.Axis{Name: fmt.Sprintf("%d", i), Options: []string{""}})
			}
			return m
		}, true},
		{"exports and libraries", func() *effect.Model {
			m := minimal()
			m.Bodies[0].Techniques = slices.Repeat([]effect.Technique{{Libraries: slices.Repeat([]effect.Library{{Exports: make([]effect.Export, 40)}}, 255)}}, 20)
			return m
		}, true},
		{"names that all begin alike and end late", func() *effect.Model {
			m := minimal()
			long := strings.Repeat("a", 4000)
			for i := range 256 {
				m.Bodies[0].Groups = append(m.Bodies[0].Groups, effect.ParameterGroup{Name: long + fmt.Sprintf("%03d", i)})
			}
			for i := range 128 {
				m.Axes = append(m.Axes, effect.Axis{Name: long + fmt.Sprintf("x%03d", i), Options: []string{long}})
			}
			return m
		}, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b, err := effect.Build(c.make())
			require.NoError(t, err)
			if c.decoded {
				require.NotNil(t, mustSurvive(t, b))
				return
			}
			var e *effect.Effect
			got := allocated(func() { e, err = effect.Parse(b) })
			require.NoError(t, err)
			assert.LessOrEqual(t, got, uint64(16*len(b)+fixed))
			got = allocated(func() { _, err = e.UniqueBody(0) })
			require.NoError(t, err)
			assert.LessOrEqual(t, got, uint64(25*len(b)), "the documented bound of a decoded body")
		})
	}
}

// One long text and as many references to it as fit: each must cost the same as one
// to a short text.
func TestLongTextsTakeLinearTime(t *testing.T) {
	const n, length = 100_000, 1 << 20
	m := minimal()
	c := effect.Constant{Name: "x", Size: 4, Dimension: 1}
	m.Bodies[0].Techniques[0].Passes[0].Stages = []effect.Stage{{StageData: effect.StageData{Constants: slices.Repeat([]effect.Constant{c}, n)}}}
	f := built(t, m)
	at := 44 + f.textAt("x")
	f.b = slices.Insert(f.b, at, []byte(strings.Repeat("x", length-1))...)
	f.set32(40, uint32(f.u32at(40)+length-1))
	f.set32(f.recordsAt()+8, uint32(f.bodyAt(0)+length-1))

	start := time.Now()
	e := mustSurvive(t, f.b)
	require.NotNil(t, e)
	body, err := e.Body(0)
	require.NoError(t, err)
	assert.Len(t, body.Techniques[0].Passes[0].Stages[0].Constants[n-1].Name, length)
	assert.Less(t, time.Since(start), 2*time.Second) // 100 GB to read otherwise
}

func FuzzParse(f *testing.F) {
	dir := filepath.Join("..", "..", "testdata", "effects")
	for _, file := range []string{"particles/clear.sm_hi", "edge/flags.sm_hi", "dx12/bindless/hull.sm_hi",
		"dx12/raytracing/sunshadow.sm_hi", "versions/v08/booster/trail.sm_hi", "versions/v09/booster/trail.sm_hi",
		"versions/v11/booster/trail.sm_hi", "versions/v13/booster/trail.sm_hi", "versions/v14/booster/trail.sm_hi"} {
		b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	for _, m := range []*effect.Model{minimal(), everything()} {
		b, err := effect.Build(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := effect.Parse(b)
		if err != nil {
			var typed *effect.Error
			require.ErrorAs(t, err, &typed)
			require.GreaterOrEqual(t, typed.Offset, 0)
			require.LessOrEqual(t, typed.Offset, len(b))
			return
		}
		for p := range min(e.PermutationCount(), 64) {
			index, err := e.Index(e.Choice(p))
			require.NoError(t, err)
			require.Equal(t, p, index)
			choice, err := e.ParseOptions(e.OptionString(p))
			require.NoError(t, err)
			require.Equal(t, e.Choice(p), choice)
			_, err = e.Body(p)
			require.NoError(t, err)
		}
		e.AllFindings()
		e.Inspect("fuzz")
		if e.Version == effect.WriteVersion {
			out, err := e.Encode()
			require.NoError(t, err)
			require.True(t, slices.Equal(b, out))
		}
		m, err := e.Model()
		require.NoError(t, err)
		m.SourceHash = noHash
		out, err := effect.Build(m)
		require.NoError(t, err, "what can be read can be written")
		_, err = effect.Parse(out)
		require.NoError(t, err)
	})
}
