package wgsl_test

import (
	"context"
	"math/rand"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/ir"
	"fxlens/core/wgsl"
	"fxlens/core/wgsl/layout"
	"fxlens/internal/judge"
)

// TestMutatedPrograms damages programs at random (with a fixed seed) and
// translates what still decodes: every one is emitted or refused with a reason,
// and nothing panics.
func TestMutatedPrograms(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(judge.Root(t), "testdata/hlsl/*.dxbc"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	r := rand.New(rand.NewSource(1))
	emitted := 0
	for range 3000 {
		name := files[r.Intn(len(files))]
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		for range 1 + r.Intn(4) {
			i := r.Intn(len(b))
			switch r.Intn(3) {
			case 0:
				b[i] = byte(r.Intn(256))
			case 1:
				b[i] ^= 1 << r.Intn(8)
			default: // a word of another place
				i &^= 3
				j := r.Intn(len(b)-4) &^ 3
				copy(b[i:min(i+4, len(b))], b[j:j+4])
			}
		}
		s, err := dxbc.Open(b)
		if err != nil {
			continue
		}
		f, ds, err := ir.Build(context.Background(), s, ir.BuildOptions{})
		require.NoError(t, err)
		if f == nil {
			assert.True(t, diag.HasErrors(ds), name)
			continue
		}
		for _, p := range ir.Phases {
			p.Run(f)
		}
		plan, ds := layout.New([]layout.StageInput{{Stage: stage(f), Func: f}}, layout.Options{})
		if plan == nil {
			assert.True(t, diag.HasErrors(ds), name)
			continue
		}
		m, ds := wgsl.Emit(f, plan, nil, wgsl.Options{})
		if m == nil {
			assert.True(t, diag.HasErrors(ds), name)
			continue
		}
		emitted++
	}
	assert.Greater(t, emitted, 500)
}
