package interp

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/dxbc"
)

// TestTexelRaces reads and writes a texel for each invocation (rec-image-kinds: its
// place is d.x + d.y * n.x + d.z * n.y): own texels are no race; shared ones are, and
// a run that tracks marks them and leaves the others alone.
func TestTexelRaces(t *testing.T) {
	p := program(t, "rec-image-kinds")
	f, _ := LookupFormat("R32_FLOAT")
	for _, c := range []struct {
		name   string
		nx, ny uint32
		raced  int // texels
	}{
		{"each its own", 4, 16, 0},
		{"slices share all texels", 4, 0, 16},
		{"rows share some texels", 3, 16, 9}, // three of each slice but the first, which stores the zeros that are there
	} {
		t.Run(c.name, func(t *testing.T) {
			tex, err := NewTexture(dxbc.DimTexture1D, 64, 1, 1, 1, 1, 1, f)
			require.NoError(t, err)
			cb := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, c.nx), c.ny)
			env := &Env{CBuffers: map[Slot][]byte{{}: append(cb, make([]byte, 200)...)}, UAVs: map[Slot]*View{{Register: 5}: TextureView(tex)}}
			rep, err := Dispatch(context.Background(), p, env, [3]uint32{1, 1, 1}, Options{Track: true})
			require.NoError(t, err)
			races := 0
			for _, e := range rep.Events {
				if e.Kind == EventRace {
					races++
				}
			}
			assert.Equal(t, c.raced > 0, races > 0)
			assert.Len(t, tex.Raced, c.raced)
			for at := range tex.Raced {
				assert.True(t, tex.Tainted[at])
			}
		})
	}
}
