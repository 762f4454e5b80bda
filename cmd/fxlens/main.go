// Command fxlens inspects compiled shaders: the terminal program, and every fact
// that it shows as a subcommand with text or JSON. See `fxlens --help`.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime"
	"syscall"
)

// heapReserve is a part of the heap that is never touched, so that it costs no
// memory. The collector runs when the heap has doubled; the few megabytes that a
// compiler of small programs keeps would double all the time, and half of the
// time would go into collections.
const heapReserve = 32 << 20

func main() {
	reserve := make([]byte, heapReserve)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	runtime.KeepAlive(reserve)
	os.Exit(code)
}
