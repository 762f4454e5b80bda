package session

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/pack/carbon"
	"fxlens/core/pack/cewgpu"
)

// The order of techniques is a choice that reaches the package, its report and what it
// says of its producer; a container gives the package again in its order. Of the two
// techniques here "Picking" is before "main" by code point, and behind it in root order.
func TestTechniqueOrder(t *testing.T) {
	data := bytes.Replace(read(t, "effects/decal/decal.sm_hi"), []byte("Main\x00"), []byte("main\x00"), 1)
	s, err := Open("decal.sm_hi", data, compile.Options{})
	require.NoError(t, err)
	ctx := context.Background()
	var pkgs [][]byte
	for _, c := range []struct {
		order  cewgpu.Order
		record cewgpu.Order
		want   []string
	}{{"", cewgpu.CodePoint, []string{"Picking", "main"}}, {cewgpu.CodePoint, cewgpu.CodePoint, []string{"Picking", "main"}}, {cewgpu.Root, cewgpu.Root, []string{"main", "Picking"}}} {
		o := PackageOptions{Perm: s.DefaultPermutation(), Mode: cewgpu.All, Order: c.order, Version: "1.2.3"}
		pkg, report, err := s.BuildPackage(ctx, o)
		require.NoError(t, err)
		pkgs = append(pkgs, pkg)
		assert.Equal(t, c.record, report.Order)
		p, err := cewgpu.Open(pkg) // the strict reader
		require.NoError(t, err)
		info, err := p.Info()
		require.NoError(t, err)
		assert.Equal(t, string(c.record), info.Producer.Order)
		ch, ok := p.Chunk("WGSL")
		require.True(t, ok)
		var set struct {
			Layouts []struct{ TechniqueName string }
		}
		require.NoError(t, json.Unmarshal(ch.Data, &set))
		var got []string
		for _, l := range set.Layouts {
			got = append(got, l.TechniqueName)
		}
		assert.Equal(t, c.want, got)

		box, err := s.Export(ctx, Carbon, o)
		require.NoError(t, err)
		f, err := carbon.Open(box.Data)
		require.NoError(t, err)
		side, err := carbon.ParseSide(box.Side)
		require.NoError(t, err)
		back, err := f.ToPackage(ctx, carbon.ToOptions{Side: side, Permutation: -1})
		require.NoError(t, err)
		assert.Equal(t, pkg, back.Data, "exactly")
		// Made anew from the source it has the same order, unless one is asked for.
		whole, err := f.ToPackage(ctx, carbon.ToOptions{Side: side, Source: s.Effect, Permutation: o.Perm, Version: "1.2.3"})
		require.NoError(t, err)
		assert.Equal(t, c.record, whole.Report.Order)
		whole, err = f.ToPackage(ctx, carbon.ToOptions{Side: side, Source: s.Effect, Permutation: o.Perm, Version: "1.2.3", Order: cewgpu.CodePoint})
		require.NoError(t, err)
		assert.Equal(t, cewgpu.CodePoint, whole.Report.Order)
	}
	assert.Equal(t, pkgs[0], pkgs[1])
	assert.NotEqual(t, pkgs[0], pkgs[2])
	// Everything else is the same.
	a, err := cewgpu.Open(pkgs[0])
	require.NoError(t, err)
	b, err := cewgpu.Open(pkgs[2])
	require.NoError(t, err)
	for _, tag := range []string{"META", "PGRF", "RFLX", "RBLB", "ANLS", "WGSB"} {
		x, _ := a.Chunk(tag)
		y, _ := b.Chunk(tag)
		assert.True(t, bytes.Equal(x.Data, y.Data), tag)
	}
}

// A strict package that is refused for want of view formats lists in the same run what
// it could not carry with them either, and names the profile that builds.
func TestStrictListsAllAtOnce(t *testing.T) {
	s := open(t, "effects/particles/clear.sm_hi")
	o := PackageOptions{Perm: s.DefaultPermutation(), Version: "1.2.3"}
	findings := func() (rules map[string]int, text string) {
		_, _, err := s.BuildPackage(context.Background(), o)
		var be *cewgpu.BuildError
		require.ErrorAs(t, err, &be)
		rules = map[string]int{}
		for _, f := range be.Findings {
			rules[string(f.Rule)+" "+f.Path]++
			assert.Contains(t, f.Remedy, "--profile extended", f.Path)
			text += f.Reason + "\n"
		}
		return rules, text
	}
	before, text := findings()
	assert.Contains(t, text, "the view format of the typed buffer")
	s.Options.Views = map[string]string{"*": "auto"}
	after, _ := findings()
	require.NotEmpty(t, after)
	for k := range after {
		assert.Contains(t, before, k, "listed before the views are given too")
	}
}
