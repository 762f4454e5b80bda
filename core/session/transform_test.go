package session_test

import (
	"context"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/effect"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
)

// TestTransforms packages an effect with its detail maps merged: a set of version
// 3, three layers in the order of the maps, and nothing else changed.
func TestTransforms(t *testing.T) {
	data, err := os.ReadFile("../../testdata/effects/quadv5.sm_hi")
	require.NoError(t, err)
	build := func(on bool) *cewgpu.WGSLSet {
		s, err := session.Open("quadv5.sm_hi", data, compile.Options{Transforms: on})
		require.NoError(t, err)
		b, _, err := s.BuildPackage(context.Background(), session.PackageOptions{Perm: s.DefaultPermutation(), Version: "0.1.0"})
		require.NoError(t, err)
		p, findings := cewgpu.Validate(b)
		require.Empty(t, findings)
		set, err := p.WGSL()
		require.NoError(t, err)
		return set
	}
	plain, merged := build(false), build(true)
	require.Equal(t, 2, plain.FormatVersion)
	require.Equal(t, 3, merged.FormatVersion)
	require.Len(t, merged.ResourceTransforms, 1)
	tr := merged.ResourceTransforms[0]
	assert.Equal(t, "DetailMapArray", tr.Output.Name)
	assert.Equal(t, 3, tr.Output.LayerCount)
	for i, name := range []string{"Detail1Map", "Detail2Map", "Detail3Map"} {
		assert.Equal(t, name, tr.Inputs[i].Parameter)
		assert.Equal(t, i, tr.Inputs[i].Layer)
	}
	for i := range plain.Shaders {
		same := plain.Shaders[i].Code == merged.Shaders[i].Code
		assert.Equal(t, plain.Shaders[i].Key != "Main.pass0.pixel", same, plain.Shaders[i].Key)
	}
}

// TestTransformsNeedTheSpace: effects below version 13 record no register space, which
// reads as the number of the stage; no program declares that space, so their detail maps
// stay apart (binding-plan.md 8.1). So do those that the signature does not have.
func TestTransformsNeedTheSpace(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../testdata/effects/quadv5.sm_hi")
	require.NoError(t, err)
	for name, c := range map[string]struct {
		change func([]effect.Register) []effect.Register
		merged int
	}{
		"as compiled": {func(rs []effect.Register) []effect.Register { return rs }, 1},
		"the stage for the space": {func(rs []effect.Register) []effect.Register {
			for i := range rs {
				rs[i].Space = uint8(effect.Pixel)
			}
			return rs
		}, 0},
		"in the map alone": {func(rs []effect.Register) []effect.Register {
			return slices.DeleteFunc(rs, func(r effect.Register) bool { return r.Type >= 32 && r.Type < 64 })
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := effect.Parse(data)
			require.NoError(t, err)
			body, err := e.Body(e.DefaultIndex())
			require.NoError(t, err)
			stages := slices.Clone(body.Techniques[0].Passes[0].Stages)
			for i := range stages {
				if stages[i].Type == effect.Pixel {
					stages[i].Registers = c.change(slices.Clone(stages[i].Registers))
				}
			}
			pass := effect.Pass{Stages: stages}
			p, err := new(compile.Compiler).PassOnce(context.Background(), compile.EffectPass(&pass), &compile.Options{Transforms: true})
			require.NoError(t, err)
			require.NotNil(t, p.Plan)
			assert.Len(t, p.Plan.Transforms, c.merged)
		})
	}
}
