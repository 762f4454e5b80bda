//go:build unix

package files

import (
	"net"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A pipe without a writer would block for ever if it were opened.
func TestReadSpecialFiles(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe.sm_hi")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	_, err := Read(pipe, 0)
	require.ErrorIs(t, err, ErrNotRegular)
	assert.ErrorContains(t, err, "named pipe")
	require.ErrorIs(t, Write(pipe, nil, true), ErrNotRegular)

	sock := filepath.Join(dir, "s")
	l, err := net.Listen("unix", sock)
	require.NoError(t, err)
	defer l.Close()
	_, err = Read(sock, 0)
	assert.ErrorContains(t, err, "is a socket")

	_, err = Read("/dev/null", 0)
	assert.ErrorContains(t, err, "is a device")
}
