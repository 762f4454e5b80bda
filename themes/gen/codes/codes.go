// Package codes maps the code roles to chroma's token types. It is used to generate and
// to check themes/codestyles.go, never by the program itself.
package codes

import (
	"strings"

	"github.com/alecthomas/chroma/v2"

	"fxlens/views"
)

// Types has the chroma token type of each code role, in the order of the roles.
var Types = [views.NumRoles - int(views.RoleCode)]chroma.TokenType{
	0:                                    chroma.Name, // RoleCode itself
	views.RoleKeyword - views.RoleCode:   chroma.Keyword,
	views.RoleType - views.RoleCode:      chroma.KeywordType,
	views.RoleFunction - views.RoleCode:  chroma.NameFunction,
	views.RoleVariable - views.RoleCode:  chroma.NameVariable,
	views.RoleResource - views.RoleCode:  chroma.NameVariableGlobal,
	views.RoleStageIO - views.RoleCode:   chroma.NameVariableInstance,
	views.RoleLiteral - views.RoleCode:   chroma.LiteralNumber,
	views.RoleOperator - views.RoleCode:  chroma.Operator,
	views.RolePunct - views.RoleCode:     chroma.Punctuation,
	views.RoleAttribute - views.RoleCode: chroma.NameDecorator,
	views.RoleComment - views.RoleCode:   chroma.Comment,
	views.RoleMember - views.RoleCode:    chroma.NameAttribute,
	views.RoleRegister - views.RoleCode:  chroma.NameVariable,
	views.RoleOpcode - views.RoleCode:    chroma.NameBuiltin,
	views.RoleDecl - views.RoleCode:      chroma.KeywordDeclaration,
	views.RoleValue - views.RoleCode:     chroma.NameVariable,
}

// Of returns what s gives to each code role, as theme files write styles. Backgrounds
// are left out: a listing has the theme's own.
func Of(s *chroma.Style) [views.NumRoles - int(views.RoleCode)]string {
	var out [views.NumRoles - int(views.RoleCode)]string
	for i, t := range Types {
		e := s.Get(t)
		var parts []string
		if e.Colour.IsSet() {
			parts = append(parts, e.Colour.String())
		}
		if e.Bold == chroma.Yes {
			parts = append(parts, "bold")
		}
		if e.Italic == chroma.Yes {
			parts = append(parts, "italic")
		}
		if e.Underline == chroma.Yes {
			parts = append(parts, "underline")
		}
		out[i] = strings.Join(parts, " ")
	}
	return out
}
