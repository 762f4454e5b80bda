package effect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/diag"
	"fxlens/core/effect"
)

// lines returns the findings as text without remedies.
func lines(ds []diag.Diag) []string {
	var out []string
	for _, d := range ds {
		at := ""
		if s := d.At.String(); s != "" {
			at = s + ": "
		}
		out = append(out, fmt.Sprintf("%s%s: %s [%s]", at, d.Sev, d.Text, d.Code))
	}
	return out
}

func TestFindings(t *testing.T) {
	const vs = "#Main/0/vs: warning: "
	stage := func(change func(s *effect.Stage)) *effect.Model {
		s := effect.Stage{Type: effect.Vertex, Program: dxbc(1)}
		change(&s)
		return stages(s)
	}
	texture := func(reg uint8, elements uint32) effect.Texture {
		return effect.Texture{Register: reg, Name: "Map", Type: effect.ResTexture2D, Elements: elements}
	}
	srv := func(index, count uint32, space uint8) effect.Register {
		return effect.Register{Type: effect.RegSRVTexture2D, Index: index, Count: count, Space: space}
	}
	good := effect.DefaultSamplerState
	cases := []struct {
		name  string
		model *effect.Model
		want  []string
	}{
		{"nothing", minimal(), nil},
		{"everything that is in order", func() *effect.Model {
			m := everything()
			for _, b := range m.Bodies {
				b.Techniques = b.Techniques[:1]
			}
			return m
		}(), nil},
		{"library", everything(), []string{"?BLEND=BLEND_OFF&QUALITY=QUALITY_LOW#Trace/0: note: library 0 (9 bytes, 2 exports) is not translated [effect.library]"}},
		{"source hash", func() *effect.Model {
			m := minimal()
			m.SourceHash = strings.Repeat("F", 32)
			return m
		}(), []string{`+0x8: note: the source hash is "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF" [effect.source-hash]`}},
		{"axis type", func() *effect.Model {
			m := minimal()
			m.Axes = []effect.Axis{{Name: "A", Type: 7, Options: []string{"X"}}}
			return m
		}(), []string{`+0x40: warning: axis "A" has type 7 [effect.axis-type]`}},
		{"states", func() *effect.Model {
			m := minimal()
			m.Bodies[0].Techniques[0].Passes[0].States = []effect.RenderState{{State: 1000, Value: 1}, {State: 19, Value: 18}, {State: 27, Value: 2}, {State: 168, Value: 16}, {State: 57, Value: 1 << 31}}
			return m
		}(), []string{
			"#Main/0: warning: SrcBlend has the value 18 (0x12) [effect.state-value]",
			"#Main/0: warning: AlphaBlendEnable has the value 2 (0x2) [effect.state-value]",
			"#Main/0: warning: ColorWriteEnable has the value 16 (0x10) [effect.state-value]",
			"#Main/0: warning: render state 1000 with value 1 (0x1) [effect.unknown-state]",
		}},
		{"no program", stage(func(s *effect.Stage) { s.Program = nil }), []string{vs + "the vertex stage has no program [effect.no-program]"}},
		{"foreign program", stage(func(s *effect.Stage) { s.Program = []byte("metal") }), []string{vs + "the vertex program of 5 bytes is of kind other [effect.foreign-program]"}},
		{"program of another stage", stage(func(s *effect.Stage) { s.Program = dxbc(3) }), []string{vs + "the record says vertex, the program hull [effect.stage-mismatch]"}},
		{"thread group of a vertex stage", stage(func(s *effect.Stage) { s.ThreadGroup = [3]uint32{1, 1, 1} }), []string{vs + "the vertex stage has a thread group of 1, 1, 1 [effect.thread-group]"}},
		{"thread group too large", stage(func(s *effect.Stage) {
			s.Type, s.Program, s.ThreadGroup = effect.Compute, dxbc(5), [3]uint32{1024, 2, 1}
		}), []string{"#Main/0/cs: warning: the compute stage has a thread group of 1024, 2, 1 [effect.thread-group]"}},
		{"inputs", stage(func(s *effect.Stage) { s.Inputs = []effect.PipelineInput{{Usage: 8, Type: 5}} }), []string{
			vs + "pipeline input 0 has usage 8 [effect.unknown-value]", vs + "pipeline input 0 has type 5 [effect.unknown-value]"}},
		{"texture without register", stage(func(s *effect.Stage) { s.Textures = []effect.Texture{texture(0, 1)} }), []string{
			vs + `resource "Map" at t0 is not in the register list [effect.register-map]`}},
		{"texture in two spaces", stage(func(s *effect.Stage) {
			s.Textures = []effect.Texture{texture(0, 1)}
			s.Registers = []effect.Register{srv(0, 1, 0), srv(0, 1, 4)}
		}), []string{vs + `resource "Map" at t0 could be any of 2 registers (spaces 0 and 4) [effect.register-map]`}},
		{"texture of another size", stage(func(s *effect.Stage) {
			s.Textures = []effect.Texture{texture(1, 2)}
			s.Registers = []effect.Register{srv(257, 3, 0)}
		}), []string{vs + `resource "Map" at t1 has 2 elements, the register list 3 [effect.register-map]`}},
		{"UAV without register", stage(func(s *effect.Stage) {
			s.UAVs = []effect.UAV{{Name: "Out", Type: effect.ResRWTyped, Elements: 1}}
			s.Registers = []effect.Register{srv(0, 1, 0)}
		}), []string{vs + `UAV "Out" at u0 is not in the register list [effect.register-map]`}},
		{"sampler in two spaces", stage(func(s *effect.Stage) {
			s.Samplers = []effect.Sampler{{Name: "S", SamplerState: good, IsDynamic: true}}
			s.Registers = []effect.Register{{Type: effect.RegSampler, Count: 1}, {Type: effect.RegSampler, Count: 1, Space: 1}}
		}), []string{vs + `sampler "S" at s0 could be any of 2 registers [effect.register-map]`}},
		{"ranges", stage(func(s *effect.Stage) {
			s.Registers = []effect.Register{srv(0, 8, 0), srv(2, 1, 0), srv(5, 1, 0), srv(8, 1, 0), srv(7, 1, 1), srv(0xffffffff, 2, 1),
				{Type: effect.RegConstantBuffer}, {Type: 200}}
		}), []string{
			vs + "t4294967295 in space 1 with 2 registers ends beyond 2^32 [effect.register-range]",
			vs + "constant buffer b0 in space 0 is unbounded [effect.register-range]",
			vs + "register 7 of the list has type 200 [effect.unknown-value]",
			vs + "the range of t2 in space 0 overlaps that of t0 in space 0 [effect.register-range]",
			vs + "the range of t5 in space 0 overlaps that of t0 in space 0 [effect.register-range]",
		}},
		{"static samplers", stage(func(s *effect.Stage) {
			bad := good
			bad.MinFilter, bad.AddressV, bad.ComparisonFunc = 4, 0, 9
			s.StaticSamplers = []effect.StaticSampler{{Index: 1, SamplerState: good}, {Index: 1, SamplerState: bad, BorderColor: 3}}
		}), []string{
			vs + "static sampler s1 in space 0 stands twice [effect.register-range]",
			vs + "static sampler s1 in space 0 has filter 4 [effect.unknown-value]",
			vs + "static sampler s1 in space 0 has address mode 0 [effect.unknown-value]",
			vs + "static sampler s1 in space 0 has comparison function 9 [effect.unknown-value]",
			vs + "static sampler s1 in space 0 has border colour 3, read as transparent black [effect.unknown-value]",
		}},
		{"constants", stage(func(s *effect.Stage) {
			s.Constants = []effect.Constant{{Name: "A", Size: 4, Dimension: 1}, {Name: "A", Size: 4, Dimension: 1, Type: 5}, {Name: "", Size: 0, Dimension: 1},
				{Name: "B", Size: 4}, {Name: "C", Offset: 4093, Size: 4, Dimension: 1}, {Name: "D", Offset: 4092, Size: 4, Dimension: 1}}
			s.Defaults = make([]byte, 4097)
		}), []string{
			vs + `constant "A" occurs twice, as number 0 and 1 [effect.repeated-name]`,
			vs + `constant "A" has type 5 [effect.unknown-value]`,
			vs + `constant has an empty name [effect.empty-name]`,
			vs + `constant "" has no bytes [effect.constant]`,
			vs + `constant "B" has dimension 0 [effect.constant]`,
			vs + `constant "C" ends at 4097, readers keep 4096 bytes [effect.constant]`,
			vs + `4097 bytes of defaults, readers keep 4096 [effect.defaults]`,
		}},
		{"annotations", func() *effect.Model {
			m := minimal()
			m.Bodies[0].Groups = []effect.ParameterGroup{{Name: "P", Annotations: []effect.Annotation{{Name: "A"}, {Name: "A", Type: 4}, {}}}}
			return m
		}(), []string{
			`warning: parameter P: annotation "A" occurs twice, as number 1 and 2 [effect.repeated-name]`,
			`warning: parameter P: annotation has an empty name [effect.empty-name]`,
			`warning: parameter P: annotation "A" has type 4 [effect.unknown-value]`,
		}},
		{"techniques", func() *effect.Model {
			m := minimal()
			m.Bodies[0].Techniques = append(m.Bodies[0].Techniques, m.Bodies[0].Techniques[0])
			return m
		}(), []string{`warning: technique "Main" occurs twice, as number 0 and 1 [effect.repeated-name]`}},
		{"exports", func() *effect.Model {
			m := minimal()
			m.Bodies[0].Techniques[0].Libraries = []effect.Library{{Exports: []effect.Export{{Type: 1, Name: "A"}, {Type: 1, Name: "B"}, {Type: 9, Name: ""}}}}
			return m
		}(), []string{
			"#Main/0: note: library 0 (0 bytes, 3 exports) is not translated [effect.library]",
			`#Main/0: warning: library 0 has two miss exports, the last is "B" so far [effect.repeated-name]`,
			`#Main/0: warning: library 0 export "" has type 9 [effect.unknown-value]`,
			`#Main/0: warning: library 0 export has an empty name [effect.empty-name]`,
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			e := parsed(t, c.model)
			assert.Equal(t, c.want, lines(e.Findings(0)))
			assert.Nil(t, e.Findings(-1))
			for _, d := range e.AllFindings() {
				assert.NotEqual(t, diag.Error, d.Sev)
				_, ok := diag.Lookup(d.Code)
				assert.True(t, ok)
			}
		})
	}
}

// Versions before 10 have no exact register list to compare with; the check must
// not report what the format cannot say.
func TestFindingsOfOldVersions(t *testing.T) {
	c := bundled(t)
	for _, v := range []string{"08", "09", "10", "11", "12", "13", "14"} {
		assert.Empty(t, c.parse(t, "versions/v"+v+"/booster/trail.sm_hi").AllFindings(), v)
	}
}

func TestEqualBodiesStoredTwice(t *testing.T) {
	m := everything()
	f := built(t, m)
	// The second body becomes a copy of the first.
	copy(f.b[f.bodyAt(1):], f.b[f.bodyAt(0):f.bodyAt(1)])
	e, err := effect.Parse(f.b)
	require.NoError(t, err)
	require.Len(t, e.Bodies(), 1)
	assert.Equal(t, []int{0, 1, 2, 3, 4, 5}, e.Bodies()[0].Permutations)
	a, err := e.Body(0)
	require.NoError(t, err)
	b, err := e.Body(1)
	require.NoError(t, err)
	assert.Same(t, a, b)
	got := lines(e.Findings(1))
	require.NotEmpty(t, got)
	assert.Equal(t, fmt.Sprintf("+0x%x: note: the body of permutation 1 at %d equals body0 at %d [effect.stored-twice]", f.bodyAt(1), f.bodyAt(1), f.bodyAt(0)), got[0])
	out, err := e.Encode()
	require.NoError(t, err)
	assert.Equal(t, f.b, out, "a rewritten file keeps both")
}

// A file made to have a finding in every few bytes gets a bounded list.
func TestFindingsAreBounded(t *testing.T) {
	m := minimal()
	for i := range 200 {
		g := effect.ParameterGroup{Name: fmt.Sprintf("G%03d", i)}
		for j := range 250 {
			g.Annotations = append(g.Annotations, effect.Annotation{Name: fmt.Sprintf("A%03d", j), Type: 9})
		}
		m.Bodies[0].Groups = append(m.Bodies[0].Groups, g)
	}
	assert.Len(t, parsed(t, m).AllFindings(), 1000)
}
