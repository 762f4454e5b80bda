// Package diag holds what fxlens tells its users about their input: diagnostics
// as values with a stable code, a severity, a place, a text and a remedy.
//
// Every package of core may use it. A package registers each code that it can
// give, once, in a package variable; `fxlens explain`, docs/diagnostics.md and
// the tests read the registry. Rendering, counting and JSON are the callers'.
package diag
