package wgsl

// Tokenize splits WGSL text that was not emitted here, such as a module of a
// package, into tokens with roles. They belong to no value and no instruction. Text
// that is not WGSL gives tokens too.
func Tokenize(code string) []Token {
	var p printer
	p.raw(code, -1)
	return p.tokens
}
