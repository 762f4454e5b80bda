package interp

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"fxlens/core/dxbc"
)

// TestEveryDimension: whatever dimension a program declares, of whatever it does with
// the resource, a texture bound there is read as one or not at all.
func TestEveryDimension(t *testing.T) {
	const srv, uav = "dcl_resource_texture2d (float,float,float,float) t0", "dcl_uav_typed_texture2d (uint,uint,uint,uint) u0"
	for _, c := range []struct{ decl, op string }{
		{srv, "sample_l_indexable(texture2d)(float,float,float,float) r0.xyzw, r0.xyzw, t0.xyzw, s0, r0.x"},
		{srv, "sample_c_lz_indexable(texture2d)(float,float,float,float) r0.x, r0.xyzw, t0.xxxx, s0, r0.x"},
		{srv, "sample_d_indexable(texture2d)(float,float,float,float) r0.xyzw, r0.xyzw, t0.xyzw, s0, r0.xyzw, r0.xyzw"},
		{srv, "gather4_indexable(texture2d)(float,float,float,float) r0.xyzw, r0.xyzw, t0.xyzw, s0.x"},
		{srv, "ld_indexable(texture2d)(float,float,float,float) r0.xyzw, r0.xyzw, t0.xyzw"},
		{srv, "resinfo_indexable(texture2d)(float,float,float,float) r0.xyzw, r0.x, t0.xyzw"},
		{uav, "ld_uav_typed_indexable(texture2d)(uint,uint,uint,uint) r0.xyzw, r0.xyzw, u0.xyzw"},
		{uav, "store_uav_typed u0.xyzw, r0.xyzw, r0.xyzw"},
		{uav, "atomic_iadd u0, r0.xyzw, r0.x"},
		{uav, "imm_atomic_cmp_exch r1.x, u0, r0.xyzw, r0.x, r0.y"},
	} {
		code, err := dxbc.Assemble(fmt.Sprintf("cs_5_0\ndcl_globalFlags refactoringAllowed\n%s\ndcl_sampler s0, mode_default\ndcl_temps 2\ndcl_thread_group 4, 1, 1\nmov r0.xyzw, l(0.25, 0.5, 1.0, 0)\n%s\nret\n", c.decl, c.op), nil)
		require.NoError(t, err, c.op)
		s, err := dxbc.Open(code)
		require.NoError(t, err, c.op)
		for dim := dxbc.DimUnknown; dim <= dxbc.DimStructuredBuffer; dim++ {
			for i := range s.Program.Instrs {
				if d := s.Program.Instrs[i].Decl; d != nil && (s.Program.Instrs[i].Op == dxbc.OpDclResource || s.Program.Instrs[i].Op == dxbc.OpDclUavTyped) {
					d.Dim = dim
				}
			}
			p, err := Compile(s, CompileOptions{})
			if err != nil {
				continue
			}
			f, _ := LookupFormat("R32_UINT")
			tex, err := NewTexture(dxbc.DimTexture2D, 4, 4, 1, 2, 2, 1, f)
			require.NoError(t, err)
			env := &Env{SRVs: map[Slot]*View{{}: TextureView(tex)}, UAVs: map[Slot]*View{{}: TextureView(tex)}, Samplers: map[Slot]*Sampler{{}: {}}}
			_, err = Dispatch(context.Background(), p, env, [3]uint32{1, 1, 1}, Options{MaxSteps: 1000})
			require.NoError(t, err, "%s of dimension %d", c.op, dim)
		}
	}
}
