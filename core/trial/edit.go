package trial

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"fxlens/core/dxbc"
	"fxlens/core/interp"
	"fxlens/core/interp/job"
	"fxlens/core/ir"
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
		b.edited = true
		return nil
	}
	return fmt.Errorf("no constant buffer is bound to register %d of space %d", slot.Register, slot.Space)
}

// SetInput changes a component of an input register of one invocation of a vertex or
// pixel program. It fails for one that does not exist, and for the pixels that only fill
// the judge's image.
func (t *Trial) SetInput(reg uint32, invocation, comp int, w uint32) error {
	rows := t.in[reg]
	if invocation < 0 || invocation >= len(rows) || comp < 0 || comp > 3 {
		return fmt.Errorf("the inputs have no v%d of invocation %d", reg, invocation)
	}
	if t.source != nil && t.source.pixels > 0 && invocation >= t.source.pixels {
		return fmt.Errorf("the job draws %d pixels; number %d repeats the last four, to fill whole rows", t.source.pixels, invocation)
	}
	rows[invocation][comp] = w
	if at := (inputAt{invocation, reg}); !slices.Contains(t.edited, at) {
		t.edited = append(t.edited, at)
	}
	// A vertex of every instance is one vertex to the judge.
	if t.Stage.kind() == layout.Vertex && t.n > t.perInstance {
		t.lose("an attribute of one instance was set: the judge has attributes of vertices only")
	}
	for _, e := range t.Stage.decl.Inputs {
		if e.RegType == dxbc.RegInput && e.Register == reg && e.SysValue != 0 && e.Mask>>comp&1 != 0 {
			t.lose("a system value (v%d) was set, which the judge's pipeline makes itself", reg)
		}
	}
	return nil
}

// inputAt is a register of one invocation.
type inputAt struct {
	invocation int
	reg        uint32
}

// inputs lists what SetInput changed, in order.
func (t *Trial) inputs() []job.Input {
	at := slices.SortedFunc(slices.Values(t.edited), func(a, b inputAt) int {
		return cmp.Or(cmp.Compare(a.invocation, b.invocation), cmp.Compare(a.reg, b.reg))
	})
	var out []job.Input
	for _, x := range at {
		out = append(out, job.Input{Invocation: x.invocation, Register: x.reg, Words: t.in[x.reg][x.invocation]})
	}
	return out
}

// constants has the constant buffers that SetConstant changed.
func (t *Trial) constants() map[interp.Slot][]byte {
	out := map[interp.Slot][]byte{}
	for _, b := range t.buffers {
		if b.edited {
			out[interp.Slot{Register: b.res.Register, Space: b.res.Space}] = b.data
		}
	}
	return out
}

// Lanes lists the register lanes of the stage's program, without the components of input
// registers that the program does not take: nothing gives them a value.
func (t *Trial) Lanes() []interp.Lane {
	return slices.DeleteFunc(t.Stage.Prog.Lanes(), func(l interp.Lane) bool {
		if l.Reg != dxbc.RegInput {
			return false
		}
		return t.in[l.Index] == nil || !slices.ContainsFunc(t.Stage.decl.Inputs, func(e ir.Elem) bool {
			return e.RegType == dxbc.RegInput && e.Register == l.Index && e.Mask>>l.Comp&1 != 0
		})
	})
}

// Helper reports whether an invocation is a pixel that is there for derivatives only.
func (t *Trial) Helper(invocation int) bool {
	return invocation >= 0 && invocation < len(t.helper) && t.helper[invocation]
}
