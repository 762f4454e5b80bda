package cewgpu_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
)

// TestCompiled packages every bundled effect with the modules that the compiler
// makes. What a package says about them must be true: no finding above a note.
func TestCompiled(t *testing.T) {
	root := filepath.Join("..", "..", "..", "testdata", "effects")
	built := 0
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasPrefix(filepath.Ext(path), ".sm_") {
			return err
		}
		t.Run(filepath.ToSlash(path), func(t *testing.T) {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			s, err := session.Open("effect", data, compile.Options{})
			require.NoError(t, err)
			for _, profile := range []cewgpu.Profile{cewgpu.Strict, cewgpu.Extended} {
				o := session.PackageOptions{Perm: s.Effect.DefaultIndex(), Profile: profile, Label: "res:/effect", Version: "1.0.0"}
				pkg, rep, err := s.BuildPackage(context.Background(), o)
				var be *cewgpu.BuildError
				if errors.As(err, &be) {
					for _, f := range be.Findings {
						assert.NotEmpty(t, f.Remedy, f.String())
						t.Log(profile, f.String())
					}
					continue
				}
				require.NoError(t, err)
				built++
				for _, f := range rep.Findings {
					assert.Less(t, f.Severity, diag.Warning, f.String())
				}
				again, _, err := s.BuildPackage(context.Background(), o)
				require.NoError(t, err)
				assert.Equal(t, pkg, again)
				p, err := cewgpu.Open(pkg)
				require.NoError(t, err)
				diffs, err := p.VerifySource(context.Background(), data)
				require.NoError(t, err)
				assert.Empty(t, diffs)
			}
		})
		return nil
	})
	require.NoError(t, err)
	assert.GreaterOrEqual(t, built, 8)
}
