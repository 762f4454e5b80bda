package cewgpu

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/effect"
)

// strictRefusals are the effects whose default body strict cannot carry, with the
// rules that say so.
var strictRefusals = map[string][]ruleID{
	"dx12/bindless/hull.sm_hi":        {ruleBinding},
	"dx12/raytracing/sunshadow.sm_hi": {ruleNoStages},
	"planet/terrain.sm_hi":            {ruleStageKind},
	"particles/draw.sm_hi":            {ruleStageKind},
}

func refusalOf(path string) ([]ruleID, bool) {
	for k, r := range strictRefusals {
		if strings.HasSuffix(filepath.ToSlash(path), k) {
			return r, true
		}
	}
	return nil, false
}

// TestEffects packages every effect, reads it back, and compares the reflection of
// every permutation with that of the source.
func TestEffects(t *testing.T) {
	for _, path := range effectFiles(t) {
		t.Run(filepath.ToSlash(path), func(t *testing.T) {
			t.Parallel()
			src := readFile(t, path)
			e := parseEffect(t, src)
			in := plainInput(e, "res:/effect")
			pkg, rep, err := Build(context.Background(), in)
			if rules, refused := refusalOf(path); refused {
				var be *BuildError
				require.ErrorAs(t, err, &be)
				for _, f := range be.Findings {
					assert.Contains(t, rules, f.Rule, f.String())
					assert.NotEmpty(t, f.Remedy)
				}
				return
			}
			var be *BuildError
			if errors.As(err, &be) {
				t.Fatal(findingsText(be.Findings))
			}
			require.NoError(t, err)
			for _, f := range rep.Findings {
				assert.Fail(t, f.String())
			}
			p := requireValid(t, pkg)
			diffs, err := p.VerifySource(context.Background(), src)
			require.NoError(t, err)
			assert.Empty(t, diffs)

			info, err := p.Info()
			require.NoError(t, err)
			if e.Version < 15 {
				assert.Equal(t, 2, info.FormatVersion)
				_, err = p.PortableReflection(0)
				assert.ErrorIs(t, err, ErrNoChunk)
				_, err = PortableReflection(e, "res:/effect", 0)
				assert.Error(t, err)
				return
			}
			comparePortable(t, e, p)
			g, err := p.Graph()
			require.NoError(t, err)
			for perm := range e.PermutationCount() {
				opts := map[string]string{}
				for i, c := range e.Choice(perm) {
					opts[g.Axes[i].Name] = g.Axes[i].Options[c]
				}
				at, err := p.Permutation(opts)
				require.NoError(t, err)
				assert.Equal(t, perm, at)
			}
		})
	}
}

func comparePortable(t *testing.T, e *effect.Effect, p *Package) {
	t.Helper()
	byBody := map[int][]byte{}
	for perm := range e.PermutationCount() {
		fresh, err := PortableReflection(e, "res:/effect", perm)
		require.NoError(t, err)
		have, err := p.PortableReflection(perm)
		require.NoError(t, err)
		a, err := json.Marshal(fresh)
		require.NoError(t, err)
		b, err := json.Marshal(have)
		require.NoError(t, err)
		require.Equal(t, string(a), string(b), "permutation %d", perm)
		body := e.BodyOf(perm)
		if _, ok := byBody[body]; !ok { // the document itself is valid, once a body
			require.Empty(t, ValidatePortable(a), "permutation %d", perm)
		}
		byBody[body] = a
	}
}

// TestEffectsAll packages every body of the effects of version 15.
func TestEffectsAll(t *testing.T) {
	for _, path := range effectFiles(t) {
		if !strings.Contains(filepath.ToSlash(path), "testdata/") {
			continue
		}
		t.Run(filepath.ToSlash(path), func(t *testing.T) {
			t.Parallel()
			e := parseEffect(t, readFile(t, path))
			in := plainInput(e, "res:/effect")
			in.Mode = All
			calls := 0
			in.Progress = func(done, total int) { calls++; assert.Equal(t, calls, done); assert.LessOrEqual(t, done, total) }
			pkg, rep, err := Build(context.Background(), in)
			var be *BuildError
			if errors.As(err, &be) {
				rules, refused := refusalOf(path)
				if e.Version < 15 {
					rules, refused = []ruleID{ruleAllVersion}, true
					in.Profile = Extended
					pkg, rep, err := Build(context.Background(), in)
					require.NoError(t, err, "the extended profile keeps all bodies of older effects")
					set, err := requireValid(t, pkg).BodySet()
					require.NoError(t, err)
					assert.Len(t, set.Bodies, len(e.Bodies()))
					assert.Len(t, rep.Bodies, len(e.Bodies()))
				}
				require.True(t, refused, findingsText(be.Findings))
				for _, f := range be.Findings {
					assert.Contains(t, rules, f.Rule, f.String())
				}
				return
			}
			require.NoError(t, err)
			p := requireValid(t, pkg)
			assert.Empty(t, rep.Findings)
			for _, b := range rep.Bodies {
				if !b.Translated {
					assert.Contains(t, b.Reason, "is not supported", b.Key)
				}
			}
			set, err := p.BodySet()
			require.NoError(t, err)
			assert.Len(t, set.PassUnits, rep.Sharing.Units)
			assert.Equal(t, calls >= len(set.PassUnits), true)
			for perm := range e.PermutationCount() {
				prog, err := p.BackendPrograms(perm)
				require.NoError(t, err)
				for _, pass := range prog.Passes {
					assert.NotNil(t, pass.Unit)
				}
			}
			calls = 0
			again, _, err := Build(context.Background(), in)
			require.NoError(t, err)
			assert.True(t, bytes.Equal(pkg, again))
		})
	}
}

// A selection narrows WGSL and META, and nothing else.
func TestSelectionNarrows(t *testing.T) {
	e := parseEffect(t, readFile(t, "..", "..", "..", "testdata", "effects", "decal", "decal.sm_hi"))
	whole, _, err := Build(context.Background(), plainInput(e, "res:/effect"))
	require.NoError(t, err)
	w := requireValid(t, whole)
	body, err := e.Body(e.DefaultIndex())
	require.NoError(t, err)
	n := 0
	for ti := range body.Techniques {
		for pi := range body.Techniques[ti].Passes {
			if len(body.Techniques[ti].Passes[pi].Stages) == 0 {
				continue
			}
			n++
			in := plainInput(e, "res:/effect")
			in.Selection = &Selection{Technique: body.Techniques[ti].Name, Pass: &pi}
			pkg, rep, err := Build(context.Background(), in)
			require.NoError(t, err)
			p := requireValid(t, pkg)
			require.Len(t, rep.Passes, 1)
			for _, tag := range []string{"PGRF", "RFLX", "RBLB", "ANLS"} {
				a, _ := w.Chunk(tag)
				b, _ := p.Chunk(tag)
				assert.True(t, bytes.Equal(a.Data, b.Data), tag)
			}
			set, err := p.WGSL()
			require.NoError(t, err)
			require.Len(t, set.Layouts, 1)
			meta, err := p.Meta()
			require.NoError(t, err)
			assert.Equal(t, pi, *meta.WGSLSelection.PassIndex)
		}
	}
	assert.Positive(t, n)
}

func TestSelectionErrors(t *testing.T) {
	zero, nine := 0, 9
	for name, c := range map[string]*Selection{
		"no technique":          {Technique: "None"},
		"no pass":               {Technique: "Main", Pass: &nine},
		"stages without a pass": {Technique: "Main", Stages: []string{"vertex", "pixel"}},
		"half a pass":           {Technique: "Main", Pass: &zero, Stages: []string{"vertex"}},
	} {
		t.Run(name, func(t *testing.T) {
			in := tinyInput(t, tinyEffect(t))
			in.Selection = c
			_, _, err := Build(context.Background(), in)
			var be *BuildError
			require.ErrorAs(t, err, &be)
			assert.Equal(t, ruleSelection, be.Findings[0].Rule)
		})
	}
	in := tinyInput(t, tinyEffect(t))
	in.Selection = &Selection{Technique: "Main", Pass: &zero, Stages: []string{"pixel", "vertex"}}
	pkg, _, err := Build(context.Background(), in)
	require.NoError(t, err)
	requireValid(t, pkg)
}

// A permutation that can be translated stands in for one that cannot, where that is allowed.
func TestAllowPartial(t *testing.T) {
	e := parseEffect(t, readFile(t, "../../../testdata/effects/decal/decal.sm_hi"))
	for _, mode := range []Mode{Selected, All} {
		in := plainInput(e, "x")
		translate := in.Translate
		bad := e.BodyOf(in.Permutation)
		in.Mode = mode
		in.Translate = func(ctx context.Context, perm int, p PassRef) (*PassModules, error) {
			if p.Technique == "Main" && e.BodyOf(perm) == bad {
				return nil, &Unsupported{Reason: "not today"}
			}
			return translate(ctx, perm, p)
		}
		_, _, err := Build(context.Background(), in)
		var refused *BuildError
		require.ErrorAs(t, err, &refused)
		in.AllowPartial = true
		pkg, rep, err := Build(context.Background(), in)
		require.NoError(t, err)
		assert.NotEqual(t, bad, e.BodyOf(rep.Permutation))
		require.Len(t, rep.Findings, 1)
		assert.Equal(t, ruleOtherBody, rep.Findings[0].Rule)
		meta, err := requireValid(t, pkg).Meta()
		require.NoError(t, err)
		assert.Equal(t, rep.Permutation, meta.BodyIndex)
	}
}
