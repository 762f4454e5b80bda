package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/pack/cewgpu"
)

// said returns the diagnostic of a code that opening a package says.
func said(t *testing.T, s *Session, code diag.Code) diag.Diag {
	t.Helper()
	for _, d := range s.Findings() {
		if d.Code == code {
			return d
		}
	}
	require.Fail(t, "not said", "%s: %v", code, s.Findings())
	return diag.Diag{}
}

// A package of an effect below version 15 says that it has one body of several.
func TestPartlyDescribed(t *testing.T) {
	s := open(t, "effects/versions/v14/booster/trail.sm_hi")
	require.Greater(t, len(s.Effect.Bodies()), 1)
	b, _, err := s.BuildPackage(t.Context(), PackageOptions{Perm: s.DefaultPermutation(), Version: "0.1.0"})
	require.NoError(t, err)
	p, err := Open("trail.cewgpu", b, compile.Options{})
	require.NoError(t, err)
	d := said(t, p, "session.partly-described")
	assert.Equal(t, diag.Note, d.Sev)
	assert.Contains(t, d.Text, "the package describes its selected body alone, of ")
	assert.Equal(t, "open the effect that it was made of to see the others", d.Remedy)
	assert.NotNil(t, p.Effect)
}

// A package whose reflection is no effect opens with its chunks, and says why.
func TestNotRebuilt(t *testing.T) {
	s := open(t, "effects/versions/v14/booster/trail.sm_hi")
	b, _, err := s.BuildPackage(t.Context(), PackageOptions{Perm: s.DefaultPermutation(), Version: "0.1.0"})
	require.NoError(t, err)
	chunks, found := cewgpu.ParseContainer(b)
	require.Empty(t, found)
	chunk := func(tag string) *cewgpu.Chunk {
		return &chunks[slices.IndexFunc(chunks, func(c cewgpu.Chunk) bool { return c.Tag == tag })]
	}
	graph, info := chunk("PGRF"), chunk("INFO")
	was, size := sha256.Sum256(graph.Data), len(graph.Data)
	// No effect can hold such a text.
	graph.Data = bytes.Replace(graph.Data, []byte(`"description":"`), []byte(`"description":"\u0000`), 1)
	is := sha256.Sum256(graph.Data)
	info.Data = bytes.ReplaceAll(info.Data, []byte(hex.EncodeToString(was[:])), []byte(hex.EncodeToString(is[:])))
	info.Data = bytes.ReplaceAll(info.Data, fmt.Appendf(nil, `"byteLength":%d`, size), fmt.Appendf(nil, `"byteLength":%d`, len(graph.Data)))
	out, err := cewgpu.EncodeContainer(chunks)
	require.NoError(t, err)
	p, err := Open("trail.cewgpu", out, compile.Options{})
	require.NoError(t, err)
	d := said(t, p, "session.not-rebuilt")
	assert.Equal(t, diag.Warning, d.Sev)
	assert.Contains(t, d.Text, "rebuilding an effect: ")
	assert.Contains(t, d.Remedy, "fxlens extract")
	assert.Nil(t, p.Effect)
	assert.NotEmpty(t, p.Package.Chunks)
}
