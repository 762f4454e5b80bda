package views

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/dxbc"
	"fxlens/core/session"
)

func assembled(t *testing.T, body string) *DXBC {
	t.Helper()
	b, err := dxbc.Assemble("ps_5_0\ndcl_globalFlags refactoringAllowed\ndcl_input_ps linear v0.xyzw\ndcl_output o0.xyzw\ndcl_temps 6\n"+strings.TrimPrefix(body, "\n"), nil)
	require.NoError(t, err)
	sh, err := dxbc.Open(b)
	require.NoError(t, err)
	return NewDXBC(sh.Program, nil)
}

func rowsOf(d *Diff) string {
	var b strings.Builder
	for i := range d.Len() {
		if s := d.Text(i); s[0] == '-' || s[0] == '+' {
			b.WriteString(strings.TrimRight(s, " ") + "\n")
		}
	}
	return b.String()
}

const plainBody = `
mul r0.xy, v0.xyxx, v0.zwzz
add r1.x, r0.y, r0.x
if_nz r1.x
  mov r2.xyz, r0.xyxx
else
  mov r2.xyz, r1.xxxx
endif
loop
  ge r3.x, r2.x, l(1.000000)
  breakc_nz r3.x
  add r2.x, r2.x, l(0.250000)
endloop
mad o0.xyzw, r2.xyzx, r0.xxxx, r1.xxxx
ret
`

func TestRenamedRegistersAreNoChange(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"the same", plainBody, ""},
		{"other registers and lanes", `
mul r4.zw, v0.xyxx, v0.zwzz
add r0.w, r4.w, r4.z
if_nz r0.w
  mov r1.xyz, r4.zwzz
else
  mov r1.xyz, r0.wwww
endif
loop
  ge r0.x, r1.x, l(1.000000)
  breakc_nz r0.x
  add r1.x, r1.x, l(0.250000)
endloop
mad o0.xyzw, r1.xyzx, r4.zzzz, r0.wwww
ret
`, ""},
		{"operands exchanged", strings.Replace(plainBody, "add r1.x, r0.y, r0.x", "add r1.x, r0.x, r0.y", 1), "- add r1.x, r0.y, r0.x\n+ add r1.x, r0.x, r0.y\n"},
		{"one more instruction, in a register that was used", strings.Replace(plainBody, "mad o0.xyzw, r2.xyzx, r0.xxxx", "mul r0.x, r0.x, r0.x\nmad o0.xyzw, r2.xyzx, r0.xxxx", 1),
			"+ mul r0.x, r0.x, r0.x\n"},
		{"another value in the end", strings.Replace(plainBody, "r0.xxxx, r1.xxxx\nret", "r0.yyyy, r1.xxxx\nret", 1), "- mad o0.xyzw, r2.xyzx, r0.xxxx, r1.xxxx\n+ mad o0.xyzw, r2.xyzx, r0.yyyy, r1.xxxx\n"},
		{"a constant", strings.Replace(plainBody, "l(0.250000)", "l(0.500000)", 1), "-   add r2.x, r2.x, l(0.250000)\n+   add r2.x, r2.x, l(0.500000)\n"},
		// The loop writes another register than it reads: around the loop that is no renaming.
		{"a loop that forgets", strings.Replace(plainBody, "add r2.x, r2.x, l(0.250000)", "add r4.x, r2.x, l(0.250000)", 1), "- endloop\n+ endloop"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := NewDiff(assembled(t, plainBody), assembled(t, c.body))
			got := rowsOf(d)
			if c.name == "a loop that forgets" || strings.HasPrefix(c.name, "one more") {
				assert.Contains(t, got, c.want)
				return
			}
			assert.Equal(t, c.want, got)
		})
	}
	d := NewDiff(assembled(t, plainBody), assembled(t, strings.NewReplacer("r0", "r5", "r5", "r0", "r2", "r3", "r3", "r2").Replace(plainBody)))
	assert.Zero(t, d.Len())
	assert.Equal(t, 8, d.Renamed)
}

// forms of a stage of a permutation.
func formsOf(t *testing.T, s *session.Session, perm, pass, stage int) map[string]Listing {
	refs, err := s.Passes(perm)
	require.NoError(t, err)
	p, err := s.Compile(context.Background(), perm, refs[pass])
	require.NoError(t, err)
	st := p.Stages[stage]
	require.NotNil(t, st.Module)
	return map[string]Listing{"DXBC": NewDXBC(st.Shader.Program, nil), "SSA": NewSSA(st.Func, nil), "WGSL": NewWGSL(st.Module)}
}

// What a diff calls equal is equal under one renaming of the whole program, one for one:
// checked here by another way, for the forms whose names do not change their meaning.
func TestEqualLinesAreEqualUnderOneRenaming(t *testing.T) {
	b, err := os.ReadFile("../testdata/effects/quadv5.sm_hi")
	require.NoError(t, err)
	s, err := session.Open("quadv5.sm_hi", b, compile.Options{})
	require.NoError(t, err)
	for _, pair := range [][2]int{{57, 56}, {57, 33}, {57, 54}, {57, 9}, {0, 95}} {
		old, now := formsOf(t, s, pair[0], 0, 1), formsOf(t, s, pair[1], 0, 1)
		for form, x := range old {
			y := now[form]
			name := fmt.Sprintf("%s of %d and %d", form, pair[0], pair[1])
			sa, sb := shapesOf(x), shapesOf(y)
			steps := editScript(sa, sb)
			to, from := map[string]string{}, map[string]string{}
			a, b, changed := 0, 0, 0
			for _, st := range steps {
				switch st.kind {
				case '-':
					require.Equal(t, a, st.a, name)
					a++
					changed++
				case '+':
					require.Equal(t, b, st.b, name)
					b++
					changed++
				default:
					require.Equal(t, [2]int{a, b}, [2]int{st.a, st.b}, "every line once, in order: %s", name)
					a, b = a+1, b+1
					require.Equal(t, sa[st.a].shape, sb[st.b].shape)
					require.Len(t, sb[st.b].names, len(sa[st.a].names))
					if form == "DXBC" {
						continue // a register means something else after each write
					}
					for i, n := range sa[st.a].names {
						m := sb[st.b].names[i]
						if was, ok := to[n.text]; ok && !n.def {
							require.Equal(t, was, m.text, "%s, %s", name, x.Text(st.a))
						}
						if was, ok := from[m.text]; ok && !m.def {
							require.Equal(t, was, n.text, "%s, %s", name, y.Text(st.b))
						}
						to[n.text], from[m.text] = m.text, n.text
					}
				}
			}
			require.Equal(t, [2]int{x.Len(), y.Len()}, [2]int{a, b})
			// And it is worth it: fewer changed lines than texts that differ.
			text := func(l Listing) []shapedLine {
				out := make([]shapedLine, l.Len())
				for i := range out {
					out[i] = shapedLine{shape: l.Text(i), open: -1}
				}
				return out
			}
			plain := 0
			for _, st := range editScript(text(x), text(y)) {
				if st.kind != ' ' {
					plain++
				}
			}
			t.Logf("%s: %d changed lines, %d by text alone", name, changed, plain)
			assert.LessOrEqual(t, changed, plain, name)
		}
	}
}

func TestHunks(t *testing.T) {
	line := func(texts ...string) *Static {
		var ls []Line
		for _, s := range texts {
			ls = append(ls, Say(RoleText, s))
		}
		return NewStatic(ls, nil)
	}
	d := NewDiff(line("a", "b", "c", "d", "e", "f", "g", "h", "i", "j"), line("A", "b", "c", "d", "e", "f", "g", "h", "I", "j"))
	assert.Equal(t, 0, d.Hunk(-1, 1))
	n := d.Hunk(0, 1)
	assert.Equal(t, "- i", d.Text(n))
	assert.Equal(t, -1, d.Hunk(n, 1))
	assert.Equal(t, 0, d.Hunk(n, -1))
	assert.Equal(t, -1, NewDiff(line(), line()).Hunk(-1, 1))
}
