package syntax_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/wgsl/syntax"
	"fxlens/internal/judge"
)

var update = flag.Bool("update", false, "ask Tint about testdata/tint and write down what it says")

// allFeatures are what the judge's device may have of WGSL's extensions, so that a
// module is never refused for the device's sake.
var allFeatures = []string{"shader-f16", "subgroups", "dual-source-blending", "clip-distances", "primitive-index"}

// tintCase is one entry of testdata/tint/*.txt:
//
//	-- name: which rule
//	WGSL with marks «right¦broken»
//	=> 3:5: what Tint says first about the broken text
//
// The module with the right sides is accepted by Tint, so that the broken one breaks
// nothing but its rule. Without marks, and with "=> ok", the module is accepted as it is.
// \u{...} stands for a character that cannot be seen.
type tintCase struct {
	file, name string
	text       string // as written
	right      string // empty: there are no marks
	wrong      string // or the whole text
	ok         bool
	line, col  int
	message    string
	hasVerdict bool
}

func (c *tintCase) id() string { return c.file + ": " + c.name }

var (
	markPattern    = regexp.MustCompile(`(?s)«([^¦»]*)¦([^»]*)»`)
	escapePattern  = regexp.MustCompile(`\\u\{([0-9a-f]+)\}`)
	verdictPattern = regexp.MustCompile(`^=> (?:ok|(\d+):(\d+): (.*))$`)
)

func readTint(t testing.TB) map[string][]*tintCase {
	t.Helper()
	files, err := filepath.Glob("testdata/tint/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	all := map[string][]*tintCase{}
	for _, path := range files {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		file := strings.TrimSuffix(filepath.Base(path), ".txt")
		names := map[string]bool{}
		for i, entry := range strings.Split("\n"+string(b), "\n-- ") {
			if i == 0 {
				require.Empty(t, strings.TrimSpace(entry), "%s: text in front of the first case", path)
				continue
			}
			name, text, _ := strings.Cut(entry, "\n")
			require.Falsef(t, names[name], "%s: two cases are named %q", path, name)
			names[name] = true
			c := &tintCase{file: file, name: name}
			text = strings.TrimRight(text, "\n")
			body, last := text, text
			if i := strings.LastIndexByte(text, '\n'); i >= 0 {
				body, last = text[:i], text[i+1:]
			} else {
				body = ""
			}
			if m := verdictPattern.FindStringSubmatch(last); m != nil {
				c.hasVerdict = true
				c.ok = m[1] == ""
				c.line, _ = strconv.Atoi(m[1])
				c.col, _ = strconv.Atoi(m[2])
				c.message = m[3]
				text = body
			}
			c.text = text
			plain := escapePattern.ReplaceAllStringFunc(text, func(s string) string {
				n, err := strconv.ParseInt(escapePattern.FindStringSubmatch(s)[1], 16, 32)
				require.NoError(t, err)
				return string(rune(n))
			})
			c.wrong = markPattern.ReplaceAllString(plain, "$2")
			if c.wrong != plain {
				c.right = markPattern.ReplaceAllString(plain, "$1")
			}
			all[path] = append(all[path], c)
		}
	}
	return all
}

// elsewhere are cases whose fault the front end shows on another line than Tint.
var elsewhere = map[string]bool{
	"attributes: builtin twice": true, // the second one, not the function
}

// frontEnd is what the package says about a module: its first error, or nil.
func frontEnd(src string) *syntax.Error {
	for _, e := range findings(src) {
		if !e.Warning {
			return e
		}
	}
	return nil
}

func findings(src string) syntax.Errors {
	_, errs := syntax.Validate(src)
	return errs
}

// TestTint compares the front end with what Tint said about modules in which one rule is
// broken, and about odd ones that are right.
func TestTint(t *testing.T) {
	if *update {
		t.Run("ask", testTintRecords)
	}
	broken, odd, line, col := 0, 0, 0, 0
	for _, cases := range readTint(t) {
		for _, c := range cases {
			t.Run(c.id(), func(t *testing.T) {
				require.True(t, c.hasVerdict, "no verdict is written down; run the test with -update")
				if c.right != "" {
					require.False(t, c.ok, "Tint accepts the broken text")
					if e := frontEnd(c.right); e != nil {
						assert.Failf(t, "refused", "the right text is refused: %v\n%s", e, c.right)
					}
				}
				e := frontEnd(c.wrong)
				if c.ok {
					odd++
					if e != nil {
						assert.Failf(t, "refused", "%v\n%s", e, c.wrong)
					}
					return
				}
				broken++
				if e == nil {
					assert.Failf(t, "accepted", "Tint says %d:%d: %s\n%s", c.line, c.col, c.message, c.wrong)
					return
				}
				if e.Line == c.line {
					line++
					if e.Col == c.col {
						col++
					}
				}
				if elsewhere[c.id()] {
					return
				}
				assert.Equalf(t, c.line, e.Line, "Tint says %d:%d: %s\nwe say    %v\n%s", c.line, c.col, c.message, e, c.wrong)
			})
		}
	}
	t.Logf("%d broken modules: %d on Tint's line, %d at its column; %d odd ones that are right", broken, line, col, odd)
}

// TestTintRecords asks Tint whether it still says what is written down.
func TestTintRecords(t *testing.T) { testTintRecords(t) }

func testTintRecords(t *testing.T) {
	all := readTint(t)
	var cases []judge.Case
	module := func(id, code string) {
		cases = append(cases, judge.Case{ID: id, Modules: []judge.Module{{Code: code}}, Features: allFeatures})
	}
	for _, list := range all {
		for _, c := range list {
			module(c.id(), c.wrong)
			if c.right != "" {
				module(c.id()+" (right)", c.right)
			}
		}
	}
	verdicts := map[string]judge.Result{}
	for _, r := range judge.Dawn(t, cases) {
		verdicts[r.ID] = r
	}
	for path, list := range all {
		var out strings.Builder
		for _, c := range list {
			if c.right != "" {
				assert.Truef(t, verdicts[c.id()+" (right)"].Valid(), "Tint refuses the right text: %v\n%s", verdicts[c.id()+" (right)"], c.right)
				assert.Falsef(t, verdicts[c.id()].Valid(), "%s: Tint accepts the broken text\n%s", c.id(), c.wrong)
			}
			said := "=> ok"
			if m := tintError(verdicts[c.id()]); m != nil {
				text, _, _ := strings.Cut(m.Text, "\n")
				said = fmt.Sprintf("=> %d:%d: %s", m.Line, m.Col, strings.TrimSpace(text))
			}
			written := "=> ok"
			if !c.ok {
				written = fmt.Sprintf("=> %d:%d: %s", c.line, c.col, c.message)
			}
			if !*update {
				assert.Equalf(t, written, said, "%s: Tint says otherwise", c.id())
			}
			fmt.Fprintf(&out, "-- %s\n%s\n%s\n\n", c.name, c.text, said)
		}
		if *update {
			require.NoError(t, os.WriteFile(path, []byte(strings.TrimSuffix(out.String(), "\n")), 0o644))
		}
	}
}
