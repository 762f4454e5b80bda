package compile_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/effect"
	"fxlens/core/ir"
	"fxlens/core/wgsl"
	"fxlens/internal/corpus"
)

// relations are premises as text, kind first.
func relations(ps []ir.Premise) []string {
	var out []string
	for i := range ps {
		out = append(out, ps[i].Kind.String()+": "+ps[i].Short())
	}
	return out
}

// alone compiles one program of the HLSL suite as a pass of its own.
func alone(t *testing.T, name string, o *compile.Options) *compile.Stage {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(corpus.Root(t), "testdata/hlsl", name+".dxbc"))
	require.NoError(t, err)
	sh, err := dxbc.Open(b)
	require.NoError(t, err)
	p, err := new(compile.Compiler).Pass(context.Background(), &compile.PassInput{Stages: []compile.StageInput{{Kind: sh.Program.Kind, Program: b}}}, o)
	require.NoError(t, err)
	require.Equal(t, compile.Translated, p.Status, "%v", p.Stages[0].Diags)
	return p.Stages[0]
}

// TestPremises derives what the engine's programs take for granted. The lists are
// what their descriptions promise only under conditions (compatibility.md,
// "Compute programs"), read off the HLSL.
func TestPremises(t *testing.T) {
	auto := &compile.Options{Views: map[string]string{"*": "auto"}}
	for _, c := range []struct {
		name string
		want []string
	}{
		{"engine-set-draw-parameters", []string{
			"dispatch: groups.xyz == 1",
			"size: elements(u0) >= 5",
			"indirect: u0[0..4] is arguments",
		}},
		{"engine-set-sort-args", []string{
			"dispatch: groups.xyz == 1",
			"size: elements(u0) >= 4",
			"indirect: u0[0..3] is arguments",
		}},
		{"engine-skin-vertices", []string{
			"dispatch: groups.x >= ceil(cb3[2].x / 64)",
			"dispatch: groups.yz == 1",
			"size: elements(u0) >= 3 * cb3[2].x",
		}},
		{"engine-sort-step", []string{
			"dispatch: groups.yz == 1",
			"contents: u0 is initialised",
			"size: elements(t0) >= 4", // word 3 of the parameters
			"size: elements(u0) >= t0[3]",
		}},
		{"engine-sort-inner", []string{
			"dispatch: groups.x >= ceil(t0[3] / 512)", // 256 threads, two records each
			"dispatch: groups.yz == 1",
			"contents: u0 is initialised",
			"size: elements(t0) >= 4",
			"size: elements(u0) >= t0[3]",
		}},
		{"engine-create-histograms", []string{
			"dispatch: groups.x >= ceil(width(t0) / 16)",
			"dispatch: groups.y >= ceil(height(t0) / 16)",
			"dispatch: groups.x == uint(cb0[0].z)", // a row of tiles behind the other
			"dispatch: groups.z == 1",
			"constant: log2(cb0[0].y) * 0.693147 - (log2(cb0[0].x) * 0.693147) != 0",
			"constant: cb0[0].z is finite, 0 to 4294967295",
		}},
		{"engine-merge-histograms", []string{
			"dispatch: groups.x >= ceil((uint(cb0[0].x) * uint(cb0[0].y)) / 256)",
			"dispatch: groups.yz == 1",
			"contents: u0 is initialised",
			"size: elements(u0) >= 64",
			"constant: cb0[0].x is finite, 0 to 4294967295",
			"constant: cb0[0].y is finite, 0 to 4294967295",
		}},
		{"engine-clear-particles", []string{
			"dispatch: groups.xyz == 1",
			"contents: u1[0] is initialised",
			"size: elements(u2) >= 256 * (cb3[0].x >> 8)",
			"size: elements(u2) >= cb3[0].x",
			"constant: cb3[0].x >> 8 is small enough to finish",
			"constant: cb3[0].x is small enough to finish",
		}},
		{"alg-matrix-multiply", []string{
			"dispatch: groups.x == ceil(cb0[0].x / 16)",
			"dispatch: groups.z == 1",
			"constant: cb0[0].x is small enough to finish",
		}},
		{"alg-reduce-sum", []string{
			"dispatch: groups.x >= elements(u0)", // one result a group
			"dispatch: groups.yz == 1",
		}},
		{"alg-downsample", []string{
			"dispatch: groups.x >= ceil(width(u2) / 8)",
			"dispatch: groups.y >= ceil(height(u2) / 8)",
			"dispatch: groups.z == 1",
		}},
		{"alg-skin", []string{
			"dispatch: groups.x >= ceil(cb0[0].x / 64)",
			"dispatch: groups.yz == 1",
			"size: bytes(t4) >= 20 * cb0[0].x",
			"size: bytes(u7) >= 12 * cb0[0].x",
		}},
		{"cs-append-consume", []string{
			"dispatch: groups.x >= ceil(cb0[0].x / 64)",
			"dispatch: groups.yz == 1",
			"contents: u2 is initialised",
			"counter: counter(u2) <= elements(u2)",
			"counter: counter(u2) >= consumed(u2)",
			"counter: counter(u1) == 0",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := alone(t, c.name, auto)
			assert.Equal(t, c.want, relations(s.Premises))
			notes := map[diag.Code]int{}
			for _, d := range s.Diags {
				notes[d.Code]++
			}
			for i := range s.Premises {
				p := &s.Premises[i]
				assert.GreaterOrEqual(t, p.At.Index(), 0, "%s has no place", p.Short())
				if d, ok := p.Diag(); ok {
					assert.Positive(t, notes[d.Code], "%s is no diagnostic", p.Short())
				}
			}
		})
	}
	t.Run("exact conversions need no range", func(t *testing.T) {
		s := alone(t, "engine-merge-histograms", &compile.Options{Options: wgsl.Options{Numeric: wgsl.Exact}, Views: auto.Views})
		for _, p := range s.Premises {
			assert.NotEqual(t, ir.PremiseConstant, p.Kind, p.Short())
		}
	})
}

// TestWholeEffect looks at the particle clear of testdata/hlsl as an effect of two
// passes: the second proves the view that the first one stores through, and the
// first one is what the second one's counter starts from.
func TestWholeEffect(t *testing.T) {
	cs := func(name string, uavs ...effect.UAV) effect.Pass {
		b, err := os.ReadFile(filepath.Join(corpus.Root(t), "testdata/hlsl", name+".dxbc"))
		require.NoError(t, err)
		return effect.Pass{Stages: []effect.Stage{{Type: effect.Compute, Program: b, StageData: effect.StageData{UAVs: uavs}}}}
	}
	body := &effect.Body{Techniques: []effect.Technique{{Name: "Main", Passes: []effect.Pass{
		cs("engine-clear-counter", effect.UAV{Register: 0, Name: "ParticleCounters"}),
		cs("engine-clear-particles", effect.UAV{Register: 0, Name: "DeadBuffer"}, effect.UAV{Register: 1, Name: "ParticleCounters"}, effect.UAV{Register: 2, Name: "ParticleBuffer"}),
	}}}}
	tech := &body.Techniques[0]
	facts := compile.BodyFacts(body)
	c := &compile.Compiler{}
	pass := func(n int, whole bool) *compile.Pass {
		in := compile.EffectPass(&tech.Passes[n])
		if whole {
			facts.Apply(0, n, in)
		}
		p, err := c.Pass(context.Background(), in, &compile.Options{})
		require.NoError(t, err)
		return p
	}
	assert.Equal(t, compile.Refused, pass(0, false).Status, "nothing in the first program says what the view is")
	first := pass(0, true)
	require.Equal(t, compile.Translated, first.Status, "%v", first.Stages[0].Diags)
	require.Len(t, first.Plan.Bindings, 1)
	assert.Equal(t, "R32_SINT", first.Plan.Bindings[0].Format)
	assert.Equal(t, "proof", first.Plan.Bindings[0].FormatFrom)
	assert.Equal(t, []string{"dispatch: groups.xyz == 1"}, relations(first.Stages[0].Premises))

	has := func(p *compile.Pass, k ir.PremiseKind) []string {
		var out []string
		for i := range p.Stages[0].Premises {
			if q := &p.Stages[0].Premises[i]; q.Kind == k {
				out = append(out, q.Name+" "+q.Relation+" "+q.Value)
			}
		}
		return out
	}
	assert.Equal(t, []string{"ParticleCounters is initialised"}, has(pass(1, false), ir.PremiseContents))
	second := pass(1, true)
	require.Equal(t, compile.Translated, second.Status, "%v", second.Stages[0].Diags)
	assert.Empty(t, has(second, ir.PremiseContents), "the first pass does it")
	assert.Equal(t, []string{"ParticleCounters after Main/0"}, has(second, ir.PremiseOrder))
	order := second.Stages[0].Premises[1]
	assert.Equal(t, "Main/0", order.Pass)
	d, ok := order.Diag()
	require.True(t, ok)
	assert.Equal(t, diag.Code("premise.order"), d.Code)
	assert.Equal(t, diag.Note, d.Sev)
	assert.Equal(t, order.At, d.At)
	assert.Equal(t, order.Short()+": "+order.Text, d.Text)
	assert.Equal(t, "run the passes in this order, on one queue, with the same buffers bound", d.Remedy)
	assert.Contains(t, second.Stages[0].Diags, d, "the stage says so")
}

// TestCompanions says which passes write what a pass binds: earlier ones of its
// technique, and those of others.
func TestCompanions(t *testing.T) {
	writer := assemble(t, "cs_5_0\ndcl_globalFlags refactoringAllowed\ndcl_uav_raw u0\ndcl_input vThreadID.x\ndcl_thread_group 8, 1, 1\nstore_raw u0.x, vThreadID.x, l(1)\nret\n")
	reader := assemble(t, "cs_5_0\ndcl_globalFlags refactoringAllowed\ndcl_resource_raw t1\ndcl_uav_raw u0\ndcl_input vThreadID.x\ndcl_temps 1\ndcl_thread_group 8, 1, 1\nld_raw r0.x, vThreadID.x, t1.xxxx\nstore_raw u0.x, vThreadID.x, r0.x\nret\n")
	stage := func(program []byte, d effect.StageData) effect.Stage {
		return effect.Stage{Type: effect.Compute, Program: program, StageData: d}
	}
	w := stage(writer, effect.StageData{UAVs: []effect.UAV{{Register: 0, Name: "Data"}}})
	r := stage(reader, effect.StageData{UAVs: []effect.UAV{{Register: 0, Name: "Out"}}, Textures: []effect.Texture{{Register: 1, Name: "Data"}}})
	one := func(s effect.Stage) effect.Pass { return effect.Pass{Stages: []effect.Stage{s}} }
	body := &effect.Body{Techniques: []effect.Technique{
		{Name: "A", Passes: []effect.Pass{one(r), one(w), one(r)}},
		{Name: "B", Passes: []effect.Pass{one(w)}},
	}}
	f := compile.BodyFacts(body)
	at := func(tech, pass int) *compile.PassInput {
		in := compile.EffectPass(&body.Techniques[tech].Passes[pass])
		f.Apply(tech, pass, in)
		return in
	}
	assert.Equal(t, []compile.Companion{{Parameter: "Data", Pass: "B/0"}, {Parameter: "Out", Pass: "A/0", Earlier: true}}[:1], at(0, 0).Companions, "what comes later is no companion")
	in := at(0, 2)
	assert.Equal(t, []compile.Companion{{"Data", "A/1", true}, {"Data", "B/0", false}, {"Out", "A/0", true}}, in.Companions)
	assert.NotEqual(t, at(0, 0).Key(&compile.Options{}, nil), in.Key(&compile.Options{}, nil), "equal passes with other companions are told apart")

	p, err := new(compile.Compiler).Pass(context.Background(), in, &compile.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{
		"dispatch: groups.x >= ceil(bytes(u0) / 8)",
		"dispatch: groups.yz == 1",
		"order: t1 after A/1",
		"order: t1 shared with B/0",
	}, relations(p.Stages[0].Premises))
}

// TestPremisesOfWriters has buffers of arguments beside other stores, and what a
// consumer needs at least, as programs of its own.
func TestPremisesOfWriters(t *testing.T) {
	const head = "cs_5_0\ndcl_globalFlags refactoringAllowed\ndcl_constantbuffer CB0[1], immediateIndexed\n"
	for _, c := range []struct {
		name, program string
		kind          ir.PremiseKind
		want          []string
	}{
		{"arguments at the start and where the caller says", head + `dcl_uav_raw u1
dcl_temps 1
dcl_thread_group 1, 1, 1
store_raw u1.xyzw, l(0), cb0[0].xyyy
store_raw u1.xyzw, cb0[0].z, cb0[0].xyyy
iadd r0.x, cb0[0].z, l(16)
store_raw u1.x, r0.x, l(0)
ret
`, ir.PremiseIndirect, []string{"indirect: u1[0..3] is arguments", "indirect: u1[cb0[0].z / 4 + 0..4] is arguments"}},
		{"records by number", head + `dcl_uav_raw u1
dcl_temps 1
dcl_thread_group 1, 1, 1
store_raw u1.xyz, l(0), cb0[0].xyyx
imul null, r0.x, cb0[0].z, l(12)
store_raw u1.xyz, r0.x, cb0[0].xyyx
ret
`, ir.PremiseIndirect, []string{"indirect: u1[0..2] is arguments", "indirect: u1[3 * cb0[0].z + 0..2] is arguments"}},
		{"a word past the arguments", head + `dcl_uav_raw u1
dcl_temps 1
dcl_thread_group 1, 1, 1
store_raw u1.xyz, l(0), cb0[0].xyyx
store_raw u1.x, l(16), cb0[0].x
ret
`, ir.PremiseIndirect, nil},
		{"data by thread", head + `dcl_uav_raw u1
dcl_input vThreadID.x
dcl_temps 1
dcl_thread_group 64, 1, 1
store_raw u1.xyz, l(0), cb0[0].xyyx
ishl r0.x, vThreadID.x, l(2)
store_raw u1.x, r0.x, l(7)
ret
`, ir.PremiseIndirect, nil},
		{"every thread consumes", head + `dcl_uav_structured_opc u2, 4
dcl_uav_raw u1
dcl_temps 1
dcl_thread_group 8, 4, 1
imm_atomic_consume r0.x, u2
ld_structured_indexable(structured_buffer, stride=4)(mixed,mixed,mixed,mixed) r0.x, r0.x, l(0), u2.xxxx
imm_atomic_consume r0.y, u2
ld_structured_indexable(structured_buffer, stride=4)(mixed,mixed,mixed,mixed) r0.y, r0.y, l(0), u2.xxxx
iadd r0.x, r0.x, r0.y
store_raw u1.x, l(0), r0.x
ret
`, ir.PremiseCounter, []string{"counter: counter(u2) <= elements(u2)", "counter: counter(u2) >= 64 * (groups.x * groups.y * groups.z)"}},
		{"behind an early return", head + `dcl_uav_structured_opc u2, 4
dcl_uav_raw u1
dcl_input vThreadID.x
dcl_temps 1
dcl_thread_group 8, 1, 1
uge r0.x, vThreadID.x, cb0[0].x
if_nz r0.x
  ret
endif
imm_atomic_consume r0.x, u2
ld_structured_indexable(structured_buffer, stride=4)(mixed,mixed,mixed,mixed) r0.x, r0.x, l(0), u2.xxxx
store_raw u1.x, l(0), r0.x
ret
`, ir.PremiseCounter, []string{"counter: counter(u2) <= elements(u2)", "counter: counter(u2) >= consumed(u2)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := compileOne(t, assemble(t, c.program), &compile.Options{})
			require.Equal(t, compile.Translated, p.Status, "%v", p.Stages[0].Diags)
			var got []string
			for _, q := range p.Stages[0].Premises {
				if q.Kind == c.kind {
					got = append(got, q.Kind.String()+": "+q.Short())
				}
			}
			assert.Equal(t, c.want, got)
		})
	}
}
