package wgsl_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fxlens/core/wgsl"
)

// Tokens of any text lie inside it, in order, without overlap, and belong to nothing.
func FuzzTokenize(f *testing.F) {
	for _, s := range []string{"", "@vertex fn main() -> @builtin(position) vec4f { return vec4f(0x1p-3f, 1e9, .5h, 3u); }", "/* a /* b", "// x\r\n\u2028y", "\xff\x00\"'`", "a<b>=c>>=d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at := uint32(0)
		for _, k := range wgsl.Tokenize(text) {
			require.GreaterOrEqual(t, k.Off, at)
			require.Positive(t, k.Len)
			at = k.Off + k.Len
			require.LessOrEqual(t, int(at), len(text))
			require.Negative(t, k.Instr)
		}
	})
}
