package dxbc

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// corpus visits every shader of the test data and of the shared inputs.
func corpus(t testing.TB, visit func(name string, b []byte, s *Shader)) {
	dirs := []string{filepath.Join("..", "..", "testdata", "dxbc")}
	if shared() != "" {
		dirs = append(dirs, shared("dxbc-golden"), shared("dxbc"), shared("effects"))
	}
	for _, dir := range dirs {
		for _, path := range filesUnder(t, dir, func(p string) bool {
			return strings.HasSuffix(p, ".dxbc") || strings.HasPrefix(filepath.Ext(p), ".sm_")
		}) {
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			for _, e := range Scan(b) {
				if e.Kind.Kind != KindDXBC {
					continue
				}
				s, err := Open(b[e.Offset : e.Offset+e.Size])
				require.NoError(t, err)
				visit(filepath.Base(path), b[e.Offset:e.Offset+e.Size], s)
			}
		}
	}
}

func TestEncodeIsTheInverse(t *testing.T) {
	corpus(t, func(name string, _ []byte, s *Shader) {
		w, err := s.Program.Encode()
		require.NoError(t, err, name)
		assert.True(t, slices.Equal(s.Program.Words, w), name)
	})
	disasmCases(t, func(name string, words []uint32, _ string) {
		if strings.HasPrefix(name, "idx_imm64") || strings.HasPrefix(name, "gflag_2") || name == "domain_4" || name == "domain_5" {
			return // forms that mean nothing
		}
		p, err := DecodeWords(words, DecodeOptions{Tolerant: true})
		require.NoError(t, err, name)
		w, err := p.Encode()
		require.NoError(t, err, name)
		assert.True(t, slices.Equal(words, w), name)
	})
}

// TestRebuild takes every container apart and puts it together again.
func TestRebuild(t *testing.T) {
	corpus(t, func(name string, b []byte, s *Shader) {
		got, err := Build(s.Container.Chunks, s.Container.Sum == SumDebug)
		require.NoError(t, err, name)
		assert.True(t, bytes.Equal(b, got), name)
	})
}
