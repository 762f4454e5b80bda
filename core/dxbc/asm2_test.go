package dxbc

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// signaturePart cuts the signature tables and the program out of a listing.
func signaturePart(text string) string {
	i := strings.Index(text, "// Patch Constant signature:")
	if i < 0 {
		i = strings.Index(text, "// Input signature:")
	}
	out := text[i:]
	// Class tables come from a chunk that the text alone does not carry whole.
	return regexp.MustCompile(`(?s)//\n// Available Class Types:.*?\n([pvghdc]s_\d_\d\n)`).ReplaceAllString(out, "$1")
}

// firstDifference quotes the first lines that differ; whole listings drown a failure.
func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range x {
		if i >= len(y) || x[i] != y[i] {
			return fmt.Sprintf("line %d: %q, not %q", i, strings.Join(y[min(i, len(y)):min(i+1, len(y))], ""), x[i])
		}
	}
	return "the rest"
}

// TestAssembleFromTheTextAlone rebuilds signatures from the header comment.
func TestAssembleFromTheTextAlone(t *testing.T) {
	corpus(t, func(name string, _ []byte, s *Shader) {
		if s.Container.Chunk("SPDB", "Aon9") != nil || s.Stat == nil {
			return
		}
		text := Disassemble(s, ListOptions{})
		if s.In == nil || s.Out == nil {
			return
		}
		got, err := Assemble(text, nil)
		if !assert.NoError(t, err, name) {
			return
		}
		again, err := Open(got)
		require.NoError(t, err, name)
		assert.NotEqual(t, SumMismatch, again.Container.Sum)
		a, b := signaturePart(text), signaturePart(Disassemble(again, ListOptions{}))
		assert.True(t, a == b, "%s: %s", name, firstDifference(a, b))
		assert.Equal(t, codeTag(s.Program) == "SHDR", again.Container.Chunk("SHDR") != nil, name)
	})
}

// TestSignatureBytes writes signatures that read back the same.
func TestSignatureBytes(t *testing.T) {
	corpus(t, func(name string, _ []byte, s *Shader) {
		for _, sig := range []*Signature{s.In, s.Out, s.Patch} {
			if sig == nil {
				continue
			}
			b := sig.Bytes()
			got, err := ParseSignature(sig.Tag, b)
			require.NoError(t, err, name)
			assert.Equal(t, sig, got, name)
			orig := s.Container.Chunk(sig.Tag).Data
			assert.True(t, bytes.Equal(orig, b), "%s %s", name, sig.Tag)
		}
	})
}

// TestAssembleWithoutHeader derives signatures from the declarations.
func TestAssembleWithoutHeader(t *testing.T) {
	b, err := Assemble(`ps_5_0
dcl_globalFlags refactoringAllowed
dcl_constantbuffer CB0[2], immediateIndexed
dcl_input_ps_siv linear noperspective v0.xy, position
dcl_input_ps linear v1.xyz
dcl_output o0.xyzw
dcl_output oDepth
dcl_temps 1
mul r0.xyz, v1.xyzx, cb0[1].xyzx // a comment
mov o0.xyz, r0.xyzx
mov o0.w, l(1.5)
mov oDepth, v0.x
ret
`, nil)
	require.NoError(t, err)
	s, err := Open(b)
	require.NoError(t, err)
	assert.Empty(t, s.Check())
	assert.Equal(t, "SV_Position", s.In.Elements[0].Name)
	assert.EqualValues(t, 1, s.In.Elements[0].SysValue)
	assert.EqualValues(t, SysDepth, s.Out.Elements[1].SysValue)
	assert.Equal(t, uint32(NoRegister), s.Out.Elements[1].Register)
	assert.Equal(t, "mov o0.w, l(1.500000)", s.Program.Text(9))
}

func TestAssembleErrors(t *testing.T) {
	for _, tt := range []struct {
		name, text, want string
		line, column     int
	}{
		{"nothing", "", "no program", 1, 1},
		{"no profile", "mov r0.x, r1.x\n", "profile", 1, 1},
		{"unknown instruction", "ps_5_0\nfrobnicate r0.x\n", `unknown instruction "frobnicate"`, 2, 1},
		{"unknown suffix", "ps_5_0\nadd_nz r0.x, r1.x, r2.x\n", "unknown instruction", 2, 1},
		{"too few operands", "ps_5_0\nadd r0.x, r1.x\n", `"," is missing`, 2, 15},
		{"too many operands", "ps_5_0\n  mov r0.x, r1.x, r2.x\n", "should end here", 2, 17},
		{"bad register", "ps_5_0\nmov q0.x, r1.x\n", "an operand should be here", 2, 5},
		{"bad mask", "ps_5_0\nmov r0.yx, r1.xyzw\n", "no mask", 2, 7},
		{"bad swizzle", "ps_5_0\nmov r0.x, r1.xy\n", "no swizzle", 2, 13},
		{"bad literal", "ps_5_0\nmov r0.x, l(abc)\n", "no literal", 2, 13},
		{"open literal", "ps_5_0\nmov r0.x, l(1\n", "not closed", 2, 13},
		{"three literals", "ps_5_0\nmov r0.x, l(1,2,3)\n", "one or four", 2, 19},
		{"open buffer", "ps_5_0\ndcl_immediateConstantBuffer { { 1, 2, 3, 4},\n", "not closed", 2, 45},
		{"bad interpolation", "ps_5_0\ndcl_input_ps curved v0.x\n", "an interpolation", 2, 14},
		{"bad offset", "ps_5_0\nsample_aoffimmi(9,0,0) r0.x, r1.xyzw, t0.xyzw, s0\n", "between -8 and 7", 2, 17},
		{"bad flag", "ps_5_0\ndcl_globalFlags fast\n", "no global flag", 2, 17},
		{"no space in 5.1", "ps_5_1\ndcl_sampler S0[0:0], mode_default\n", `","`, 2, 34},
		{"lost data", "ps_5_0\nundecipherable custom data\n", "does not carry", 2, 1},
		{"edited line", "ps_5_0\nmov r0.x, r1.x  // = 0x01000000\n", "no instruction", 2, 1},
		{"other words", "ps_5_0\nret   // = 0x0100003a\n", "another instruction", 2, 1},
		{"deep", "ps_5_0\nmov r0.x, x0[x1[x2[x3[r0.x + 1].x + 1].x + 1].x + 1].x\n", "nest deeper", 2, 20},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Assemble(tt.text, nil)
			var e *AsmError
			require.ErrorAs(t, err, &e)
			assert.ErrorContains(t, err, tt.want)
			assert.ErrorIs(t, err, ErrMalformed)
			assert.Equal(t, [2]int{tt.line, tt.column}, [2]int{e.Line, e.Column}, err)
		})
	}
}
