// Package heap gives benchmarks the heap that the program has.
package heap

import (
	"runtime"
	"testing"
)

// reserve is as much as cmd/fxlens sets aside.
const reserve = 32 << 20

// Reserve makes the collector behave as in cmd/fxlens, which sets aside bytes that
// it never touches: without them a benchmark of a small heap measures how often
// the collector starts, not what the code costs.
func Reserve(tb testing.TB) {
	b := make([]byte, reserve)
	tb.Cleanup(func() { runtime.KeepAlive(b) })
}
