package dxbc

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAssembleIsTheInverse: assembling an exact listing gives the same bytes,
// assembling a plain one gives a program with the same listing.
func TestAssembleIsTheInverse(t *testing.T) {
	comments, plainSame, total := 0, 0, 0
	corpus(t, func(name string, b []byte, s *Shader) {
		total++
		exact := Disassemble(s, ListOptions{Exact: true})
		got, err := Assemble(exact, s)
		if !assert.NoError(t, err, name) {
			return
		}
		assert.True(t, bytes.Equal(b, got), "%s: exact", name)
		comments += strings.Count(exact, "// = 0x")
		text := Disassemble(s, ListOptions{})
		got, err = Assemble(text, s)
		if !assert.NoError(t, err, name) {
			return
		}
		again, err := Open(got)
		if !assert.NoError(t, err, name) {
			return
		}
		if !assert.True(t, text == Disassemble(again, ListOptions{}), "%s: plain", name) {
			a, b := strings.Split(text, "\n"), strings.Split(Disassemble(again, ListOptions{}), "\n")
			for i := range a {
				if i >= len(b) || a[i] != b[i] {
					t.Logf("%q", a[i])
					break
				}
			}
		}
		if slices.Equal(again.Program.Words, s.Program.Words) {
			plainSame++
		}
	})
	// The arbitrary word that the compiler leaves behind some samples with a level clamp.
	assert.Less(t, comments, 12)
	require.NotZero(t, plainSame)
	t.Logf("%d programs, %d lines with words in comments, %d identical from plain text", total, comments, plainSame)
}

func TestAssembleCases(t *testing.T) {
	disasmCases(t, func(name string, words []uint32, want string) {
		p, err := DecodeWords(words, DecodeOptions{})
		if err != nil {
			return // forms that only a tolerant decoder keeps
		}
		text := p.Listing(ListOptions{Exact: true})
		got, err := AssembleProgram(text)
		if !assert.NoError(t, err, "%s: %s", name, text) {
			return
		}
		require.True(t, slices.Equal(words, got.Words), "%s: %s", name, text)
	})
}
