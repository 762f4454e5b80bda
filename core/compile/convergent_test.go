package compile_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/internal/judge"
	"fxlens/internal/judge/passcase"
)

// TestConvergentOperands has derivatives and samples as operands of conditional
// moves between masks: they must not slip behind || or &&, which are control flow.
func TestConvergentOperands(t *testing.T) {
	head := "ps_5_0\ndcl_globalFlags refactoringAllowed\ndcl_sampler s0, mode_default\ndcl_resource_texture2d (float,float,float,float) t0\ndcl_input_ps linear v0.xyzw\ndcl_output o0.xyzw\ndcl_temps 3\n"
	tail := "and o0.xyzw, r0.zzzz, l(0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000)\nret\n"
	cond := "lt r0.y, v0.x, v0.y\n"
	var cases []judge.Case
	for name, body := range map[string]string{
		"sample behind or":      "sample_indexable(texture2d)(float,float,float,float) r1.x, v0.xyxx, t0.xyzw, s0\nlt r0.x, r1.x, v0.x\n" + cond + "movc r0.z, r0.y, l(-1), r0.x\n",
		"derivative behind and": "deriv_rtx_fine r2.x, v0.w\nlt r2.x, r2.x, l(0.000000)\n" + cond + "movc r0.z, r0.y, r2.x, l(0)\n",
		"sample behind logic":   "sample_indexable(texture2d)(float,float,float,float) r1.x, v0.xyxx, t0.xyzw, s0\nlt r0.x, r1.x, v0.x\n" + cond + "and r0.z, r0.y, r0.x\n",
		"both sides":            "deriv_rtx_fine r1.x, v0.w\nderiv_rty_fine r1.y, v0.w\nlt r1.xy, r1.xyxx, l(0.000000, 0.000000, 0.000000, 0.000000)\nor r0.z, r1.x, r1.y\n",
	} {
		p := compileOne(t, assemble(t, head+body+tail), &compile.Options{})
		require.Equal(t, compile.Translated, p.Status, "%s: %v", name, p.Stages[0].Diags)
		assert.False(t, p.Stages[0].Module.Uniformity, "%s: no opt-out is needed", name)
		cases = append(cases, passcase.Of(name, p)...)
	}
	judge.Check(t, cases)
}
