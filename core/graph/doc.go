// Package graph is the permutation graph of an effect: its axes, the permutations that
// they span, the bodies that permutations share, the units that bodies share, and which
// axis matters to which pass. A unit is one pass by content: everything that its
// translation depends on.
//
// New takes time in proportion to the axes: letters and layouts need nothing else. Link
// reads every body once and takes time in proportion to them. What a unit becomes is
// compiled when it is asked for.
package graph
