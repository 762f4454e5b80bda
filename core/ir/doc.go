// Package ir is the SSA form of one DXBC program.
//
// # Shape
//
// DXBC is structured, and the IR keeps that structure: a Function is a tree of
// regions, a Region is a list of nodes, and a node is an instruction (a Value),
// an if, a loop, a switch, or the terminator that ends every region. Values
// have up to four lanes of 32 bits; an operand (Arg) is assembled lane by lane
// from any values, so swizzles and register moves leave nothing behind.
//
// # Scope
//
// A value is visible from its node to the end of the region that holds it, and
// in the regions below. Whatever leaves a region does so as an argument of the
// region's terminator and arrives as a parameter:
//
//   - an if has parameters, one argument each in the Yield that ends an arm;
//   - a loop has header parameters (first from Node.Inits, later from the
//     Continue that ends or repeats the body) and exit parameters, from the
//     Breaks that target it;
//   - a switch has exit parameters, from the Breaks that target it.
//
// Header parameters stay readable after their loop: they have the value of the
// round that left. All other parameters are visible behind their node, in the
// region that holds it. A Return carries the stage's outputs. There are no
// other edges, so dominance is the nesting itself.
//
// # Types
//
// Lanes are bits until the types phase gives every value one Kind. An operand
// is read as the kind that its operation wants (OpInfo.Args); where the value's
// own kind differs, the reader sees the same bits. Bool is a mask: as bits it
// is 0 or 0xFFFFFFFF.
package ir
