package session

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/effect"
)

func TestParseLink(t *testing.T) {
	opt := func(s ...string) (out []effect.Option) {
		for i := 0; i < len(s); i += 2 {
			out = append(out, effect.Option{Axis: s[i], Value: s[i+1]})
		}
		return out
	}
	for _, c := range []struct {
		name, text string
		want       Link
		canonical  string // empty: text itself
	}{
		{"file", "dir/quadv5.sm_hi", Link{File: "dir/quadv5.sm_hi", Pass: -1, Instr: -1}, ""},
		{"all parts", "quadv5.sm_hi?QUALITY=HIGH&SKINNED=ON#Main/0/ps@42",
			Link{File: "quadv5.sm_hi", Options: opt("QUALITY", "HIGH", "SKINNED", "ON"), Technique: "Main", Pass: 0, Stage: "ps", Instr: 42}, ""},
		{"technique", "a#Main", Link{File: "a", Technique: "Main", Pass: -1, Instr: -1}, ""},
		{"pass", "a#Main/1", Link{File: "a", Technique: "Main", Pass: 1, Instr: -1}, ""},
		{"long stage", "a#Main/1/pixel", Link{File: "a", Technique: "Main", Pass: 1, Stage: "ps", Instr: -1}, "a#Main/1/ps"},
		{"bare stage", "a#ps@3", Link{File: "a", Pass: -1, Stage: "ps", Instr: 3}, ""},
		{"bare instruction", "a#@0", Link{File: "a", Pass: -1, Instr: 0}, ""},
		{"technique called like a stage", "a#ps/", Link{File: "a", Technique: "ps", Pass: -1, Instr: -1}, ""},
		{"second of a name", "a#Main~2/0", Link{File: "a", Technique: "Main", Nth: 1, Pass: 0, Instr: -1}, ""},
		{"nameless technique", "a#/0/vs", Link{File: "a", Pass: 0, Stage: "vs", Instr: -1}, ""},
		{"escapes", "a%23b%3F.dxbc?A%26=B%3D#M%2F%40%7E/0", Link{File: "a#b?.dxbc", Options: opt("A&", "B="), Technique: "M/@~", Pass: 0, Instr: -1}, ""},
		{"lone percent in the file", "100%.dxbc#ps", Link{File: "100%.dxbc", Pass: -1, Stage: "ps", Instr: -1}, ""},
		{"percent and hex in the file", "a%2541.dxbc", Link{File: "a%41.dxbc", Pass: -1, Instr: -1}, ""},
		{"control bytes", "a%1B%5B%C2%9B.dxbc#%1B/0", Link{File: "a\x1b[\u009b.dxbc", Technique: "\x1b", Pass: 0, Instr: -1}, "a%1B[%C2%9B.dxbc#%1B/0"},
		{"empty query and fragment", "a?#", Link{File: "a", Pass: -1, Instr: -1}, "a"},
		{"only inside", "#Main/0", Link{Technique: "Main", Pass: 0, Instr: -1}, ""},
		{"letters beyond ASCII", "дом.sm_hi#%D0%B4/0", Link{File: "дом.sm_hi", Technique: "д", Pass: 0, Instr: -1}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ParseLink(c.text)
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
			want := c.canonical
			if want == "" {
				want = c.text
			}
			assert.Equal(t, want, got.String())
			again, err := ParseLink(got.String())
			require.NoError(t, err)
			assert.Equal(t, got, again)
		})
	}
}

func TestParseLinkErrors(t *testing.T) {
	for text, says := range map[string]string{
		"a?SKINNED":       "AXIS=OPTION",
		"a?A=%zz":         "two hex digits",
		"a#Main%/0":       "two hex digits",
		"a#Main/x":        "no pass number",
		"a#Main/-1":       "no pass number",
		"a#Main/0/qs":     "no stage",
		"a#Main/0/ps@":    "no instruction index",
		"a#Main/0/ps@-2":  "no instruction index",
		"a#Main/0/ps@9e9": "no instruction index",
		"a#Main/0/ps/x":   "more than technique",
		"a#Main~0/0":      "no number of a technique",
		"a#/":             "names no technique",
		"a%00b":           "zero byte",
	} {
		_, err := ParseLink(text)
		var e *LinkError
		require.ErrorAs(t, err, &e, text)
		assert.ErrorIs(t, err, ErrLink)
		assert.Contains(t, e.Reason, says, text)
		assert.NotEmpty(t, e.Hint, text)
		assert.Equal(t, text, e.Link)
	}
}

func FuzzParseLink(f *testing.F) {
	for _, s := range []string{"a?A=B&C=D#Main~2/0/ps@42", "a%23#ps/", "#@1", "%%%1#/0", "a\x00\xff#\xc2\x9b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		l, err := ParseLink(s)
		if err != nil {
			require.ErrorIs(t, err, ErrLink)
			return
		}
		again, err := ParseLink(l.String())
		require.NoError(t, err, l.String())
		require.Equal(t, l, again, l.String())
	})
}

// The text of an error is safe to print, whatever the names in the file are.
func TestLinkErrorText(t *testing.T) {
	e := &LinkError{"#a\x1b", "there is no \x07 and no \xff", Hint("x", []string{"A\x1b[31m", "B\u202e", "é"})}
	assert.Equal(t, `link "#a\x1b": there is no \a and no \xff; there are: A\x1b[31m, B\u202e, é`, e.Error())
}
