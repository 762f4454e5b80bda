package cewgpu

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkBuildPeak reports how many times the size of its result a build holds at
// its peak: live bytes, sampled while the collector runs all the time, less those
// that were there before (the effect and what the translation returns).
func BenchmarkBuildPeak(b *testing.B) {
	for _, path := range []string{"quadv5.sm_hi", "decal/decal.sm_hi"} {
		b.Run(path, func(b *testing.B) {
			in := plainInput(bundledEffect(b, path), "res:/effect")
			in.Mode = All
			_, _, err := Build(context.Background(), in)
			require.NoError(b, err)
			defer debug.SetGCPercent(debug.SetGCPercent(1))
			worst := 0.0
			for b.Loop() {
				runtime.GC()
				var pkg []byte
				peak := peakHeap(func() { pkg, _, err = Build(context.Background(), in) })
				require.NoError(b, err)
				worst = max(worst, float64(peak)/float64(len(pkg)))
			}
			b.ReportMetric(worst, "peak/size")
		})
	}
}

// peakHeap runs f and returns the most bytes of live objects beyond those before.
func peakHeap(f func()) uint64 {
	read := func() uint64 {
		s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(s)
		return s[0].Value.Uint64()
	}
	before := read()
	var peak atomic.Uint64
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(100 * time.Microsecond):
				peak.Store(max(peak.Load(), read()))
			}
		}
	}()
	f()
	close(stop)
	<-done
	return peak.Load() - min(before, peak.Load())
}
