package session_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
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
