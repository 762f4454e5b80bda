package syntax

import (
	"context"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Each validates sources on all processors, each distinct one once, and hands every
// result to visit, one at a time and in no particular order: i is the first index of the
// source. It fails with ctx's error alone.
func Each(ctx context.Context, sources []string, visit func(i int, m *Module, errs Errors)) error {
	seen := make(map[string]bool, len(sources))
	var mu sync.Mutex
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, src := range sources {
		if seen[src] {
			continue
		}
		seen[src] = true
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			m, errs := Validate(src)
			mu.Lock()
			defer mu.Unlock()
			visit(i, m, errs)
			return nil
		})
	}
	return g.Wait()
}
