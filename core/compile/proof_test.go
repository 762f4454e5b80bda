package compile_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/dxbc"
	"fxlens/core/effect"
	"fxlens/core/wgsl"
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
	require.Equal(t, map[string]compile.Proof{"Counts": {Format: "R32_SINT", Evidence: "an atomic at Build/0/cs@4"}}, proofs)

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

// TestViewProofByLoad: Direct3D 11 loads from typed UAVs of one 32-bit channel
// alone, unless SFI0 asks for more formats; so a load proves the format, here and
// in a pass that only writes the same parameter.
func TestViewProofByLoad(t *testing.T) {
	program := func(head, ret, body string) []byte {
		return assemble(t, strings.ReplaceAll("cs_5_0\ndcl_globalFlags refactoringAllowed\n"+head+"dcl_input vThreadID.x\ndcl_temps 1\ndcl_thread_group 8, 1, 1\n"+body+"ret\n", "RET", ret+","+ret+","+ret+","+ret))
	}
	const buffer, image = "dcl_uav_typed_buffer (RET) u3\n", "dcl_uav_typed_texture2d (RET) u3\n"
	const load = "ld_uav_typed_indexable(buffer)(RET) r0.x, vThreadID.xxxx, u3.xyzw\niadd r0.x, r0.x, l(1)\nstore_uav_typed u3.xyzw, vThreadID.xxxx, r0.xxxx\n"
	const store = "store_uav_typed u3.xyzw, vThreadID.xxxx, l(1, 1, 1, 1)\n"
	texel := strings.ReplaceAll(load, "(buffer)", "(texture2d)")
	for _, c := range []struct {
		name            string
		head, ret, body string
		features        uint64
		views           map[string]string
		format, from    string // "": refused
	}{
		{name: "float", head: buffer, ret: "float", body: load, format: "R32_FLOAT", from: "proof"},
		{name: "uint", head: buffer, ret: "uint", body: load, format: "R32_UINT", from: "proof"},
		{name: "sint", head: buffer, ret: "sint", body: load, format: "R32_SINT", from: "proof"},
		{name: "unorm is none of the three", head: buffer, ret: "unorm", body: load},
		{name: "written only", head: buffer, ret: "uint", body: store},
		{name: "more formats asked for", head: buffer, ret: "float", body: load, features: dxbc.FeatureTypedLoads},
		{name: "flag goes first", head: buffer, ret: "uint", body: load, views: map[string]string{"u3": "R8_UINT"}, format: "R8_UINT", from: "flag"},
		{name: "texture", head: image, ret: "uint", body: texel, format: "R32_UINT", from: "proof"},
		{name: "texture, more formats", head: image, ret: "uint", body: texel, features: dxbc.FeatureTypedLoads, format: "R32_UINT", from: "default"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code := program(c.head, c.ret, c.body)
			if c.features != 0 {
				code = withFeatures(t, code, c.features)
			}
			p := compileOne(t, code, &compile.Options{Views: c.views})
			if c.format == "" {
				assert.Equal(t, compile.Refused, p.Status)
				assert.Contains(t, fmt.Sprint(p.Stages[0].Diags), "view format")
				return
			}
			require.Equal(t, compile.Translated, p.Status, "%v", p.Stages[0].Diags)
			require.Len(t, p.Plan.Bindings, 1)
			assert.Equal(t, c.format, p.Plan.Bindings[0].Format)
			assert.Equal(t, c.from, p.Plan.Bindings[0].FormatFrom)
			strict := compileOne(t, code, &compile.Options{Options: wgsl.Options{Strict: true}, Views: c.views})
			assert.Equal(t, c.from != "default", strict.Status == compile.Translated, "a proof is no assumption: %v", strict.Stages[0].Diags)
		})
	}

	reader := effect.Stage{Type: effect.Compute, Program: program(buffer, "float", load)}
	writer := effect.Stage{Type: effect.Compute, Program: program(buffer, "float", store)}
	reader.UAVs = []effect.UAV{{Register: 3, Name: "Weights"}}
	writer.UAVs = reader.UAVs
	body := &effect.Body{Techniques: []effect.Technique{{Name: "Clear", Passes: []effect.Pass{{Stages: []effect.Stage{writer}}}}, {Name: "Add", Passes: []effect.Pass{{Stages: []effect.Stage{reader}}}}}}
	facts := compile.BodyFacts(body)
	assert.Equal(t, map[string]compile.Proof{"Weights": {Format: "R32_FLOAT", Evidence: "a load at Add/0/cs@5"}}, facts.Proofs)
	in := compile.EffectPass(&body.Techniques[0].Passes[0])
	facts.Apply(0, 0, in)
	p, err := new(compile.Compiler).Pass(context.Background(), in, &compile.Options{})
	require.NoError(t, err)
	require.Equal(t, compile.Translated, p.Status, "%v", p.Stages[0].Diags)
	assert.Equal(t, "R32_FLOAT", p.Plan.Bindings[0].Format)
}

// withFeatures is a program whose container asks for features.
func withFeatures(t *testing.T, program []byte, features uint64) []byte {
	t.Helper()
	s, err := dxbc.Open(program)
	require.NoError(t, err)
	out, err := s.Container.Replace("SFI0", binary.LittleEndian.AppendUint64(nil, features))
	require.NoError(t, err)
	return out
}
