package variant_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	. "fxlens/core/variant"
)

func enum(t testing.TB, label string, members ...Member) *Switch {
	t.Helper()
	s, err := Enum(label, members...)
	require.NoError(t, err)
	return s
}

func boolean(t testing.TB, label string) *Switch {
	t.Helper()
	s, err := Bool(label)
	require.NoError(t, err)
	return s
}

func chunk(t testing.TB, text string, deps ...Node) *Chunk {
	t.Helper()
	c := NewChunk("", text)
	for _, d := range deps {
		_, err := c.AddDependency(d)
		require.NoError(t, err)
	}
	return c
}

func choice(t testing.TB, s *Switch, alts ...Node) *Choice {
	t.Helper()
	c := ChoiceFrom(s)
	for i, m := range s.Members() {
		if i < len(alts) && alts[i] != nil {
			require.NoError(t, c.Add(m.Value, alts[i]))
		}
	}
	return c
}

func with(t testing.TB, pairs ...any) *Set {
	t.Helper()
	set := Empty
	for i := 0; i < len(pairs); i += 2 {
		var err error
		set, err = set.With(pairs[i].(*Switch), pairs[i+1].(int))
		require.NoError(t, err)
	}
	return set
}

func linked(t testing.TB, n Node, set *Set) string {
	t.Helper()
	c, err := Specialize(n, set)
	require.NoError(t, err)
	l, err := Link(c)
	require.NoError(t, err)
	return l.Text
}

func TestSwitch(t *testing.T) {
	s := enum(t, "technique", Member{"Virtual", 1}, Member{"Cascades", 0}, Member{"Off", 7})
	assert.Equal(t, []Member{{"Virtual", 1}, {"Cascades", 0}, {"Off", 7}}, s.Members(), "in the order of declaration")
	assert.Equal(t, 0, Empty.Get(s), "the default is the member equal to 0")
	assert.True(t, s.IsValue(7))
	assert.False(t, s.IsValue(2), "a gap is no value")
	assert.Equal(t, "Cascades", s.NameOf(0))
	b := boolean(t, "on")
	assert.Equal(t, []Member{{"false", 0}, {"true", 1}}, b.Members())
	assert.True(t, b.IsBool())
	assert.Equal(t, 0, Empty.Get(b))
	for _, c := range []struct {
		label   string
		members []Member
		err     string
	}{
		{"x", []Member{{"A", 1}}, `switch "x": no member equals 0, which is the default`},
		{"x", nil, `switch "x": no member equals 0, which is the default`},
		{"x", []Member{{"A", 0}, {"B", 0}}, `switch "x": A and B are both 0`},
		{"x", []Member{{"A", 0}, {"A", 1}}, `switch "x": there are two members A`},
		{"", []Member{{"A", 0}}, `a switch needs a label: sets and errors print it`},
		{"x", []Member{{"", 0}}, `switch "x": the member equal to 0 has no name`},
	} {
		_, err := Enum(c.label, c.members...)
		assert.EqualError(t, err, c.err)
	}
}

func TestSet(t *testing.T) {
	a, b := enum(t, "a", Member{"Zero", 0}, Member{"One", 1}, Member{"Two", 2}), boolean(t, "b")
	assert.Same(t, with(t, a, 1, b, 1), with(t, b, 1, a, 1), "interning does not depend on the order")
	assert.Same(t, Empty, with(t, a, 0), "a default is not stored")
	assert.Same(t, Empty, with(t, a, 1, a, 0))
	assert.Same(t, with(t, a, 2), with(t, a, 1, a, 2), "a value can change")
	ab := with(t, a, 1, b, 1)
	assert.Same(t, ab, with(t, a, 1, b, 1, a, 1), "the same value gives the same object")
	assert.Same(t, with(t, a, 1), ab.RestrictedTo([]*Switch{a}))
	assert.Same(t, ab, ab.RestrictedTo([]*Switch{b, a}), "the same object where nothing goes")
	assert.Same(t, Empty, ab.RestrictedTo(nil))
	assert.Equal(t, "a=One, b=true", with(t, b, 1, a, 1).String(), "the text names members, by the order of the switches")
	assert.Empty(t, Empty.String())
	_, err := Empty.With(a, 9)
	assert.EqualError(t, err, `switch "a" has no value 9; it has Zero (0), One (1), Two (2)`)
	same := boolean(t, "b")
	assert.NotSame(t, with(t, b, 1), with(t, same, 1), "a switch is its object, not its label")
}

func TestChoice(t *testing.T) {
	e := enum(t, "e", Member{"Zero", 0}, Member{"One", 1}, Member{"Gap", 5})
	zero, one, gap := chunk(t, "fn pick() -> i32 { return 0; }"), chunk(t, "fn pick() -> i32 { return 1; }", chunk(t, "const one = 1;")), chunk(t, "fn pick() -> i32 { return 5; }")
	c := choice(t, e, zero, one, gap)
	root := chunk(t, "fn main() { _ = pick(); }", c)

	t.Run("only the selected closure", func(t *testing.T) {
		assert.Equal(t, "const one = 1;\nfn pick() -> i32 { return 1; }\nfn main() { _ = pick(); }", linked(t, root, with(t, e, 1)))
		assert.NotContains(t, linked(t, root, with(t, e, 5)), "const one")
	})
	t.Run("unnamed switch selects 0", func(t *testing.T) {
		assert.Contains(t, linked(t, root, Empty), "return 0")
	})
	t.Run("unnamed bool selects false", func(t *testing.T) {
		b := boolean(t, "b")
		assert.Equal(t, "const f = 1;", linked(t, choice(t, b, chunk(t, "const f = 1;"), chunk(t, "const t = 1;")), Empty))
	})
	t.Run("gaps", func(t *testing.T) { assert.Contains(t, linked(t, root, with(t, e, 5)), "return 5") })
	t.Run("deep, each above copied once", func(t *testing.T) {
		mid := chunk(t, "// mid", c)
		left, right := chunk(t, "// left", mid), chunk(t, "// right", mid)
		top := chunk(t, "// top", left, right)
		s, err := Specialize(top, with(t, e, 1))
		require.NoError(t, err)
		l := s.Dependencies()[0].(*Chunk).Dependencies()[0]
		r := s.Dependencies()[1].(*Chunk).Dependencies()[0]
		assert.Same(t, l.(*Chunk), r.(*Chunk), "a diamond stays a diamond")
		assert.NotSame(t, mid, l.(*Chunk))
		assert.Equal(t, []Node{c}, mid.Dependencies(), "the source is never changed")
	})
	t.Run("shared chunk stays one", func(t *testing.T) {
		shared := chunk(t, "const shared = 1;")
		b := boolean(t, "b")
		top := chunk(t, "// top", shared, choice(t, b, chunk(t, "// f", shared), shared))
		assert.Equal(t, 1, strings.Count(linked(t, top, Empty), "const shared"))
		assert.Equal(t, "const shared = 1;\n// top", linked(t, top, with(t, b, 1)), "an alternative that is a dependency already counts once")
	})
	t.Run("topological order", func(t *testing.T) {
		base := chunk(t, "const base = 1;")
		b := boolean(t, "b")
		late := chunk(t, "const late = base;", base)
		top := chunk(t, "// top", choice(t, b, late, base), base)
		text := linked(t, top, Empty)
		assert.Less(t, strings.Index(text, "const base"), strings.Index(text, "const late"))
		assert.Less(t, strings.Index(text, "const late"), strings.Index(text, "// top"))
	})
	t.Run("static graph gives itself", func(t *testing.T) {
		static := chunk(t, "// a", chunk(t, "// b"))
		s, err := Specialize(static, with(t, e, 1))
		require.NoError(t, err)
		assert.Same(t, static, s)
	})
	t.Run("linker refuses a choice", func(t *testing.T) {
		_, err := Link(root)
		assert.EqualError(t, err, `only a static graph can be linked: choice of "e" is not decided; specialize the graph first`)
	})
	t.Run("switches are found", func(t *testing.T) {
		b, d := boolean(t, "b"), enum(t, "d", Member{"X", 0}, Member{"Y", 1}, Member{"Z", 2})
		nested := choice(t, d, chunk(t, "// x"), chunk(t, "// y"), chunk(t, "// z"))
		top := chunk(t, "// top", choice(t, b, chunk(t, "// no"), chunk(t, "// yes", nested)), c)
		assert.Equal(t, []*Switch{b, d, e}, CollectSwitches(top), "those of alternatives that are not selected too, in the order met")
		assert.Contains(t, linked(t, top, with(t, b, 1, d, 2)), "// z")
		assert.NotContains(t, linked(t, top, with(t, d, 2)), "// z")
	})
	t.Run("an alternative that is a choice", func(t *testing.T) {
		b := boolean(t, "b")
		assert.Contains(t, linked(t, choice(t, b, chunk(t, "// no"), c), with(t, b, 1, e, 5)), "return 5")
	})
	t.Run("one switch at two places", func(t *testing.T) {
		again := choice(t, e, chunk(t, "// second 0"), chunk(t, "// second 1"))
		text := linked(t, chunk(t, "// top", c, again), with(t, e, 1))
		assert.Contains(t, text, "return 1")
		assert.Contains(t, text, "// second 1")
	})
	t.Run("missing alternative", func(t *testing.T) {
		half := choice(t, e, zero)
		_, err := Specialize(half, with(t, e, 5))
		assert.EqualError(t, err, `choice of "e" has no alternative for Gap`)
		_, err = Specialize(half, Empty)
		assert.NoError(t, err, "legal until it is selected")
		assert.Equal(t, []Member{{"One", 1}, {"Gap", 5}}, half.Missing())
	})
	t.Run("cycles", func(t *testing.T) {
		loop := ChoiceFrom(e)
		above := NewChunk("above", "// above")
		_, err := above.AddDependency(loop)
		require.NoError(t, err)
		err = loop.Add(1, above)
		require.ErrorIs(t, err, ErrCycle)
		assert.Contains(t, err.Error(), `choice of "e" -> (e=One) above -> choice of "e"`, "the way is printed")
		leaf := NewChunk("leaf", "// leaf")
		require.NoError(t, loop.Add(5, leaf))
		_, err = leaf.AddDependency(above)
		require.ErrorIs(t, err, ErrCycle, "through an alternative")
		_, err = leaf.AddDependency(leaf)
		require.ErrorIs(t, err, ErrCycle)
		require.ErrorIs(t, loop.Add(0, loop), ErrCycle)
	})
	t.Run("refusals", func(t *testing.T) {
		assert.EqualError(t, ChoiceFrom(e).Add(2, zero), `choice of "e": 2 is no value of the switch; it has Zero (0), One (1), Gap (5)`)
		assert.EqualError(t, c.Add(1, zero), `choice of "e": One has the alternative pick already`)
		assert.EqualError(t, c.RequireResource(&Resource{Name: "x"}), `choice of "e" cannot declare "x": it has no text; declare it in the alternatives that read it`)
	})
	t.Run("identity", func(t *testing.T) {
		assert.False(t, Equal(choice(t, e, zero), choice(t, e, zero)))
		assert.True(t, Equal(chunk(t, "// a", zero), chunk(t, "// a", zero)))
		assert.False(t, Equal(chunk(t, "// a", zero), chunk(t, "// a", one)))
		added, err := chunk(t, "// a", zero).AddDependency(chunk(t, "fn pick() -> i32 { return 0; }"))
		require.NoError(t, err)
		assert.False(t, added, "an equal dependency counts once")
	})
}

func lightData() *Resource {
	return &Resource{Name: "light_data", Kind: Storage, Type: "array<u32>", Access: "read"}
}

func group(t testing.TB, v Visibility, rs ...*Resource) *Group {
	t.Helper()
	g := &Group{Visibility: v}
	for _, r := range rs {
		_, err := g.Add(r)
		require.NoError(t, err)
	}
	return g
}

const lightCount = "fn light_count() -> u32 { return light_data[0]; }"

func lights(t testing.TB, r *Resource) *Chunk {
	c := chunk(t, lightCount)
	require.NoError(t, c.RequireResource(r))
	return c
}

func image(t testing.TB, label string, f *Interface, body Node) *Shader {
	t.Helper()
	s, err := NewShader(ShaderOptions{Label: label, Resources: f, Body: body, Targets: []Target{{Format: "rgba8unorm"}}, Depth: &DepthStencil{Format: "depth32float"}})
	require.NoError(t, err)
	return s
}

const fragment = "@fragment fn fs() -> @location(0) vec4f { return vec4f(f32(pick())); }"

func TestShader(t *testing.T) {
	e := enum(t, "shadow", Member{"Cascades", 0}, Member{"Virtual", 1})
	other := boolean(t, "other")
	pick := choice(t, e, chunk(t, "fn pick() -> i32 { return 0; }"), chunk(t, "fn pick() -> i32 { return 1; }"))
	body := chunk(t, fragment, chunk(t, "// between", pick))
	s := image(t, "Shade", nil, body)
	assert.Equal(t, []*Switch{e}, s.Switches(), "found two chunks down")
	assert.Same(t, body, s.Body())
	src, err := s.Source()
	require.NoError(t, err)
	assert.Contains(t, src, "return 0", "the source is that of all defaults")

	v, err := s.Variant(with(t, e, 1))
	require.NoError(t, err)
	assert.Equal(t, "Shade [shadow=Virtual]", v.Label())
	assert.Empty(t, v.Switches())
	src, err = v.Source()
	require.NoError(t, err)
	assert.Contains(t, src, "return 1")
	assert.NotContains(t, src, "return 0")
	assert.Same(t, s.Resources(), v.Resources(), "one interface for all variants")
	assert.Equal(t, s.Targets(), v.Targets())
	assert.Same(t, s.Depth(), v.Depth())

	again, err := s.Variant(with(t, e, 1, other, 1))
	require.NoError(t, err)
	assert.Same(t, v, again, "sets that agree on the shader's switches share a variant")
	for _, set := range []*Set{Empty, with(t, other, 1)} {
		same, err := s.Variant(set)
		require.NoError(t, err)
		assert.Same(t, s, same, "the shader itself for all defaults")
	}
	same, err := v.Variant(with(t, e, 0))
	require.NoError(t, err)
	assert.Same(t, v, same, "a variant's variant is itself")
}

func TestDeclaredBindings(t *testing.T) {
	main := func(dep Node) *Chunk {
		return chunk(t, "@fragment fn fs() -> @location(0) vec4f { return vec4f(f32(light_count())); }", dep)
	}
	bound := func(r *Resource) *Interface { return &Interface{Groups: []*Group{group(t, Fragment, r)}} }
	source := func(s *Shader) (string, error) { return s.Source() }

	t.Run("unbound", func(t *testing.T) {
		_, err := source(image(t, "test unbound", nil, main(lights(t, lightData()))))
		assert.EqualError(t, err, `"light_count" reads "light_data" as a read storage buffer of array<u32>, which "test unbound" does not bind`)
	})
	t.Run("mistyped", func(t *testing.T) {
		_, err := source(image(t, "test mistyped", bound(&Resource{Name: "light_data", Kind: Texture, Dimension: "2d", Sample: "unfilterable-float"}), main(lights(t, lightData()))))
		assert.EqualError(t, err, `"light_count" reads "light_data" as a read storage buffer of array<u32>, which "test mistyped" binds as a 2d unfilterable-float texture`)
	})
	t.Run("same text with and without the declaration", func(t *testing.T) {
		for _, access := range []string{"read", "read_write"} {
			r := lightData()
			r.Access = access
			a, err := source(image(t, "a", bound(r), main(lights(t, lightData()))))
			require.NoError(t, err)
			b, err := source(image(t, "a", bound(r), main(chunk(t, lightCount))))
			require.NoError(t, err)
			assert.Equal(t, b, a)
			assert.Contains(t, a, "@group(0) @binding(0) var<storage, "+access+"> light_data: array<u32>;")
		}
	})
	t.Run("a variant checks its own alternative", func(t *testing.T) {
		b := boolean(t, "b")
		s := image(t, "s", nil, main(choice(t, b, chunk(t, "fn light_count() -> u32 { return 0u; }"), lights(t, lightData()))))
		_, err := s.Variant(Empty)
		require.NoError(t, err)
		_, err = s.Variant(with(t, b, 1))
		assert.ErrorContains(t, err, `which "s [b=true]" does not bind`)
	})
	t.Run("all problems at once", func(t *testing.T) {
		c := lights(t, lightData())
		require.NoError(t, c.RequireResource(&Resource{Name: "view", Kind: Uniform, Type: "View"}))
		_, err := source(image(t, "s", nil, main(c)))
		var p Problems
		require.ErrorAs(t, err, &p)
		assert.Len(t, p, 2)
	})
	t.Run("collected once, with the first chunk", func(t *testing.T) {
		first := lights(t, lightData())
		second := chunk(t, "fn more() -> u32 { return light_data[1]; }", first)
		require.NoError(t, second.RequireResource(lightData()))
		l, err := Link(second)
		require.NoError(t, err)
		require.Len(t, l.Resources, 1)
		assert.Same(t, first, l.Resources[0].By)
		s, err := Specialize(second, Empty)
		require.NoError(t, err)
		assert.Equal(t, second.RequiredResources(), s.RequiredResources())
	})
	t.Run("two declarations of one name", func(t *testing.T) {
		c := lights(t, lightData())
		require.NoError(t, c.RequireResource(lightData()))
		assert.ErrorContains(t, c.RequireResource(&Resource{Name: "light_data", Kind: Uniform, Type: "u32"}), "it cannot be uniform buffer of u32 too")
	})
	t.Run("types that a binding needs are linked in every variant", func(t *testing.T) {
		b := boolean(t, "b")
		r := &Resource{Name: "brick", Kind: Storage, Type: "Brick", Access: "read", Needs: chunk(t, "struct Brick { a: u32 }")}
		s := image(t, "s", bound(r), chunk(t, fragment, choice(t, b, chunk(t, "fn pick() -> i32 { return 0; }"), chunk(t, "fn pick() -> i32 { return i32(brick.a); }"))))
		for _, set := range []*Set{Empty, with(t, b, 1)} {
			v, err := s.Variant(set)
			require.NoError(t, err)
			src, err := v.Source()
			require.NoError(t, err)
			assert.Contains(t, src, "struct Brick")
		}
	})
}

func TestSatisfaction(t *testing.T) {
	tex := func(dim, sample string) *Resource { return &Resource{Kind: Texture, Dimension: dim, Sample: sample} }
	st := func(dim, format, access string) *Resource {
		return &Resource{Kind: StorageTexture, Dimension: dim, Format: format, Access: access}
	}
	buf := func(typ, access string) *Resource { return &Resource{Kind: Storage, Type: typ, Access: access} }
	for _, c := range []struct {
		name        string
		read, bound *Resource
		ok          bool
	}{
		{"uniform", &Resource{Kind: Uniform, Type: "View"}, &Resource{Kind: Uniform, Type: "View"}, true},
		{"uniform of another type", &Resource{Kind: Uniform, Type: "View"}, &Resource{Kind: Uniform, Type: "Camera"}, false},
		{"storage", buf("array< u32 >", "read"), buf("array<u32>", "read"), true},
		{"read by read_write", buf("u32", "read"), buf("u32", "read_write"), true},
		{"read_write by read", buf("u32", "read_write"), buf("u32", "read"), false},
		{"storage of another type", buf("u32", "read"), buf("i32", "read"), false},
		{"texture", tex("2d", "float"), tex("2d", "float"), true},
		{"float by unfilterable", tex("2d", "float"), tex("2d", "unfilterable-float"), true},
		{"unfilterable by float", tex("2d", "unfilterable-float"), tex("2d", "float"), false},
		{"depth is apart", tex("2d", "float"), tex("2d", "depth"), false},
		{"integers are exact", tex("2d", "uint"), tex("2d", "sint"), false},
		{"another dimension", tex("2d", "float"), tex("3d", "float"), false},
		{"storage texture", st("2d", "rgba8unorm", "write"), st("2d", "rgba8unorm", "write"), true},
		{"write by read_write", st("2d", "r32float", "write"), st("2d", "r32float", "read_write"), true},
		{"read_write by write", st("2d", "r32float", "read_write"), st("2d", "r32float", "write"), false},
		{"another format", st("2d", "r32float", "write"), st("2d", "r32uint", "write"), false},
		{"sampler", &Resource{Kind: Sampler}, &Resource{Kind: Sampler}, true},
		{"comparison", &Resource{Kind: Sampler, Comparison: true}, &Resource{Kind: Sampler}, false},
		{"kinds never mix", &Resource{Kind: Sampler}, tex("2d", "float"), false},
	} {
		assert.Equal(t, c.ok, c.read.SatisfiedBy(c.bound), c.name)
	}
}

func TestGroupsPlaceCopies(t *testing.T) {
	r := lightData()
	a := group(t, Fragment, &Resource{Name: "s", Kind: Sampler}, r)
	b := group(t, Compute, r)
	f := &Interface{Groups: []*Group{a}}
	p, ok := f.Find("light_data")
	require.True(t, ok)
	assert.Equal(t, 1, p.Index)
	assert.Equal(t, Fragment, p.Visibility)
	p, ok = (&Interface{Groups: []*Group{{}, b}}).Find("light_data")
	require.True(t, ok)
	assert.Equal(t, 0, p.Index)
	assert.Equal(t, 1, p.Group)
	assert.Equal(t, Compute, p.Visibility)
	assert.NotSame(t, r, p.Resource)
	_, err := a.Add(&Resource{Name: "bad", Kind: Texture, Dimension: "4d", Sample: "float"})
	assert.ErrorContains(t, err, `dimension "4d"`)
	assert.ErrorContains(t, (&Interface{Groups: []*Group{a, b}}).Validate(), `binding "light_data" stands at group 0 binding 1 and at group 1 binding 0`)
	five := &Interface{Groups: []*Group{{}, {}, {}, {}, {}}}
	_, err = NewShader(ShaderOptions{Label: "wide", Resources: five, Body: NoCode})
	assert.EqualError(t, err, `shader "wide" binds 5 groups; the device has 4`)
}

func TestComputeShader(t *testing.T) {
	b, big := boolean(t, "b"), boolean(t, "big")
	sum := choice(t, b, chunk(t, "fn sum() -> u32 { return 1u; }"), chunk(t, "fn sum() -> u32 { return 2u; }"))
	entry := choice(t, big, chunk(t, "const side = 8;\n@compute @workgroup_size(side, side) fn main() { _ = sum(); }", sum), chunk(t, "@compute @workgroup_size(16, 16) fn main() { _ = sum(); }", sum))
	s, err := NewShader(ShaderOptions{Label: "Reduce", Type: ComputeShader, Body: entry})
	require.NoError(t, err)
	v, err := s.Variant(with(t, b, 1))
	require.NoError(t, err)
	src, err := v.Source()
	require.NoError(t, err)
	assert.Contains(t, src, "return 2u")
	size, err := v.WorkgroupSize()
	require.NoError(t, err)
	assert.Equal(t, [3]uint32{8, 8, 1}, size)
	again, err := s.Variant(with(t, b, 1))
	require.NoError(t, err)
	assert.Same(t, v, again)
	same, err := s.Variant(Empty)
	require.NoError(t, err)
	assert.Same(t, s, same)
	_, err = s.Variant(with(t, big, 1))
	assert.EqualError(t, err, `shader "Reduce": the variant for big=true has the workgroup size (16, 16, 1), the shader (8, 8, 1); a switch must not change it`)
}

func TestTemplatePass(t *testing.T) {
	e := enum(t, "e", Member{"A", 0}, Member{"B", 1})
	pick := choice(t, e, chunk(t, "fn pick() -> i32 { return 0; }"), chunk(t, "fn pick() -> i32 { return 1; }"))
	var calls []string
	p := NewTemplatePass("opaque", "attachments", func(material string, set *Set) (*Shader, error) {
		calls = append(calls, material+"/"+set.String())
		return NewShader(ShaderOptions{Label: material, Body: chunk(t, fragment, pick)})
	})
	b := with(t, e, 1)
	sib := p.Variant(b)
	assert.Same(t, sib, p.Variant(b), "one sibling for each set")
	assert.Same(t, p, p.Variant(Empty))
	assert.Same(t, p, sib.Variant(Empty))
	assert.Same(t, p, sib.Layout(), "the layout is the original's")
	assert.Equal(t, p.Attachments(), sib.Attachments())
	s, err := sib.Shader("wood")
	require.NoError(t, err)
	assert.Equal(t, "wood [e=B]", s.Label())
	_, err = sib.Shader("wood")
	require.NoError(t, err)
	list, err := sib.SwitchesOf("wood")
	require.NoError(t, err)
	assert.Equal(t, []*Switch{e}, list)
	assert.Equal(t, []string{"wood/e=B", "wood/"}, calls, "each template is built once for each set")
}

func TestTransientDefault(t *testing.T) {
	b := boolean(t, "b")
	r := lightData()
	r.Default.Transient = true
	plain := &Resource{Name: "other", Kind: Storage, Type: "u32", Access: "read"}
	s := image(t, "s", &Interface{Groups: []*Group{group(t, Fragment, r, plain)}}, chunk(t, "@fragment fn fs() -> @location(0) vec4f { return vec4f(f32(light_count())); }",
		choice(t, b, chunk(t, "// light_data is not read here\nfn light_count() -> u32 { let light_data = 3u; return light_data; }"), lights(t, lightData()))))
	assert.NoError(t, s.CheckTransient("light_data"), "a comment and a local are no reads")
	v, err := s.Variant(with(t, b, 1))
	require.NoError(t, err)
	assert.ErrorContains(t, v.CheckTransient("light_data"), `reads "light_data" in "light_count", and nothing is bound to it`)
	assert.ErrorContains(t, s.CheckTransient("other"), "has no transient default; bind a buffer")
}

func TestAuditAndLint(t *testing.T) {
	b := boolean(t, "b")
	silent := chunk(t, "fn light_count() -> u32 { return light_data[0] + hidden(); }")
	proud := chunk(t, "fn light_count(light_data: u32) -> u32 { return light_data; }")
	require.NoError(t, proud.RequireResource(lightData()))
	s := image(t, "s", &Interface{Groups: []*Group{group(t, Fragment, lightData())}}, chunk(t, "@fragment fn fs() {}", choice(t, b, silent, proud), choice(t, boolean(t, "b"), NoCode)))
	sets, err := Product([]*Switch{b}, 100)
	require.NoError(t, err)
	var rules []string
	for _, f := range s.Audit(sets) {
		rules = append(rules, f.Rule+" "+f.Set+" "+f.Chunk+" "+f.Name)
	}
	assert.Equal(t, []string{"invalid  light_count ", "undeclared  light_count light_data", "unread b=true light_count light_data"}, rules, "a parameter of the name is no read, and nothing defines hidden")
	rules = nil
	for _, f := range s.Lint() {
		rules = append(rules, f.Rule+" "+f.Name)
	}
	assert.ElementsMatch(t, []string{"label b", "hidden hidden", "unfinished true"}, rules)
	_, err = Product([]*Switch{b, boolean(t, "c")}, 3)
	assert.Error(t, err)
}

func TestOneNameTwice(t *testing.T) {
	s := image(t, "s", nil, chunk(t, "@fragment fn fs() {}", NewChunk("first", "fn f() {}"), NewChunk("second", "const f = 1;")))
	_, err := s.Source()
	assert.EqualError(t, err, `shader "s": "f" is defined by "first" and by "second"; WGSL allows one definition`)
}

func TestDiffAndContent(t *testing.T) {
	link := func(texts ...string) *Linked {
		var deps []Node
		for _, x := range texts[1:] {
			deps = append(deps, chunk(t, x))
		}
		l, err := Link(chunk(t, texts[0], deps...))
		require.NoError(t, err)
		return l
	}
	a := link("fn main() { f(); }", "struct Struct_12 { a: u32 }\nfn f() { var x: Struct_12; }", "fn gone() {}")
	b := link("fn main() {  f( ); }", "struct Struct_97 { a: u32 }\nfn f() { var x: Struct_97; }", "fn came() { }")
	var names []string
	for _, c := range Diff(a, b) {
		names = append(names, fmt.Sprintf("%s %t %t", c.Name, c.Was != "", c.Is != ""))
	}
	assert.Equal(t, []string{"came false true", "gone true false", "main true true"}, names)
	assert.Equal(t, Content{Functions: 3, Declarations: 1, Characters: len(a.Text)}, a.Content())
}

func TestExtensions(t *testing.T) {
	a, b := chunk(t, "fn a() {}"), chunk(t, "fn b() {}")
	a.AddExtension("subgroups")
	b.AddExtension("f16")
	b.AddExtension("f16")
	s := image(t, "s", nil, chunk(t, "@fragment fn fs() {}", a, b))
	src, err := s.Source()
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(src, "enable f16;\nenable subgroups;\n"), "sorted, before every declaration")
}

func TestConcurrentVariants(t *testing.T) {
	e := enum(t, "e", Member{"A", 0}, Member{"B", 1}, Member{"C", 2})
	s := image(t, "s", nil, chunk(t, fragment, choice(t, e, chunk(t, "fn pick() -> i32 { return 0; }"), chunk(t, "fn pick() -> i32 { return 1; }"), chunk(t, "fn pick() -> i32 { return 2; }"))))
	var wg sync.WaitGroup
	got := make([][3]*Shader, 16)
	for i := range got {
		wg.Go(func() {
			for v := range 3 {
				set, err := Empty.With(e, (v+i)%3)
				if assert.NoError(t, err) {
					got[i][(v+i)%3], err = s.Variant(set)
					assert.NoError(t, err)
				}
			}
		})
	}
	wg.Wait()
	for _, g := range got {
		assert.Equal(t, got[0], g, "each variant is made once")
	}
}

// graph is one of n functions in layers, with one choice at the bottom.
func graph(b testing.TB, n int) (*Shader, *Switch) {
	e := enum(b, "e", Member{"A", 0}, Member{"B", 1})
	last := Node(choice(b, e, chunk(b, "fn f0() -> i32 { return 0; }"), chunk(b, "fn f0() -> i32 { return 1; }")))
	below := last
	for i := 1; i < n; i++ {
		c := chunk(b, fmt.Sprintf("fn f%d(x: vec4f) -> i32 {\n    let a = x.xyz * 2.0 + vec3f(1.0, 2.0, f32(f%d()));\n    return i32(dot(a, x.xyz));\n}", i, i-1), last)
		if i%3 == 0 {
			_, err := c.AddDependency(below)
			require.NoError(b, err)
			below = last
		}
		last = c
	}
	s, err := NewShader(ShaderOptions{Label: "s", Body: chunk(b, "@fragment fn fs() {}", last)})
	require.NoError(b, err)
	return s, e
}

func BenchmarkVariantLookup(b *testing.B) {
	s, e := graph(b, 100)
	set := with(b, e, 1)
	_, err := s.Variant(set)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		t, _ := Empty.With(e, 1)
		_, _ = s.Variant(t)
	}
}

func BenchmarkSpecializeAndLink(b *testing.B) {
	s, e := graph(b, 100)
	set := with(b, e, 1)
	b.ReportAllocs()
	for b.Loop() {
		c, err := Specialize(s.Body(), set)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := Link(c); err != nil {
			b.Fatal(err)
		}
	}
}

// A repeated lookup allocates nothing, whatever else happens.
func TestLookupAllocatesNothing(t *testing.T) {
	s, e := graph(t, 10)
	set := with(t, e, 1)
	_, err := s.Variant(set)
	require.NoError(t, err)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		set, _ := Empty.With(e, 1)
		_, _ = s.Variant(set)
	}))
}
