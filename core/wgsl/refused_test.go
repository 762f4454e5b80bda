package wgsl_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/ir"
	"fxlens/core/wgsl"
	"fxlens/core/wgsl/layout"
)

// TestUnplannedResource: a plan that leaves out a resource of the program is refused at
// the instruction that uses it.
func TestUnplannedResource(t *testing.T) {
	b, err := dxbc.Assemble("ps_5_0\ndcl_resource_texture2d (float,float,float,float) t7\ndcl_output o0.xyzw\ndcl_temps 1\nld r0.xyzw, l(0,0,0,0), t7.xyzw\nmov o0.xyzw, r0.xyzw\nret\n", nil)
	require.NoError(t, err)
	s, err := dxbc.Open(b)
	require.NoError(t, err)
	f, ds, err := ir.Build(context.Background(), s, ir.BuildOptions{})
	require.NoError(t, err)
	require.NotNil(t, f, "%v", ds)
	_, ds = wgsl.Emit(f, &layout.Plan{}, nil, wgsl.Options{})
	require.NotEmpty(t, ds)
	assert.Equal(t, diag.Code("wgsl.unplanned-resource"), ds[0].Code)
	assert.Equal(t, diag.Error, ds[0].Sev)
	load := -1
	for i := range f.Values {
		if f.Values[i].Res >= 0 {
			load = int(f.Values[i].Instr)
			break
		}
	}
	require.GreaterOrEqual(t, load, 0)
	assert.Equal(t, diag.At(load).Instr, ds[0].At.Instr)
	assert.Equal(t, "the binding was refused, see the diagnostics of the plan", ds[0].Remedy)
}

// TestTextureForm: an operation that WGSL does not have of a texture, which no valid
// bytecode has either, is refused at its instruction.
func TestTextureForm(t *testing.T) {
	b, err := dxbc.Assemble("ps_5_0\ndcl_resource_texture2d (float,float,float,float) t7\ndcl_output o0.xyzw\ndcl_temps 1\nld r0.xyzw, l(0,0,0,0), t7.xyzw\nmov o0.xyzw, r0.xyzw\nret\n", nil)
	require.NoError(t, err)
	s, err := dxbc.Open(b)
	require.NoError(t, err)
	f, ds, err := ir.Build(context.Background(), s, ir.BuildOptions{})
	require.NoError(t, err)
	require.NotNil(t, f, "%v", ds)
	f.Resources[0].Dim = dxbc.DimTextureCube
	plan, ds := layout.New([]layout.StageInput{{Stage: layout.Fragment, Func: f}}, layout.Options{})
	require.NotNil(t, plan, "%v", ds)
	m, ds := wgsl.Emit(f, plan, nil, wgsl.Options{})
	assert.Nil(t, m)
	require.NotEmpty(t, ds)
	assert.Equal(t, diag.Code("wgsl.texture-form"), ds[0].Code)
	assert.Equal(t, diag.Error, ds[0].Sev)
	assert.Contains(t, ds[0].Text, "of a cube texture")
	assert.Equal(t, diag.At(3).Instr, ds[0].At.Instr)
	assert.NotEmpty(t, ds[0].Remedy)
}
