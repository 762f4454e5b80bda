package carbon_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/effect"
	"fxlens/core/pack/carbon"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
)

var testdata = filepath.Join("..", "..", "..", "testdata")

func readFile(t testing.TB, path ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	require.NoError(t, err)
	return b
}

// effectFiles returns every bundled effect, and those of the whole collection where
// it stands beside the repository.
func effectFiles(t testing.TB) []string {
	t.Helper()
	var out []string
	for _, dir := range []string{filepath.Join(testdata, "effects"), filepath.Join("..", "..", "..", "..", "shared", "effects")} {
		if _, err := os.Stat(dir); err != nil {
			continue
		}
		require.NoError(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err == nil && strings.HasPrefix(filepath.Ext(path), ".sm_") {
				out = append(out, path)
			}
			return err
		}))
	}
	require.GreaterOrEqual(t, len(out), 8)
	return out
}

func openEffect(t testing.TB, path string) *session.Session {
	t.Helper()
	s, err := session.Open(filepath.Base(path), readFile(t, path), compile.Options{})
	require.NoError(t, err)
	return s
}

// buildPackage makes a strict package, or reports that the effect cannot be one.
func buildPackage(t testing.TB, s *session.Session, mode cewgpu.Mode) (*cewgpu.Package, bool) {
	t.Helper()
	data, _, err := s.BuildPackage(context.Background(), session.PackageOptions{Perm: s.DefaultPermutation(), Mode: mode, Version: "0.1.0"})
	var refused *cewgpu.BuildError
	if errors.As(err, &refused) {
		return nil, false
	}
	require.NoError(t, err)
	p, err := cewgpu.Open(data)
	require.NoError(t, err)
	return p, true
}

func packageBytes(t testing.TB, p *cewgpu.Package) []byte {
	t.Helper()
	b, err := cewgpu.EncodeContainer(p.Chunks)
	require.NoError(t, err)
	return b
}

func errorsOf(ds []diag.Diag) []string {
	out := []string{}
	for _, d := range ds {
		if d.Sev == diag.Error {
			out = append(out, d.String())
		}
	}
	return out
}

// TestRoundTrips converts every effect that can be packaged to a container and back,
// in every way there is.
func TestRoundTrips(t *testing.T) {
	done := 0
	for _, path := range effectFiles(t) {
		t.Run(filepath.ToSlash(path), func(t *testing.T) {
			s := openEffect(t, path)
			mode := cewgpu.Selected
			if s.Effect.Version == effect.WriteVersion && len(s.Data) < 200_000 {
				mode = cewgpu.All
			}
			p, ok := buildPackage(t, s, mode)
			if !ok {
				return
			}
			done++
			c, err := carbon.FromPackage(context.Background(), p, carbon.FromOptions{Source: s.Effect})
			require.NoError(t, err)
			checkContainer(t, c, p, s)

			if s.Effect.Version < effect.WriteVersion {
				_, err := carbon.FromPackage(context.Background(), p, carbon.FromOptions{})
				var ce *carbon.ConvertError
				require.ErrorAs(t, err, &ce)
				assert.Equal(t, diag.Code("carbon.need-source"), ce.Findings[0].Code)
				return
			}
			alone, err := carbon.FromPackage(context.Background(), p, carbon.FromOptions{})
			require.NoError(t, err)
			checkContainer(t, alone, p, s)
		})
	}
	assert.Positive(t, done)
}

func checkContainer(t *testing.T, c *carbon.Container, p *cewgpu.Package, s *session.Session) {
	t.Helper()
	assert.True(t, carbon.Sniff(c.Data))
	f, ds := carbon.Validate(c.Data, carbon.Detect)
	require.Empty(t, errorsOf(ds))
	for _, d := range ds {
		assert.NotEqual(t, diag.Code("carbon.layout"), d.Code, "%s", d)
	}
	again, err := f.Rewrite()
	require.NoError(t, err)
	require.True(t, bytes.Equal(again, c.Data), "a rewritten container has the same bytes")

	checkViews(t, f, p)

	// The side file, as bytes, gives the package again.
	side, err := c.Side.Encode()
	require.NoError(t, err)
	read, err := carbon.ParseSide(side)
	require.NoError(t, err)
	back, err := f.ToPackage(context.Background(), carbon.ToOptions{Side: read, Permutation: -1})
	require.NoError(t, err)
	assert.True(t, back.Exact)
	require.True(t, bytes.Equal(back.Data, packageBytes(t, p)), "the package comes back byte for byte")

	// With the source the package has everything but what the container lost.
	meta, err := p.Meta()
	require.NoError(t, err)
	whole, err := f.ToPackage(context.Background(), carbon.ToOptions{Source: s.Effect, Permutation: meta.BodyIndex, Label: meta.SourcePath, Version: "0.1.0"})
	require.NoError(t, err)
	wp, err := cewgpu.Open(whole.Data)
	require.NoError(t, err)
	for _, tag := range []string{"PGRF", "RFLX", "RBLB", "ANLS"} {
		a, _ := p.Chunk(tag)
		b, _ := wp.Chunk(tag)
		assert.Equal(t, string(a.Data), string(b.Data), tag)
	}
	sameWGSL(t, p, wp)

	// Alone it is a valid package of the selected body.
	lone, err := f.ToPackage(context.Background(), carbon.ToOptions{Permutation: meta.BodyIndex, Label: meta.SourcePath, Version: "0.1.0"})
	require.NoError(t, err)
	lp, err := cewgpu.Open(lone.Data)
	require.NoError(t, err)
	sameWGSL(t, p, lp)
	info, err := lp.Info()
	require.NoError(t, err)
	assert.Equal(t, 2, info.FormatVersion)
	assert.False(t, info.Completeness.SourceComplete)
	assert.Equal(t, len(c.Data), info.SourceIdentity.ByteLength)
	assert.NotEmpty(t, lone.Lost)
}

// bareSet is a WGSL set without what a container does not store.
func bareSet(t *testing.T, p *cewgpu.Package) *cewgpu.WGSLSet {
	t.Helper()
	c, ok := p.Chunk("WGSL")
	require.True(t, ok)
	var set cewgpu.WGSLSet
	require.NoError(t, json.Unmarshal(c.Data, &set))
	for i := range set.Shaders {
		set.Shaders[i].SourceMap = []cewgpu.MapLine{}
	}
	for i := range set.Layouts {
		for _, g := range set.Layouts[i].BindGroups {
			for j := range g.Bindings {
				if b := &g.Bindings[j]; b.StructureStride == 0 && b.Buffer != nil && b.Buffer.Type != "uniform" && b.Buffer.MinBindingSize > 4 {
					b.StructureStride = b.Buffer.MinBindingSize // see the loss "typed buffers"
				}
			}
		}
	}
	return &set
}

func sameWGSL(t *testing.T, a, b *cewgpu.Package) {
	t.Helper()
	require.Equal(t, bareSet(t, a), bareSet(t, b))
}

// checkViews compares the derived views with the documents of the package.
func checkViews(t *testing.T, f *carbon.File, p *cewgpu.Package) {
	t.Helper()
	meta, err := p.Meta()
	require.NoError(t, err)
	set, ds := f.WGSL(meta.BodyIndex)
	require.Empty(t, errorsOf(ds))
	assert.Equal(t, bareSet(t, p), set)

	graph, err := p.Graph()
	require.NoError(t, err)
	view := f.Graph()
	assert.Equal(t, graph.Axes, view.Axes)
	require.Len(t, view.Variants, len(graph.Variants))
	for i := range graph.Variants {
		assert.Equal(t, graph.Variants[i].OptionIndices, view.Variants[i].OptionIndices)
		// Bodies that differ in the source alone may be one here, never the reverse.
		for j := range i {
			if graph.Variants[i].BodyKey == graph.Variants[j].BodyKey {
				require.Equal(t, view.Variants[i].BodyKey, view.Variants[j].BodyKey)
			}
		}
	}
	for _, b := range view.Bodies {
		assert.Positive(t, b.PermutationCount)
	}

	anls, _ := p.Chunk("ANLS")
	var analysis cewgpu.Analysis
	require.NoError(t, json.Unmarshal(anls.Data, &analysis))
	have, err := f.Analysis(context.Background(), meta.BodyIndex, meta.SourcePath)
	require.NoError(t, err)
	want := analysis
	want.EffectVersion, want.CompilerVersion = 15, have.CompilerVersion
	want.Stages = append([]cewgpu.AnalysisStage(nil), analysis.Stages...)
	require.Len(t, have.Stages, len(want.Stages))
	want.SelectedOptions = have.SelectedOptions // who chose an option is not stored
	for i := range want.Stages {
		w, h := &want.Stages[i], &have.Stages[i]
		assert.Equal(t, len(set.Shaders[indexOf(t, set, w.Key)].Code), h.ShaderBytecode.ShaderSize)
		w.ShaderBytecode, w.ShaderHandle = h.ShaderBytecode, h.ShaderHandle
	}
	a, err := json.Marshal(want)
	require.NoError(t, err)
	b, err := json.Marshal(have)
	require.NoError(t, err)
	assert.JSONEq(t, string(a), string(b))

	if bodies, err := p.BodySet(); err == nil {
		view, ds := f.BodySet()
		require.Empty(t, errorsOf(ds))
		for perm := range graph.Variants {
			programs, err := p.BackendPrograms(perm)
			require.NoError(t, err)
			rec := view.Bodies[f.BodyOf(perm)]
			assert.Equal(t, programs.Status, rec.Status, "permutation %d", perm)
			require.Len(t, rec.Passes, len(programs.Passes))
		}
		assert.GreaterOrEqual(t, len(view.PassUnits)+1, 1)
		_ = bodies
	}
}

func indexOf(t *testing.T, set *cewgpu.WGSLSet, key string) int {
	t.Helper()
	for i := range set.Shaders {
		if set.Shaders[i].Key == key {
			return i
		}
	}
	require.Fail(t, "no module", key)
	return 0
}
