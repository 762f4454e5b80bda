package interp

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/dxbc"
)

// TestModifiersAreMarked: a move keeps a denormal, and what a float modifier makes of one
// is marked, since WGSL may flush it.
func TestModifiersAreMarked(t *testing.T) {
	p, err := dxbc.AssembleProgram(`cs_5_0
dcl_globalFlags refactoringAllowed
dcl_resource_raw t0
dcl_uav_raw u0
dcl_temps 2
dcl_thread_group 1, 1, 1
ld_raw r0.xy, l(0), t0.xyxx
mov r1.x, r0.x
mov r1.y, -r0.x
movc r1.z, l(-1), |r0.x|, r0.y
mov r1.w, -r0.y
store_raw u0.xyzw, l(0), r1.xyzw
ret
`)
	require.NoError(t, err)
	exe, err := Compile(&dxbc.Shader{Program: p}, CompileOptions{})
	require.NoError(t, err)
	in, out := NewMemory(binary.LittleEndian.AppendUint32([]byte{16, 0, 0, 0}, 0x40000000)), NewMemory(make([]byte, 16))
	env := &Env{SRVs: map[Slot]*View{{}: RawView(in)}, UAVs: map[Slot]*View{{}: RawView(out)}}
	_, err = Dispatch(context.Background(), exe, env, [3]uint32{1, 1, 1}, Options{Track: true})
	require.NoError(t, err)
	assert.Equal(t, []bool{false, true, true, false}, out.Tainted)
	var got []uint32
	for i := range 4 {
		got = append(got, out.load(4*i))
	}
	assert.Equal(t, []uint32{16, 0x80000010, 16, 0xC0000000}, got)
}
