package effect_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/effect"
)

func parsed(t testing.TB, m *effect.Model) *effect.Effect {
	t.Helper()
	b, err := effect.Build(m)
	require.NoError(t, err)
	e, err := effect.Parse(b)
	require.NoError(t, err)
	return e
}

func TestFirstAxisVariesFastest(t *testing.T) {
	e := parsed(t, everything()) // 2 x 3 options
	for i, want := range [][]int{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}} {
		assert.Equal(t, want, e.Choice(i))
		got, err := e.Index(want)
		require.NoError(t, err)
		assert.Equal(t, i, got)
	}
	assert.Nil(t, e.Choice(-1))
	assert.Nil(t, e.Choice(6))
	assert.Equal(t, 1, e.DefaultIndex())
	assert.Equal(t, "BLEND=BLEND_ON&QUALITY=QUALITY_LOW", e.OptionString(e.DefaultIndex()))
	assert.Equal(t, 6, e.PermutationCount())
	for _, bad := range [][]int{nil, {0}, {0, 0, 0}, {2, 0}, {0, -1}} {
		_, err := e.Index(bad)
		assert.ErrorIs(t, err, effect.ErrOption)
	}
	assert.Equal(t, -1, e.BodyOf(6))
	_, err := e.Body(6)
	assert.ErrorIs(t, err, effect.ErrRange)
	_, err = e.UniqueBody(2)
	assert.ErrorIs(t, err, effect.ErrRange)
}

func TestOptionStringReadsBack(t *testing.T) {
	each(t, func(t *testing.T, c corpus, file string) {
		e := c.parse(t, file)
		for p := range e.PermutationCount() {
			choice, err := e.ParseOptions(e.OptionString(p))
			require.NoError(t, err)
			got, err := e.Index(choice)
			require.NoError(t, err)
			assert.Equal(t, p, got)
		}
	})
}

func TestOddNamesReadBack(t *testing.T) {
	m := minimal()
	m.Axes = []effect.Axis{
		{Name: "A&B=C#%", Options: []string{"", "x y"}},
		{Name: "", Options: []string{"\x1b[31m", "\xff\xfe", "é"}},
	}
	m.Bodies = []*effect.Body{m.Bodies[0], m.Bodies[0], m.Bodies[0], m.Bodies[0], m.Bodies[0], m.Bodies[0]}
	e := parsed(t, m)
	assert.Equal(t, "A%26B%3DC%23%25=x%20y&=%FF%FE", e.OptionString(3))
	for p := range e.PermutationCount() {
		choice, err := e.ParseOptions(e.OptionString(p))
		require.NoError(t, err)
		assert.Equal(t, e.Choice(p), choice)
	}
}

func TestParseOptions(t *testing.T) {
	e := parsed(t, everything())
	for _, c := range []struct {
		in   string
		want []int
		err  string
	}{
		{"", []int{1, 0}, ""},
		{"QUALITY=QUALITY_HIGH", []int{1, 2}, ""},
		{"QUALITY=QUALITY_HIGH&BLEND=BLEND_OFF", []int{0, 2}, ""},
		{"QUALTY=QUALITY_HIGH", nil, `option "QUALTY=QUALITY_HIGH": there is no axis "QUALTY"; did you mean "QUALITY"?`},
		{"quality=QUALITY_HIGH", nil, `option "quality=QUALITY_HIGH": there is no axis "quality"; did you mean "QUALITY"?`},
		{"QUALITY=HIGH", nil, `option "QUALITY=HIGH": axis "QUALITY" has no option "HIGH"; did you mean "QUALITY_HIGH"?`},
		{"QUALITY=quality_hihg", nil, `option "QUALITY=quality_hihg": axis "QUALITY" has no option "quality_hihg"; did you mean "QUALITY_HIGH"?`},
		{"QUALITY=", nil, `option "QUALITY=": axis "QUALITY" has no option ""; there are: QUALITY_LOW, QUALITY_MEDIUM, QUALITY_HIGH`},
		{"SKINNED=SKINNED_ON", nil, `option "SKINNED=SKINNED_ON": there is no axis "SKINNED"; there are: BLEND, QUALITY`},
		{"BLEND=BLEND_ON&BLEND=BLEND_ON", nil, `option "BLEND=BLEND_ON": axis "BLEND" is set twice; name each axis once`},
		{"BLEND", nil, `option "BLEND": it is not of the form AXIS=OPTION; did you mean "BLEND"?`},
		{"&", nil, `option "": it is not of the form AXIS=OPTION; there are: BLEND, QUALITY`},
		{"BLEND=%4", nil, `option "BLEND=%4": a percent sign needs two hexadecimal digits behind it; write a percent sign as %25`},
		{"BLEND=%GG", nil, `option "BLEND=%GG": a percent sign needs two hexadecimal digits behind it; write a percent sign as %25`},
	} {
		t.Run(c.in, func(t *testing.T) {
			got, err := e.ParseOptions(c.in)
			if c.err == "" {
				require.NoError(t, err)
				assert.Equal(t, c.want, got)
				return
			}
			require.EqualError(t, err, c.err)
			require.ErrorIs(t, err, effect.ErrOption)
			var typed *effect.OptionError
			require.ErrorAs(t, err, &typed)
			assert.Nil(t, got)
		})
	}
	none := parsed(t, minimal())
	_, err := none.ParseOptions("A=B")
	assert.EqualError(t, err, `option "A=B": there is no axis "A"; the effect has no axes`)
	choice, err := none.Select()
	require.NoError(t, err)
	assert.Empty(t, choice)
	assert.Empty(t, none.OptionString(0))
}

func TestResolve(t *testing.T) {
	e := parsed(t, everything())
	opt := func(axis, value string) effect.Option { return effect.Option{Axis: axis, Value: value} }
	for _, c := range []struct {
		name          string
		global, local []effect.Option
		want          []effect.Resolved
	}{
		{"defaults", nil, nil, []effect.Resolved{{Option: 1}, {Option: 0}}},
		{"a request", nil, []effect.Option{opt("QUALITY", "QUALITY_HIGH")}, []effect.Resolved{{Option: 1}, {Option: 2, Source: effect.SourceLocal}}},
		{"a request for the default", nil, []effect.Option{opt("BLEND", "BLEND_ON")}, []effect.Resolved{{Option: 1, Source: effect.SourceLocal}, {Option: 0}}},
		{"global wins", []effect.Option{opt("QUALITY", "QUALITY_MEDIUM"), opt("SHADOWS", "NONE")}, []effect.Option{opt("QUALITY", "QUALITY_HIGH"), opt("BLEND", "BLEND_OFF")},
			[]effect.Resolved{{Option: 0, Source: effect.SourceLocal}, {Option: 1, Source: effect.SourceGlobal}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := e.Resolve(c.global, c.local)
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
	for _, bad := range [][2][]effect.Option{
		{nil, {opt("SHADOWS", "NONE")}},
		{{opt("QUALITY", "ULTRA")}, nil},
		{{opt("BLEND", "BLEND_ON"), opt("BLEND", "BLEND_OFF")}, nil},
	} {
		_, err := e.Resolve(bad[0], bad[1])
		assert.ErrorIs(t, err, effect.ErrOption)
	}
	assert.Equal(t, "default local global", effect.SourceDefault.String()+" "+effect.SourceLocal.String()+" "+effect.SourceGlobal.String())
}

func TestLacks(t *testing.T) {
	c := bundled(t)
	for v, want := range map[string]int{"08": 7, "09": 6, "10": 5, "11": 4, "12": 3, "13": 2, "14": 1} {
		assert.Len(t, c.parse(t, "versions/v"+v+"/booster/trail.sm_hi").Lacks(), want, v)
	}
	assert.Empty(t, c.parse(t, "booster/trail.sm_hi").Lacks())
}
