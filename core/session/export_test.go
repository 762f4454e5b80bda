package session

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
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

// A package or container opens like the effect that it was made of: axes, passes,
// reflection, and the modules and bindings that it stores; programs where it has them.
func TestStoredOpensLikeAnEffect(t *testing.T) {
	ctx := context.Background()
	for _, path := range []string{"effects/decal/decal.sm_hi", "effects/booster/trail.sm_hi", "effects/versions/v08/booster/trail.sm_hi",
		"effects/ui/sprite2d.sm_hi", "effects/particles/clear.sm_hi"} {
		for _, mode := range []cewgpu.Mode{cewgpu.Selected, cewgpu.All} {
			s := open(t, path)
			s.Options.Views = map[string]string{"*": "auto"}
			if mode == cewgpu.All && s.Effect.Version < 15 {
				continue
			}
			perm := s.DefaultPermutation()
			for _, format := range []Format{CEWGPU, Carbon} {
				o := PackageOptions{Perm: perm, Mode: mode, Version: "1.2.3"}
				if strings.Contains(path, "clear") {
					if o.Profile = cewgpu.Extended; format == Carbon {
						continue // it has storage textures
					}
				}
				x, err := s.Export(ctx, format, o)
				require.NoError(t, err, path)
				p, err := Open("x", x.Data, compile.Options{})
				require.NoError(t, err, path)
				t.Run(path+" "+string(mode)+" "+string(format), func(t *testing.T) {
					assert.Equal(t, PackageFile, p.Kind)
					require.NotNil(t, p.Effect)
					assert.Equal(t, perm, p.DefaultPermutation())
					assert.Equal(t, s.Permutations(), p.Permutations())
					for i := range s.Permutations() {
						assert.Equal(t, s.Permutation(i), p.Permutation(i))
					}
					assert.Equal(t, format == CEWGPU && s.Effect.Version == 15, p.HasPrograms())
					sameModules(t, s, p, perm)
					if mode == cewgpu.All {
						for i, b := range s.Effect.Bodies() {
							if !x.Report.Bodies[i].Translated {
								continue
							}
							sameModules(t, s, p, b.Permutations[0])
						}
					}
				})
			}
		}
	}
}

// sameModules compares what two sessions say about a permutation.
func sameModules(t *testing.T, s, p *Session, perm int) {
	t.Helper()
	ctx := context.Background()
	want, err := s.Passes(perm)
	require.NoError(t, err)
	have, err := p.Passes(perm)
	require.NoError(t, err)
	require.Equal(t, want, have)
	for _, ref := range want {
		a, err := s.Compile(ctx, perm, ref)
		require.NoError(t, err)
		b, err := p.Compile(ctx, perm, ref)
		require.NoError(t, err)
		again, err := p.Compile(ctx, perm, ref)
		require.NoError(t, err)
		assert.Same(t, b, again)
		require.Len(t, b.Stages, len(a.Stages))
		assert.Equal(t, a.Status, b.Status)
		for i := range a.Stages {
			require.NotNil(t, b.Stages[i].Module)
			assert.Equal(t, a.Stages[i].Kind, b.Stages[i].Kind)
			assert.Equal(t, a.Stages[i].Module.Code, b.Stages[i].Module.Code)
			assert.Equal(t, a.Stages[i].Module.Workgroup, b.Stages[i].Module.Workgroup)
			if p.HasPrograms() {
				assert.Equal(t, a.Stages[i].Module.Tokens, b.Stages[i].Module.Tokens, "the stored text is what the program gives now")
			}
		}
		require.Len(t, b.Plan.Bindings, len(a.Plan.Bindings))
		for i := range a.Plan.Bindings {
			x, y := &a.Plan.Bindings[i], &b.Plan.Bindings[i]
			assert.Equal(t, []any{x.Group, x.Binding, x.Symbol, x.Type, x.Name, x.Visibility}, []any{y.Group, y.Binding, y.Symbol, y.Type, y.Name, y.Visibility})
		}
		for _, d := range b.Diags {
			assert.NotEqual(t, codeStoredDiffers, d.Code)
		}
	}
	if s.Effect.Version < 15 {
		return
	}
	// The reflection is that of the source, but for the places in the file. A
	// container has other programs.
	x, err := cewgpu.PortableReflection(s.Effect, "", perm)
	require.NoError(t, err)
	y, err := cewgpu.PortableReflection(p.Effect, "", perm)
	require.NoError(t, err)
	for _, e := range []*cewgpu.Portable{x, y} {
		for i := range e.Effect.Techniques {
			for j := range e.Effect.Techniques[i].Passes {
				for k := range e.Effect.Techniques[i].Passes[j].Stages {
					st := &e.Effect.Techniques[i].Passes[j].Stages[k]
					st.SourceProgram.StringTableOffset = 0
					if !p.HasPrograms() {
						st.SourceProgram = cewgpu.SourceProgram{}
					}
				}
			}
		}
	}
	assert.Equal(t, x.Effect, y.Effect)
}

// Of a package with the modules of one permutation the others are translated from
// its programs, or missing with the reason.
func TestNotStored(t *testing.T) {
	ctx := context.Background()
	s := open(t, "effects/decal/decal.sm_hi")
	x, err := s.Export(ctx, CEWGPU, PackageOptions{Perm: 4, Version: "1.2.3"})
	require.NoError(t, err)
	p, err := Open("x.cewgpu", x.Data, compile.Options{})
	require.NoError(t, err)
	passes, err := p.Passes(0)
	require.NoError(t, err)
	c, err := p.Compile(ctx, 0, passes[0])
	require.NoError(t, err)
	assert.Equal(t, compile.Translated, c.Status)
	require.NotEmpty(t, c.Diags)
	assert.Equal(t, codeTranslatedNow, c.Diags[len(c.Diags)-1].Code)
	_, err = p.Stored(0, passes[0])
	assert.ErrorIs(t, err, cewgpu.ErrNoChunk)

	x, err = s.Export(ctx, Carbon, PackageOptions{Perm: 4, Version: "1.2.3"})
	require.NoError(t, err)
	p, err = Open("x.carbonwebgpu", x.Data, compile.Options{})
	require.NoError(t, err)
	c, err = p.Compile(ctx, 0, passes[0])
	require.NoError(t, err)
	assert.Equal(t, compile.Refused, c.Status)
	require.Len(t, c.Diags, 1)
	assert.Equal(t, codeNotStored, c.Diags[0].Code)
	_, err = p.Phases(ctx, 0, passes[0], 0)
	assert.ErrorIs(t, err, ErrNoPrograms)

	l, err := ParseLink("x#Main/0/ps")
	require.NoError(t, err)
	target, err := p.Resolve(l)
	require.NoError(t, err)
	assert.Equal(t, 4, target.Perm, "without options a link means the package's permutation")
	l.Instr = 3
	_, err = p.Resolve(l)
	assert.ErrorIs(t, err, ErrLink)
}

// Modules that another tool made are shown as they are stored.
func TestStoredDiffers(t *testing.T) {
	ctx := context.Background()
	s := open(t, "effects/decal/decal.sm_hi")
	x, err := s.Export(ctx, CEWGPU, PackageOptions{Perm: 4, Version: "1.2.3"})
	require.NoError(t, err)
	chunks, _ := cewgpu.ParseContainer(x.Data)
	for i := range chunks {
		if chunks[i].Tag == "WGSL" {
			chunks[i].Data = []byte(strings.Replace(string(chunks[i].Data), `"code":"`, `"code":"// by hand\n`, 1))
		}
	}
	data, err := cewgpu.EncodeContainer(chunks)
	require.NoError(t, err)
	p, err := Open("x.cewgpu", data, compile.Options{})
	require.NoError(t, err)
	passes, err := p.Passes(4)
	require.NoError(t, err)
	c, err := p.Compile(ctx, 4, passes[0])
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(c.Stages[0].Module.Code, "// by hand\n"))
	require.NotEmpty(t, c.Stages[0].Module.Tokens)
	assert.Equal(t, codeStoredDiffers, c.Diags[len(c.Diags)-1].Code)
	mapped := 0
	for _, tok := range c.Stages[0].Module.Tokens {
		if tok.Instr >= 0 {
			mapped++
		}
	}
	assert.Positive(t, mapped)
}

// The views of every container are the documents of its package.
func TestViewsOfContainers(t *testing.T) {
	ctx := context.Background()
	n := 0
	for _, path := range effects(t) {
		s := open(t, path)
		x, err := s.Export(ctx, Carbon, PackageOptions{Perm: s.DefaultPermutation(), Version: "1.2.3"})
		if err != nil {
			continue // what no container can say is refused, which other tests look at
		}
		f, err := carbon.Open(x.Data)
		require.NoError(t, err, path)
		side, err := carbon.ParseSide(x.Side)
		require.NoError(t, err, path)
		back, err := f.ToPackage(ctx, carbon.ToOptions{Side: side, Permutation: -1})
		require.NoError(t, err, path)
		p, err := cewgpu.Open(back.Data)
		require.NoError(t, err, path)
		ds, err := f.VerifyPackage(ctx, p)
		require.NoError(t, err, path)
		assert.Empty(t, ds, path)
		ds, err = f.VerifySource(ctx, s.Effect)
		require.NoError(t, err, path)
		assert.Empty(t, ds, path)
		n++
	}
	assert.Greater(t, n, 10)
}
