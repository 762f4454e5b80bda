// Package dxbc reads and writes Direct3D shader containers ("DXBC") and the
// SM4.0 to SM5.1 token programs inside them.
//
// [Parse] takes a container apart into chunks, [Open] decodes everything that is
// known in it, [Decode] reads a bare program. [Disassemble] prints the text that
// Microsoft's D3DDisassemble prints, character for character, and [Assemble] reads
// that text back. [Shader.Check] compares the parts of a shader with each other.
//
// Every count, offset and length comes from the file and is checked where it is
// read. A failure is an [*Error] with a byte offset; no input panics, and nothing
// allocates more than a small multiple of the input.
package dxbc
