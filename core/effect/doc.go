// Package effect reads and writes the Tr2 compiled effect container: the files
// that the Carbon Engine loads as .sm_hi, .sm_lo and .sm_depth, versions 8 to 15.
//
// An effect is a table of permutations. Axes with named options span it, the
// first axis varying fastest; every permutation names one body; equal bodies are
// stored once. A body holds techniques, passes and stages, each stage with its
// program (DXBC for Direct3D 11) and everything that the engine needs to bind it.
//
// Parse checks every count, offset and range of every body before it returns, and
// refuses what breaks one with a single [*Error]. It allocates no more than a small
// multiple of the file; bodies are decoded when first asked for, once each. An
// Effect is safe for concurrent use and must not be changed.
//
// What is legal but suspicious (unknown render states, a register map that does
// not match the signature) is a finding: see [Effect.Findings].
//
// [Effect.Encode] rewrites a version 15 file byte for byte, keeping its string
// table; [Build] makes a version 15 file from a model, with the string table, the
// order of records and the sharing of bodies that the engine's compiler gives them.
//
// The facts come from studying the published engine reader and shader compiler,
// and from files that the compiler made.
package effect
