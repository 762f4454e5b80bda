package carbon_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"fxlens/core/diag"
	"fxlens/core/pack/carbon"
)

// FuzzValidate: any bytes give a container or findings, and what is valid can be
// looked at, rewritten and converted without surprises.
func FuzzValidate(f *testing.F) {
	f.Add(tiny(f).Data)
	f.Add(ambiguous())
	f.Add(readFile(f, sharedSeed))
	p := take(f, tiny(f))
	p.detail()
	f.Add(p.bytes(f))
	f.Fuzz(func(t *testing.T, b []byte) {
		keep := bytes.Clone(b)
		file, ds := carbon.Validate(b, carbon.Detect)
		require.Equal(t, keep, b, "the input is not changed")
		for _, d := range ds {
			require.NotEqual(t, diag.Code("carbon.bug"), d.Code)
			require.NotContains(t, d.Text, "bug of ours", "%s", d)
		}
		if file == nil || diag.HasErrors(ds) {
			require.True(t, diag.HasErrors(ds))
			return
		}
		again, err := file.Rewrite()
		if err == nil {
			f2, err := carbon.Parse(again, carbon.Detect)
			if err == nil { // the order of entries can make a rewritten body ambiguous
				twice, err := f2.Rewrite()
				require.NoError(t, err)
				require.Equal(t, again, twice, "rewriting changes nothing more")
			}
		}
		file.Info()
		file.Graph()
		file.BodySet()
		_, _ = file.ToPackage(context.Background(), carbon.ToOptions{Permutation: -1})
	})
}

// FuzzBlock: any bytes give a block that encodes to them, or an error.
func FuzzBlock(f *testing.F) {
	p := take(f, tiny(f))
	p.detail()
	b, err := p.block.Encode()
	require.NoError(f, err)
	f.Add(b)
	f.Add([]byte{2, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		block, err := carbon.ParseBlock(b)
		if err != nil {
			require.ErrorIs(t, err, carbon.ErrBlock)
			return
		}
		again, err := block.Encode()
		require.NoError(t, err)
		require.Equal(t, b, again)
	})
}

// FuzzSide: any side file is refused or gives the package.
func FuzzSide(f *testing.F) {
	c := tiny(f)
	good, err := c.Side.Encode()
	require.NoError(f, err)
	f.Add(good)
	f.Fuzz(func(t *testing.T, b []byte) {
		side, err := carbon.ParseSide(b)
		if err != nil {
			return
		}
		out, err := c.File.ToPackage(context.Background(), carbon.ToOptions{Side: side, Permutation: -1})
		if err == nil {
			require.NotEmpty(t, out.Data)
		}
	})
}
