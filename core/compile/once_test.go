package compile

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/dxbc"
)

// What PassOnce compiles is not kept, and what Pass keeps is given out.
func TestPassOnce(t *testing.T) {
	b, err := os.ReadFile("../../testdata/dxbc/golden/bits5_cs50.dxbc")
	require.NoError(t, err)
	in := &PassInput{Stages: []StageInput{{Kind: dxbc.Compute, Program: b}}}
	ctx, opt := context.Background(), &Options{}
	var c Compiler
	one, err := c.PassOnce(ctx, in, opt)
	require.NoError(t, err)
	kept, err := c.Pass(ctx, in, opt)
	require.NoError(t, err)
	assert.NotSame(t, one, kept)
	assert.Equal(t, one.Status, kept.Status)
	again, err := c.PassOnce(ctx, in, opt)
	require.NoError(t, err)
	assert.Same(t, kept, again)
}
