package files_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/files"
	"fxlens/core/variant/manifest"
)

func TestOpenGraph(t *testing.T) {
	t.Parallel()
	const graphs = "../../testdata/switches"
	for _, path := range []string{"deferred", "deferred/switches.toml", "single.toml"} {
		path = filepath.Join(graphs, filepath.FromSlash(path))
		assert.True(t, files.IsGraph(path), path)
		w, err := files.OpenGraph(path)
		require.NoError(t, err)
		assert.Equal(t, path, w.File)
		assert.NotEmpty(t, w.Shaders)
	}
	assert.False(t, files.IsGraph(graphs))
	_, err := files.OpenGraph(graphs)
	var fe *files.Error
	require.ErrorAs(t, err, &fe)
	assert.Contains(t, err.Error(), "name a folder with switches.toml, or a manifest")

	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.toml")
	require.NoError(t, os.WriteFile(bad, []byte("graph = \"g\"\n[chunks.a]\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.fxlens.toml"), nil, 0o644))
	assert.False(t, files.IsGraph(filepath.Join(dir, "a.fxlens.toml")), "a sidecar")
	_, err = files.OpenGraph(bad)
	require.ErrorIs(t, err, manifest.ErrManifest)
	assert.Contains(t, err.Error(), bad+`:2:9: chunk "a": there is no file "a.wgsl"`)
}
