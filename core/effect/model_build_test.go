package effect_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/effect"
)

func TestBuildRefuses(t *testing.T) {
	change := func(f func(m *effect.Model)) *effect.Model {
		m := minimal()
		f(m)
		return m
	}
	pass := func(f func(p *effect.Pass)) *effect.Model {
		return change(func(m *effect.Model) { f(&m.Bodies[0].Techniques[0].Passes[0]) })
	}
	stage := func(s effect.Stage) *effect.Model {
		return pass(func(p *effect.Pass) { p.Stages = []effect.Stage{s} })
	}
	const first = "body[0].technique[0]"
	cases := []struct {
		name  string
		model *effect.Model
		kind  error
		want  string
	}{
		{"source hash", change(func(m *effect.Model) { m.SourceHash = "abc" }), effect.ErrRange,
			"header: out of range: the source hash has 3 bytes, the format stores 32"},
		{"no body", change(func(m *effect.Model) { m.Bodies[0] = nil }), effect.ErrRange,
			"body[0]: out of range: there is no body for this permutation"},
		{"bodies", change(func(m *effect.Model) { m.Bodies = nil }), effect.ErrRange,
			"bodies: out of range: 0 bodies, the axes span 1 permutations"},
		{"no options", change(func(m *effect.Model) { m.Axes = []effect.Axis{{Name: "A"}} }), effect.ErrTooMany,
			"axis[0]: too many: 0 options, an axis has 1 to 255"},
		{"options", change(func(m *effect.Model) { m.Axes = []effect.Axis{{Name: "A", Options: make([]string, 256)}} }), effect.ErrTooMany,
			"axis[0]: too many: 256 options, an axis has 1 to 255"},
		{"default", change(func(m *effect.Model) { m.Axes = []effect.Axis{{Name: "A", Default: 1, Options: []string{"X"}}} }), effect.ErrRange,
			"axis[0]: out of range: default option 1, the axis has 1 options"},
		{"permutations", change(func(m *effect.Model) {
			m.Axes = slices.Repeat([]effect.Axis{{Options: make([]string, 255)}}, 3)
		}), effect.ErrTooMany, "axis[2]: too many: with this axis there are 16581375 permutations, at most 65536 are allowed"},
		{"axes", change(func(m *effect.Model) { m.Axes = slices.Repeat([]effect.Axis{{Options: []string{"X"}}}, 256) }), effect.ErrTooMany,
			"axes: too many: 256 axes, the format has room for 255"},
		{"zero byte in an axis", change(func(m *effect.Model) { m.Axes = []effect.Axis{{Name: "A\x00B", Options: []string{"X"}}} }), effect.ErrString,
			`axis[0]: invalid string: the text "A\x00B" contains a zero byte`},
		{"zero byte in a body", change(func(m *effect.Model) { m.Bodies[0].Techniques[0].Name = "\x00" }), effect.ErrString,
			first + `: invalid string: the text "\x00" contains a zero byte`},
		{"techniques", change(func(m *effect.Model) { m.Bodies[0].Techniques = make([]effect.Technique, 256) }), effect.ErrTooMany,
			"body[0]: too many: 256 techniques, the format has room for 255"},
		{"passes wrap", change(func(m *effect.Model) { m.Bodies[0].Techniques[0].Passes = make([]effect.Pass, 256) }), effect.ErrTooMany,
			first + ": too many: 256 passes, the format has room for 255"},
		{"passes", change(func(m *effect.Model) { m.Bodies[0].Techniques[0].Passes = make([]effect.Pass, 65) }), effect.ErrTooMany,
			first + ": too many: 65 passes, at most 64 are allowed"},
		{"libraries", change(func(m *effect.Model) { m.Bodies[0].Techniques[0].Libraries = make([]effect.Library, 300) }), effect.ErrTooMany,
			first + ": too many: 300 libraries, the format has room for 255"},
		{"stages", pass(func(p *effect.Pass) { p.Stages = make([]effect.Stage, 256) }), effect.ErrTooMany,
			first + ".pass[0]: too many: 256 stages, the format has room for 255"},
		{"states", pass(func(p *effect.Pass) { p.States = make([]effect.RenderState, 256) }), effect.ErrTooMany,
			first + ".pass[0]: too many: 256 render states, the format has room for 255"},
		{"state twice", pass(func(p *effect.Pass) { p.States = make([]effect.RenderState, 2) }), effect.ErrDuplicate,
			first + ".pass[0].state[1]: duplicate: render state 0 occurs twice"},
		{"inputs", stage(effect.Stage{Inputs: make([]effect.PipelineInput, 256)}), effect.ErrTooMany,
			first + ".pass[0].stage[vs]: too many: 256 pipeline inputs, the format has room for 255"},
		{"registers", stage(effect.Stage{Bindings: effect.Bindings{Registers: make([]effect.Register, 256)}}), effect.ErrTooMany,
			first + ".pass[0].stage[vs]: too many: 256 registers, the format has room for 255"},
		{"static samplers", stage(effect.Stage{Bindings: effect.Bindings{StaticSamplers: make([]effect.StaticSampler, 256)}}), effect.ErrTooMany,
			first + ".pass[0].stage[vs]: too many: 256 static samplers, the format has room for 255"},
		{"textures", stage(effect.Stage{StageData: effect.StageData{Textures: make([]effect.Texture, 256)}}), effect.ErrTooMany,
			first + ".pass[0].stage[vs]: too many: 256 textures, the format has room for 255"},
		{"samplers", stage(effect.Stage{StageData: effect.StageData{Samplers: make([]effect.Sampler, 256)}}), effect.ErrTooMany,
			first + ".pass[0].stage[vs]: too many: 256 samplers, the format has room for 255"},
		{"UAVs", stage(effect.Stage{StageData: effect.StageData{UAVs: make([]effect.UAV, 256)}}), effect.ErrTooMany,
			first + ".pass[0].stage[vs]: too many: 256 UAVs, the format has room for 255"},
		{"annotations", stage(effect.Stage{StageData: effect.StageData{Annotations: make([]effect.Annotation, 256)}}), effect.ErrTooMany,
			first + ".pass[0].stage[vs]: too many: 256 annotations, the format has room for 255"},
		{"groups", change(func(m *effect.Model) { m.Bodies[0].Groups = make([]effect.ParameterGroup, 65536) }), effect.ErrTooMany,
			"body[0]: too many: 65536 parameter groups, at most 256 are allowed"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b, err := effect.Build(c.model)
			require.ErrorIs(t, err, c.kind)
			assert.Nil(t, b)
			assert.EqualError(t, err, c.want)
			var typed *effect.Error
			require.ErrorAs(t, err, &typed)
			assert.Equal(t, -1, typed.Offset)
			assert.Equal(t, -1, typed.Diag().At.ByteOffset())
		})
	}
}

// The writer sorts what the engine's compiler sorts, keeps the rest, leaves the
// model alone, and stores equal texts, blobs and bodies once.
func TestBuildNormalises(t *testing.T) {
	shuffled := func() *effect.Model {
		m := everything()
		for _, b := range []*effect.Body{m.Bodies[0], m.Bodies[1]} {
			slices.Reverse(b.Groups)
			for i := range b.Groups {
				slices.Reverse(b.Groups[i].Annotations)
			}
			p := &b.Techniques[0].Passes[0]
			slices.Reverse(p.States)
			for i := range p.Stages {
				s := &p.Stages[i]
				slices.Reverse(s.Textures)
				slices.Reverse(s.Samplers)
				slices.Reverse(s.UAVs)
				slices.Reverse(s.Annotations)
			}
		}
		// and equal bodies of their own for permutations that could share
		dup := *m.Bodies[0]
		m.Bodies[4] = &dup
		return m
	}
	want, err := effect.Build(everything())
	require.NoError(t, err)
	m := shuffled()
	got, err := effect.Build(m)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(want, got))
	assert.Equal(t, shuffled(), m)

	e, err := effect.Parse(got)
	require.NoError(t, err)
	require.Len(t, e.Bodies(), 2)
	assert.Equal(t, []int{0, 2, 4}, e.Bodies()[0].Permutations)
	b, err := e.Body(0)
	require.NoError(t, err)
	st := b.Techniques[0].Passes[0].Stages
	assert.Equal(t, []effect.StageType{effect.Pixel, effect.Vertex}, []effect.StageType{st[0].Type, st[1].Type}, "source order")
	assert.Equal(t, effect.RegSampler, st[0].Registers[0].Type, "reflection order")
	for _, s := range []string{"Tint\x00", "Main\x00", string(dxbc(0))} {
		assert.Equal(t, 1, bytes.Count(e.StringTable, []byte(s)), "%q", s)
	}
	assert.True(t, bytes.HasPrefix(e.StringTable, []byte("\x00")), "the empty text sorts first")
}

// A text and a blob of the same bytes are one entry of the table.
func TestTextAndBlobShareAnEntry(t *testing.T) {
	m := stages(effect.Stage{Program: []byte("Main\x00")})
	e := parsed(t, m)
	assert.Equal(t, []byte("Main\x00"), e.StringTable)
	b, err := e.Body(0)
	require.NoError(t, err)
	assert.Equal(t, []byte("Main\x00"), b.Techniques[0].Passes[0].Stages[0].Program)
	assert.Equal(t, uint32(0), b.Techniques[0].Passes[0].Stages[0].ProgramOffset)
}

// Odd but legal bytes of flags and floats come back as they were.
func TestRawBitsSurvive(t *testing.T) {
	f := built(t, everything())
	at := f.refTo(f.bodyAt(0), "AlbedoSampler")
	f.set8(at+4, 0x80)             // comparison
	f.set8(at+4+13+16+8, 2)        // isDynamic
	f.set32(at+4+7, 0x7f800001)    // a signalling NaN as LOD bias
	f.set32(at+4+13+4, 0x80000000) // -0 as green of the border
	f.set8(f.refTo(f.bodyAt(0), "Tint")+18, 0xff)
	e, err := effect.Parse(f.b)
	require.NoError(t, err)
	b, err := e.Body(0)
	require.NoError(t, err)
	s := b.Techniques[0].Passes[0].Stages[0].Samplers[0]
	assert.True(t, s.Comparison)
	assert.True(t, s.IsDynamic)
	assert.Equal(t, effect.Bits(0x7f800001), s.MipLODBias)
	assert.True(t, math.IsNaN(float64(s.MipLODBias.Float())))
	assert.Equal(t, effect.Bits(0x80000000), s.BorderColor[1])
	assert.True(t, b.Techniques[0].Passes[0].Stages[1].Constants[1].IsSRGB)
	out, err := e.Encode()
	require.NoError(t, err)
	assert.True(t, bytes.Equal(f.b, out))
	assert.Contains(t, mustJSON(t, e.Inspect("x")), `"mipLODBias":"0x7f800001"`)
}

func TestLargestTable(t *testing.T) {
	m := largest()
	b, err := effect.Build(m)
	require.NoError(t, err)
	e, err := effect.Parse(b)
	require.NoError(t, err)
	assert.Equal(t, effect.MaxPermutations, e.PermutationCount())
	require.Len(t, e.Bodies(), effect.MaxPermutations)
	assert.Equal(t, "body65535", e.Bodies()[65535].Key)
	for _, p := range []int{0, 1, 255, 256, 40000, 65535} {
		body, err := e.Body(p)
		require.NoError(t, err)
		assert.Equal(t, uint32(p), body.Techniques[0].Passes[0].States[0].Value)
		u := e.Bodies()[e.BodyOf(p)]
		assert.Equal(t, []int{p}, u.Permutations)
		assert.Equal(t, sha256.Sum256(b[u.Offset:u.Offset+u.Size]), u.SHA256)
	}
	out, err := e.Encode()
	require.NoError(t, err)
	assert.True(t, bytes.Equal(b, out))
}

// largest spans 65,536 permutations, each with a body of its own.
func largest() *effect.Model {
	m := &effect.Model{SourceHash: noHash}
	for i := range 16 {
		name := fmt.Sprintf("AXIS%d", i)
		m.Axes = append(m.Axes, effect.Axis{Name: name, Options: []string{name + "_OFF", name + "_ON"}})
	}
	for i := range effect.MaxPermutations {
		m.Bodies = append(m.Bodies, &effect.Body{Techniques: []effect.Technique{{Name: "Main", Passes: []effect.Pass{{States: []effect.RenderState{{State: 57, Value: uint32(i)}}}}}}})
	}
	return m
}

// Run with -race: bodies are decoded once, whoever asks first.
func TestConcurrentUse(t *testing.T) {
	c := bundled(t)
	e := c.parse(t, "decal/decal.sm_hi")
	got := make([][]*effect.Body, 8)
	var wg sync.WaitGroup
	for g := range got {
		wg.Go(func() {
			for i := range e.PermutationCount() {
				b, err := e.Body((i*7 + g*16) % e.PermutationCount())
				if err != nil {
					return
				}
				got[g] = append(got[g], b)
			}
			e.AllFindings()
			e.Inspect("x")
		})
	}
	wg.Wait()
	for g := range got {
		require.Len(t, got[g], e.PermutationCount())
		for i, b := range got[g] {
			want, err := e.Body((i*7 + g*16) % e.PermutationCount())
			require.NoError(t, err)
			assert.Same(t, want, b)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	c := bundled(b)
	for _, file := range []string{"quadv5.sm_hi", "decal/decal.sm_hi", "versions/v08/booster/trail.sm_hi"} {
		b.Run(file, func(b *testing.B) {
			data := c.read(b, file)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := effect.Parse(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("65536 bodies", func(b *testing.B) {
		data, err := effect.Build(largest())
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := effect.Parse(data); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkAllBodies(b *testing.B) {
	data := bundled(b).read(b, "quadv5.sm_hi")
	b.ReportAllocs()
	for b.Loop() {
		e, err := effect.Parse(data)
		if err != nil {
			b.Fatal(err)
		}
		for i := range e.Bodies() {
			if _, err := e.UniqueBody(i); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkInspect(b *testing.B) {
	e := bundled(b).parse(b, "quadv5.sm_hi")
	b.ReportAllocs()
	for b.Loop() {
		e.Inspect("quadv5.sm_hi")
	}
}

func BenchmarkBuild(b *testing.B) {
	m := largest()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := effect.Build(m); err != nil {
			b.Fatal(err)
		}
	}
}
