// Package files is the only disk access of the core: reading a file with a guard
// on its size and kind, writing one so that nobody ever sees half of it, and
// listing the shader files below a folder.
//
// Every failure is an [*Error] that says what was tried on which path, why it
// failed and what to do about it. Paths are kept raw: whoever prints an error
// on a terminal escapes it.
package files
