package bundle_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/diag"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/variant/bundle"
	"fxlens/core/wgsl/layout"
)

func sample() *bundle.Package {
	p := &bundle.Package{Graph: "g", Source: "graph",
		Switches: []bundle.Switch{{Label: "s", Members: []bundle.Member{{Name: "A"}, {Name: "B", Value: 4}}}, {Label: "on", Bool: true, Members: []bundle.Member{{Name: "false"}, {Name: "true", Value: 1}}}},
		Shaders:  []bundle.Shader{{Label: "Shade", Type: "image", Switches: []string{"s", "on"}, Bindings: []bundle.Binding{{Name: "b", Type: "u32", Visibility: []string{"fragment"}, Buffer: &layout.Buffer{Type: "uniform"}}}}},
		Variants: []bundle.Variant{}}
	add := func(label, set string, values map[string]string, parts ...string) {
		p.Variants = append(p.Variants, bundle.Variant{Label: label, Set: set, Values: values, Modules: []bundle.Stage{{Module: p.Add(parts)}}})
	}
	add("Shade", "", nil, "// shared", "// a")
	add("Shade [s=B]", "s=B", map[string]string{"s": "B"}, "// shared", "// b")
	add("Shade [s=B, on=true]", "s=B, on=true", map[string]string{"s": "B", "on": "true"}, "// shared", "// b")
	return p
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, profile := range []bundle.Profile{bundle.Generic, bundle.Extended} {
		p := sample()
		require.Len(t, p.Modules, 2, "equal text is one module")
		data, r, err := bundle.Build(p, profile, "1.2.3")
		require.NoError(t, err)
		assert.Equal(t, len(data), r.Size)
		assert.Equal(t, 3, r.Variants)
		chunks, found := cewgpu.ParseContainer(data)
		require.Empty(t, found)
		assert.True(t, bundle.Is(chunks))
		pkg, found := cewgpu.Validate(data)
		assert.False(t, cewgpu.HasErrors(found), "readers of the container take it")
		assert.Equal(t, cewgpu.Generic, pkg.Kind)
		back, err := bundle.Open(data)
		require.NoError(t, err)
		assert.Equal(t, profile, back.Profile)
		assert.Equal(t, p.Variants, back.Variants)
		assert.Equal(t, "// shared\n// b", back.Modules[1].Text())
		want := 1
		if profile == bundle.Generic {
			want = 2 // whole modules
		}
		assert.Equal(t, want, bytes.Count(data, []byte("// shared")))
	}
	_, _, err := bundle.Build(sample(), "strict", "1")
	assert.ErrorContains(t, err, `there is no profile "strict"`)
}

// Whatever disagrees is refused: each case changes one thing and gives the digests of the
// changed chunks, so that the rule itself has to find it.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(p *bundle.Package)
		err    string
	}{
		"label":            {func(p *bundle.Package) { p.Variants[1].Label = "Shade" }, "label, set and values do not agree"},
		"set":              {func(p *bundle.Package) { p.Variants[1].Set = "s=A" }, "label, set and values do not agree"},
		"a default stored": {func(p *bundle.Package) { p.Variants[1].Values["s"] = "A" }, "is no value beside the default"},
		"a member":         {func(p *bundle.Package) { p.Variants[1].Values["s"] = "C" }, "is no value beside the default"},
		"a switch":         {func(p *bundle.Package) { p.Shaders[0].Switches = []string{"s", "x"} }, `depends on "x", which is no switch`},
		"not its switch":   {func(p *bundle.Package) { p.Shaders[0].Switches = []string{"on"} }, "of a switch of its shader"},
		"twice":            {func(p *bundle.Package) { p.Variants[2] = p.Variants[1] }, `there are two variants "Shade [s=B]"`},
		"a shader":         {func(p *bundle.Package) { p.Variants[0].Shader = 1 }, "is of shader 1 of 1"},
		"a module":         {func(p *bundle.Package) { p.Variants[0].Modules[0].Module = 7 }, "has module 7 of 2"},
		"an idle module":   {func(p *bundle.Package) { p.Add([]string{"// idle"}) }, "no variant has module 2"},
		"equal labels":     {func(p *bundle.Package) { p.Switches[1].Label = "s" }, `switch 1 has the label "s"`},
		"no zero":          {func(p *bundle.Package) { p.Switches[0].Members[0].Value = 1 }, `switch "s" has no member 0`},
		"equal members":    {func(p *bundle.Package) { p.Switches[0].Members[1].Name = "A" }, `two members "A"`},
		"a binding":        {func(p *bundle.Package) { p.Shaders[0].Bindings[0].Buffer = nil }, "is of no kind"},
		"equal modules":    {func(p *bundle.Package) { p.Modules[1] = p.Modules[0] }, "module 1 is stored twice"},
	} {
		p := sample()
		c.change(p)
		_, _, err := bundle.Build(p, bundle.Extended, "1")
		assert.ErrorContains(t, err, c.err, name)
	}
}

func rewrite(t *testing.T, data []byte, tag string, change func([]byte) []byte) []byte {
	t.Helper()
	chunks, _ := cewgpu.ParseContainer(data)
	for i := range chunks {
		if chunks[i].Tag == tag {
			chunks[i].Data = change(bytes.Clone(chunks[i].Data))
		}
	}
	out, err := cewgpu.EncodeContainer(chunks)
	require.NoError(t, err)
	return out
}

func TestChangedBytes(t *testing.T) {
	t.Parallel()
	data, _, err := bundle.Build(sample(), bundle.Extended, "1")
	require.NoError(t, err)
	for _, tag := range []string{"VARS", "WGSL", "TEXT"} {
		_, err := bundle.Open(rewrite(t, data, tag, func(b []byte) []byte { return append(b, ' ') }))
		assert.ErrorContains(t, err, "the SHA-256 is not the one in INFO", tag)
	}
	for from, to := range map[string]string{`"formatVersion":1`: `"formatVersion":2`, `"profile":"extended"`: `"profile":"generic"`, `"variantCount":3`: `"variantCount":4`, `"graph":"g"`: `"graph":"h"`} {
		_, err := bundle.Open(rewrite(t, data, "INFO", func(b []byte) []byte { return []byte(strings.Replace(string(b), from, to, 1)) }))
		assert.Error(t, err, to)
	}
	_, err = bundle.Open(rewrite(t, data, "TEXT", func(b []byte) []byte { return append(b, ' ') }))
	require.Error(t, err)
	f := bundle.Finding(err)
	assert.Equal(t, bundle.CodeInvalid, f.Rule)
	assert.Equal(t, diag.Error, f.Severity)
	assert.NotEmpty(t, f.Remedy)
	_, err = bundle.Open([]byte("no container"))
	var invalid *cewgpu.InvalidError
	assert.ErrorAs(t, err, &invalid)
	other, err := cewgpu.EncodeContainer([]cewgpu.Chunk{{Tag: "INFO", Data: []byte("{}")}})
	require.NoError(t, err)
	_, err = bundle.Open(other)
	assert.ErrorIs(t, err, bundle.ErrNot)
}

func FuzzOpen(f *testing.F) {
	for _, profile := range []bundle.Profile{bundle.Generic, bundle.Extended} {
		data, _, err := bundle.Build(sample(), profile, "1")
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := bundle.Open(data)
		if err != nil {
			return
		}
		_, err = json.Marshal(p.Package)
		assert.NoError(t, err)
		for _, v := range p.Variants {
			for _, m := range v.Modules {
				_ = p.Modules[m.Module].Text()
			}
		}
	})
}

// Modules are judged as WGSL and against what their variants want of them.
func TestFaults(t *testing.T) {
	t.Parallel()
	const good = "@group(0) @binding(0) var<uniform> b: u32;\n@vertex fn vs() -> @builtin(position) vec4f { return vec4f(); }\n@fragment fn fs() -> @location(0) vec4f { return vec4f(f32(b)); }\n"
	faults := func(change func(*bundle.Package, *string)) []cewgpu.Finding {
		p := sample()
		p.Variants, p.Modules = nil, nil
		p = &bundle.Package{Graph: p.Graph, Source: p.Source, Switches: p.Switches, Shaders: p.Shaders}
		text := good
		change(p, &text)
		n := p.Add([]string{text})
		p.Variants = []bundle.Variant{
			{Label: "Shade", Modules: []bundle.Stage{{Module: n}}},
			{Label: "Shade [s=B]", Set: "s=B", Values: map[string]string{"s": "B"}, Modules: []bundle.Stage{{Module: n}}},
		}
		data, _, err := bundle.Build(p, bundle.Extended, "1")
		require.NoError(t, err)
		o, err := bundle.Open(data)
		require.NoError(t, err)
		found, err := o.Faults(t.Context())
		require.NoError(t, err)
		for _, f := range found {
			assert.Equal(t, bundle.CodeModule, f.Rule)
			assert.Equal(t, "modules[0]", f.Path)
			assert.NotEmpty(t, f.Remedy)
		}
		return found
	}
	assert.Empty(t, faults(func(*bundle.Package, *string) {}))
	for _, c := range []struct {
		want   string
		change func(*bundle.Package, *string)
	}{
		{"Shade and 1 more: line 3, column 60: ", func(_ *bundle.Package, s *string) { *s = strings.Replace(*s, "f32(b)", "f32(c)", 1) }},
		{"Shade: no entry point for stage fragment", func(_ *bundle.Package, s *string) { *s = (*s)[:strings.Index(*s, "@fragment")] }},
		{"Shade: stage fragment uses b at group 0 binding 3, which is not declared", func(_ *bundle.Package, s *string) { *s = strings.Replace(*s, "@binding(0)", "@binding(3)", 1) }},
		{"Shade: stage fragment uses b at group 0 binding 0, which it does not see", func(p *bundle.Package, _ *string) { p.Shaders[0].Bindings[0].Visibility = []string{"vertex"} }},
		{"Shade: no entry point for stage compute", func(p *bundle.Package, _ *string) { p.Shaders[0].Type = "compute" }},
	} {
		found := faults(c.change)
		require.Len(t, found, 1, c.want)
		assert.Contains(t, found[0].Reason, c.want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	data, _, err := bundle.Build(sample(), bundle.Generic, "1")
	require.NoError(t, err)
	o, err := bundle.Open(data)
	require.NoError(t, err)
	_, err = o.Faults(ctx)
	assert.ErrorIs(t, err, context.Canceled)
}
