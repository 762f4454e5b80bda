package trial

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"fxlens/core/interp"
	"fxlens/core/wgsl/layout"
)

// Constants is what a trial binds as a constant buffer.
type Constants struct {
	Slot interp.Slot
	Data []byte // a copy
}

// Constants lists the constant buffers by slot.
func (t *Trial) Constants() []Constants {
	var out []Constants
	for _, b := range t.buffers {
		if b.kind == layout.UniformBuffer {
			out = append(out, Constants{interp.Slot{Register: b.res.Register, Space: b.res.Space}, slices.Clone(b.data)})
		}
	}
	slices.SortFunc(out, func(a, b Constants) int {
		return cmp.Or(cmp.Compare(a.Slot.Space, b.Slot.Space), cmp.Compare(a.Slot.Register, b.Slot.Register))
	})
	return out
}

// SetConstant changes a word of a constant buffer, at a byte offset that is a multiple of
// four. It fails where nothing is bound there.
func (t *Trial) SetConstant(slot interp.Slot, offset int, w uint32) error {
	for _, b := range t.buffers {
		if b.kind != layout.UniformBuffer || (interp.Slot{Register: b.res.Register, Space: b.res.Space}) != slot {
			continue
		}
		if offset < 0 || offset%4 != 0 || offset+4 > len(b.data) {
			return fmt.Errorf("constant buffer %d has %d bytes: no word begins at %d", slot.Register, len(b.data), offset)
		}
		binary.LittleEndian.PutUint32(b.data[offset:], w)
		return nil
	}
	return fmt.Errorf("no constant buffer is bound to register %d of space %d", slot.Register, slot.Space)
}

// SetInput changes a component of an input register of an invocation of a vertex or
// pixel program. It fails for one that does not exist.
func (t *Trial) SetInput(reg uint32, invocation, comp int, w uint32) error {
	rows := t.in[reg]
	if invocation < 0 || invocation >= len(rows) || comp < 0 || comp > 3 {
		return fmt.Errorf("the inputs have no v%d of invocation %d", reg, invocation)
	}
	rows[invocation][comp] = w
	return nil
}
