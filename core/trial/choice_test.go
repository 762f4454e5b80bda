package trial

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/dxbc"
	"fxlens/core/ir"
)

// choiceProgram reads textures that a register chooses, another one in every lane
// of a quad, with implicit levels: plain, biased by a constant and by a value,
// compared, offset, and asks for the level.
const choiceProgram = `ps_5_1
dcl_globalFlags refactoringAllowed
dcl_sampler S0[1:1], mode_default, space=0
dcl_sampler S1[2:2], mode_comparison, space=0
dcl_resource_texture2d (float,float,float,float) T0[4:6], space=0
dcl_resource_texture2d (float,float,float,float) T1[7:8], space=0
dcl_resource_texturecube (float,float,float,float) T2[9:10], space=0
dcl_input_ps_siv linear noperspective v0.xy, position
dcl_input_ps linear v1.xyz
dcl_output o0.xyzw
dcl_output o1.xyzw
dcl_temps 4
ftou r0.xy, v0.xyxx
iadd r0.z, r0.y, r0.x
udiv null, r0.x, r0.z, l(3)
and r0.y, r0.z, l(1)
sample_indexable(texture2d)(float,float,float,float) r1.xyzw, v1.xyxx, T0[r0.x + 4].xyzw, S0[1]
sample_b_indexable(texture2d)(float,float,float,float) r2.xyzw, -v1.yxyy, T0[r0.x + 4].xyzw, S0[1], l(-0.5)
add r1.xyzw, r1.xyzw, r2.xyzw
sample_b_indexable(texture2d)(float,float,float,float) r2.xyzw, v1.xyxx, T0[r0.x + 4].xyzw, S0[1], v1.z
add o0.xyzw, r1.xyzw, r2.xyzw
sample_indexable(texturecube)(float,float,float,float) r1.xyzw, v1.xyzx, T2[r0.y + 9].xyzw, S0[1]
sample_c_indexable(texture2d)(float,float,float,float) r2.x, v1.xyxx, T1[r0.y + 7].xxxx, S1[2], l(0.5)
mov r2.yzw, l(0,0,0,0)
add o1.xyzw, r1.xyzw, r2.xyzw
ret
`

// TestChosenTextures executes implicit levels of textures that a varying register
// chooses: Direct3D takes derivatives over the quad whatever each lane reads.
func TestChosenTextures(t *testing.T) {
	b, err := dxbc.Assemble(choiceProgram, nil)
	require.NoError(t, err)
	p, err := new(compile.Compiler).Pass(context.Background(), &compile.PassInput{Stages: []compile.StageInput{{Kind: dxbc.Pixel, Program: b}}}, options)
	require.NoError(t, err)
	require.Equal(t, compile.Translated, p.Status, "%v", p.Stages[0].Diags)
	f := p.Stages[0].Func
	require.NoError(t, ir.Verify(f))
	require.Empty(t, ir.Uniformity(f).Sites(), "no derivative is left in varying flow")
	require.Contains(t, p.Stages[0].Module.Code, "textureSampleGrad")
	require.NotContains(t, p.Stages[0].Module.Code, "derivative_uniformity")
	notes := 0
	for _, d := range p.Stages[0].Diags {
		if d.Code == "lower.chosen-derivatives" {
			notes++
		}
	}
	require.Equal(t, 5, notes, "one for each instruction")
	st, err := Stages("chosen textures", p)
	require.NoError(t, err)
	// The boundary set puts coordinates where SwiftShader rounds filtered texels to 16
	// bits, also of a texture that nothing chooses.
	compare(t, st, []Set{Small})
}

// TestUniformChoice leaves the choice of a uniform register alone.
func TestUniformChoice(t *testing.T) {
	b, err := dxbc.Assemble(`ps_5_1
dcl_globalFlags refactoringAllowed
dcl_constantbuffer CB0[0:0][1], immediateIndexed, space=0
dcl_sampler S0[1:1], mode_default, space=0
dcl_resource_texture2d (float,float,float,float) T0[4:6], space=0
dcl_input_ps linear v1.xy
dcl_output o0.xyzw
dcl_temps 1
mov r0.x, CB0[0][0].x
sample_indexable(texture2d)(float,float,float,float) o0.xyzw, v1.xyxx, T0[r0.x + 4].xyzw, S0[1]
ret
`, nil)
	require.NoError(t, err)
	p, err := new(compile.Compiler).Pass(context.Background(), &compile.PassInput{Stages: []compile.StageInput{{Kind: dxbc.Pixel, Program: b}}}, options)
	require.NoError(t, err)
	require.Equal(t, compile.Translated, p.Status, "%v", p.Stages[0].Diags)
	require.NotContains(t, p.Stages[0].Module.Code, "textureSampleGrad")
	require.NotContains(t, p.Stages[0].Module.Code, "derivative_uniformity")
	st, err := Stages("uniform choice", p)
	require.NoError(t, err)
	compare(t, st, []Set{Small})
}
