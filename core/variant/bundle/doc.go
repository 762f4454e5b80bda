// Package bundle writes and reads packages of chosen variants: CEWGPU containers that
// hold, for every variant of every shader, its label with the set, its WGSL and the
// bindings that all variants of the shader share.
//
// Two profiles exist. Generic packages are what every reader of the container opens: INFO
// has no marker, and the chunk WGSL holds whole modules. Extended packages have a marker
// of their own, which readers of effect packages take for a generic container, and share
// text by chunk: the chunk TEXT holds every piece once, and modules are lists of pieces.
// Both store equal modules once.
//
//	INFO  what it is, who made it, the SHA-256 of the other chunks
//	VARS  switches, shaders with their bindings, variants
//	WGSL  modules as text (generic), or as lists of pieces (extended)
//	TEXT  the pieces (extended)
//
// Build reads its own result back. Everything is deterministic.
package bundle
