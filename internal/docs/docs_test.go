package docs_test

import (
	"context"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/internal/docs"

	// Every package that registers codes, beside these.
	_ "fxlens/core/effect"
	_ "fxlens/core/ir"
	_ "fxlens/core/pack/carbon"
	_ "fxlens/core/pack/cewgpu"
	_ "fxlens/core/qualify"
	_ "fxlens/core/session"
	_ "fxlens/core/variant/bundle"
	_ "fxlens/core/wgsl"
	_ "fxlens/core/wgsl/layout"
)

var update = flag.Bool("update", false, "write docs/diagnostics.md")

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
	require.NoError(t, err)
	return string(b)
}

// TestEveryPackageIsHere: a package that registers codes is imported above.
func TestEveryPackageIsHere(t *testing.T) {
	registered := regexp.MustCompile(`Code: +"([a-z]+\.[a-z0-9.-]+)"`)
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2) {
			if d != nil && d.IsDir() && err == nil {
				return filepath.SkipDir
			}
			return err
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(b), "diag.Register(") {
			return err
		}
		for _, m := range registered.FindAllStringSubmatch(string(b), -1) {
			_, ok := diag.Lookup(diag.Code(m[1]))
			assert.True(t, ok, "%s registers %s: import its package in this test", path, m[1])
		}
		return nil
	})
	require.NoError(t, err)
}

// TestCompatibility compares the entries of docs/compatibility.md with the codes
// that the compiler can give: each stands in exactly one entry, and none in it
// is made up.
func TestCompatibility(t *testing.T) {
	entries := docs.Entries(read(t, "compatibility.md"))
	require.NotEmpty(t, entries)
	anchors := map[string]string{}
	for _, e := range entries {
		assert.True(t, e.HasWhy, "line %d: %q gives no reason (Why:)", e.Line, e.Title)
		assert.True(t, e.Revisit, "line %d: %q does not say what revisiting it takes (Revisit:)", e.Line, e.Title)
		assert.Empty(t, anchors[e.Anchor()], "line %d: %q has the anchor of another entry", e.Line, e.Title)
		anchors[e.Anchor()] = e.Title
		for _, c := range e.Codes {
			found := false
			for _, i := range diag.All() {
				one := docs.Entry{Codes: []string{c}}
				found = found || one.Covers(i.Code)
			}
			assert.True(t, found, "line %d: %q names %s, which nothing registers", e.Line, e.Title, c)
		}
	}
	for _, i := range diag.All() {
		var in []string
		for _, e := range entries {
			if e.Covers(i.Code) {
				in = append(in, e.Title)
			}
		}
		assert.Len(t, in, 1, "%s (%s) must stand behind \"Codes:\" of exactly one entry of docs/compatibility.md", i.Code, i.Title)
	}
}

// TestLinks: every link inside docs/compatibility.md leads to an entry or to a
// file that is there.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#]*)(#[^)]*)?\)`)
	for _, name := range []string{"compatibility.md", "readable-output.md"} {
		text := read(t, name)
		anchors := map[string]bool{}
		for _, line := range strings.Split(text, "\n") {
			if h := strings.TrimLeft(line, "#"); h != line && strings.HasPrefix(h, " ") {
				e := docs.Entry{Title: strings.TrimSpace(h)}
				anchors[e.Anchor()] = true
			}
		}
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if m[1] != "" {
				assert.FileExists(t, filepath.Join("..", "..", "docs", m[1]), "%s: %s", name, m[0])
				continue
			}
			assert.True(t, anchors[strings.TrimPrefix(m[2], "#")], "%s: %s leads nowhere", name, m[0])
		}
	}
}

// TestDiagnostics: docs/diagnostics.md is what the registered codes say.
func TestDiagnostics(t *testing.T) {
	want := docs.Diagnostics(diag.All(), docs.Entries(read(t, "compatibility.md")))
	file := filepath.Join("..", "..", "docs", "diagnostics.md")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
	}
	assert.True(t, want == read(t, "diagnostics.md"), "docs/diagnostics.md is stale: go test ./internal/docs -update")
}

// TestExcerpts: what docs/readable-output.md shows is what the compiler writes.
func TestExcerpts(t *testing.T) {
	text := read(t, "readable-output.md")
	c := &compile.Compiler{}
	got, err := docs.Refresh(text, func(name string) (string, error) {
		b, err := os.ReadFile(filepath.Join("..", "..", "testdata", name+".dxbc"))
		if err != nil {
			return "", err
		}
		s, err := dxbc.Open(b)
		if err != nil {
			return "", err
		}
		p, err := c.Pass(context.Background(), &compile.PassInput{Stages: []compile.StageInput{{Kind: s.Program.Kind, Program: b}}},
			&compile.Options{Views: map[string]string{"*": "auto"}})
		if err != nil {
			return "", err
		}
		require.NotNil(t, p.Stages[0].Module, name)
		return p.Stages[0].Module.Code, nil
	})
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile(filepath.Join("..", "..", "docs", "readable-output.md"), []byte(got), 0o644))
		text = got
	}
	assert.GreaterOrEqual(t, docs.Excerpts(text), 20)
	assert.True(t, got == text, "docs/readable-output.md is stale: go test ./internal/docs -update")
}

// TestEntries reads a document with one of everything.
func TestEntries(t *testing.T) {
	got := docs.Entries("# T\n\n### Stray\n\n## Adapted\n\n### A, b (`c`)\n\nText.\nWhy: so.\n\nRevisit: never.\n\nCodes: `lower.x`,\n`dxbc.*`.\n\nNot `wgsl.y`.\n\n## Other\n\n### Not an entry\n\n## Bounded\n\n### Z\n\nCodes: none.\n")
	require.Len(t, got, 2)
	assert.Equal(t, docs.Entry{Kind: "Adapted", Title: "A, b (`c`)", Line: 7, Codes: []string{"lower.x", "dxbc.*"}, HasWhy: true, Revisit: true}, got[0])
	assert.Equal(t, "a-b-c", got[0].Anchor())
	assert.True(t, got[0].Covers("dxbc.checksum"))
	assert.False(t, got[0].Covers("lower.xy"))
	assert.Empty(t, got[1].Codes)
	text := docs.Diagnostics([]diag.Info{{Code: "lower.x", Title: "a thing", Rule: "it is so.", Remedy: "none"}}, got)
	assert.Contains(t, text, "### lower.x\n\nA thing.\n\nRule: it is so.\n\nRemedy: none.\n\nSee [A, b (`c`)](compatibility.md#a-b-c) (adapted).\n")
}

// TestEveryCodeHasATest: the tests of one package answer for each code, so that one which
// nothing raises fails them (internal/raised).
func TestEveryCodeHasATest(t *testing.T) {
	owners := map[string]string{} // by prefix
	prefixes := regexp.MustCompile(`Prefixes:\s+\[\]string\{([^}]*)\}`)
	files, err := filepath.Glob("../../core/*/main_test.go")
	require.NoError(t, err)
	deeper, err := filepath.Glob("../../core/*/*/main_test.go")
	require.NoError(t, err)
	for _, path := range append(files, deeper...) {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		m := prefixes.FindSubmatch(b)
		require.NotNil(t, m, path)
		for _, p := range strings.Split(string(m[1]), ", ") {
			p = strings.Trim(p, `"`)
			assert.Empty(t, owners[p], "%s has two owners", p)
			owners[p] = path
		}
	}
	for _, info := range diag.All() {
		phase, _, _ := strings.Cut(string(info.Code), ".")
		assert.NotEmpty(t, owners[phase+"."], info.Code)
	}
}
