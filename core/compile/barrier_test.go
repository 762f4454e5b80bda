package compile_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/wgsl"
	"fxlens/internal/judge"
	"fxlens/internal/judge/passcase"
)

// barrierHead declares a compute program of 64 threads with one buffer and one
// groupshared array of 64 words.
const barrierHead = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_input vThreadIDInGroupFlattened
dcl_temps 3
dcl_tgsm_structured g0, 4, 64
dcl_thread_group 64, 1, 1
`

// barrierPrograms have barriers where Microsoft's compiler lets none through.
var barrierPrograms = []struct{ name, body string }{
	{"early return", `
ld_raw r0.x, l(0), u0.xxxx
uge r0.x, vThreadIDInGroupFlattened.x, r0.x
retc_nz r0.x
store_structured g0.x, vThreadIDInGroupFlattened.x, l(0), vThreadIDInGroupFlattened.x
sync_g_t
ld_structured r0.x, l(0), l(0), g0.xxxx
ishl r0.y, vThreadIDInGroupFlattened.x, l(2)
store_raw u0.x, r0.y, r0.x
ret
`},
	{"varying condition", `
ld_raw r0.x, l(0), u0.xxxx
if_nz r0.x
  store_structured g0.x, vThreadIDInGroupFlattened.x, l(0), vThreadIDInGroupFlattened.x
  sync_g_t
  ld_structured r0.y, l(3), l(0), g0.xxxx
else
  mov r0.y, l(7)
endif
ishl r0.z, vThreadIDInGroupFlattened.x, l(2)
store_raw u0.x, r0.z, r0.y
ret
`},
	{"loop left by a varying condition", `
mov r0.x, l(0)
ishl r1.x, vThreadIDInGroupFlattened.x, l(2)
loop
  ld_raw r0.y, r1.x, u0.xxxx
  uge r0.y, r0.x, r0.y
  breakc_nz r0.y
  store_structured g0.x, vThreadIDInGroupFlattened.x, l(0), r0.x
  sync_g_t
  ld_structured r0.z, l(1), l(0), g0.xxxx
  iadd r0.x, r0.x, l(1)
  iadd r0.x, r0.x, r0.z
  sync_g_t
endloop
store_raw u0.x, r1.x, r0.x
ret
`},
	{"continue and return in a loop", `
mov r0.x, l(0)
ishl r1.x, vThreadIDInGroupFlattened.x, l(2)
loop
  uge r0.y, r0.x, l(4)
  breakc_nz r0.y
  iadd r0.x, r0.x, l(1)
  ieq r0.y, r0.x, vThreadIDInGroupFlattened.x
  continuec_nz r0.y
  store_structured g0.x, vThreadIDInGroupFlattened.x, l(0), r0.x
  sync_g_t
  ld_structured r0.z, l(2), l(0), g0.xxxx
  ieq r0.w, r0.z, l(3)
  if_nz r0.w
    store_raw u0.x, r1.x, r0.z
    ret
  endif
endloop
store_raw u0.x, r1.x, r0.x
ret
`},
	{"switch", `
and r0.x, vThreadIDInGroupFlattened.x, l(3)
ishl r1.x, vThreadIDInGroupFlattened.x, l(2)
switch r0.x
  case l(0)
  store_structured g0.x, vThreadIDInGroupFlattened.x, l(0), l(5)
  sync_g_t
  ld_structured r0.y, l(0), l(0), g0.xxxx
  break
  case l(1)
  mov r0.y, l(9)
  break
  default
  sync_g_t
  mov r0.y, l(11)
  break
endswitch
store_raw u0.x, r1.x, r0.y
ret
`},
	{"groupshared count, uniform load", `
if_z vThreadIDInGroupFlattened.x
  store_structured g0.x, l(0), l(0), l(3)
endif
sync_g_t
ld_structured r0.x, l(0), l(0), g0.xxxx
mov r0.y, l(0)
loop
  uge r0.z, r0.y, r0.x
  breakc_nz r0.z
  sync_g_t
  iadd r0.y, r0.y, l(1)
endloop
ishl r1.x, vThreadIDInGroupFlattened.x, l(2)
store_raw u0.x, r1.x, r0.y
ret
`},
}

func assemble(t *testing.T, text string) []byte {
	t.Helper()
	b, err := dxbc.Assemble(text, nil)
	require.NoError(t, err)
	return b
}

// TestBarriersAnywhere translates barriers under varying control flow; Dawn's
// uniformity analysis accepts what comes out.
func TestBarriersAnywhere(t *testing.T) {
	var cases []judge.Case
	for _, p := range barrierPrograms {
		b := assemble(t, barrierHead+p.body[1:])
		pass, err := new(compile.Compiler).Pass(context.Background(), &compile.PassInput{Stages: []compile.StageInput{{Kind: dxbc.Compute, Program: b}}}, &compile.Options{})
		require.NoError(t, err)
		s := pass.Stages[0]
		require.Equalf(t, compile.Translated, s.Status, "%s: %v", p.name, s.Diags)
		adapted := false
		for _, d := range s.Diags {
			adapted = adapted || d.Sev == diag.Note && (d.Code == "lower.predicated" || d.Code == "lower.uniform-load")
		}
		assert.Truef(t, adapted, "%s: the adaptation is recorded", p.name)
		t.Logf("%s\n%s", p.name, s.Module.Code)
		cases = append(cases, passcase.Of(p.name, pass)...)
	}
	judge.Check(t, cases)
}

// TestBarriersRun executes those of the programs whose result D3D defines, or
// that hardware gives with threads that left early, and compares with the values
// worked out by hand.
func TestBarriersRun(t *testing.T) {
	fill := func(f func(i int) uint32) []uint32 {
		out := make([]uint32, 64)
		for i := range out {
			out[i] = f(i)
		}
		return out
	}
	all := func(v uint32) []uint32 { return fill(func(int) uint32 { return v }) }
	cases := []struct {
		program  string
		in, want []uint32
	}{
		{"early return", all(64), all(0)},
		{"early return", fill(func(i int) uint32 {
			if i == 0 {
				return 10
			}
			return 99
		}), fill(func(i int) uint32 {
			if i < 10 {
				return 0
			}
			return 99
		})},
		{"varying condition", all(1), all(3)},
		// 0, then x+1+g0[1] with all lanes alike: 1, 3, 7, 15.
		{"loop left by a varying condition", all(3), all(3)},
		{"loop left by a varying condition", all(8), all(15)},
		{"groupshared count, uniform load", all(0), all(3)},
	}
	var jobs []judge.Job
	for i, c := range cases {
		var body string
		for _, p := range barrierPrograms {
			if p.name == c.program {
				body = p.body
			}
		}
		pass := compileOne(t, assemble(t, barrierHead+body[1:]), &compile.Options{})
		require.Equal(t, compile.Translated, pass.Status)
		k := passcase.Of(c.program, pass)[0]
		jobs = append(jobs, judge.Job{ID: fmt.Sprint(i), Buffers: []judge.Buffer{{Name: "u0", Size: 256, Data: judge.Words(c.in...), Read: true}},
			Passes: []judge.Pass{{Modules: k.Modules, Layout: k.Layout, Bind: []judge.Bind{{Group: 0, Binding: pass.Plan.Bindings[0].Binding, Resource: "u0"}}, Dispatch: []uint32{1, 1, 1}}}})
	}
	for i, out := range judge.Run(t, jobs) {
		require.Truef(t, out.Ran, "%s: %v %s", cases[i].program, out.Messages, out.Skipped)
		assert.Equal(t, cases[i].want, judge.AsWords(out.Outputs["u0"]), cases[i].program)
	}
}

// undefinedLoops have a barrier in a loop that threads leave on their own, so
// they are built predicated. The first writes every lane before it reads it, in
// every thread that takes part; the second reads r0.z, which it writes only in
// the rounds before.
var undefinedLoops = []struct {
	name, body string
	at         []int
}{
	{"carried by threads that left only", `
ld_raw r0.x, l(0), u0.xxxx
mov r0.y, l(0)
loop
  uge r0.z, r0.y, r0.x
  breakc_nz r0.z
  ld_structured r0.z, vThreadIDInGroupFlattened.x, l(0), g0.xxxx
  sync_g_t
  iadd r0.z, r0.z, l(1)
  store_structured g0.x, vThreadIDInGroupFlattened.x, l(0), r0.z
  sync_g_t
  iadd r0.y, r0.y, l(1)
endloop
ishl r1.x, vThreadIDInGroupFlattened.x, l(2)
store_raw u0.x, r1.x, r0.y
ret
`, nil},
	{"read before it is written", `
ld_raw r0.x, l(0), u0.xxxx
mov r0.y, l(0)
loop
  uge r0.w, r0.y, r0.x
  breakc_nz r0.w
  iadd r0.w, r0.z, l(1)
  store_structured g0.x, vThreadIDInGroupFlattened.x, l(0), r0.w
  sync_g_t
  ld_structured r0.z, l(1), l(0), g0.xxxx
  sync_g_t
  iadd r0.y, r0.y, l(1)
endloop
ishl r1.x, vThreadIDInGroupFlattened.x, l(2)
store_raw u0.x, r1.x, r0.y
ret
`, []int{8}},
	{"read after a loop that may not write it", `
ld_raw r0.x, l(0), u0.xxxx
mov r0.y, l(0)
loop
  uge r0.w, r0.y, r0.x
  breakc_nz r0.w
  sync_g_t
  ld_structured r0.z, l(1), l(0), g0.xxxx
  iadd r0.y, r0.y, l(1)
endloop
ishl r1.x, vThreadIDInGroupFlattened.x, l(2)
store_raw u0.x, r1.x, r0.z
ret
`, []int{8}},
}

// TestUndefinedReadsPredicated: what only threads carry that no longer take part
// is no read, while a lane that a thread reads unwritten is still reported.
func TestUndefinedReadsPredicated(t *testing.T) {
	for _, p := range undefinedLoops {
		t.Run(p.name, func(t *testing.T) {
			code := assemble(t, barrierHead+p.body[1:])
			var at []int
			predicated := false
			pass := compileOne(t, code, &compile.Options{})
			for _, d := range pass.Stages[0].Diags {
				predicated = predicated || d.Code == "lower.predicated"
				if d.Code == "lower.undefined-read" {
					assert.Equal(t, diag.Warning, d.Sev)
					at = append(at, d.At.Index())
				}
			}
			require.True(t, predicated)
			assert.Equal(t, compile.Translated, pass.Status)
			assert.Equal(t, p.at, at)
			strict := compileOne(t, code, &compile.Options{Options: wgsl.Options{Strict: true}})
			assert.Equal(t, p.at == nil, strict.Status == compile.Translated, "%v", strict.Stages[0].Diags)
		})
	}
}
