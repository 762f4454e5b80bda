// Package qualify runs a corpus through the compiler and says what became of it:
// every effect with all of its permutations, every bare program and every package,
// with all reasons of what could not be translated and what to add next.
//
// It works on names, bytes and interfaces: [Source] gives it files, [Cache] remembers
// results, and a sink takes them one by one in the order of their paths, so that the
// memory it needs does not grow with the corpus. Results are values of the content
// alone: no time, machine or order of goroutines is in them. That is why shards of a
// run merge into exactly the report of the whole run.
//
// Equal passes are compiled once, wherever in the corpus they are. What makes passes
// equal is their content: the programs, the names and sizes of what they bind, and the
// options. A body's digest is an identity inside its effect only, since its records
// point into that effect's string table; nothing here joins by it.
package qualify
