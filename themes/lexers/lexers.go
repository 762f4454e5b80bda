// Package lexers has chroma lexers for the texts around a shader: WGSL, HLSL, JSON and
// TOML, and our own DXBC and SSA listings. They stand in a registry of their own:
// chroma's holds some hundred lexers and takes 65 ms to fill when a program starts, ours
// costs nothing until the first text is read.
package lexers

import (
	"sync"

	"github.com/alecthomas/chroma/v2"
)

// The names of the lexers, as Get takes them and as they are registered.
const (
	WGSL = "WGSL"
	HLSL = "HLSL"
	JSON = "JSON"
	TOML = "TOML"
	DXBC = "DXBC"
	SSA  = "fxlens SSA"
)

// Registry returns the registry of all lexers of this package, for formatters that look
// a language up by name, alias or file name. It is made when first asked for.
var Registry = sync.OnceValue(func() *chroma.LexerRegistry {
	r := chroma.NewLexerRegistry()
	add := func(c chroma.Config, rules func() chroma.Rules) {
		r.Register(chroma.MustNewLexer(&c, rules))
	}
	add(chroma.Config{Name: WGSL, Filenames: []string{"*.wgsl"}, MimeTypes: []string{"text/wgsl"}}, wgslRules)
	add(chroma.Config{Name: HLSL, Filenames: []string{"*.hlsl", "*.hlsli", "*.fx", "*.fxh"}}, hlslRules)
	add(chroma.Config{Name: JSON, Filenames: []string{"*.json"}, MimeTypes: []string{"application/json"}}, jsonRules)
	add(chroma.Config{Name: TOML, Filenames: []string{"*.toml"}, MimeTypes: []string{"application/toml"}}, tomlRules)
	add(chroma.Config{Name: DXBC, Aliases: []string{"dxbc-asm"}, Filenames: []string{"*.dxasm"}}, dxbcRules)
	add(chroma.Config{Name: SSA, Aliases: []string{"fxlens-ssa"}, Filenames: []string{"*.ssa"}}, ssaRules)
	return r
})

// Get returns the lexer of a name, alias or file ending, or nil.
func Get(name string) chroma.Lexer { return Registry().Get(name) }

// Match returns the lexer for a file of this name, or nil where there is none.
func Match(file string) chroma.Lexer { return Registry().Match(file) }

// Types of tokens that chroma has no name for. Each lies below a type that every style
// has, and gives it its colour there.
const (
	register = chroma.NameVariableClass     // r0, x0
	value    = chroma.NameVariableAnonymous // v42 of SSA
	resource = chroma.NameVariableGlobal    // t0, cb1
	stageIO  = chroma.NameVariableInstance  // v1, o0
	opcode   = chroma.NameBuiltin
	decl     = chroma.KeywordDeclaration
	aside    = chroma.CommentSpecial // source positions and facts beside the code
)

func rule(pattern string, t chroma.TokenType) chroma.Rule {
	return chroma.Rule{Pattern: pattern, Type: t}
}

// to is a rule that goes into a state, or out of one with "" .
func to(pattern string, t chroma.TokenType, state string) chroma.Rule {
	r := chroma.Rule{Pattern: pattern, Type: t, Mutator: chroma.Pop(1)}
	if state != "" {
		r.Mutator = chroma.Push(state)
	}
	return r
}

func words(t chroma.TokenType, w ...string) chroma.Rule {
	return rule(chroma.Words(`\b`, `\b`, w...), t)
}

func wgslRules() chroma.Rules {
	return chroma.Rules{
		"root": {
			rule(`\s+`, chroma.TextWhitespace),
			rule(`//[^\n]*`, chroma.CommentSingle),
			to(`/\*`, chroma.CommentMultiline, "comment"),
			rule(`@[A-Za-z_]\w*`, chroma.NameDecorator),
			rule(`0[xX](?:[0-9a-fA-F]*\.[0-9a-fA-F]+|[0-9a-fA-F]+\.?)(?:[pP][-+]?\d+)?[iufh]?`, chroma.LiteralNumber),
			rule(`(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?[iufh]?`, chroma.LiteralNumber),
			words(chroma.Keyword, "alias", "break", "case", "const", "const_assert", "continue", "continuing", "default", "diagnostic",
				"discard", "else", "enable", "fn", "for", "if", "let", "loop", "override", "requires", "return", "struct", "switch", "var", "while"),
			words(chroma.KeywordConstant, "true", "false"),
			rule(`(?:bool|[iuf]32|f16|vec[234][iufh]?|mat[234]x[234][fh]?|array|atomic|ptr|sampler|sampler_comparison|texture_(?:depth_|storage_|multisampled_|external|cube|[123]d)\w*)\b`, chroma.KeywordType),
			rule(`[\p{L}_][\p{L}\p{Nd}_]*(?=\s*\()`, chroma.NameFunction),
			rule(`(?<=\.)[\p{L}_][\p{L}\p{Nd}_]*`, chroma.NameAttribute),
			rule(`[\p{L}_][\p{L}\p{Nd}_]*`, chroma.Name),
			rule(`->|[-+*/%&|^!~=<>]+`, chroma.Operator),
			rule(`[()\[\]{},;:.]`, chroma.Punctuation),
		},
		"comment": { // they nest
			to(`/\*`, chroma.CommentMultiline, "comment"),
			to(`\*/`, chroma.CommentMultiline, ""),
			rule(`[^*/]+|[*/]`, chroma.CommentMultiline),
		},
	}
}

func hlslRules() chroma.Rules {
	return chroma.Rules{
		"root": {
			rule(`\s+`, chroma.TextWhitespace),
			rule(`//[^\n]*`, chroma.CommentSingle),
			to(`/\*`, chroma.CommentMultiline, "comment"),
			to(`#[^\n\\]*`, chroma.CommentPreproc, "directive"),
			to(`"`, chroma.LiteralString, "string"),
			rule(`0[xX][0-9a-fA-F]+[uUlL]*`, chroma.LiteralNumber),
			rule(`(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?[fFhHuUlL]*`, chroma.LiteralNumber),
			rule(`(?<=:\s*)(?:SV_\w+|[A-Z][A-Z0-9_]*)\b`, chroma.NameDecorator),
			words(chroma.Keyword, "break", "case", "cbuffer", "centroid", "class", "column_major", "compile", "const", "continue", "default", "discard",
				"do", "else", "export", "extern", "for", "groupshared", "if", "in", "inline", "inout", "interface", "linear", "namespace",
				"nointerpolation", "noperspective", "out", "packoffset", "pass", "precise", "register", "return", "row_major", "sample",
				"shared", "static", "struct", "switch", "tbuffer", "technique", "technique10", "technique11", "typedef", "uniform", "volatile", "while"),
			words(chroma.KeywordConstant, "true", "false", "NULL", "null"),
			rule(`(?:void|string|vector|matrix|(?:bool|int|uint|dword|half|float|double|min16float|min10float|min16int|min12int|min16uint)(?:[1-4](?:x[1-4])?)?)\b`, chroma.KeywordType),
			rule(`(?:(?:RW|RasterizerOrdered)?(?:Texture(?:1D|2D|3D)\w*|Buffer|StructuredBuffer|ByteAddressBuffer)|TextureCube(?:Array)?|(?:Append|Consume)StructuredBuffer|ConstantBuffer|texture\w*|[sS]ampler(?:1D|2D|3D|CUBE|State|ComparisonState|_state)?|(?:Point|Line|Triangle)Stream|(?:Input|Output)Patch)\b`, chroma.KeywordType),
			rule(`[A-Za-z_]\w*(?=\s*\()`, chroma.NameFunction),
			rule(`(?<=\.)[A-Za-z_]\w*`, chroma.NameAttribute),
			rule(`[A-Za-z_]\w*`, chroma.Name),
			rule(`[-+*/%&|^!~=<>?]+`, chroma.Operator),
			rule(`[()\[\]{},;:.]`, chroma.Punctuation),
		},
		"comment": {
			to(`\*/`, chroma.CommentMultiline, ""),
			rule(`[^*]+|\*`, chroma.CommentMultiline),
		},
		"directive": { // a backslash takes the next line in
			rule(`\\(?:\r?\n)?[^\n\\]*`, chroma.CommentPreproc),
			chroma.Default(chroma.Pop(1)),
		},
		"string": {
			to(`"`, chroma.LiteralString, ""),
			rule(stringPart, chroma.LiteralString),
			chroma.Default(chroma.Pop(1)),
		},
	}
}

// stringPart is some of a string's characters. It is bounded, so that a long string comes
// in pieces and no match has much to take back.
const stringPart = `(?:[^"\\\n]|\\.){1,1000}`

func jsonRules() chroma.Rules {
	return chroma.Rules{"root": {
		rule(`\s+`, chroma.TextWhitespace),
		rule(`"(?:[^"\\\n]|\\.){0,200}"(?=\s*:)`, chroma.NameTag),
		to(`"`, chroma.LiteralString, "string"),
		rule(`-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?`, chroma.LiteralNumber),
		words(chroma.KeywordConstant, "true", "false", "null"),
		rule(`[{}\[\],:]`, chroma.Punctuation),
	}, "string": {
		to(`"`, chroma.LiteralString, ""),
		rule(stringPart, chroma.LiteralString),
		chroma.Default(chroma.Pop(1)),
	}}
}

func tomlRules() chroma.Rules {
	return chroma.Rules{"root": {
		rule(`\s+`, chroma.TextWhitespace),
		rule(`#[^\n]*`, chroma.CommentSingle),
		rule(`(?<=^[ \t]*)\[\[?[^\]\n"']*\]\]?(?=[ \t\r]*(?:#|$))`, chroma.KeywordNamespace),
		// Bounded: what is no key after all is looked at once more, from each of its parts on.
		rule(`[\w-]{1,100}(?:[ \t]{0,8}\.[ \t]{0,8}[\w-]{1,100}){0,8}(?=[ \t]{0,100}=)`, chroma.NameTag),
		rule(`(?:"(?:[^"\\\n]|\\.){0,200}"|'[^'\n]{0,200}')(?=[ \t]*=)`, chroma.NameTag),
		to(`"""`, chroma.LiteralString, "basic"),
		to(`'''`, chroma.LiteralString, "literal"),
		to(`"`, chroma.LiteralString, "string"),
		rule(`'[^'\n]*'?`, chroma.LiteralString),
		rule(`\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)?)?`, chroma.LiteralDate),
		rule(`[-+]?(?:0x[0-9a-fA-F_]+|0o[0-7_]+|0b[01_]+|inf\b|nan\b|\d[\d_]*(?:\.[\d_]+)?(?:[eE][-+]?\d+)?)`, chroma.LiteralNumber),
		words(chroma.KeywordConstant, "true", "false"),
		rule(`[\w-]+`, chroma.Name),
		rule(`=`, chroma.Operator),
		rule(`[{}\[\],.]`, chroma.Punctuation),
	}, "string": {
		to(`"`, chroma.LiteralString, ""),
		rule(stringPart, chroma.LiteralString),
		chroma.Default(chroma.Pop(1)),
	}, "basic": {
		to(`"""`, chroma.LiteralString, ""),
		rule(`[^"\\]+|\\[\s\S]|["\\]`, chroma.LiteralString),
	}, "literal": {
		to(`'''`, chroma.LiteralString, ""),
		rule(`[^']+|'`, chroma.LiteralString),
	}}
}

// dxbcRules are those of Microsoft's disassembly. A line is a mnemonic and operands; the
// roles are those of the DXBC pane.
func dxbcRules() chroma.Rules {
	return chroma.Rules{"root": {
		rule(`\s+`, chroma.TextWhitespace),
		rule(`//[^\n]*`, chroma.Comment),
		to(`[vphgdc]s_\d_\d\b`, chroma.KeywordType, "operands"),
		to(`dcl_\w+`, decl, "operands"),
		to(`(?:breakc?|callc?|case|continuec?|default|discard|else|endif|endloop|endswitch|if|label|loop|retc?|switch)(?:_z|_nz)?\b`, chroma.Keyword, "operands"),
		to(`[a-z]\w*`, opcode, "operands"),
		to(`[^\s]`, chroma.Punctuation, "operands"),
	}, "operands": {
		to(`\n`, chroma.TextWhitespace, ""),
		rule(`[^\S\n]+`, chroma.TextWhitespace),
		rule(`//[^\n]*`, chroma.Comment),
		rule(`"[^"\n]*"?`, chroma.Comment),
		rule(`(?:0x[0-9a-fA-F]+|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?:#\w+)?)\b`, chroma.LiteralNumber),
		rule(`(?:cb|CB|icb|t|T|s|S|u|U|g)\d*(?=\[|\.|,|\s|$|\)|\])`, resource),
		rule(`(?:r|x)\d+\b|null\b`, register),
		rule(`(?:v|o)[A-Z]\w*|(?:v|o|vicp|vocp|vpc|vcp)\d*(?=\[|\.|,|\s|$|\)|\])`, stageIO),
		rule(`\.[xyzwrgba]{1,4}\b`, chroma.NameAttribute),
		rule(`l(?=\()`, stageIO),
		rule(`[A-Za-z_]\w*`, chroma.KeywordType),
		rule(`[^\w\s"]`, chroma.Punctuation),
	}}
}

// ssaRules are those of the text form of core/ir, with the roles of the SSA pane.
func ssaRules() chroma.Rules {
	const keyword = `(?:program|body|if|else|loop|switch|case|default|yield|break|continue|return|resource|in|out|icb|array|constant|thread_group|early_depth|undef|precise)\b`
	common := []chroma.Rule{
		rule(`;[^\n]*`, chroma.Comment),
		rule(`"(?:[^"\\\n]|\\.){0,1000}"?`, chroma.NameClass),
		rule(`@\w*`, aside),
		rule(`#\w*`, chroma.LiteralNumber),
		rule(`\.\w+`, chroma.NameAttribute),
	}
	head := append([]chroma.Rule{
		to(`\n`, chroma.TextWhitespace, ""),
		rule(`[^\S\n]+`, chroma.TextWhitespace),
	}, common...)
	head = append(head, rule(`\w+(?==)`, aside), rule(keyword, chroma.Keyword), rule(`\w+`, aside), rule(`=`, chroma.Operator), rule(`[^\w\s]`, chroma.Punctuation))
	root := append([]chroma.Rule{
		rule(`\s+`, chroma.TextWhitespace),
		// Lines at the margin that are not the body declare.
		to(`(?<=^)(?:program|resource|in|out|icb|array|constant|thread_group|early_depth)\b`, chroma.Keyword, "head"),
	}, common...)
	root = append(root,
		rule(`\w+(?==)`, aside),
		rule(`v\d+\b`, value),
		rule(`in\d+\b`, stageIO),
		rule(`cb\d+\b`, resource),
		rule(keyword, chroma.Keyword),
		rule(`(?<=:)\w+`, chroma.KeywordType),
		rule(`\d+\b`, chroma.LiteralNumber),
		rule(`[A-Z]\w*`, chroma.NameFunction),
		rule(`\w+`, chroma.Name),
		rule(`=`, chroma.Operator),
		rule(`[^\w\s]`, chroma.Punctuation),
	)
	return chroma.Rules{"root": root, "head": head}
}
