package views

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWordsThatAreNoFloats: masks and integers are not shown as NaN or denormals, and what
// is shown can be typed in again.
func TestWordsThatAreNoFloats(t *testing.T) {
	for _, c := range []struct {
		w            uint32
		float, guess string
	}{
		{0xffffffff, "true", "-1 or true  0xffffffff"},
		{0xfffffffd, "0xfffffffd", "-3  0xfffffffd"},
		{0x7fc00000, "NaN", "NaN  0x7fc00000"},
		{0xffc00000, "NaN", "NaN  0xffc00000"},
		{0x7f800001, "0x7f800001", "0x7f800001"},
		{0x7f800000, "+Inf", "+Inf  0x7f800000"},
		{0x3f800000, "1", "1  0x3f800000"},
		{0, "0", "0  0x00000000"},
		{0x80000000, "-0", "-0  0x80000000"},
		{7, "9.809089e-45", "7  0x00000007"},
	} {
		assert.Equal(t, c.float, WordFloat.Format(c.w))
		assert.Equal(t, c.guess, Guess(c.w))
		back, err := WordFloat.Parse(c.float)
		require.NoError(t, err, c.float)
		if c.w != 0xffc00000 { // the sign of a NaN says nothing
			assert.Equal(t, c.w, back, c.float)
		}
	}
}
