package session

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/pack/carbon"
	"fxlens/core/pack/cewgpu"
)

// A container and its side file give the package that Export makes with the other format.
func TestExport(t *testing.T) {
	s := open(t, "effects/decal/decal.sm_hi")
	ctx := context.Background()
	o := PackageOptions{Perm: 4, Mode: cewgpu.All, Version: "1.2.3"}
	pkg, err := s.Export(ctx, CEWGPU, o)
	require.NoError(t, err)
	assert.Nil(t, pkg.Side)
	c, err := s.Export(ctx, Carbon, o)
	require.NoError(t, err)
	assert.NotEmpty(t, c.Lost)
	assert.Equal(t, pkg.Report, c.Report)

	f, err := carbon.Open(c.Data)
	require.NoError(t, err)
	side, err := carbon.ParseSide(c.Side)
	require.NoError(t, err)
	back, err := f.ToPackage(ctx, carbon.ToOptions{Side: side, Permutation: -1})
	require.NoError(t, err)
	assert.True(t, back.Exact)
	assert.Equal(t, pkg.Data, back.Data)

	_, err = s.Export(ctx, "zip", o)
	assert.ErrorContains(t, err, "neither cewgpu nor carbon")
	_, err = open(t, "dxbc/golden/bits5_cs50.dxbc").Export(ctx, Carbon, o)
	assert.ErrorIs(t, err, ErrNotEffect)
}
