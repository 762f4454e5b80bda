package session

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/dxbc"
	"fxlens/core/pack/cewgpu"
)

func TestBuildPackage(t *testing.T) {
	s := open(t, "effects/decal/decal.sm_hi")
	ctx := context.Background()
	perm := s.DefaultPermutation()
	passes, err := s.Passes(perm)
	require.NoError(t, err)
	require.Len(t, passes, 2)

	pkg, report, err := s.BuildPackage(ctx, PackageOptions{Perm: perm, Version: "1.2.3"})
	require.NoError(t, err)
	assert.Equal(t, cewgpu.Strict, report.Profile)
	p, err := cewgpu.Open(pkg)
	require.NoError(t, err)
	info, err := p.Info()
	require.NoError(t, err)
	assert.Equal(t, "decal.sm_hi", info.SourcePath, "the base name alone")

	opened, err := Open("x.cewgpu", pkg, compile.Options{})
	require.NoError(t, err)
	assert.Equal(t, PackageFile, opened.Kind)
	have, err := opened.Passes(perm)
	require.NoError(t, err)
	assert.Equal(t, passes, have)
	_, _, err = opened.BuildPackage(ctx, PackageOptions{})
	assert.ErrorIs(t, err, ErrNotEffect)
	chunks, err := cewgpu.EncodeContainer([]cewgpu.Chunk{{Tag: "WGSL", Data: []byte("fn f() {}")}})
	require.NoError(t, err)
	opened, err = Open("x.cewgpu", chunks, compile.Options{})
	require.NoError(t, err)
	_, err = opened.Passes(0)
	assert.ErrorIs(t, err, ErrNoPrograms, "a generic container has no passes")
	_, err = opened.Resolve(FileLink("x"))
	assert.ErrorIs(t, err, ErrLink)

	fresh, err := Open("/some/where/else/decal.sm_hi", s.Data, compile.Options{})
	require.NoError(t, err)
	again, _, err := fresh.BuildPackage(ctx, PackageOptions{Perm: perm, Version: "1.2.3", Passes: passes})
	require.NoError(t, err)
	assert.Equal(t, pkg, again, "all passes are no selection, and the folder does not matter")

	one, _, err := s.BuildPackage(ctx, PackageOptions{Perm: perm, Version: "1.2.3", Passes: passes[1:]})
	require.NoError(t, err)
	p, err = cewgpu.Open(one)
	require.NoError(t, err)
	meta, err := p.Meta()
	require.NoError(t, err)
	require.NotNil(t, meta.WGSLSelection)
	assert.Equal(t, passes[1].Technique, meta.WGSLSelection.TechniqueName)
	set, err := p.WGSL()
	require.NoError(t, err)
	assert.Len(t, set.Shaders, 2)

	t.Run("refusals", func(t *testing.T) {
		_, _, err := open(t, "dxbc/golden/bits5_cs50.dxbc").BuildPackage(ctx, PackageOptions{})
		assert.ErrorIs(t, err, ErrNotEffect)

		h := hostile(t)
		all, err := h.Passes(0)
		require.NoError(t, err)
		_, _, err = h.BuildPackage(ctx, PackageOptions{Passes: all[1:4]})
		assert.ErrorIs(t, err, ErrLink, "two techniques")
		flags := open(t, "effects/edge/flags.sm_hi")
		passes, err := flags.Passes(0)
		require.NoError(t, err)
		require.Len(t, passes, 3)
		_, _, err = flags.BuildPackage(ctx, PackageOptions{Passes: passes[:2]})
		assert.ErrorIs(t, err, ErrLink, "two of three passes")

		_, _, err = h.BuildPackage(ctx, PackageOptions{})
		var refused *cewgpu.BuildError
		require.ErrorAs(t, err, &refused)
		assert.NotEmpty(t, refused.Findings)

		ended, cancel := context.WithCancel(ctx)
		cancel()
		_, _, err = open(t, "effects/decal/decal.sm_hi").BuildPackage(ended, PackageOptions{})
		assert.ErrorIs(t, err, context.Canceled)
	})
}

// Every entry of a line map stands for a real, executable instruction.
func TestLineMap(t *testing.T) {
	ctx := context.Background()
	entries := 0
	for _, path := range []string{"effects/decal/decal.sm_hi", "effects/postprocess/tonemap.sm_hi", "effects/ui/sprite2d.sm_hi"} {
		s := open(t, path)
		perm := s.DefaultPermutation()
		passes, err := s.Passes(perm)
		require.NoError(t, err)
		for _, ref := range passes {
			pass, err := s.Compile(ctx, perm, ref)
			require.NoError(t, err)
			for _, st := range pass.Stages {
				require.NotNil(t, st.Module, path)
				var offsets []int // of executable instructions
				for _, in := range st.Shader.Program.Instrs {
					if !in.Op.Has(dxbc.FlagDecl) && in.Custom == nil {
						offsets = append(offsets, int(in.Offset))
					}
				}
				last := 0
				for _, e := range lineMap(st.Module, st.Shader) {
					require.GreaterOrEqual(t, e.Line, max(last, 1))
					last = e.Line
					require.Less(t, e.InstructionIndex, len(offsets))
					require.Equal(t, offsets[e.InstructionIndex], e.DXBCOffset)
					entries++
				}
			}
		}
	}
	assert.Positive(t, entries)
}
