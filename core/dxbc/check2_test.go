package dxbc

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/diag"
)

// assembled opens a program that is given as text; its signatures are derived.
func assembled(t *testing.T, text string) *Shader {
	t.Helper()
	b, err := Assemble(text, nil)
	require.NoError(t, err)
	s, err := Open(b)
	require.NoError(t, err)
	return s
}

// patched opens a program after changing words of its code.
func patched(t *testing.T, s *Shader, change func(words []uint32)) *Shader {
	t.Helper()
	words := append([]uint32(nil), s.Program.Words...)
	change(words)
	b, err := s.Container.Replace(s.Code.Tag, wordBytes(words))
	require.NoError(t, err)
	out, err := Open(b)
	require.NoError(t, err)
	return out
}

func TestCheck(t *testing.T) {
	const head = "ps_5_0\ndcl_globalFlags refactoringAllowed\n"
	const io = "dcl_input_ps linear v0.xy\ndcl_output o0.xyzw\ndcl_temps 1\n"
	for _, tt := range []struct {
		name, text string
		code       diag.Code
		sev        diag.Severity
		at         int
		want       string
	}{
		{"temporary", head + io + "mov r1.x, v0.x\nret\n", codeUndeclared, diag.Error, 4, "r1 is used, 1 temporaries"},
		{"array", head + io + "mov x0[1].x, v0.x\nret\n", codeUndeclared, diag.Error, 4, "x0 is not declared"},
		{"array element", head + io + "dcl_indexableTemp x0[2], 4\nmov x0[2].x, v0.x\nret\n", codeIndexRange, diag.Error, 5, "2 elements"},
		{"input", head + io + "mov o0.xyzw, v1.xyxy\nret\n", codeUndeclared, diag.Error, 4, "v1.xy is not declared"},
		{"input component", head + io + "mov o0.xyzw, v0.xyzx\nret\n", codeUndeclared, diag.Error, 4, "v0.z is not declared"},
		{"output", head + io + "mov o1.x, v0.x\nret\n", codeUndeclared, diag.Error, 4, "o1.x is not declared"},
		{"special", head + io + "mov oDepth, v0.x\nret\n", codeUndeclared, diag.Error, 4, "oDepth is not declared"},
		{"buffer", head + io + "mov o0.xyzw, cb3[0].xyzw\nret\n", codeUndeclared, diag.Error, 4, "cb3 is not declared"},
		{"buffer row", head + "dcl_constantbuffer CB0[2], immediateIndexed\n" + io + "mov o0.xyzw, cb0[2].xyzw\nret\n", codeIndexRange, diag.Warning, 5, "2 rows"},
		{"dynamic row", head + "dcl_constantbuffer CB0[2], immediateIndexed\n" + io + "mov o0.xyzw, cb0[r0.x + 0].xyzw\nret\n", codeIndexRange, diag.Warning, 5, "at run time"},
		{"immediate buffer", head + io + "mov o0.xyzw, icb[r0.x + 0].xyzw\nret\n", codeUndeclared, diag.Error, 4, "no immediate constant buffer"},
		{"immediate row", head + "dcl_immediateConstantBuffer { { 1, 2, 3, 4} }\n" + io + "mov o0.xyzw, icb[1].xyzw\nret\n", codeUndeclared, diag.Error, 0, ""},
		{"input index", head + io + "mov o0.xyzw, v[r0.x + 0].xyxy\nret\n", codeIndexRange, diag.Error, 4, "no index range"},
		{"label", head + io + "call label3\nret\n", codeUndeclared, diag.Error, 4, "label3 is not defined"},
		{"texture", head + "dcl_sampler s0, mode_default\n" + io + "sample r0.xyzw, v0.xyxx, t0.xyzw, s0\nret\n", codeUndeclared, diag.Error, 5, "t0 is not declared"},
		{"sampler", head + "dcl_resource_texture2d (float,float,float,float) t0\n" + io + "sample r0.xyzw, v0.xyxx, t0.xyzw, s1\nret\n", codeUndeclared, diag.Error, 5, "s1 is not declared"},
		{"sampler mode", head + "dcl_sampler s0, mode_default\ndcl_resource_texture2d (float,float,float,float) t0\n" + io + "sample_c r0.x, v0.xyxx, t0.xxxx, s0, l(0.5)\nret\n", codeOperand, diag.Warning, 6, "mode_default"},
		{"not a texture", head + "dcl_sampler s0, mode_default\n" + io + "sample r0.xyzw, v0.xyxx, s0.xyzw, s0\nret\n", codeOperand, diag.Error, 5, "sample takes t here, not s"},
		{"wrong load", head + "dcl_resource_raw t0\n" + io + "ld_structured r0.x, l(0), l(0), t0.xxxx\nret\n", codeOperand, diag.Error, 5, "declared with dcl_resource_raw"},
		{"wrong dimension", head + "dcl_sampler s0, mode_default\ndcl_resource_texture2d (float,float,float,float) t0\n" + io + "sample_indexable(texturecube)(float,float,float,float) r0.xyzw, v0.xyxx, t0.xyzw, s0\nret\n", codeOperand, diag.Warning, 6, "texturecube"},
		{"literal destination", head + io + "mov l(1), v0.x\nret\n", codeOperand, diag.Error, 4, "cannot be written"},
		{"index count", head + io + "mov r0.x, cb0.x\nret\n", codeOperand, diag.Error, 4, "cb has 1 indices, not 2"},
		{"twice", head + "dcl_sampler s0, mode_default\ndcl_sampler s0, mode_default\n" + io + "ret\n", codeTwice, diag.Warning, 2, "s0 is declared again"},
		{"temps twice", head + io + "dcl_temps 2\nret\n", codeTwice, diag.Warning, 4, "dcl_temps"},
		{"output twice", head + io + "dcl_output o0.x\nret\n", codeTwice, diag.Warning, 4, "o0.x"},
		{"flags twice", head + "dcl_globalFlags refactoringAllowed\n" + io + "ret\n", codeTwice, diag.Warning, 1, "instruction 0"},
		{"label twice", head + io + "ret\nlabel label0\nret\nlabel label0\nret\n", codeTwice, diag.Error, 7, "label0 is defined twice"},
		{"precise", head + io + "add [precise(xw)] o0.xy, v0.xyxx, v0.xyxx\nret\n", codePrecise, diag.Warning, 4, "covers w"},
		{"precise nothing", head + io + "ret [precise]\n", codePrecise, diag.Warning, 4, "writes nothing"},
		{"stage", head + io + "emit\nret\n", codeStage, diag.Warning, 4, "emit does not exist in a pixel program"},
		{"model", "ps_4_0\ndcl_input_ps linear v0.x\ndcl_output o0.x\nrcp o0.x, v0.x\nret\n", codeStage, diag.Warning, 2, "shader model 5.0"},
		{"cb slot", head + "dcl_constantbuffer CB14[2], immediateIndexed\n" + io + "ret\n", codeLimits, diag.Warning, 1, "highest slot is 13"},
		{"thread group", "cs_5_0\ndcl_thread_group 64, 64, 1\nret\n", codeLimits, diag.Warning, 0, "1 to 1024 threads"},
		{"groupshared", "cs_5_0\ndcl_tgsm_raw g0, 40000\ndcl_thread_group 1, 1, 1\nret\n", codeLimits, diag.Warning, 0, "40000 bytes"},
		{"stride", head + "dcl_resource_structured t0, 6\n" + io + "ret\n", codeLimits, diag.Warning, 1, "6 bytes"},
		{"range", "ps_5_1\ndcl_sampler S0[3:2], mode_default, space=0\nret\n", codeLimits, diag.Error, 0, "from 3 down to 2"},
		{"5.1 register", "ps_5_1\ndcl_constantbuffer CB0[1:2][4], immediateIndexed, space=0\ndcl_output o0.x\nmov o0.x, CB0[3][0].x\nret\n", codeIndexRange, diag.Error, 2, "holds 1 to 2"},
		{"open if", head + io + "if_nz v0.x\nret\n", codeFlow, diag.Error, 5, "ends inside if"},
		{"stray endif", head + io + "endif\nret\n", codeFlow, diag.Error, 4, "endif without a matching if"},
		{"stray else", head + io + "else\nret\n", codeFlow, diag.Error, 4, "else without"},
		{"crossed", head + io + "loop\nif_nz v0.x\nendloop\nendif\nret\n", codeFlow, diag.Error, 6, "endloop without"},
		{"stray break", head + io + "break\nret\n", codeFlow, diag.Error, 4, "break outside"},
		{"stray continue", head + io + "switch v0.x\ncontinue\nendswitch\nret\n", codeFlow, diag.Error, 5, "continue outside"},
		{"stray case", head + io + "case l(1)\nret\n", codeFlow, diag.Error, 4, "case outside"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := assembled(t, tt.text)
			if tt.name == "immediate row" { // the block stands where the compiler puts it, behind the flags
				ds := s.Check()
				require.Len(t, ds, 1)
				assert.Contains(t, ds[0].Text, "icb[1]: the immediate constant buffer has 1 rows")
				return
			}
			found := false
			for _, d := range s.Check() {
				if d.Code == tt.code && d.At.Index() >= 0 && assert.Equal(t, tt.at, d.At.Index(), d) {
					found = true
					assert.Equal(t, tt.sev, d.Sev)
					assert.Contains(t, d.Text, tt.want)
					assert.Equal(t, 4*int(s.Program.Instrs[d.At.Index()].Offset), d.At.ByteOffset())
					break
				}
			}
			assert.True(t, found, "%v", s.Check())
		})
	}
}

// TestCheckTokens sets bits and adds words that the text cannot express.
func TestCheckTokens(t *testing.T) {
	base := assembled(t, "ps_5_0\ndcl_input_ps linear v0.x\ndcl_output o0.x\nadd o0.x, v0.x, v0.x\nret\n")
	require.Empty(t, base.Check())
	add := base.Program.Instrs[2].Offset
	for _, tt := range []struct {
		name   string
		change func(w []uint32)
		code   diag.Code
		want   string
	}{
		{"opcode bits", func(w []uint32) { w[add] |= 1 << 15 }, codeReserved, "0x8000"},
		{"saturated ret", func(w []uint32) { w[base.Program.Instrs[3].Offset] |= 1 << 13 }, codeReserved, "ret"},
		{"mask bits", func(w []uint32) { w[add+1] |= 1 << 9 }, codeReserved, "operand token"},
		{"index bits", func(w []uint32) { w[add+1] |= 2 << 25 }, codeReserved, "operand token"},
		{"declaration bits", func(w []uint32) { w[2] |= 1 << 20 }, codeReserved, "dcl_input_ps"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := patched(t, base, tt.change)
			ds := s.Check()
			require.Len(t, ds, 1)
			assert.Equal(t, tt.code, ds[0].Code)
			assert.Contains(t, ds[0].Text, tt.want)
		})
	}
	t.Run("words", func(t *testing.T) {
		w := append([]uint32(nil), base.Program.Words...)
		w[len(w)-1] = uint32(OpRet) | 2<<24
		w = append(w, 7)
		w[1]++
		b, err := base.Container.Replace("SHEX", wordBytes(w))
		require.NoError(t, err)
		s, err := Open(b)
		require.NoError(t, err)
		ds := s.Check()
		require.Len(t, ds, 1)
		assert.Equal(t, codeTrailing, ds[0].Code)
	})
}

func TestCheckParts(t *testing.T) {
	s, err := Open(golden(t, "arith_ps50"))
	require.NoError(t, err)
	require.Empty(t, s.Check())
	t.Run("stat", func(t *testing.T) {
		st := *s.Stat
		st.Temps++
		b, err := s.Container.Replace("STAT", st.Bytes())
		require.NoError(t, err)
		x, err := Open(b)
		require.NoError(t, err)
		ds := x.Check()
		require.Len(t, ds, 1)
		assert.Equal(t, codeStat, ds[0].Code)
		assert.Contains(t, ds[0].Text, "for temps")
	})
	t.Run("signature", func(t *testing.T) {
		sig := *s.In
		sig.Elements = append([]SigElement(nil), sig.Elements...)
		sig.Elements[0].Register = 9
		b, err := s.Container.Replace("ISGN", sig.Bytes())
		require.NoError(t, err)
		x, err := Open(b)
		require.NoError(t, err)
		ds := x.Check()
		require.Len(t, ds, 2)
		assert.Contains(t, ds[0].Text, "has no row in the input signature")
		assert.Contains(t, ds[1].Text, "which is not declared")
	})
	t.Run("reflection", func(t *testing.T) {
		other, err := Open(golden(t, "matrix_vs40"))
		require.NoError(t, err)
		b, err := s.Container.Replace("RDEF", other.Container.Chunk("RDEF").Data)
		require.NoError(t, err)
		x, err := Open(b)
		require.NoError(t, err)
		ds := x.Check()
		require.Len(t, ds, 1)
		assert.Contains(t, ds[0].Text, "RDEF describes vs_4_0")
	})
	t.Run("stage", func(t *testing.T) {
		assert.Empty(t, s.Program.CheckStage(Pixel))
		ds := s.Program.CheckStage(Vertex)
		require.Len(t, ds, 1)
		assert.Contains(t, ds[0].Text, "the effect says vertex, the program is a pixel program (ps_5_0)")
	})
	t.Run("many", func(t *testing.T) {
		w := []uint32{0x50, 0}
		for range 5000 {
			w = append(w, 0x05000036, 0x00100012, 9, 0x0010000a, 9)
		}
		w[1] = uint32(len(w))
		p, err := DecodeWords(w, DecodeOptions{})
		require.NoError(t, err)
		ds := (&Shader{Program: p}).Check()
		require.Len(t, ds, maxFindings+1)
		assert.Equal(t, codeMany, ds[maxFindings].Code)
		assert.Contains(t, ds[maxFindings].Text, "9000 findings more")
	})
}
