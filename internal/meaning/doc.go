// Package meaning says what the compute programs of testdata/hlsl mean: for each
// HLSL entry a Go function that was written by reading the HLSL and the rules of
// Direct3D, and inputs of three kinds (small, boundary, out of range) to run it on. The
// tests compare with it what SwiftShader makes of our WGSL and what core/interp
// makes of the bytecode; nothing here looks at bytecode, SSA or WGSL.
//
// The rules of Direct3D that the functions use:
//   - a load outside a buffer gives zero, a store or an atomic there is dropped and
//     the old value is zero; a structured record and a typed element are there as a
//     whole or not at all, a raw buffer word by word;
//   - a texel outside a texture loads as zero and is not stored;
//   - integers wrap, shifts count modulo 32, a division by zero gives all ones;
//   - floats are 32 bits, each operation rounded once. Inputs are chosen so that
//     every sum and product is exact in whatever order and with whatever
//     contraction it is computed; where they cannot be, the function states a tolerance;
//   - the order in which invocations reach an atomic is open: see [Program].Order.
//
// It is for tests only.
package meaning
