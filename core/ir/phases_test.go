package ir_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/ir"
)

var update = flag.Bool("update", false, "write the expected files anew")

// TestPhases runs single phases on IR text: each archive under testdata/phases is
// named PHASE-case.txtar and has the files before and after. With -update
// the after files are written anew.
func TestPhases(t *testing.T) {
	files, err := filepath.Glob("testdata/phases/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			require.NoError(t, err)
			phase, _, _ := strings.Cut(filepath.Base(name), "-")
			f, err := ir.Parse(string(a.Files[0].Data))
			require.NoError(t, err)
			ran := false
			for _, p := range ir.Phases {
				if p.Name == phase {
					p.Run(f)
					ran = true
				}
			}
			require.True(t, ran, "no phase %q", phase)
			require.NoError(t, ir.Verify(f))
			got := ir.Print(f)
			if *update {
				a.Files = append(a.Files[:1], txtar.File{Name: "after", Data: []byte(got)})
				require.NoError(t, os.WriteFile(name, txtar.Format(a), 0o644))
				return
			}
			require.Len(t, a.Files, 2)
			assert.Equal(t, string(a.Files[1].Data), got)
		})
	}
}
