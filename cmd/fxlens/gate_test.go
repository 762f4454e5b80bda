package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/pack/cewgpu"
)

// A real browser judges packages through the command: all is well with what we build,
// and what it says about an altered module is on the screen, with exit code 1.
func TestGate(t *testing.T) {
	if os.Getenv("FXLENS_NO_DAWN") != "" {
		t.Skip("FXLENS_NO_DAWN is set: no outside judges")
	}
	dir := t.TempDir()
	good, bad, container := filepath.Join(dir, "good.cewgpu"), filepath.Join(dir, "bad.cewgpu"), filepath.Join(dir, "good.carbonwebgpu")
	code, _, errs := runApp(t, "build", filepath.Join(testdata, "effects", "ui", "sprite2d.sm_hi"), "-o", good)
	require.Equal(t, 0, code, errs)
	code, _, errs = runApp(t, "convert", good, "-o", container)
	require.Equal(t, 0, code, errs)

	code, out, errs := runApp(t, "gate", good, container, "--adapter", "software", "--no-sandbox", "--json")
	require.Equal(t, 0, code, out+errs)
	var doc gateDoc
	require.NoError(t, json.Unmarshal([]byte(out), &doc))
	assert.Equal(t, "fxlens.gate/1", doc.Schema)
	assert.True(t, doc.OK)
	require.Len(t, doc.Packages, 2)
	assert.Equal(t, "strict", doc.Packages[0].Kind)
	assert.Equal(t, "carbon", doc.Packages[1].Kind)
	for _, p := range doc.Packages {
		require.Len(t, p.Passes, 1)
		q := p.Passes[0]
		assert.Equal(t, "created", q.Pipeline)
		assert.Equal(t, gateCreated{2, 1}, q.Created)
		assert.Empty(t, q.Messages)
	}

	// Both profiles of three effects, whole bodies of the default permutation, in one visit.
	args := []string{"gate", "--adapter", "software", "--no-sandbox", "--json"}
	for _, effect := range []string{"quadv5", "decal/decal", "postprocess/tonemap"} {
		for _, profile := range []string{"strict", "extended"} {
			path := filepath.Join(dir, filepath.Base(effect)+"."+profile+".cewgpu")
			code, _, errs := runApp(t, "build", filepath.Join(testdata, "effects", effect+".sm_hi"), "--profile", profile, "-o", path)
			require.Equal(t, 0, code, errs)
			args = append(args, path)
		}
	}
	code, out, errs = runApp(t, args...)
	require.Equal(t, 0, code, out+errs)
	doc = gateDoc{}
	require.NoError(t, json.Unmarshal([]byte(out), &doc))
	assert.True(t, doc.OK)
	require.Len(t, doc.Packages, 6)
	for i, p := range doc.Packages {
		assert.Equal(t, []string{"strict", "extended"}[i%2], p.Kind)
		assert.NotEmpty(t, p.Passes, p.File)
		for _, q := range p.Passes {
			assert.Equal(t, "created", q.Pipeline, "%s %s", p.File, q.Key)
			assert.Empty(t, q.Messages, "%s %s", p.File, q.Key)
		}
	}

	// One word of a module is changed; lengths stay, so that the package still opens.
	data, err := os.ReadFile(good)
	require.NoError(t, err)
	chunks, _ := cewgpu.ParseContainer(data)
	for i, c := range chunks {
		if c.Tag == "WGSL" {
			text := strings.Replace(string(c.Data), "textureSample(", "textureSimple(", 1)
			require.NotEqual(t, string(c.Data), text)
			chunks[i].Data = []byte(text)
		}
	}
	data, err = cewgpu.EncodeContainer(chunks)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(bad, data, 0o644))
	code, out, errs = runApp(t, "gate", bad, "--adapter", "software", "--no-sandbox")
	assert.Equal(t, 1, code, errs)
	assert.Regexp(t, `bad\.cewgpu: Main\.pass0\.pixel:\d+:\d+: error: .*textureSimple`, out)
	assert.Contains(t, out, "bad.cewgpu: FAIL: strict, 1 of 2 modules, 0 of 1 pipeline, 1 not tried\n")
}
