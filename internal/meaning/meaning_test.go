package meaning

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/wgsl"
	"fxlens/internal/corpus"
	"fxlens/internal/judge"
)

// refusals are the diagnostics by which a compute program of testdata/hlsl may be
// refused, and whether the bytecode still has a result to compare.
var refusals = map[string]struct {
	result bool
	why    string
}{
	"bind.texture-atomic": {true, "core WebGPU has no atomics on textures"},
	"wgsl.double":         {true, "WGSL has no double precision"},
	"lower.endless-loop":  {false, "the program does not end"},
}

type key struct{ source, entry string }

// variants are the compute programs of the manifest by HLSL entry.
func variants(t *testing.T) map[key][]corpus.Program {
	t.Helper()
	out := map[key][]corpus.Program{}
	for _, p := range corpus.HLSL(t, "cs") {
		k := key{p.Source, p.Entry}
		out[k] = append(out[k], p)
	}
	return out
}

// TestComplete has a meaning for every compute entry of the manifest, on inputs of
// all three kinds, and none for what is not there.
func TestComplete(t *testing.T) {
	have := map[key]bool{}
	for i := range Programs {
		p := &Programs[i]
		k := key{p.Source, p.Entry}
		assert.False(t, have[k] && p.Classes == nil, "%v stands twice", k)
		have[k] = true
		kinds, names := map[Kind]bool{}, map[string]bool{}
		for _, in := range p.Inputs {
			kinds[in.Kind] = true
			assert.False(t, names[in.Kind.String()+in.Name], "%v: two inputs are called %s %q", k, in.Kind, in.Name)
			names[in.Kind.String()+in.Name] = true
		}
		assert.Len(t, kinds, 3, "%v: inputs of all kinds", k)
		assert.Equal(t, p.Check != nil && p.Order == "", false, "%v: a check without the order that it is about", k)
	}
	c := &compile.Compiler{}
	for k, all := range variants(t) {
		if have[k] {
			delete(have, k)
			continue
		}
		for _, v := range all {
			status, code := refused(t, c, v, &compile.Options{Views: map[string]string{"*": "auto"}})
			r, ok := refusals[code]
			assert.True(t, status && ok && !r.result, "%s: internal/meaning does not say what %s of %s gives", v.Name, k.entry, k.source)
		}
	}
	assert.Empty(t, have, "entries that the manifest does not have")
}

func pass(t *testing.T, c *compile.Compiler, v corpus.Program, o *compile.Options) *compile.Pass {
	t.Helper()
	p, err := c.Pass(context.Background(), &compile.PassInput{Stages: []compile.StageInput{{Kind: dxbc.Compute, Program: v.DXBC}}}, o)
	require.NoError(t, err, v.Name)
	return p
}

func refused(t *testing.T, c *compile.Compiler, v corpus.Program, o *compile.Options) (bool, string) {
	t.Helper()
	s := pass(t, c, v, o).Stages[0]
	if s.Status != compile.Refused {
		return false, ""
	}
	return true, refusal(s)
}

// refusal is the code of the first error.
func refusal(s *compile.Stage) string {
	for _, d := range s.Diags {
		if d.Sev == diag.Error {
			return string(d.Code)
		}
	}
	return ""
}

// verdict compares a result with what the program means.
func verdict(p *Program, in, want, got *World, uavs []string) (int, []string) {
	n, diffs := want.Compare(got, uavs)
	if p.Check != nil && len(diffs) == 0 {
		if err := p.Check(in, got); err != nil {
			diffs = append(diffs, err.Error())
		}
	}
	return n, diffs
}

// TestInterpreter compares core/interp with the meanings, every variant on every input.
func TestInterpreter(t *testing.T) {
	all := variants(t)
	words, runs := 0, 0
	for i := range Programs {
		p := &Programs[i]
		if p.Classes != nil {
			continue // the interpreter runs interface calls of no class
		}
		for _, v := range all[key{p.Source, p.Entry}] {
			s, err := dxbc.Open(v.DXBC)
			require.NoError(t, err, v.Name)
			for _, in := range p.Inputs {
				id := fmt.Sprintf("%s: %s %s", v.Name, in.Kind, in.Name)
				before, want := in.World(), in.World()
				p.Run(want)
				got, uavs, err := Interpret(context.Background(), s, p.Views, before)
				require.NoError(t, err, id)
				n, diffs := verdict(p, before, want, got, uavs)
				assert.Empty(t, diffs, id)
				assert.NotZero(t, n, id)
				words, runs = words+n, runs+1
			}
		}
	}
	t.Logf("%d entries, %d runs, %d words compared", len(Programs), runs, words)
}

// TestDawn compares what SwiftShader makes of our WGSL with the meanings. Variants
// whose modules are equal run once.
func TestDawn(t *testing.T) {
	type trial struct {
		p        *Program
		in, want *World
		uavs     []string
	}
	all, c := variants(t), &compile.Compiler{}
	var jobs []judge.Job
	var trials []trial
	modules, translated := 0, map[string]bool{}
	out := map[string]int{}
	for i := range Programs {
		p := &Programs[i]
		for _, exact := range []bool{false, true} {
			if !slices.ContainsFunc(p.Inputs, func(in Input) bool { return in.Exact == exact }) {
				continue
			}
			seen := map[string]bool{}
			for _, v := range all[key{p.Source, p.Entry}] {
				o := p.options()
				if exact {
					o.Numeric = wgsl.Exact
				}
				ps := pass(t, c, v, o)
				st := ps.Stages[0]
				if st.Status == compile.Refused {
					_, ok := refusals[refusal(st)]
					require.True(t, ok, "%s is refused: %v", v.Name, st.Diags)
					out[refusals[refusal(st)].why]++
					continue
				}
				require.Equal(t, compile.Translated, st.Status, v.Name)
				translated[v.Name] = true
				if seen[st.Module.Code] {
					continue
				}
				seen[st.Module.Code] = true
				if os.Getenv("FXLENS_VK_ICD") == "" && st.Module.Requires.Limits["maxComputeWorkgroupStorageSize"] > 16384 {
					out["SwiftShader takes minutes for more than 16 KiB of groupshared memory"]++
					continue
				}
				modules++
				for _, in := range p.Inputs {
					if in.Exact != exact {
						continue
					}
					x := trial{p: p, in: in.World(), want: in.World()}
					p.Run(x.want)
					job, err := Job(fmt.Sprintf("%s: %s %s", v.Name, in.Kind, in.Name), ps, x.in)
					require.NoError(t, err, v.Name)
					for _, b := range job.Buffers {
						if b.Read {
							x.uavs = append(x.uavs, b.Name)
						}
					}
					for _, b := range job.Textures {
						if b.Read {
							x.uavs = append(x.uavs, b.Name)
						}
					}
					jobs, trials = append(jobs, job), append(trials, x)
				}
			}
		}
	}
	words, ran := 0, 0
	for i, o := range judge.Run(t, jobs) {
		x := trials[i]
		if o.Skipped != "" {
			out[o.Skipped]++
			continue
		}
		if !assert.True(t, o.Ran, o.String()) {
			continue
		}
		n, diffs := verdict(x.p, x.in, x.want, Result(o, x.in), x.uavs)
		assert.Empty(t, diffs, o.ID)
		assert.NotZero(t, n, o.ID)
		words, ran = words+n, ran+1
	}
	t.Logf("%d variants, %d modules, %d of %d dispatches ran, %d words compared; not run: %v", len(translated), modules, ran, len(jobs), words, out)
}
