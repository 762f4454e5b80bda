// Package syntax is a front end for WGSL: lexer, parser, resolver, type checker, and
// the reflection of bindings and entry points. It accepts and refuses what Google's Tint
// does on the WGSL that is met here, with positions, and without a browser.
//
// It serves what must be known of text that fxlens did not emit itself: chunks of shader
// graphs, modules of packages, hand-written shaders. Rules are those of the WebGPU
// Shading Language recommendation; where Tint differs, Tint decides, since it is what the
// module meets.
//
//	source -> Parse -> *File (syntax tree) -> Check -> *Module (names, types, interface)
package syntax
