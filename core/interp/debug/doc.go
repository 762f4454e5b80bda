// Package debug steps programs forwards and backwards and finds the instruction
// where two forms of a program part.
//
// A [Session] follows one invocation (the focus) of a batch of vertices or pixels,
// or of a group of a dispatch; the other invocations run along in lock step, so that
// derivatives, groupshared memory and atomics are what they are in a whole run.
// Going back restores a checkpoint and runs forward again: runs are deterministic.
//
// [Part] runs a program and a form of its intermediate representation over the same
// inputs and compares every register lane that an instruction writes with the value
// that stands for it; [Pin] says after which phase the two part.
//
// Every call that runs the program takes a context and keeps the bounds of
// [Options]; a session can go on after a cancelled call.
package debug
