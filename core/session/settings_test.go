package session

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/ir"
	"fxlens/core/wgsl/layout"
)

// shared opens a file of the shared folder where that exists.
func sharedEffect(t *testing.T, name string) *Session {
	t.Helper()
	path := filepath.Join("..", "..", "..", "shared", "effects", name)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Skip("the shared folder is not here")
	}
	s, err := Open(path, b, compile.Options{})
	require.NoError(t, err)
	return s
}

func pass(t *testing.T, s *Session, perm int, place string) (PassRef, *compile.Pass) {
	t.Helper()
	refs, err := s.Passes(perm)
	require.NoError(t, err)
	for _, r := range refs {
		if r.String() == place || place == "" {
			p, err := s.Compile(context.Background(), perm, r)
			require.NoError(t, err)
			return r, p
		}
	}
	require.Fail(t, "no pass "+place)
	return PassRef{}, nil
}

func firstError(t *testing.T, ds []diag.Diag) *diag.Diag {
	t.Helper()
	for i := range ds {
		if ds[i].Sev == diag.Error {
			return &ds[i]
		}
	}
	require.Fail(t, "no error")
	return nil
}

// Every typed buffer's prompt has only formats that the planner takes for it, the
// likeliest first, and no format that it takes is missing.
func TestViewRemedyIsExact(t *testing.T) {
	files, err := filepath.Glob("../../testdata/hlsl/*typed*.dxbc")
	require.NoError(t, err)
	images, err := filepath.Glob("../../testdata/hlsl/*images*.dxbc")
	require.NoError(t, err)
	asked := 0
	for _, path := range append(files, images...) {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		s, err := Open(path, b, compile.Options{})
		require.NoError(t, err)
		ref, p := pass(t, s, 0, "")
		for _, d := range s.Diags(0, ref, p) {
			r := s.Remedy(ref, p, &d)
			if r == nil || r.Kind != SetView {
				continue
			}
			asked++
			allowed := map[string]bool{}
			for i := range r.Choices {
				allowed[r.Choices[i].Value] = true
			}
			for _, name := range layout.FormatNames() {
				o, err := Setting{SetView, r.Key, name}.Apply(s.Options)
				require.NoError(t, err)
				_, q := pass(t, s.With(o), 0, "")
				taken := true
				for _, e := range q.Stages[0].Diags {
					if e.Sev == diag.Error && e.At.Index() == d.At.Index() {
						taken = false
					}
				}
				assert.Equal(t, taken, allowed[name], "%s %s %s", path, r.What, name)
			}
			if d.Code == "bind.view-format" {
				assert.Contains(t, d.Remedy, "="+r.Choices[0].Value, "the likeliest is the one that the remedy's text names")
			}
		}
	}
	assert.Greater(t, asked, 10)
}

func TestHistogramRemedies(t *testing.T) {
	s := sharedEffect(t, "postprocess/histogram.sm_hi")
	ctx := context.Background()
	ref, p := pass(t, s, 0, "Average/0")
	var errs []diag.Diag
	for _, d := range s.Diags(0, ref, p) {
		if d.Sev == diag.Error {
			errs = append(errs, d)
		}
	}
	require.Len(t, errs, 2)
	r1, r2 := s.Remedy(ref, p, &errs[0]), s.Remedy(ref, p, &errs[1])
	require.NotNil(t, r1)
	require.NotNil(t, r2)
	assert.Equal(t, "Average/0/cs/t1", r1.Key)
	assert.Equal(t, "R32_UINT", r1.Choices[0].Value)
	assert.Equal(t, "R32G32B32A32_FLOAT", r2.Choices[0].Value)
	o, err := r1.Setting(0).Apply(s.Options)
	require.NoError(t, err)
	assert.Empty(t, s.Options.Views, "the options of the session stay")
	one := s.With(o)
	g, err := s.Gain(ctx, one, nil)
	require.NoError(t, err)
	assert.Equal(t, 0, g.Stages, "the other view is still missing")
	assert.Equal(t, len(s.Effect.Bodies()), g.Reasons)
	o, err = r2.Setting(0).Apply(o)
	require.NoError(t, err)
	last := Gain{}
	g, err = one.Gain(ctx, one.With(o), func(g Gain) { last = g })
	require.NoError(t, err)
	assert.Equal(t, last, g)
	assert.Equal(t, len(s.Effect.Bodies()), g.Stages)
	assert.Equal(t, s.Permutations(), g.Permutations)
	_, q := pass(t, s.With(o), 0, "Average/0")
	assert.Equal(t, compile.Translated, q.Status)
	_, q = pass(t, s, 0, "Average/0")
	assert.Equal(t, compile.Refused, q.Status, "the first session is what it was")
}

// An interface call asks for the classes that fit its slots, one after the other,
// and is straight code behind the last choice.
func TestClassRemedy(t *testing.T) {
	s := open(t, "hlsl/flow-interface-cs.dxbc")
	for range 20 {
		ref, p := pass(t, s, 0, "")
		if p.Status == compile.Translated {
			assert.NotEmpty(t, s.Options.Classes)
			return
		}
		d := firstError(t, s.Diags(0, ref, p))
		r := s.Remedy(ref, p, d)
		require.NotNil(t, r, d.String())
		o, err := r.Setting(0).Apply(s.Options)
		require.NoError(t, err)
		s = s.With(o)
	}
	require.Fail(t, "the choices lead nowhere")
}

// Where nothing that can be set helps there is no remedy; limits and strictness are
// remedies only of what they caused.
func TestOtherRemedies(t *testing.T) {
	s := open(t, "hlsl/cs-doubles.dxbc")
	ref, p := pass(t, s, 0, "")
	assert.Nil(t, s.Remedy(ref, p, firstError(t, s.Diags(0, ref, p))))

	s = open(t, "hlsl/cs-images-write.dxbc")
	s.Options.Limits = true
	ref, p = pass(t, s, 0, "")
	for _, d := range s.Diags(0, ref, p) {
		if r := s.Remedy(ref, p, &d); d.Code == "bind.limits" {
			require.NotNil(t, r)
			assert.Equal(t, "any", r.Choices[0].Value)
		}
	}
	for _, c := range append(append(append([]diag.Code{}, viewCodes...), classCodes...), append(limitCodes, strictCodes...)...) {
		_, ok := diag.Lookup(c)
		assert.True(t, ok, c)
	}
	assert.Empty(t, layout.Allowed(&ir.Function{}, 3))
}

func TestCensus(t *testing.T) {
	s := sharedEffect(t, "particles/draw.sm_hi")
	steps := 0
	c, err := s.Census(context.Background(), s.DefaultPermutation(), func(c Census) { steps++; assert.Equal(t, steps, c.Done) })
	require.NoError(t, err)
	assert.Equal(t, c.Total, c.Done)
	assert.Equal(t, c.Total, steps)
	require.GreaterOrEqual(t, len(c.Reasons), 2)
	for i := range c.Reasons[1:] {
		assert.GreaterOrEqual(t, c.Reasons[i].Stages, c.Reasons[i+1].Stages)
	}
	codes := map[diag.Code]bool{}
	for _, r := range c.Reasons {
		codes[r.Code] = true
		assert.Equal(t, r.Code == "bind.view-format", r.Settable)
		assert.Equal(t, s.DefaultPermutation(), r.Perm, "the permutation on the screen comes first")
	}
	assert.True(t, codes["compile.no-stage"] && codes["bind.view-format"])
	assert.Equal(t, s.Permutations(), c.Reasons[0].Permutations)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = sharedEffect(t, "postprocess/histogram.sm_hi").Census(ctx, 0, nil)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestSettings(t *testing.T) {
	o := compile.Options{Views: map[string]string{"t1": "R32_UINT"}}
	for _, c := range []struct {
		s    Setting
		flag string
	}{
		{Setting{SetView, "Main/0/ps/t3", "R32_FLOAT"}, "--view Main/0/ps/t3=R32_FLOAT"},
		{Setting{SetClass, "2", "light"}, "--class 2=light"},
		{Setting{SetNumeric, "", "exact"}, "--numeric exact"},
		{Setting{SetLimits, "", "default"}, "--limits default"},
		{Setting{SetStrict, "", "on"}, "--strict=true"},
	} {
		assert.Equal(t, c.flag, c.s.String())
		before := Setting{c.s.Kind, c.s.Key, c.s.ValueIn(&o)}
		p, err := c.s.Apply(o)
		require.NoError(t, err)
		assert.Equal(t, c.s.Value, c.s.ValueIn(&p))
		back, err := before.Apply(p)
		require.NoError(t, err)
		assert.Equal(t, before.Value, before.ValueIn(&back), "undone")
	}
	assert.Len(t, o.Views, 1)
	for _, s := range []Setting{{SetView, "t3", "R99"}, {SetView, "x", "R32_UINT"}, {SetNumeric, "", "x"}, {SetLimits, "", "x"}, {SetStrict, "", "x"}, {Kind: 99}} {
		_, err := s.Apply(o)
		assert.Error(t, err, s)
	}
}

// TestSidecarTables: a table that nobody reads is an error, not passed over.
func TestSidecarTables(t *testing.T) {
	for text, want := range map[string]string{
		"[views]\nt1 = \"R32_UINT\"\n\n[view]\nt2 = \"R32_UINT\"\n": `there is no table "view" (line 4): did you mean "views"?`,
		"Views = { t1 = \"R32_UINT\" }\n":                           `there is no table "Views": did you mean "views"?`,
		"[notes]\n":                                                 `there is no table "notes" (line 1): there are: views, classes, bookmarks`,
	} {
		_, err := ParseSidecar([]byte(text))
		assert.EqualError(t, err, want)
	}
	s, err := ParseSidecar([]byte("[views]\nt1 = \"R32_UINT\"\n[bookmarks]\n\"a#b\" = \"note\"\n"))
	require.NoError(t, err)
	assert.Equal(t, &Sidecar{Views: map[string]string{"t1": "R32_UINT"}, Bookmarks: map[string]string{"a#b": "note"}}, s)
}

func TestEditSidecar(t *testing.T) {
	str := func(s string) *string { return &s }
	for _, c := range []struct {
		name, in, table, key string
		value                *string
		want                 string
	}{
		{"new file", "", "views", "Main/0/cs/t1", str("R32_UINT"), "[views]\n\"Main/0/cs/t1\" = \"R32_UINT\"\n"},
		{"new table", "# mine\n[bookmarks]\na = \"1\"\n", "views", "t1", str("R32_UINT"), "# mine\n[bookmarks]\na = \"1\"\n\n[views]\n\"t1\" = \"R32_UINT\"\n"},
		{"another key", "[views]\nt1 = \"a\" # why\n\n[bookmarks]\na = \"1\"\n", "views", "t2", str("b"), "[views]\nt1 = \"a\" # why\n\"t2\" = \"b\"\n\n[bookmarks]\na = \"1\"\n"},
		{"the same key", "[views]\nt1 = \"a\"\n", "views", "t1", str("b"), "[views]\n\"t1\" = \"b\"\n"},
		{"taken away", "[views]\nt1 = \"a\"\nt2 = \"b\"\n", "views", "t1", nil, "[views]\nt2 = \"b\"\n"},
		{"the last one", "[bookmarks]\na = \"1\"\n\n[views]\nt1 = \"a\"\n", "views", "t1", nil, "[bookmarks]\na = \"1\"\n"},
		{"the only one", "[views]\n\"t1\" = \"a\"\n", "views", "t1", nil, ""},
		{"not there", "[bookmarks]\na = \"1\"\n", "views", "t1", nil, "[bookmarks]\na = \"1\"\n"},
		{"hostile", "", "classes", "\x1b[31m\"\\", str("\u202e\n"), "[classes]\n\"\\u001B[31m\\\"\\\\\" = \"\u202e\\u000A\"\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := EditSidecar([]byte(c.in), c.table, c.key, c.value)
			require.NoError(t, err)
			assert.Equal(t, c.want, string(out))
		})
	}
	for _, in := range []string{"views = {t1 = \"a\"}\n", "views.t1 = \"a\"\n", "[views\n", "text = \"\"\"\n[views]\n\"\"\"\n"} {
		_, err := EditSidecar([]byte(in), "views", "t2", str("b"))
		assert.Error(t, err, in)
	}
}
