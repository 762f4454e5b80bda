package semantics

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/dxbc"
	"fxlens/core/wgsl"
	"fxlens/internal/judge"
	"fxlens/internal/judge/passcase"
)

// program is one compute program in D3D assembly with what it must leave in u0.
type program struct {
	name string
	decl string // further declarations, one a line
	body string // instructions; ret is added
	in   []uint32
	out  []uint32
	// threads is the size of the group, 1 when zero.
	threads int
	exact   bool // run in the exact numeric mode too
	only    bool // exact mode only
	temps   int
	// more are further buffers by symbol with what they hold first; after is what
	// they must hold in the end.
	more  map[string][]uint32
	after map[string][]uint32
	views map[string]string
	label string // text behind the main ret: subroutines
}

func (p *program) text() string {
	var b strings.Builder
	b.WriteString("cs_5_0\ndcl_globalFlags refactoringAllowed\n")
	b.WriteString(p.decl)
	if p.decl != "" && !strings.HasSuffix(p.decl, "\n") {
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "dcl_resource_raw t0\ndcl_uav_raw u0\ndcl_input vThreadIDInGroupFlattened\ndcl_temps %d\ndcl_thread_group %d, 1, 1\n", max(p.temps, 10), max(p.threads, 1))
	b.WriteString(strings.TrimSpace(p.body) + "\nret\n")
	b.WriteString(p.label)
	return b.String()
}

// translate compiles the program.
func translate(t *testing.T, p *program, exact bool) *compile.Pass {
	t.Helper()
	code, err := dxbc.Assemble(p.text(), nil)
	require.NoError(t, err, p.name)
	opt := compile.Options{Views: p.views}
	if exact {
		opt.Numeric = wgsl.Exact
	}
	c := &compile.Compiler{}
	pass, err := c.Pass(context.Background(), &compile.PassInput{Stages: []compile.StageInput{{Kind: dxbc.Compute, Program: code}}}, &opt)
	require.NoError(t, err, p.name)
	return pass
}

// run executes the programs on SwiftShader and compares u0.
func run(t *testing.T, programs []program) {
	t.Helper()
	type item struct {
		p    *program
		code string
	}
	var jobs []judge.Job
	var items []item
	for i := range programs {
		p := &programs[i]
		for _, exact := range []bool{false, true} {
			if exact && !p.exact && !p.only || !exact && p.only {
				continue
			}
			pass := translate(t, p, exact)
			s := pass.Stages[0]
			if !assert.NotNil(t, s.Module, "%s: %v %v", p.name, s.Diags, pass.Diags) {
				continue
			}
			id := p.name
			if exact {
				id += " (exact)"
			}
			job := judge.Job{ID: id, Buffers: []judge.Buffer{
				{Name: "t0", Data: judge.Words(p.in...), Size: max(4*len(p.in), 16)},
				{Name: "u0", Size: max(4*len(p.out), 16), Read: true},
			}}
			for _, n := range slices.Sorted(maps.Keys(p.more)) {
				job.Buffers = append(job.Buffers, judge.Buffer{Name: n, Data: judge.Words(p.more[n]...), Read: p.after[n] != nil})
			}
			entries := passcase.Of(id, pass)[0].Layout
			jp := judge.Pass{Modules: []judge.Module{{Stage: judge.Compute, EntryPoint: s.Module.EntryPoint, Code: s.Module.Code}}, Layout: entries, Dispatch: []uint32{1, 1, 1}}
			for i := range pass.Plan.Bindings {
				b := &pass.Plan.Bindings[i]
				jp.Bind = append(jp.Bind, judge.Bind{Group: b.Group, Binding: b.Binding, Resource: b.Symbol})
			}
			job.Passes = []judge.Pass{jp}
			jobs = append(jobs, job)
			items = append(items, item{p, s.Module.Code})
		}
	}
	for i, o := range judge.Run(t, jobs) {
		p := items[i].p
		if !assert.True(t, o.Ran, "%s\n%s", o, items[i].code) {
			continue
		}
		for _, n := range slices.Sorted(maps.Keys(p.after)) {
			if !assert.Equal(t, hex(p.after[n]), hex(judge.AsWords(o.Outputs[n])), "%s: %s", o.ID, n) {
				t.Logf("%s\n%s", p.text(), items[i].code)
			}
		}
		got := judge.AsWords(o.Outputs["u0"])[:len(p.out)]
		if !assert.Equal(t, hex(p.out), hex(got), o.ID) {
			t.Logf("%s\n%s", p.text(), items[i].code)
		}
	}
}

func hex(w []uint32) string {
	s := make([]string, len(w))
	for i := range w {
		s[i] = fmt.Sprintf("%08x", w[i])
	}
	return strings.Join(s, " ")
}
