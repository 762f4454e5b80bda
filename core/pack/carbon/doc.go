// Package carbon reads, checks and writes Carbon WebGPU containers
// (.carbonwebgpu): compiled effects of version 15 whose program slots hold WGSL,
// and whose passes end with a reference to one more blob, the block, which holds
// the binding layout of the pass.
//
// A container has no mark of its own. [Sniff] tells one from a source effect by its
// passes; [Open] reads one by every rule, and [Validate] lists all that is wrong or
// odd with it. [Write] makes the bytes from a model and blocks: the string table in
// byte order, equal bodies once, nothing between, so that reading a container and
// writing it again gives the same bytes.
//
// [Build] makes a container from an effect, [FromPackage] from a CEWGPU package and
// [File.ToPackage] goes back. A container says less than a package: source
// programs, source maps, the identity of the source and reasons are gone. What a
// conversion loses is listed, and a [Side] document beside the container keeps it,
// with which the way back gives the package byte for byte.
//
// The body grammar is that of package effect but for the references. Package carbon
// therefore knows sizes of records alone: it takes the references out and lets
// effect.Parse check what is left, byte by byte, and on the way out lets
// effect.Build lay out a file in which libraries stand for blocks.
//
// Everything is deterministic, never panics on any input, and allocates a small
// multiple of it.
package carbon
