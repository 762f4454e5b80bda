package wgsl_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/dxbc"
	"fxlens/core/wgsl"
	"fxlens/internal/judge"
)

var update = flag.Bool("update", false, "write the golden files")

// goldens are programs whose text is kept, so that a change of the emitter shows
// what it does to what people read. What each is there for stands beside it.
var goldens = []string{
	"testdata/hlsl/flow-for-loop",             // a counted loop
	"testdata/hlsl/flow-loop-break-continue",  // jumps from several depths
	"testdata/hlsl/flow-loop-return",          // a return inside
	"testdata/hlsl/flow-switch-stacked",       // stacked labels
	"testdata/hlsl/flow-loop-in-switch",       // break of either
	"testdata/hlsl/flow-swap-values",          // copies in a cycle
	"testdata/hlsl/flow-if-nested",            // else if, values from arms
	"testdata/hlsl/flow-discards",             // clip as a condition
	"testdata/hlsl/flow-derivative-in-branch", // the opt-out and its sites
	"testdata/dxbc/golden/arith_ps50",         // every float operation
	"testdata/dxbc/golden/cbtypes_ps50",       // names of constants
	"testdata/hlsl/numeric-int-divide",        // helpers for D3D's results
	"testdata/hlsl/numeric-literals",          // literals of every kind
	"testdata/hlsl/numeric-nan-tests",         // tests by bits
	"testdata/hlsl/memory-temp-array",         // indexable temps with guards
	"testdata/hlsl/memory-icb",                // a table
	"testdata/hlsl/texture-pcf",               // comparison samples
	"testdata/hlsl/texture-parallax",          // a longer pixel program
	"testdata/hlsl/alg-reduce-sum",            // groupshared memory, compound assignments
	"testdata/hlsl/alg-mandelbrot",            // a loop with two conditions
}

func TestGolden(t *testing.T) {
	root := judge.Root(t)
	for _, name := range goldens {
		t.Run(filepath.Base(name), func(t *testing.T) {
			b, err := os.ReadFile(filepath.Join(root, name+".dxbc"))
			require.NoError(t, err)
			s, err := dxbc.Open(b)
			require.NoError(t, err)
			_, m, _, ds := translate(t, s, wgsl.Options{})
			require.NotNilf(t, m, "%v", ds)
			file := filepath.Join("testdata", "golden", filepath.Base(name)+".wgsl")
			if *update {
				require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
				require.NoError(t, os.WriteFile(file, []byte(m.Code), 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err, "run the test with -update to write it")
			assert.Equal(t, string(want), m.Code)
		})
	}
}
