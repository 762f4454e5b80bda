package tui

import (
	"slices"
	"strings"

	"fxlens/core/wgsl"
	"fxlens/themes/lexers"
	"fxlens/views"
)

// pageLexers name the lexers of the forms that are code. In a page chroma colours them,
// as it does in the book and on the Text screen.
var pageLexers = map[string]string{"dxbc": lexers.DXBC, "ssa": lexers.SSA, "wgsl": lexers.WGSL}

// lexRoles returns the role of every byte of a text as the lexer of a language has it, and
// nil where that is not to be had.
func lexRoles(language, text string) []views.Role {
	r, err := lexers.NewReader(lexers.Get(language), text)
	if err != nil {
		return nil // a fault in the lexer's rules; the text has colours of its own
	}
	roles := slices.Repeat([]views.Role{views.RoleCode}, len(text))
	at := 0
	for more := true; more; {
		var lines []views.Line
		lines, more = r.Next(1 << 16)
		for _, l := range lines {
			for _, p := range l.Spans {
				for i := range p.Text {
					roles[at+i] = p.Role
				}
				at += len(p.Text)
			}
			n := strings.IndexByte(text[at:], '\n') // behind a carriage return, perhaps
			if n < 0 {
				break
			}
			at += n + 1
		}
	}
	return roles
}

// relex gives lines the roles of a lexer. What a line shows beyond the listing's text is
// part of what is read; bars of the nesting stand for blanks and stay.
func relex(language string, lines []views.Line) {
	var b strings.Builder
	for i := range lines {
		for _, s := range lines[i].Spans {
			if s.Role == views.RoleBorder {
				b.WriteString(views.Spaces(views.Width(s.Text)))
			} else {
				b.WriteString(s.Text)
			}
		}
		b.WriteByte('\n')
	}
	roles := lexRoles(language, b.String())
	if roles == nil {
		return
	}
	at := 0
	for i := range lines {
		out := make([]views.Span, 0, 2*len(lines[i].Spans))
		for _, s := range lines[i].Spans {
			if s.Role == views.RoleBorder {
				out = append(out, s)
				at += views.Width(s.Text)
				continue
			}
			for from := 0; from < len(s.Text); {
				to := from + 1
				for to < len(s.Text) && roles[at+to] == roles[at+from] {
					to++
				}
				part := s
				part.Role, part.Text = roles[at+from], s.Text[from:to]
				out = append(out, part)
				from = to
			}
			at += len(s.Text)
		}
		lines[i].Spans = out
		at++
	}
}

// tokenRoles are the roles that tokens of a module have for those of a lexer.
var tokenRoles = map[views.Role]wgsl.Role{
	views.RoleKeyword: wgsl.RoleKeyword, views.RoleDecl: wgsl.RoleKeyword, views.RoleType: wgsl.RoleType,
	views.RoleFunction: wgsl.RoleFunction, views.RoleOpcode: wgsl.RoleFunction,
	views.RoleVariable: wgsl.RoleVariable, views.RoleName: wgsl.RoleVariable, views.RoleResource: wgsl.RoleResource,
	views.RoleStageIO: wgsl.RoleInput, views.RoleLiteral: wgsl.RoleLiteral, views.RoleOperator: wgsl.RoleOperator,
	views.RolePunct: wgsl.RolePunct, views.RoleAttribute: wgsl.RoleAttribute, views.RoleComment: wgsl.RoleComment,
	views.RoleMember: wgsl.RoleMember,
}

// packaged is a module that was read from a package, coloured by chroma: its text need not
// be ours. Where a token begins and ends stays as it is, for the cursor walks over tokens.
func packaged(m *wgsl.Module) *wgsl.Module {
	roles := lexRoles(lexers.WGSL, m.Code)
	if roles == nil {
		return m
	}
	out := *m
	out.Tokens = slices.Clone(m.Tokens)
	for i := range out.Tokens {
		if t := &out.Tokens[i]; int(t.Off) < len(roles) {
			t.Role = tokenRoles[roles[t.Off]]
		}
	}
	return &out
}
