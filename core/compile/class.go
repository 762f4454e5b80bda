package compile

import (
	"strconv"
	"strings"

	"fxlens/core/dxbc"
)

// classes answers the builder's questions about interface slots from the class
// linkage tables and the user's choice.
type classes struct {
	linkage *dxbc.Interfaces
	chosen  []int               // by slot: index into linkage.Instances, or -1
	tables  map[uint32][]uint32 // function table -> bodies by method
}

// class reads Options.Classes for one program: nil when the program has no
// interfaces or nothing is chosen. A key is a slot number, or the name of an
// interface variable with an optional element ("lights[1]"); a value is the name
// of a class instance, or of a class that has one instance.
func (b *pipeline) class(s *dxbc.Shader) *classes {
	if s.Interfaces == nil || len(b.opt.Classes) == 0 {
		return nil
	}
	c := &classes{linkage: s.Interfaces, chosen: make([]int, min(s.Interfaces.TotalSlots, 1024)), tables: map[uint32][]uint32{}}
	for i := range c.chosen {
		c.chosen[i] = -1
	}
	for _, k := range sortedKeys(b.opt.Classes) {
		inst := c.instance(b.opt.Classes[k])
		if inst < 0 {
			continue // the call that needs the slot says so
		}
		for _, slot := range c.slots(s, k) {
			if slot < len(c.chosen) {
				c.chosen[slot] = inst
			}
		}
	}
	for i := range s.Program.Instrs {
		if in := &s.Program.Instrs[i]; in.Op == dxbc.OpDclFunctionTable && in.Decl != nil && len(in.Decl.Words) > 0 {
			c.tables[in.Decl.Words[0]] = in.Decl.Words[1:]
		}
	}
	return c
}

// instance finds a class instance by its name, or by the name of its class.
func (c *classes) instance(name string) int {
	byClass := -1
	for i := range c.linkage.Instances {
		in := &c.linkage.Instances[i]
		if in.Name == name {
			return i
		}
		if int(in.Type) < len(c.linkage.Types) && c.linkage.Types[in.Type].Name == name && byClass < 0 {
			byClass = i
		}
	}
	return byClass
}

// slots lists the slots that a key of the options means.
func (c *classes) slots(s *dxbc.Shader, key string) []int {
	if n, err := strconv.Atoi(key); err == nil && n >= 0 {
		return []int{n}
	}
	name, elem := key, -1
	if base, rest, ok := strings.Cut(key, "["); ok {
		if n, err := strconv.Atoi(strings.TrimSuffix(rest, "]")); err == nil && n >= 0 {
			name, elem = base, n
		}
	}
	if s.RDEF == nil {
		return nil
	}
	for i := range s.RDEF.Buffers {
		b := &s.RDEF.Buffers[i]
		for j := range b.Vars {
			v := &b.Vars[j]
			if v.Name != name || v.Type == nil || v.Type.Class != 7 {
				continue
			}
			if elem >= 0 {
				return []int{int(v.Offset) + elem}
			}
			var out []int
			for n := range min(v.Size, 1024) {
				out = append(out, int(v.Offset+n))
			}
			return out
		}
	}
	return nil
}

// record returns the slots of interface fp, which is numbered by its first one.
func (c *classes) record(fp uint32) *dxbc.SlotRecord {
	for i := range c.linkage.Slots {
		if c.linkage.Slots[i].First == fp {
			return &c.linkage.Slots[i]
		}
	}
	return nil
}

// Body implements ir.Classes.
func (c *classes) Body(fp, elem, method uint32) (uint32, bool) {
	r := c.record(fp)
	if r == nil || elem >= r.Span || uint64(r.First)+uint64(elem) >= uint64(len(c.chosen)) {
		return 0, false
	}
	inst := c.chosen[r.First+elem]
	if inst < 0 {
		return 0, false
	}
	for i, t := range r.Types {
		if t != c.linkage.Instances[inst].Type || i >= len(r.Tables) {
			continue
		}
		if bodies := c.tables[r.Tables[i]]; int(method) < len(bodies) {
			return bodies[method], true
		}
	}
	return 0, false
}

// Elements implements ir.Classes.
func (c *classes) Elements(fp uint32) uint32 {
	if r := c.record(fp); r != nil {
		return r.Span
	}
	return 0
}

// This implements ir.Classes.
func (c *classes) This(slot uint32) ([4]uint32, bool) {
	if int64(slot) >= int64(len(c.chosen)) || c.chosen[slot] < 0 {
		return [4]uint32{}, false
	}
	in := &c.linkage.Instances[c.chosen[slot]]
	return [4]uint32{uint32(in.CBuffer), uint32(in.CBufferOffset), uint32(in.Texture), uint32(in.Sampler)}, true
}

// Slots implements ir.Classes.
func (c *classes) Slots() uint32 { return uint32(len(c.chosen)) }
