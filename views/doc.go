// Package views turns compiler data into styled lines. Its functions are pure: data, a
// window and a selection go in, the lines inside the window come out. Spans name a
// role, never a colour, and no escape sequence is ever made here.
//
// A [Listing] is one virtual text, such as the disassembly of a stage. Nothing holds
// the whole of it as text: a listing knows how many lines it has and makes those that
// are asked for, so that a program of 20,000 lines costs what fits the screen.
//
// Linked highlighting goes through [Focus]: a listing says what its cursor stands on in
// the compiler's terms (instruction, values, register lanes), [Links] widens that to
// everything that belongs to it by the source map, and every other listing marks the
// lines and tokens that the resulting [Selection] names. No text is ever parsed for it.
package views
