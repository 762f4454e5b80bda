// Package trial runs one stage of a pass twice, as DXBC on core/interp and as
// the emitted WGSL on a WebGPU implementation, over the same generated inputs,
// and compares every output.
//
// # Inputs
//
// [Stage.Trial] derives resources from the binding plan and their contents from
// what the program does with them: a word that integer instructions read gets an
// integer. What Direct3D leaves undefined is avoided, or found by the interpreter
// (races, undefined reads) and left out of the comparison.
//
// # Tolerance
//
// No tolerance is chosen by hand. The interpreter runs several times with every
// float operation moved inside the error that WGSL allows
// (interp.Options.Jitter); an output may differ by a small multiple of what these
// runs differ among themselves. Outputs that depend on NaN, infinity, denormals or
// conversions out of range are marked by the interpreter (interp.Options.Track):
// WGSL may ignore those, so they are counted and left out.
package trial
