// Command fxlens inspects compiled shaders: the terminal program, and every fact
// that it shows as a subcommand with text or JSON. See `fxlens --help`.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"syscall"
)

// heapReserve is a part of the heap that is never touched, so that it costs no
// memory. The collector runs when the heap has doubled; the few megabytes that a
// compiler of small programs keeps would double all the time, and half of the
// time would go into collections.
const heapReserve = 32 << 20

// tuneCollector has the first collection wait until the heap has twice the reserve, and
// makes the reserve then. To make it at once would begin a collection at once, a fifth of
// the time from the start to the first frame. Who sets GOGC knows better.
func tuneCollector() {
	if os.Getenv("GOGC") != "" {
		return
	}
	const first = 4 << 20 // of the runtime, at 100 per cent
	debug.SetGCPercent(100 * 2 * heapReserve / first)
	runtime.AddCleanup(new([16]byte), func(int) {
		reserve.Store(new([heapReserve]byte))
		debug.SetGCPercent(100)
	}, 0)
}

// reserve is kept for the life of the program.
var reserve atomic.Pointer[[heapReserve]byte]

func main() {
	tuneCollector()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
