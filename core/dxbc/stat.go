package dxbc

// Stat is the content of a STAT chunk (dxbc.md section 1.6). A chunk of shader
// model 4 ends after SampleFrequency; the fields behind it are zero then.
type Stat struct {
	Instructions, Temps, Defs, Dcls               uint32
	FloatOps, IntOps, UintOps                     uint32
	StaticFlow, DynamicFlow, Macros               uint32
	TempArrays, ArrayOps, Cuts, Emits             uint32
	TexNormal, TexLoad, TexComp, TexBias, TexGrad uint32
	Movs, Movcs, Conversions, Bitwise             uint32
	GSInput, GSTopology, GSMaxVertices            uint32
	Unknown26, Unknown27                          uint32
	SampleFrequency                               uint32
	GSInstances, ControlPoints                    uint32
	HSOutputPrimitive, HSPartitioning, TessDomain uint32
	Barriers, Interlocked, TexStores              uint32

	// Words is the number of words that the chunk holds: 29 or 37.
	Words int
}

func (s *Stat) fields() [37]*uint32 {
	return [37]*uint32{
		&s.Instructions, &s.Temps, &s.Defs, &s.Dcls, &s.FloatOps, &s.IntOps, &s.UintOps, &s.StaticFlow, &s.DynamicFlow,
		&s.Macros, &s.TempArrays, &s.ArrayOps, &s.Cuts, &s.Emits, &s.TexNormal, &s.TexLoad, &s.TexComp, &s.TexBias, &s.TexGrad,
		&s.Movs, &s.Movcs, &s.Conversions, &s.Bitwise, &s.GSInput, &s.GSTopology, &s.GSMaxVertices, &s.Unknown26, &s.Unknown27,
		&s.SampleFrequency, &s.GSInstances, &s.ControlPoints, &s.HSOutputPrimitive, &s.HSPartitioning, &s.TessDomain,
		&s.Barriers, &s.Interlocked, &s.TexStores,
	}
}

// StatNames holds the names of the words of STAT, in their order.
var StatNames = [37]string{
	"instructions", "temps", "defs", "dcls", "float_ops", "int_ops", "uint_ops", "static_flow", "dynamic_flow", "macro",
	"temp_arrays", "array_ops", "cut", "emit", "tex_normal", "tex_load", "tex_comp", "tex_bias", "tex_gradient", "mov",
	"movc", "conversion", "bitwise", "gs_input_primitive", "gs_output_topology", "gs_max_vertices", "unknown26", "unknown27",
	"sample_frequency", "gs_instances", "control_points", "hs_output_primitive", "hs_partitioning", "tess_domain",
	"barriers", "interlocked", "texture_stores",
}

// Values returns the words in their order.
func (s *Stat) Values() [37]uint32 {
	var out [37]uint32
	for i, p := range s.fields() {
		out[i] = *p
	}
	return out
}

// ParseStat reads the payload of a STAT chunk.
func ParseStat(b []byte) (*Stat, error) {
	s, err := parseStat(b)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func parseStat(b []byte) (*Stat, *Error) {
	const sm4 = 29
	if len(b) < 4*sm4 {
		return nil, fail(ErrTruncated, len(b), "statistics have at least %d bytes, %d are here", 4*sm4, len(b))
	}
	s := &Stat{Words: min(len(b)/4, 37)}
	for i, p := range s.fields() {
		if i < s.Words {
			*p = u32(b, 4*i)
		}
	}
	return s, nil
}

// Bytes returns the payload that [ParseStat] reads.
func (s *Stat) Bytes() []byte {
	b := make([]byte, 4*s.Words)
	for i, v := range s.Values() {
		if i < s.Words {
			b[4*i], b[4*i+1], b[4*i+2], b[4*i+3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
		}
	}
	return b
}

// ClassType is a class of class linkage (dxbc.md section 1.8).
type ClassType struct {
	Name                                        string
	ID                                          uint16
	CBufferStride, TextureStride, SamplerStride uint16 // CBufferStride in registers
}

// ClassInstance is an instance of a class.
type ClassInstance struct {
	Name                                     string
	Type                                     uint16
	CBuffer, CBufferOffset, Texture, Sampler uint16 // 0xFFFF: none; the offset in registers
}

// SlotRecord is a run of interface slots with the classes that fit them.
type SlotRecord struct {
	First, Span uint32
	Types       []uint16
	Tables      []uint32
}

// Interfaces is the content of an IFCE chunk.
type Interfaces struct {
	Types      []ClassType
	Instances  []ClassInstance
	Slots      []SlotRecord
	TotalSlots uint32
}

// ParseInterfaces reads the payload of an IFCE chunk.
func ParseInterfaces(b []byte) (*Interfaces, error) {
	s, err := parseInterfaces(b)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func parseInterfaces(b []byte) (*Interfaces, *Error) {
	const head, slotRow, typeRow, instRow = 32, 16, 12, 16
	if len(b) < head {
		return nil, fail(ErrTruncated, len(b), "class linkage has at least %d bytes, %d are here", head, len(b))
	}
	ni, nt, ns := u32(b, 0), u32(b, 4), u32(b, 8)
	io, to, so := u32(b, 16), u32(b, 20), u32(b, 24)
	for _, t := range []struct {
		off, n  uint32
		row, at int
		what    string
	}{{io, ni, instRow, 0, "instances"}, {to, nt, typeRow, 4, "classes"}, {so, ns, slotRow, 8, "slot records"}} {
		if err := table(b, t.off, t.n, t.row, t.at, t.what); err != nil {
			return nil, err
		}
	}
	r := &Interfaces{TotalSlots: u32(b, 12), Types: make([]ClassType, nt), Instances: make([]ClassInstance, ni), Slots: make([]SlotRecord, ns)}
	names := newTexts(b)
	var err *Error
	for i := range r.Types {
		at := int(to) + i*typeRow
		t := &r.Types[i]
		if t.Name, err = names.at(u32(b, at), at, "a class name"); err != nil {
			return nil, err
		}
		t.ID, t.CBufferStride, t.TextureStride, t.SamplerStride = uint16(i), u16(b, at+6), u16(b, at+8), u16(b, at+10)
	}
	for i := range r.Instances {
		at := int(io) + i*instRow
		v := &r.Instances[i]
		if v.Name, err = names.at(u32(b, at), at, "an instance name"); err != nil {
			return nil, err
		}
		v.Type, v.CBuffer, v.CBufferOffset, v.Texture, v.Sampler = u16(b, at+4), u16(b, at+8), u16(b, at+10), u16(b, at+12), u16(b, at+14)
	}
	first, budget := uint32(0), len(b)
	for i := range r.Slots {
		at := int(so) + i*slotRow
		s := &r.Slots[i]
		s.First, s.Span = first, u32(b, at)
		first += s.Span
		n, ids, tabs := u32(b, at+4), u32(b, at+8), u32(b, at+12)
		if err := table(b, ids, n, 2, at+4, "type IDs"); err != nil {
			return nil, err
		}
		if err := table(b, tabs, n, 4, at+4, "table IDs"); err != nil {
			return nil, err
		}
		if budget -= 4 * int(n); budget < 0 {
			return nil, fail(ErrLimit, at+4, "the slots have more types than the chunk has room for")
		}
		s.Types, s.Tables = make([]uint16, n), make([]uint32, n)
		for j := range s.Types {
			s.Types[j], s.Tables[j] = u16(b, int(ids)+2*j), u32(b, int(tabs)+4*j)
		}
	}
	return r, nil
}
