package dxbc

import "strconv"

// LayoutRow is one line of the layout of a constant buffer: a variable, a
// structure, a member or a gap.
type LayoutRow struct {
	Offset, Size uint32 // bytes from the start of the buffer; Size is that of the whole array or structure
	Depth        int    // nesting, 0 for variables
	Name         string // with array suffix; empty for padding
	Type         *Type  // nil for padding
	Default      []byte // of variables, or nil
	Used         bool
}

// Padding reports whether the row is a gap between variables.
func (r *LayoutRow) Padding() bool { return r.Type == nil }

// Layout lists a buffer as a ruler: variables with their members, in the order
// of their offsets as the file has them, and the gaps before, between and behind
// the variables. Members of a structure have no gaps of their own.
func (c *CBuffer) Layout() []LayoutRow {
	var out []LayoutRow
	at := uint32(0)
	for i := range c.Vars {
		v := &c.Vars[i]
		if v.Offset > at {
			out = append(out, LayoutRow{Offset: at, Size: v.Offset - at})
		}
		out = appendLayout(out, v.Name, v.Type, v.Offset, v.Size, 0, v.Used())
		// The row of the variable itself stands before those of its members.
		for k := len(out) - 1; k >= 0; k-- {
			if out[k].Depth == 0 {
				out[k].Default = v.Default
				break
			}
		}
		if end := v.Offset + v.Size; end > at && end >= v.Offset {
			at = end
		}
	}
	if c.Size > at {
		out = append(out, LayoutRow{Offset: at, Size: c.Size - at})
	}
	return out
}

func appendLayout(out []LayoutRow, name string, t *Type, offset, size uint32, depth int, used bool) []LayoutRow {
	if t.Elements > 1 {
		name += "[" + strconv.Itoa(int(t.Elements)) + "]"
	}
	out = append(out, LayoutRow{Offset: offset, Size: size, Depth: depth, Name: name, Type: t, Used: used})
	for i := range t.Members {
		m := &t.Members[i]
		out = appendLayout(out, m.Name, m.Type, offset+m.Offset, m.Type.Size(), depth+1, used)
	}
	return out
}
