package variant_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	. "fxlens/core/variant"
)

// selected is what a set selects, worked out without Specialize: every chunk that is
// reached when a choice is only its selected alternative.
func selected(t *testing.T, n Node, set *Set, into map[string]bool) {
	switch n := n.(type) {
	case *Choice:
		a, err := n.AlternativeFor(set)
		require.NoError(t, err)
		selected(t, a, set, into)
	case *Chunk:
		if into[n.Text()] {
			return
		}
		into[n.Text()] = true
		for _, d := range n.Dependencies() {
			selected(t, d, set, into)
		}
	}
}

// aboveChoice reports whether a node reaches a choice.
func aboveChoice(n Node) bool { return len(CollectSwitches(n)) > 0 }

// Random graphs: specialising gives exactly what is selected, shares what it can, changes
// nothing, and linking puts everything behind what it needs.
func TestSpecializeRandomGraphs(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 10))
		switches := []*Switch{boolean(t, "a"), enum(t, "b", Member{"X", 0}, Member{"Y", 3}, Member{"Z", 1}), boolean(t, "c")}
		var nodes []Node
		texts := map[Node][]Node{}
		for i := range 2 + r.IntN(30) {
			if len(nodes) > 2 && r.IntN(3) == 0 {
				c := ChoiceFrom(switches[r.IntN(3)])
				for _, m := range c.Switch().Members() {
					require.NoError(t, c.Add(m.Value, nodes[r.IntN(len(nodes))]))
				}
				nodes = append(nodes, c)
				continue
			}
			c := NewChunk("", fmt.Sprintf("// %d", i))
			for range r.IntN(4) {
				if len(nodes) > 0 {
					_, err := c.AddDependency(nodes[r.IntN(len(nodes))])
					require.NoError(t, err)
				}
			}
			nodes = append(nodes, c)
			texts[c] = c.Dependencies()
		}
		root := nodes[len(nodes)-1]
		sets, err := Product(switches, 100)
		require.NoError(t, err)
		for _, set := range sets {
			s, err := Specialize(root, set)
			require.NoError(t, err)
			l, err := Link(s)
			require.NoError(t, err, "no choice is left")
			want := map[string]bool{}
			selected(t, root, set, want)
			at := map[*Chunk]int{}
			for i, c := range l.Chunks {
				at[c] = i
				require.True(t, want[c.Text()], "seed %d: %s is not selected", seed, c.Text())
			}
			require.Len(t, l.Chunks, len(want), "seed %d: each selected chunk once", seed)
			for _, c := range l.Chunks {
				for _, d := range c.Dependencies() {
					require.Less(t, at[d.(*Chunk)], at[c], "seed %d: behind what it needs", seed)
				}
			}
			again, err := Specialize(s, set)
			require.NoError(t, err)
			require.Same(t, s, again, "a static graph gives itself")
		}
		for n, deps := range texts {
			require.Equal(t, deps, n.(*Chunk).Dependencies(), "the source is never changed")
			s, err := Specialize(n, Empty)
			require.NoError(t, err)
			require.Equal(t, !aboveChoice(n), Node(s) == n, "only what stands above a choice is copied")
		}
	}
}

// Every variant has its own extensions and its own check against the device; the bind
// groups are those of the interface.
func TestExtensionsPerVariant(t *testing.T) {
	b := boolean(t, "half")
	half := chunk(t, "fn pick() -> i32 { return i32(f16(1)); }")
	half.AddExtension("f16")
	s := image(t, "s", &Interface{Groups: []*Group{{}, {}, {}, {}}}, chunk(t, fragment, choice(t, b, chunk(t, "fn pick() -> i32 { return 0; }"), half)))
	v, err := s.Variant(with(t, b, 1))
	require.NoError(t, err)
	src, err := s.Source()
	require.NoError(t, err)
	assert.NotContains(t, src, "enable")
	src, err = v.Source()
	require.NoError(t, err)
	assert.Contains(t, src, "enable f16;\n")
	l, err := v.Linked()
	require.NoError(t, err)
	assert.Equal(t, "enable f16;", l.Parts()[0])
	assert.NoError(t, s.CheckDevice(Device{}))
	assert.NoError(t, v.CheckDevice(Device{Features: []string{"shader-f16"}}))
	assert.EqualError(t, v.CheckDevice(Device{BindGroups: 3}), `shader "s [half=true]" needs the feature "shader-f16", which the device does not have`+"\n"+`shader "s [half=true]" binds 4 groups; the device has 3`)
}

func TestPrefetch(t *testing.T) {
	e := enum(t, "e", Member{"A", 0}, Member{"B", 1}, Member{"C", 2})
	pick := func(n int) Node { return chunk(t, fmt.Sprintf("fn pick() -> i32 { return %d; }", n)) }
	s := image(t, "s", nil, chunk(t, fragment, choice(t, e, pick(0), pick(1))))
	sets, err := Product([]*Switch{e, boolean(t, "other")}, 10)
	require.NoError(t, err)
	err = Prefetch(t.Context(), []*Shader{s}, sets)
	assert.EqualError(t, err, `shader "s [e=C]": choice of "e" has no alternative for C`, "each failure once, and the others are made")
	v, err := s.Variant(with(t, e, 1))
	require.NoError(t, err)
	again, err := s.Variant(with(t, e, 1))
	require.NoError(t, err)
	assert.Same(t, v, again)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, Prefetch(ctx, []*Shader{s}, sets), context.Canceled)
}

// Two graphs that are equal and share much inside are compared in time that their size
// allows, not their paths.
func TestEqualOfSharedGraphs(t *testing.T) {
	build := func() Node {
		a, b := chunk(t, "// a"), chunk(t, "// b")
		for i := range 60 {
			a, b = chunk(t, fmt.Sprintf("// a%d", i), a, b), chunk(t, fmt.Sprintf("// b%d", i), a, b)
		}
		return a
	}
	assert.True(t, Equal(build(), build()))
}
