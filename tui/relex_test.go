package tui

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/wgsl"
	"fxlens/themes"
	"fxlens/themes/lexers"
	"fxlens/views"
)

// The pages of code panes have the colours of chroma's lexers and the text of the pane.
func TestPagesAreLexed(t *testing.T) {
	r := newRig(t, openSession(t, effectFile), 120, 40)
	th, err := themes.Load("dark")
	require.NoError(t, err)
	for k, f := range []form{formDXBC, formSSA, formWGSL} {
		name := strings.ToLower(formNames[f])
		r.keys(string(rune('1' + k)))
		l := views.Unfolded(r.m.listing(slotCode))
		s := &paneShot{l: l, form: name, theme: th}
		own, lexed := s.lines(), s.linesBy(pageLexers[name])
		require.Len(t, lexed, len(own))
		seen, changed := map[views.Role]bool{}, false
		for i := range own {
			assert.Equal(t, own[i].Text(), lexed[i].Text(), "%s line %d", name, i)
			changed = changed || len(own[i].Spans) != len(lexed[i].Spans)
			for _, p := range lexed[i].Spans {
				seen[p.Role] = true
			}
		}
		assert.True(t, changed, "%s: chroma parts a text in its own way", name)
		assert.True(t, seen[views.RoleLiteral] && seen[views.RolePunct], name)
		assert.Equal(t, []bool{true, false, false}[k], seen[views.RoleRegister], name)
		assert.Equal(t, []bool{false, true, false}[k], seen[views.RoleValue], name)
		assert.Contains(t, string(paneHTML(s)), `<span class="r-`, name)
	}
}

func TestLexRoles(t *testing.T) {
	text := "fn f() -> f32 {\r\n  return 1.0; // é\n}"
	roles := lexRoles(lexers.WGSL, text)
	require.Len(t, roles, len(text))
	assert.Equal(t, views.RoleKeyword, roles[0])
	assert.Equal(t, views.RoleKeyword, roles[strings.Index(text, "return")])
	assert.Equal(t, views.RoleLiteral, roles[strings.Index(text, "1.0")])
	assert.Equal(t, views.RoleComment, roles[strings.Index(text, "é")])
	assert.Nil(t, lexRolesOf(t, "no such language", "x"))
}

// lexRolesOf is lexRoles of a language that there may not be: the text stays plain.
func lexRolesOf(t *testing.T, language, text string) []views.Role {
	t.Helper()
	for _, r := range lexRoles(language, text) {
		if r != views.RoleCode {
			return []views.Role{r}
		}
	}
	return nil
}

// A module of a package keeps its tokens and has chroma's roles.
func TestPackagedModule(t *testing.T) {
	code := "@fragment fn main() -> @location(0) vec4<f32> { // mine\n  return vec4<f32>(1.0);\n}\n"
	m := &wgsl.Module{Code: code, Tokens: wgsl.Tokenize(code)}
	got := packaged(m)
	require.Len(t, got.Tokens, len(m.Tokens))
	at := func(s string) wgsl.Role {
		for _, tok := range got.Tokens {
			if strings.HasPrefix(code[tok.Off:], s) {
				return tok.Role
			}
		}
		return wgsl.RoleText
	}
	assert.Equal(t, wgsl.RoleKeyword, at("fn"))
	assert.Equal(t, wgsl.RoleType, at("vec4"))
	assert.Equal(t, wgsl.RoleLiteral, at("1.0"))
	assert.Equal(t, wgsl.RoleComment, at("// mine"))
	for i := range got.Tokens {
		assert.Equal(t, m.Tokens[i].Off, got.Tokens[i].Off)
	}
}
