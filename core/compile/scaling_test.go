package compile_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/dxbc"
	"fxlens/core/ir"
	"fxlens/core/wgsl"
	"fxlens/core/wgsl/layout"
	"fxlens/internal/heap"
)

// shapes are programs of a given number of instructions, each a worry of its own:
// one long block, many joins, many loops, a deep nest, a long loop, many values
// that live through all of it, one loop or branch that carries them all, and an
// indexable temp that everything goes through.
var shapes = []struct {
	name string
	body func(n int) string
}{
	{"block", func(n int) string {
		return repeated(n, "mad r%[1]d.xyzw, r%[2]d.yzwx, v0.xyzw, r%[1]d.xyzw\n", 1)
	}},
	{"branches", func(n int) string {
		return repeated(n, "lt r%[1]d.x, r%[2]d.y, l(0.5)\nif_nz r%[1]d.x\nadd r%[2]d.xy, r%[2]d.xyxx, v0.xyxx\nelse\nmul r%[2]d.zw, r%[1]d.xxyx, v0.zzzw\nendif\n", 6)
	}},
	{"loops", func(n int) string {
		return repeated(n, "mov r%[1]d.x, l(0)\nloop\nige r%[1]d.y, r%[1]d.x, l(4)\nbreakc_nz r%[1]d.y\nadd r%[2]d.xyz, r%[2]d.yzxx, v0.xyzx\niadd r%[1]d.x, r%[1]d.x, l(1)\nendloop\n", 7)
	}},
	{"nested", func(n int) string {
		depth := min(100, max(1, n/6))
		open := repeated(3*depth, "lt r%[1]d.x, r%[2]d.y, v0.x\nif_nz r%[1]d.x\nadd r%[2]d.xyzw, r%[2]d.xyzw, v0.xyzw\n", 3)
		fill := repeated(n-6*depth, "mad r%[1]d.xyzw, r%[2]d.yzwx, v0.xyzw, r%[1]d.xyzw\n", 1)
		return open + fill + strings.Repeat("endif\n", depth)
	}},
	{"in-a-loop", func(n int) string {
		return "mov r0.x, l(0)\nloop\nige r0.y, r0.x, l(4)\nbreakc_nz r0.y\n" +
			repeated(n, "lt r%[1]d.x, r%[2]d.y, l(0.5)\nif_nz r%[1]d.x\nadd r%[2]d.xy, r%[2]d.xyxx, v0.xyxx\nendif\nmul r%[2]d.zw, r%[1]d.xxyx, v0.zzzw\n", 5) +
			"iadd r0.x, r0.x, l(1)\nendloop\n"
	}},
	{"long-lives", func(n int) string {
		var b strings.Builder
		for i := range min(n/2, 3000) {
			fmt.Fprintf(&b, "mul r%d.xyzw, v0.xyzw, l(%d.0, 2.0, 3.0, 4.0)\n", i+2, i)
		}
		for i := range min(n/2, 3000) {
			fmt.Fprintf(&b, "add r1.xyzw, r1.xyzw, r%d.wzyx\n", i+2)
		}
		return b.String()
	}},
	{"wide-loop", func(n int) string {
		return wide(n, "loop\nige r0.y, r0.x, l(4)\nbreakc_nz r0.y\n", "iadd r0.x, r0.x, l(1)\nendloop\n")
	}},
	{"wide-branch", func(n int) string { return wide(n, "if_nz v0.x\n", "endif\n") }},
	{"indexed", func(n int) string {
		return repeated(n, "and r%[1]d.x, r%[2]d.x, l(15)\nmov x0[r%[1]d.x + 0].xyzw, r%[2]d.xyzw\nadd r%[2]d.xyzw, r%[2]d.xyzw, x0[r%[1]d.x + 0].xyzw\n", 3)
	}},
}

// wide changes many registers between open and shut, and needs them all behind.
func wide(n int, open, shut string) string {
	var b strings.Builder
	regs := min(n/3, 4000)
	for i := range regs {
		fmt.Fprintf(&b, "mul r%d.xyzw, v0.xyzw, l(%d.0, 2.0, 3.0, 4.0)\n", i+2, i)
	}
	b.WriteString(open)
	for i := range regs {
		fmt.Fprintf(&b, "add r%d.xyzw, r%d.yzwx, r%d.xyzw\n", i+2, i+2, (i+1)%regs+2)
	}
	b.WriteString(shut)
	for i := range regs {
		fmt.Fprintf(&b, "add r1.xyzw, r1.xyzw, r%d.wzyx\n", i+2)
	}
	return b.String()
}

// repeated is lines of about n instructions: per is how many the text has. Its
// arguments are two registers of 32 that change from one time to the next.
func repeated(n int, text string, per int) string {
	var b strings.Builder
	for i := range max(1, n/per) {
		fmt.Fprintf(&b, text, 1+i%31, 1+(i+7)%31)
	}
	return b.String()
}

// shaped assembles a pixel program of the shape.
func shaped(tb testing.TB, body string) []byte {
	tb.Helper()
	var b strings.Builder
	b.WriteString("ps_5_0\ndcl_globalFlags refactoringAllowed\ndcl_input_ps linear v0.xyzw\ndcl_output o0.xyzw\ndcl_temps 4096\n")
	if strings.Contains(body, "x0[") {
		b.WriteString("dcl_indexableTemp x0[16], 4\n")
	}
	for i := range 32 {
		fmt.Fprintf(&b, "mul r%d.xyzw, v0.xyzw, l(1.0, 2.0, 3.0, %d.0)\n", i, i)
	}
	b.WriteString(body)
	for i := range 31 { // all of them are needed
		fmt.Fprintf(&b, "add r0.xyzw, r0.xyzw, r%d.xyzw\n", i+1)
	}
	b.WriteString("mov o0.xyzw, r0.xyzw\nret\n")
	code, err := dxbc.Assemble(b.String(), nil)
	require.NoError(tb, err)
	return code
}

// BenchmarkScaling compiles programs from 10 to 20,000 instructions: ns/value must
// not grow with them. Values are those of the SSA as it is built, parameters
// included: a nest of d branches needs one parameter a branch for each register
// that is written at its bottom, so that values, not instructions, say how much
// there is to do.
func BenchmarkScaling(b *testing.B) {
	for _, s := range shapes {
		for _, n := range []int{10, 100, 1000, 5000, 20000} {
			b.Run(fmt.Sprintf("%s/%d", s.name, n), func(b *testing.B) {
				heap.Reserve(b)
				data := shaped(b, s.body(n))
				sh, err := dxbc.Open(data)
				require.NoError(b, err)
				in := &compile.PassInput{Stages: []compile.StageInput{{Kind: sh.Program.Kind, Program: data}}}
				b.ReportAllocs()
				for b.Loop() {
					p, err := new(compile.Compiler).Pass(context.Background(), in, &compile.Options{})
					require.NoError(b, err)
					require.Equal(b, compile.Translated, p.Status)
				}
				perOp := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
				b.ReportMetric(perOp/float64(len(sh.Program.Instrs)), "ns/instr")
				f, _, err := ir.Build(context.Background(), sh, ir.BuildOptions{})
				require.NoError(b, err)
				b.ReportMetric(perOp/float64(len(f.Values)), "ns/value")
			})
		}
	}
}

// BenchmarkPhases takes the whole path apart: what each step costs per executable
// instruction of the golden programs.
func BenchmarkPhases(b *testing.B) {
	ins, instrs := benchPrograms(b)
	shaders := make([]*dxbc.Shader, len(ins))
	built := make([]*ir.Function, len(ins))
	plans := make([]*layout.Plan, len(ins))
	done := make([]*ir.Function, len(ins))
	for i, in := range ins {
		sh, err := dxbc.Open(in.Stages[0].Program)
		require.NoError(b, err)
		f, _, err := ir.Build(context.Background(), sh, ir.BuildOptions{})
		require.NoError(b, err)
		p, err := new(compile.Compiler).Pass(context.Background(), in, &compile.Options{})
		require.NoError(b, err)
		shaders[i], built[i], plans[i], done[i] = sh, f, p.Plan, p.Stages[0].Func
	}
	step := func(name string, run func(i int)) {
		b.Run(name, func(b *testing.B) {
			heap.Reserve(b)
			b.ReportAllocs()
			for b.Loop() {
				for i := range ins {
					run(i)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(instrs), "ns/instr")
		})
	}
	step("key", func(i int) { ins[i].Key(&compile.Options{}, nil) })
	step("open", func(i int) { _, _ = dxbc.Open(ins[i].Stages[0].Program) })
	step("build", func(i int) { _, _, _ = ir.Build(context.Background(), shaders[i], ir.BuildOptions{}) })
	step("phases", func(i int) { // with the copy that they work on
		f := built[i].Clone()
		for _, ph := range ir.Phases {
			ph.Run(f)
		}
	})
	step("clone", func(i int) { built[i].Clone() })
	step("plan", func(i int) {
		st, _ := layout.StageOf(done[i].Kind)
		layout.New([]layout.StageInput{{Stage: st, Func: done[i]}}, layout.Options{})
	})
	step("emit", func(i int) { wgsl.Emit(done[i], plans[i], nil, wgsl.Options{}) })
}
