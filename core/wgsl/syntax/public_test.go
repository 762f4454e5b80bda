package syntax_test

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/internal/judge"
)

var publicDir = flag.String("wgsl", "", "compare the front end with Tint on all .wgsl files below this `folder`")

// TestPublic compares the verdicts on the modules of a folder: emitted ones, or with -wgsl DIR
// other people's, which are not kept here. Text that is no module by itself (pieces that a
// preprocessor joins) serves too: both have to refuse it.
func TestPublic(t *testing.T) {
	if *publicDir == "" {
		*publicDir = "../testdata/golden"
	}
	var cases []judge.Case
	require.NoError(t, filepath.WalkDir(*publicDir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".wgsl" || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err == nil && len(b) > 0 {
			cases = append(cases, judge.Case{ID: path, Modules: []judge.Module{{Code: string(b)}}, Features: allFeatures})
		}
		return err
	}))
	accepted, refused, line := 0, 0, 0
	for i, r := range judge.Dawn(t, cases) {
		src, tint := cases[i].Modules[0].Code, tintError(r)
		e := frontEnd(src)
		switch {
		case tint == nil:
			accepted++
			if e != nil {
				assert.Failf(t, "refused", "%s: %v\n%s", r.ID, e, around(src, e.Line))
			}
		case e == nil:
			refused++
			assert.Failf(t, "accepted", "%s: Tint says %d:%d: %s\n%s", r.ID, tint.Line, tint.Col, tint.Text, around(src, tint.Line))
		default:
			refused++
			if e.Line == tint.Line {
				line++
			} else {
				t.Logf("%s: Tint says %d:%d: %s\nwe say %v", r.ID, tint.Line, tint.Col, tint.Text, e)
			}
		}
	}
	t.Logf("%d files: %d accepted by Tint, %d refused, of those %d first errors on the same line", len(cases), accepted, refused, line)
}
