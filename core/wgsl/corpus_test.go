package wgsl_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/ir"
	"fxlens/core/wgsl"
	"fxlens/core/wgsl/layout"
	"fxlens/internal/corpus"
	"fxlens/internal/judge"
)

// translate runs the pipeline of one program.
func translate(t testing.TB, s *dxbc.Shader, opt wgsl.Options) (*ir.Function, *wgsl.Module, *layout.Plan, []diag.Diag) {
	t.Helper()
	f, ds, err := ir.Build(context.Background(), s, ir.BuildOptions{})
	require.NoError(t, err)
	if f == nil {
		return nil, nil, nil, ds
	}
	for _, p := range ir.Phases {
		p.Run(f)
	}
	ds = append(ds, ir.SettleBarriers(f)...)
	if d := ir.BarrierFlow(f); d != nil { // core/compile has the way out; see TestPipelines
		return f, nil, nil, append(ds, *d)
	}
	stage, _ := layout.StageOf(f.Kind)
	plan, pds := layout.New([]layout.StageInput{{Stage: stage, Func: f}}, layout.Options{})
	ds = append(ds, pds...)
	if plan == nil {
		return f, nil, nil, ds
	}
	m, eds := wgsl.Emit(f, plan, nil, opt)
	return f, m, plan, append(ds, eds...)
}

// TestCorpus translates every program at hand, in both numeric modes: each is
// refused with a reason, or compiles in Dawn without a message, says where every
// instruction went, and has tokens that tile its text.
func TestCorpus(t *testing.T) {
	all := corpus.Shaders(t)
	refusals := map[diag.Code]int{}
	var cases []judge.Case
	seen := map[string]bool{}
	instrs, statements, bytes := 0, 0, 0
	for i := range all {
		name := all[i].Name
		for _, numeric := range []wgsl.Numeric{wgsl.Default, wgsl.Exact} {
			f, m, _, ds := translate(t, all[i].Shader, wgsl.Options{Numeric: numeric})
			if m == nil {
				require.Truef(t, diag.HasErrors(ds), "%s: refused without a reason: %v", name, ds)
				for _, d := range ds {
					if d.Sev == diag.Error {
						refusals[d.Code]++
					}
				}
				continue
			}
			assert.Emptyf(t, wgsl.Coverage(f, m), "%s: instructions without text and fate", name)
			checkTokens(t, name, m)
			if numeric == wgsl.Default {
				for i := range f.Program.Instrs {
					if i >= len(f.Fates) || f.Fates[i] != ir.FateDecl {
						instrs++
					}
				}
				_, body, _ := strings.Cut(m.Code, "fn main(")
				statements += strings.Count(body, ";\n")
				bytes += len(m.Code)
			}
			if !seen[m.Code] {
				seen[m.Code] = true
				id := name
				if numeric == wgsl.Exact {
					id += " exact"
				}
				cases = append(cases, judge.Case{ID: id, Modules: []judge.Module{{Code: m.Code}}, Features: m.Requires.Features})
			}
		}
	}
	t.Logf("%d programs, %d modules; %.2f statements and %.0f bytes an instruction; refusals %v",
		len(all), len(cases), float64(statements)/float64(instrs), float64(bytes)/float64(instrs), refusals)
	judge.Check(t, cases)
}

// checkTokens checks that tokens are in order and leave only white space out.
func checkTokens(t *testing.T, name string, m *wgsl.Module) {
	t.Helper()
	at := uint32(0)
	for _, tok := range m.Tokens {
		if tok.Off < at || strings.TrimSpace(m.Code[at:tok.Off]) != "" {
			require.Failf(t, "tokens do not tile the text", "%s: at byte %d before %q", name, at, m.Code[tok.Off:tok.Off+tok.Len])
		}
		at = tok.Off + tok.Len
	}
	require.Emptyf(t, strings.TrimSpace(m.Code[at:]), "%s: text behind the last token", name)
}
