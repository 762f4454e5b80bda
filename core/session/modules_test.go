package session_test

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/pack/carbon"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
)

// broken is a package of the decal in whose selected modules a keyword is misspelt.
func broken(t *testing.T) []byte {
	b, err := os.ReadFile("../../testdata/effects/decal/decal.sm_hi")
	require.NoError(t, err)
	s, err := session.Open("decal.sm_hi", b, compile.Options{})
	require.NoError(t, err)
	pkg, _, err := s.BuildPackage(t.Context(), session.PackageOptions{Perm: s.DefaultPermutation(), Version: "0.0.0"})
	require.NoError(t, err)
	p, err := cewgpu.Open(pkg)
	require.NoError(t, err)
	found, err := session.CheckModules(t.Context(), p)
	require.NoError(t, err)
	require.Empty(t, found)

	chunks, fs := cewgpu.ParseContainer(pkg)
	require.Empty(t, fs)
	for i := range chunks {
		if chunks[i].Tag == "WGSL" {
			chunks[i].Data = bytes.ReplaceAll(chunks[i].Data, []byte("  return "), []byte("  retrun "))
		}
	}
	out, err := cewgpu.EncodeContainer(chunks)
	require.NoError(t, err)
	return out
}

// The text of a stored module is judged: by verify with the place in the document, in the
// inspector at the stage, and in a container at its program slot.
func TestStoredModuleFaults(t *testing.T) {
	data := broken(t)
	p, err := cewgpu.Open(data)
	require.NoError(t, err, "the format's rules do not read function bodies")
	found, err := session.CheckModules(t.Context(), p)
	require.NoError(t, err)
	require.NotEmpty(t, found)
	assert.Equal(t, diag.Code("session.module"), found[0].Rule)
	assert.Equal(t, diag.Error, found[0].Severity)
	assert.Equal(t, "WGSL", found[0].Chunk)
	assert.Equal(t, "shaders[0].code", found[0].Path)
	assert.Regexp(t, `^WGSL line \d+, column \d+: `, found[0].Reason)
	assert.NotEmpty(t, found[0].Remedy)

	s, err := session.Open("decal.cewgpu", data, compile.Options{})
	require.NoError(t, err)
	passes, err := s.Passes(s.DefaultPermutation())
	require.NoError(t, err)
	pass, err := s.Compile(t.Context(), s.DefaultPermutation(), passes[0])
	require.NoError(t, err)
	var seen []diag.Diag
	for _, st := range pass.Stages {
		for _, d := range st.Diags {
			if d.Code == "session.module" {
				seen = append(seen, d)
			}
		}
	}
	require.NotEmpty(t, seen)
	assert.Equal(t, compile.Translated, pass.Stages[0].Status, "the text is there and is shown")

	c, err := carbon.FromPackage(t.Context(), p, carbon.FromOptions{})
	require.NoError(t, err)
	inside, err := session.CheckContainer(t.Context(), c.File)
	require.NoError(t, err)
	require.NotEmpty(t, inside)
	assert.Contains(t, inside[0].Path, "/vs")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = session.CheckModules(ctx, p)
	assert.ErrorIs(t, err, context.Canceled)
}

// Text of a generic container is judged too, its findings bounded; other chunks are not.
func TestGenericModuleFaults(t *testing.T) {
	check := func(code string) []cewgpu.Finding {
		raw, err := cewgpu.EncodeContainer([]cewgpu.Chunk{{Tag: "NOTE", Data: []byte("no WGSL")}, {Tag: "WGSL", Data: []byte(code)}})
		require.NoError(t, err)
		p, found := cewgpu.Validate(raw)
		require.Empty(t, found)
		found, err = session.CheckModules(t.Context(), p)
		require.NoError(t, err)
		return found
	}
	assert.Empty(t, check("fn f() {}"))
	assert.Empty(t, check(`{"format": "of somebody"}`), "a document")
	one := check("fn f() {\n  x = 1;\n}")
	require.Len(t, one, 1)
	assert.Equal(t, "WGSL line 2, column 3: unresolved value \"x\"", one[0].Reason)
	many := check("fn f() {\n" + strings.Repeat("  x = 1;\n", 100) + "}")
	require.Len(t, many, 21)
	assert.Equal(t, "WGSL: 80 more findings follow", many[20].Reason)
}
