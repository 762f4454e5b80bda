// Package semantics has no code, only tests: programs in D3D assembly that are
// translated, executed under Dawn, and compared with what the D3D11 functional
// specification says, computed here without the compiler. docs/compatibility.md
// states the rules; these tests hold them.
package semantics
