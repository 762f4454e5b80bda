// Package switches is one opened shader graph: a graph of chunks that people wrote by hand,
// or an effect, whose permutation axes are switches and whose passes are shaders. It
// answers what a screen or a command shows: which switches a shader depends on, what
// flipping one recompiles, the tree of chunks and choices, the linked text of a set with
// its bindings, the table of variants, the difference of two sets, what an audit finds,
// and a package of chosen variants.
//
// A Workspace is immutable and safe for concurrent use; the current set is the caller's,
// a parameter and not state.
package switches
