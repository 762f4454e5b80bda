package cewgpu

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"golang.org/x/sync/errgroup"
)

// inParallel calls f with 0 to n-1, as many at once as there are processors, and returns
// when all calls have. A panic in one of them becomes the caller's, who can recover it.
func inParallel(n int, f func(i int)) {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		g.Go(func() error { return caught(func() { f(i) }) })
	}
	if bug := g.Wait(); bug != nil {
		panic(bug)
	}
}

// guard turns a panic of a worker into an error: nothing else could catch it.
func guard(f func() error) (err error) {
	if bug := caught(func() { err = f() }); bug != nil {
		return fmt.Errorf("a bug of ours: %w", bug)
	}
	return err
}

// caught is a panic of f with its stack, or nil.
func caught(f func()) (bug error) {
	defer func() {
		if r := recover(); r != nil {
			bug = fmt.Errorf("%v\n%s", r, debug.Stack())
		}
	}()
	f()
	return nil
}
