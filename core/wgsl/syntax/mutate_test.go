package syntax_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/wgsl/syntax"
	"fxlens/internal/judge"
)

var tokenPattern = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*|[0-9][0-9A-Za-z.]*|[-+*/%&|^<>=!]=|<<|>>|&&|\|\||->|[^\sA-Za-z0-9_]`)

// mutants are what random tokens of a text are exchanged for, besides its own.
var mutants = strings.Fields(`( ) { } [ ] < > , ; : . + - * / & | ! ~ @ = == && || 0 1u 2i 1.5 1f 0x10 true i32 u32 f32 bool
	vec2f vec3f vec4<f32> if else for loop while switch case default break continue return discard var let const
	fn struct x y zw xyz uniform storage private read_write max dot abs select vec4f()`)

// mutate damages a text at one or two tokens.
func mutate(r *rand.Rand, src string) string {
	for range 1 + r.IntN(2) {
		at := tokenPattern.FindAllStringIndex(src, -1)
		if len(at) == 0 {
			break
		}
		i := r.IntN(len(at))
		a := at[i]
		other := at[r.IntN(len(at))]
		word := src[a[0]:a[1]]
		put := func(s string) { src = src[:a[0]] + s + src[a[1]:] }
		switch r.IntN(6) {
		case 0:
			put("")
		case 1:
			put(word + " " + word)
		case 2:
			put(src[other[0]:other[1]])
		case 3:
			put(mutants[r.IntN(len(mutants))])
		case 4:
			put(word + " " + mutants[r.IntN(len(mutants))])
		default:
			if i+1 < len(at) {
				b := at[i+1]
				src = src[:a[0]] + src[b[0]:b[1]] + src[a[1]:b[0]] + word + src[b[1]:]
			}
		}
	}
	return src
}

// originals are modules that Tint accepts: emitted ones, and the right texts of testdata.
func originals(t testing.TB) []string {
	t.Helper()
	var out []string
	files, err := filepath.Glob("../testdata/golden/*.wgsl")
	require.NoError(t, err)
	for _, name := range files {
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		if len(b) < 20_000 {
			out = append(out, string(b))
		}
	}
	all := readTint(t)
	for _, name := range sortedKeys(all) {
		for _, c := range all[name] {
			if c.ok {
				out = append(out, c.wrong)
			}
			if c.right != "" {
				out = append(out, c.right)
			}
		}
	}
	return out
}

// TestMutants damages modules at random tokens and compares the verdicts with Tint's.
func TestMutants(t *testing.T) {
	n := 300
	if *sweep {
		n = 8000
	}
	r := rand.New(rand.NewPCG(7, 2))
	from := originals(t)
	var cases []judge.Case
	for i := range n {
		src := mutate(r, from[r.IntN(len(from))])
		cases = append(cases, judge.Case{ID: strconv.Itoa(i), Modules: []judge.Module{{Code: src}}, Features: allFeatures})
	}
	accepted, refused, line := 0, 0, 0
	for i, res := range judge.Dawn(t, cases) {
		src, tint := cases[i].Modules[0].Code, tintError(res)
		e := frontEnd(src)
		switch {
		case tint == nil:
			accepted++
			if e != nil {
				assert.Failf(t, "refused", "Tint accepts, we say %v\n%s", e, around(src, e.Line))
			}
		case e == nil:
			refused++
			assert.Failf(t, "accepted", "Tint says %d:%d: %s\n%s", tint.Line, tint.Col, tint.Text, around(src, tint.Line))
		default:
			refused++
			if e.Line == tint.Line {
				line++
			}
		}
	}
	t.Logf("%d accepted by Tint, %d refused, of those %d first errors on the same line", accepted, refused, line)
	assert.NotZero(t, accepted)
	assert.GreaterOrEqual(t, line*100, refused*99, "the first error is on Tint's line")
}

// around is a text by the line with a number.
func around(src string, line int) string {
	var b strings.Builder
	for i, l := range strings.Split(src, "\n") {
		if i+1 >= line-4 && i+1 <= line+2 {
			fmt.Fprintf(&b, "%5d | %s\n", i+1, l)
		}
	}
	return b.String()
}

func sortedKeys[V any](m map[string]V) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// FuzzValidate checks that any text is checked without a panic, and that findings lie in it.
func FuzzValidate(f *testing.F) {
	for _, src := range originals(f) {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		m, errs := syntax.Validate(src)
		for _, e := range errs {
			assert.True(t, e.Pos >= 0 && e.Pos <= e.End && e.End <= len(src), "%v", e)
			for _, n := range e.Notes {
				assert.True(t, n.Pos >= 0 && n.Pos <= n.End && n.End <= len(src), "%v", e)
			}
		}
		if !errs.Fatal() {
			assert.NotNil(t, m)
		}
	})
}
