package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestManPages: docs/man is what the commands say of themselves; -update writes it.
// Generated here, the generator is no part of the program.
func TestManPages(t *testing.T) {
	const dir = "../../docs/man"
	log, err := os.ReadFile("../../CHANGELOG.md")
	require.NoError(t, err)
	m := regexp.MustCompile(`(?m)^## (\S+) - (\S+)$`).FindStringSubmatch(string(log))
	require.NotNil(t, m, "CHANGELOG.md names no version with a date")
	assert.Equal(t, version, m[1], "the program and CHANGELOG.md disagree")
	date, err := time.Parse(time.DateOnly, m[2])
	require.NoError(t, err)

	root := newApp(nil, nil, nil, nil).root()
	root.DisableAutoGenTag = true
	made := t.TempDir()
	header := &doc.GenManHeader{Section: "1", Source: "fxlens " + version, Manual: "fxlens", Date: &date}
	require.NoError(t, doc.GenManTree(root, header, made))
	if *update {
		require.NoError(t, os.RemoveAll(dir))
		require.NoError(t, os.CopyFS(dir, os.DirFS(made)))
	}
	want, err := filepath.Glob(filepath.Join(made, "*.1"))
	require.NoError(t, err)
	require.Greater(t, len(want), len(available(root)))
	have, err := filepath.Glob(filepath.Join(dir, "*.1"))
	require.NoError(t, err)
	assert.Len(t, have, len(want), "docs/man has other pages than there are commands")
	for _, w := range want {
		name := filepath.Base(w)
		a, err := os.ReadFile(w)
		require.NoError(t, err)
		b, err := os.ReadFile(filepath.Join(dir, name))
		if assert.NoError(t, err, "go test ./cmd/fxlens -run Man -update") {
			assert.Equal(t, string(a), string(b), "docs/man/%s is old: go test ./cmd/fxlens -run Man -update", name)
		}
	}
}

// available are the commands that help lists.
func available(root *cobra.Command) []*cobra.Command {
	var list []*cobra.Command
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			list = append(list, c)
		}
	}
	return list
}
