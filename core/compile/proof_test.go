package compile_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/effect"
	"fxlens/internal/judge"
	"fxlens/internal/judge/passcase"
)

// TestViewProof lets an atomic in one pass prove the view of a parameter that
// another pass only reads.
func TestViewProof(t *testing.T) {
	writer := assemble(t, "cs_5_0\ndcl_globalFlags refactoringAllowed\ndcl_uav_typed_buffer (sint,sint,sint,sint) u3\ndcl_input vThreadID.x\ndcl_thread_group 8, 1, 1\natomic_iadd u3, vThreadID.x, l(1)\nret\n")
	reader := assemble(t, "cs_5_0\ndcl_globalFlags refactoringAllowed\ndcl_resource_buffer (sint,sint,sint,sint) t1\ndcl_uav_raw u0\ndcl_input vThreadID.x\ndcl_temps 1\ndcl_thread_group 8, 1, 1\nld_indexable(buffer)(sint,sint,sint,sint) r0.x, vThreadID.xxxx, t1.xyzw\nstore_raw u0.x, l(0), r0.x\nret\n")
	stage := func(program []byte) effect.Stage { return effect.Stage{Type: effect.Compute, Program: program} }
	w, r := stage(writer), stage(reader)
	w.UAVs = []effect.UAV{{Register: 3, Name: "Counts"}}
	r.Textures = []effect.Texture{{Register: 1, Name: "Counts"}}
	body := &effect.Body{Techniques: []effect.Technique{{Name: "Build", Passes: []effect.Pass{{Stages: []effect.Stage{w}}}}, {Name: "Use", Passes: []effect.Pass{{Stages: []effect.Stage{r}}}}}}

	proofs := compile.BodyFacts(body).Proofs
	require.Equal(t, map[string]compile.Proof{"Counts": {Format: "R32_SINT", Evidence: "Build/0/cs@4"}}, proofs)

	in := compile.EffectPass(&body.Techniques[1].Passes[0])
	c := &compile.Compiler{}
	p, err := c.Pass(context.Background(), in, &compile.Options{})
	require.NoError(t, err)
	assert.Equal(t, compile.Refused, p.Status, "nothing says what the view is")

	in.Proofs = proofs
	p, err = c.Pass(context.Background(), in, &compile.Options{})
	require.NoError(t, err)
	require.Equal(t, compile.Translated, p.Status, "%v", p.Stages[0].Diags)
	for _, b := range p.Plan.Bindings {
		if b.Name == "Counts" {
			assert.Equal(t, "R32_SINT", b.Format)
			assert.Equal(t, "proof", b.FormatFrom)
		}
	}
	judge.Check(t, passcase.Of("proof", p))

	// A contradiction proves nothing.
	other := assemble(t, "cs_5_0\ndcl_globalFlags refactoringAllowed\ndcl_uav_typed_buffer (uint,uint,uint,uint) u3\ndcl_input vThreadID.x\ndcl_thread_group 8, 1, 1\natomic_iadd u3, vThreadID.x, l(1)\nret\n")
	o := stage(other)
	o.UAVs = w.UAVs
	body.Techniques[0].Passes = append(body.Techniques[0].Passes, effect.Pass{Stages: []effect.Stage{o}})
	assert.Empty(t, compile.BodyFacts(body).Proofs)
}
