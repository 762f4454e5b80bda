package arrows_test

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/internal/arrows"
)

func TestImportArrows(t *testing.T) {
	root := filepath.Join("..", "..")
	require.FileExists(t, filepath.Join(root, "go.mod"))
	found, err := arrows.Violations(os.DirFS(root))
	require.NoError(t, err)
	for _, v := range found {
		t.Error(v)
	}
}

// TestArrowsCatch shows that each rule can fail.
func TestArrowsCatch(t *testing.T) {
	for _, c := range []struct {
		name, file, src string
		want            []string
	}{
		{"down is fine", "core/ir/a.go", "package ir\nimport _ \"fxlens/core/dxbc\"", nil},
		{"two layers down is fine", "core/compile/a.go", "package compile\nimport _ \"fxlens/core/dxbc\"", nil},
		{"up", "core/dxbc/a.go", "package dxbc\nimport _ \"fxlens/core/ir\"", []string{"core/dxbc/a.go:2: core/dxbc imports core/ir, against the arrows"}},
		{"sideways", "core/wgsl/a.go", "package wgsl\nimport _ \"fxlens/core/effect\"", []string{"core/wgsl/a.go:2: core/wgsl imports core/effect, against the arrows"}},
		{"pack uses the layout", "core/pack/cewgpu/a.go", "package cewgpu\nimport _ \"fxlens/core/wgsl/layout\"", nil},
		{"but not the emitter", "core/pack/cewgpu/a.go", "package cewgpu\nimport _ \"fxlens/core/wgsl\"", []string{"core/pack/cewgpu/a.go:2: core/pack/cewgpu imports core/wgsl, against the arrows"}},
		{"files from core", "core/session/a.go", "package session\nimport _ \"fxlens/core/files\"", []string{"core/session/a.go:2: core/session imports core/files, which serves cmd and tui only"}},
		{"os in core", "core/effect/a.go", "package effect\nimport _ \"os/exec\"", []string{"core/effect/a.go:2: core/effect imports os/exec: it gets bytes, an fs.FS or an interface instead"}},
		{"net in core", "core/effect/a.go", "package effect\nimport _ \"net/http\"", []string{"core/effect/a.go:2: core/effect imports net/http: it gets bytes, an fs.FS or an interface instead"}},
		{"os in files", "core/files/a.go", "package files\nimport _ \"os\"", nil},
		{"terminal in core", "core/diag/a.go", "package diag\nimport _ \"github.com/charmbracelet/lipgloss\"", []string{"core/diag/a.go:2: core/diag imports github.com/charmbracelet/lipgloss, a terminal package"}},
		{"terminal in files", "core/files/a.go", "package files\nimport _ \"golang.org/x/term\"", []string{"core/files/a.go:2: core/files imports golang.org/x/term, a terminal package"}},
		{"view measures text", "views/a.go", "package views\nimport _ \"github.com/charmbracelet/x/ansi\"", nil},
		{"view of the tui", "views/a.go", "package views\nimport _ \"fxlens/tui\"", []string{"views/a.go:2: views imports tui, against the arrows"}},
		{"view reads files", "views/a.go", "package views\nimport _ \"fxlens/core/files\"", []string{"views/a.go:2: views imports core/files: views do no I/O"}},
		{"escape in a view", "views/a.go", "package views\nconst a = \"\\x1b[1m\"\nconst b = `x`\nconst c = '\\u009b'", []string{
			"views/a.go:2: a literal with a terminal escape: views return spans with roles",
			"views/a.go:4: a literal with a terminal escape: views return spans with roles",
		}},
		{"clock in a view", "views/a.go", "package views\nimport \"time\"\nvar a = time.Now()", []string{"views/a.go:3: time.Now: views have no clock"}},
		{"tests are free", "core/ir/a_test.go", "package ir\nimport _ \"os\"", nil},
		{"helpers of tests", "core/ir/a.go", "package ir\nimport _ \"fxlens/internal/judge\"", []string{"core/ir/a.go:2: core/ir imports internal/judge, which is for tests"}},
		{"a new package of core", "core/extra/a.go", "package extra\nimport _ \"fxlens/core/ir\"", []string{"core/extra/a.go:1: package core/extra is in no room of the layout"}},
		{"a new room", "pkg/a.go", "package pkg", []string{"pkg/a.go:1: package pkg is in no room of the layout"}},
		{"data is not code", "testdata/a.go", "not Go", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := arrows.Violations(fstest.MapFS{c.file: {Data: []byte(c.src)}})
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
}
