// Package cewgpu reads, checks and writes CEWGPU packages: a flat container of
// tagged chunks that carries a compiled effect translated for WebGPU.
//
// The container knows nothing of its chunks: [ParseContainer] and
// [EncodeContainer] are all that a generic package needs. A package whose INFO
// chunk carries the effect marker holds a fixed set of documents: identity (INFO),
// the selection (META), every permutation and body (PGRF), the complete reflection
// of every body with its programs (RFLX and RBLB), an analysis of the selected
// body (ANLS), its WGSL modules and binding layouts (WGSL) and, on request, those
// of every body (WGSB).
//
// [Build] makes a package from an effect and the modules of its passes, and reads
// its own result back. [Validate] checks one by every published rule and reports
// all findings in one run; [Open] is Validate for who only wants the package.
// Writer and validator share the names of Go fields and nothing else: no table of
// constants, no helper that knows a rule, so that a mistake in one shows in the
// other.
//
// Two profiles exist. Strict is what other readers of the format accept. Extended
// has a marker of its own and carries what strict cannot.
//
// Everything here is deterministic, works on bytes, never panics on any input, and
// allocates a small multiple of it.
package cewgpu
