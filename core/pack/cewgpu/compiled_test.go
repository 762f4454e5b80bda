package cewgpu_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
)

// compiledFiles returns the bundled effects, and the whole collection where it
// stands beside the repository.
func compiledFiles(t *testing.T) []string {
	t.Helper()
	root := filepath.Join("..", "..", "..", "testdata", "effects")
	if dir := filepath.Join("..", "..", "..", "..", "shared", "effects"); exists(dir) {
		root = dir
	}
	var out []string
	require.NoError(t, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(filepath.Ext(path), ".sm_") {
			out = append(out, path)
		}
		return err
	}))
	require.NotEmpty(t, out)
	return out
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// TestCompiled packages every effect with the modules that the compiler makes. What
// a package says about them must be true: no finding above a note.
func TestCompiled(t *testing.T) {
	built := map[cewgpu.Profile]int{}
	refused := map[cewgpu.Profile]map[diag.Code]int{cewgpu.Strict: {}, cewgpu.Extended: {}}
	files := compiledFiles(t)
	for _, path := range files {
		t.Run(filepath.ToSlash(path), func(t *testing.T) {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			s, err := session.Open("effect", data, compile.Options{})
			require.NoError(t, err)
			for _, profile := range []cewgpu.Profile{cewgpu.Strict, cewgpu.Extended} {
				o := session.PackageOptions{Perm: s.Effect.DefaultIndex(), Profile: profile, Label: "res:/effect", Version: "0.1.0"}
				pkg, rep, err := s.BuildPackage(context.Background(), o)
				var be *cewgpu.BuildError
				if errors.As(err, &be) {
					require.NotEmpty(t, be.Findings)
					for _, f := range be.Findings {
						assert.NotEmpty(t, f.Remedy, f.String())
					}
					refused[profile][be.Findings[0].Rule]++
					continue
				}
				require.NoError(t, err)
				built[profile]++
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
	}
	t.Logf("%d effects; built %v; refused %v", len(files), built, refused)
	assert.GreaterOrEqual(t, built[cewgpu.Strict], 8)
	assert.Equal(t, len(files), built[cewgpu.Extended], "the extended profile carries every effect")
}

// TestCompiledAll packages every body of effects of version 15. Bodies are lost only
// for a documented reason.
func TestCompiledAll(t *testing.T) {
	for name, profile := range map[string]cewgpu.Profile{
		"quadv5.sm_hi": cewgpu.Strict, "decal/decal.sm_hi": cewgpu.Strict, "ui/sprite2d.sm_hi": cewgpu.Strict,
		"background/starfield.sm_hi": cewgpu.Extended, "postprocess/tonemap.sm_hi": cewgpu.Extended,
	} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("..", "..", "..", "testdata", "effects", filepath.FromSlash(name)))
			require.NoError(t, err)
			s, err := session.Open("effect", data, compile.Options{})
			require.NoError(t, err)
			start := time.Now()
			pkg, rep, err := s.BuildPackage(context.Background(), session.PackageOptions{Perm: s.Effect.DefaultIndex(), Mode: cewgpu.All, Profile: profile, Label: "res:/effect", Version: "0.1.0"})
			require.NoError(t, err)
			t.Logf("%d bytes, %d bodies, %d units of %d passes, %v", len(pkg), len(rep.Bodies), rep.Sharing.Units, rep.Sharing.Passes, time.Since(start))
			for _, b := range rep.Bodies {
				assert.True(t, b.Translated, "%s: %s", b.Key, b.Reason)
			}
			for _, f := range rep.Findings {
				assert.Less(t, f.Severity, diag.Warning, f.String())
			}
		})
	}
}
