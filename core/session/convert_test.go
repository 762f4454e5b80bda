package session_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
)

// A package that is read says of itself what its build said, and comes back from its
// container byte for byte.
func TestConvertOpened(t *testing.T) {
	b, err := os.ReadFile("../../testdata/effects/decal/decal.sm_hi")
	require.NoError(t, err)
	s, err := session.Open("decal.sm_hi", b, compile.Options{})
	require.NoError(t, err)
	assert.Empty(t, s.Converts())
	_, err = s.Convert(t.Context(), session.ConvertOptions{})
	require.ErrorIs(t, err, session.ErrNotConvertible)
	built, err := s.Export(t.Context(), session.CEWGPU, session.PackageOptions{Mode: cewgpu.All, Version: "0.0.0"})
	require.NoError(t, err)

	pkg, err := session.Open("decal.cewgpu", built.Data, compile.Options{})
	require.NoError(t, err)
	require.Equal(t, session.Carbon, pkg.Converts())
	r := session.StoredReport(pkg.Package, nil)
	assert.Equal(t, built.Report.Sharing, r.Sharing)
	assert.Equal(t, built.Report.Bodies, r.Bodies)
	assert.Equal(t, built.Report.Chunks, r.Chunks)
	assert.Equal(t, built.Report.SHA256, r.SHA256)
	assert.Equal(t, built.Report.Profile, r.Profile)
	assert.Equal(t, cewgpu.All, r.Mode)

	box, err := pkg.Convert(t.Context(), session.ConvertOptions{Version: "0.0.0"})
	require.NoError(t, err)
	assert.Equal(t, session.Carbon, box.Format)
	assert.NotEmpty(t, box.Lost)
	opened, err := session.Open("decal.carbonwebgpu", box.Data, compile.Options{})
	require.NoError(t, err)
	require.Equal(t, session.CEWGPU, opened.Converts())
	back, err := opened.Convert(t.Context(), session.ConvertOptions{Side: box.Side, Version: "0.0.0"})
	require.NoError(t, err)
	assert.Equal(t, built.Data, back.Data)
	assert.Empty(t, back.Lost)
	alone, err := opened.Convert(t.Context(), session.ConvertOptions{Version: "0.0.0"})
	require.NoError(t, err)
	require.NoError(t, func() error { _, err := cewgpu.Open(alone.Data); return err }())
	assert.NotEmpty(t, alone.Lost, "without its side file the container has the selected body alone")
	_, err = opened.Convert(t.Context(), session.ConvertOptions{Side: box.Side[:300]})
	require.ErrorContains(t, err, "the side file is no JSON document")

	raw, err := cewgpu.EncodeContainer([]cewgpu.Chunk{{Tag: "TEXT", Data: []byte("x")}})
	require.NoError(t, err)
	generic, err := session.Open("raw.cewgpu", raw, compile.Options{})
	require.NoError(t, err)
	assert.Empty(t, generic.Converts())
	assert.Len(t, session.StoredReport(generic.Package, nil).Chunks, 1)
}
