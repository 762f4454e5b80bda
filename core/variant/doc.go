// Package variant holds shader graphs in which an implementation is chosen by switches.
//
// A graph of chunks with places where a switch decides, together with an immutable set
// of switch values, becomes an ordinary static graph (Specialize), which is linked to
// text (Link). A Shader keeps the variants that its sets lead to; whoever draws with one
// never sees a switch. Chunks may declare the bindings that they read, and linking
// checks them against what the shader binds. One interface serves all variants: a switch
// changes code, never the layout.
//
//	Switch -> Set -> Chunk/Choice --Specialize--> Chunk --Link--> text, extensions, resources
//
// Graphs are built by one goroutine; once built, everything here may be used by many.
// The rules are those of the seed document on shader switches; what is silent there and
// decided here says so.
package variant
