package files

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReadWhatClaimsToBeEmpty(t *testing.T) {
	got, err := Read("/proc/self/status", 0)
	require.NoError(t, err)
	assert.NotEmpty(t, got)
}
