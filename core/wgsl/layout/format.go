package layout

import (
	"slices"

	"fxlens/core/dxbc"
	"fxlens/core/ir"
)

// Format is one DXGI view format of a typed buffer or a UAV texture.
type Format struct {
	Name  string          // DXGI name without DXGI_FORMAT_: "R8G8B8A8_UNORM"
	Bytes int             // size of an element
	Type  dxbc.ReturnType // RetUnorm, RetSnorm, RetSint, RetUint or RetFloat
	// Fields are the channels from the lowest bit up: width in bits and the
	// channel (0 red to 3 alpha, 4 none) that the bits hold.
	Fields []Field
	// Texel is the WGSL texel format of a storage texture, empty if there is
	// none; Tier what it takes to write or read it: 0 core, 1
	// texture-formats-tier1, 3 bgra8unorm-storage (write only).
	Texel string
	Tier  int
	// ReadWrite is what it takes to read and write it in one program: 0 core,
	// 2 texture-formats-tier2, -1 not possible.
	ReadWrite int
}

// Field is one channel of a format.
type Field struct {
	Bits    uint8
	Channel uint8
}

// Channels is the number of channels that the format has, alpha alone counting as one.
func (f *Format) Channels() int {
	n := 0
	for _, x := range f.Fields {
		if x.Channel < 4 {
			n++
		}
	}
	return n
}

func fields(channels string, bits ...uint8) []Field {
	out := make([]Field, len(channels))
	for i := range channels {
		ch := uint8(4)
		for j, c := range "RGBA" {
			if byte(c) == channels[i] {
				ch = uint8(j)
			}
		}
		b := bits[0]
		if len(bits) > 1 {
			b = bits[i]
		}
		out[i] = Field{b, ch}
	}
	return out
}

// formats is in the order of names that the texts list them in: plain ones first.
// The WebGPU columns are the storage texture capabilities of the WebGPU
// specification, section 26.1.1 (texture formats, tier 1, tier 2).
var formats = []Format{
	{"R32_FLOAT", 4, dxbc.RetFloat, fields("R", 32), "r32float", 0, 0},
	{"R32_UINT", 4, dxbc.RetUint, fields("R", 32), "r32uint", 0, 0},
	{"R32_SINT", 4, dxbc.RetSint, fields("R", 32), "r32sint", 0, 0},
	{"R32G32_FLOAT", 8, dxbc.RetFloat, fields("RG", 32), "rg32float", 0, -1},
	{"R32G32_UINT", 8, dxbc.RetUint, fields("RG", 32), "rg32uint", 0, -1},
	{"R32G32_SINT", 8, dxbc.RetSint, fields("RG", 32), "rg32sint", 0, -1},
	{"R32G32B32_FLOAT", 12, dxbc.RetFloat, fields("RGB", 32), "", 0, -1},
	{"R32G32B32_UINT", 12, dxbc.RetUint, fields("RGB", 32), "", 0, -1},
	{"R32G32B32_SINT", 12, dxbc.RetSint, fields("RGB", 32), "", 0, -1},
	{"R32G32B32A32_FLOAT", 16, dxbc.RetFloat, fields("RGBA", 32), "rgba32float", 0, 2},
	{"R32G32B32A32_UINT", 16, dxbc.RetUint, fields("RGBA", 32), "rgba32uint", 0, 2},
	{"R32G32B32A32_SINT", 16, dxbc.RetSint, fields("RGBA", 32), "rgba32sint", 0, 2},
	{"R16_FLOAT", 2, dxbc.RetFloat, fields("R", 16), "r16float", 1, 2},
	{"R16_UNORM", 2, dxbc.RetUnorm, fields("R", 16), "r16unorm", 1, -1},
	{"R16_SNORM", 2, dxbc.RetSnorm, fields("R", 16), "r16snorm", 1, -1},
	{"R16_UINT", 2, dxbc.RetUint, fields("R", 16), "r16uint", 1, 2},
	{"R16_SINT", 2, dxbc.RetSint, fields("R", 16), "r16sint", 1, 2},
	{"R16G16_FLOAT", 4, dxbc.RetFloat, fields("RG", 16), "rg16float", 1, -1},
	{"R16G16_UNORM", 4, dxbc.RetUnorm, fields("RG", 16), "rg16unorm", 1, -1},
	{"R16G16_SNORM", 4, dxbc.RetSnorm, fields("RG", 16), "rg16snorm", 1, -1},
	{"R16G16_UINT", 4, dxbc.RetUint, fields("RG", 16), "rg16uint", 1, -1},
	{"R16G16_SINT", 4, dxbc.RetSint, fields("RG", 16), "rg16sint", 1, -1},
	{"R16G16B16A16_FLOAT", 8, dxbc.RetFloat, fields("RGBA", 16), "rgba16float", 0, 2},
	{"R16G16B16A16_UNORM", 8, dxbc.RetUnorm, fields("RGBA", 16), "rgba16unorm", 1, -1},
	{"R16G16B16A16_SNORM", 8, dxbc.RetSnorm, fields("RGBA", 16), "rgba16snorm", 1, -1},
	{"R16G16B16A16_UINT", 8, dxbc.RetUint, fields("RGBA", 16), "rgba16uint", 0, 2},
	{"R16G16B16A16_SINT", 8, dxbc.RetSint, fields("RGBA", 16), "rgba16sint", 0, 2},
	{"R8_UNORM", 1, dxbc.RetUnorm, fields("R", 8), "r8unorm", 1, 2},
	{"R8_SNORM", 1, dxbc.RetSnorm, fields("R", 8), "r8snorm", 1, -1},
	{"R8_UINT", 1, dxbc.RetUint, fields("R", 8), "r8uint", 1, 2},
	{"R8_SINT", 1, dxbc.RetSint, fields("R", 8), "r8sint", 1, 2},
	{"A8_UNORM", 1, dxbc.RetUnorm, fields("A", 8), "", 0, -1},
	{"R8G8_UNORM", 2, dxbc.RetUnorm, fields("RG", 8), "rg8unorm", 1, -1},
	{"R8G8_SNORM", 2, dxbc.RetSnorm, fields("RG", 8), "rg8snorm", 1, -1},
	{"R8G8_UINT", 2, dxbc.RetUint, fields("RG", 8), "rg8uint", 1, -1},
	{"R8G8_SINT", 2, dxbc.RetSint, fields("RG", 8), "rg8sint", 1, -1},
	{"R8G8B8A8_UNORM", 4, dxbc.RetUnorm, fields("RGBA", 8), "rgba8unorm", 0, 2},
	{"R8G8B8A8_SNORM", 4, dxbc.RetSnorm, fields("RGBA", 8), "rgba8snorm", 0, -1},
	{"R8G8B8A8_UINT", 4, dxbc.RetUint, fields("RGBA", 8), "rgba8uint", 0, 2},
	{"R8G8B8A8_SINT", 4, dxbc.RetSint, fields("RGBA", 8), "rgba8sint", 0, 2},
	{"B8G8R8A8_UNORM", 4, dxbc.RetUnorm, fields("BGRA", 8), "bgra8unorm", 3, -1},
	{"B8G8R8X8_UNORM", 4, dxbc.RetUnorm, fields("BGRX", 8), "", 0, -1},
	{"R10G10B10A2_UNORM", 4, dxbc.RetUnorm, fields("RGBA", 10, 10, 10, 2), "rgb10a2unorm", 1, -1},
	{"R10G10B10A2_UINT", 4, dxbc.RetUint, fields("RGBA", 10, 10, 10, 2), "rgb10a2uint", 1, -1},
	{"R11G11B10_FLOAT", 4, dxbc.RetFloat, fields("RGB", 11, 11, 10), "rg11b10ufloat", 1, -1},
}

// LookupFormat returns the format with the DXGI name ("R32_UINT").
func LookupFormat(name string) (*Format, bool) {
	i := slices.IndexFunc(formats, func(f Format) bool { return f.Name == name })
	if i < 0 {
		return nil, false
	}
	return &formats[i], true
}

// FormatNames lists the names that LookupFormat knows, plain ones first.
func FormatNames() []string {
	out := make([]string, len(formats))
	for i := range formats {
		out[i] = formats[i].Name
	}
	return out
}

// fits reports whether a view of format f may stand behind a declaration with
// return type t: the same class of numbers (float, unorm and snorm are one
// class for the hardware; mixed takes any).
func (f *Format) fits(t dxbc.ReturnType) bool {
	class := func(t dxbc.ReturnType) int {
		switch t {
		case dxbc.RetSint:
			return 1
		case dxbc.RetUint:
			return 2
		}
		return 0
	}
	return t == dxbc.RetMixed || class(f.Type) == class(t)
}

// AtomicFormat is the view format that an atomic proves, since
// D3D11 has typed atomics on R32_UINT and R32_SINT views alone.
func AtomicFormat(t dxbc.ReturnType) string {
	if t == dxbc.RetSint {
		return "R32_SINT"
	}
	return "R32_UINT"
}

// LoadFormat is the view format that a load from the UAV r of the program proves,
// "" where it proves none: Direct3D 11 loads from typed UAVs of R32_FLOAT,
// R32_UINT and R32_SINT alone, and a program that wants others says so in SFI0.
// components is what RDEF says of the resource, 0 where it does not.
func LoadFormat(s *dxbc.Shader, t dxbc.ReturnType, components int) string {
	if s == nil || s.Features&dxbc.FeatureTypedLoads != 0 || components > 1 {
		return ""
	}
	switch t {
	case dxbc.RetFloat:
		return "R32_FLOAT"
	case dxbc.RetUint:
		return "R32_UINT"
	case dxbc.RetSint:
		return "R32_SINT"
	}
	return ""
}

// AssumedFormat is the likeliest view format of a typed buffer: the full
// 32-bit format of its return type and component count (0: unknown, then 4 for
// float and 1 for integers); the rule of `--view auto`.
func AssumedFormat(t dxbc.ReturnType, components int) string {
	suffix := "FLOAT"
	switch t {
	case dxbc.RetSint:
		suffix = "SINT"
	case dxbc.RetUint:
		suffix = "UINT"
	case dxbc.RetUnorm:
		return [...]string{"R8G8B8A8_UNORM", "R8_UNORM", "R8G8_UNORM", "R8G8B8A8_UNORM", "R8G8B8A8_UNORM"}[min(max(components, 0), 4)]
	case dxbc.RetSnorm:
		return [...]string{"R8G8B8A8_SNORM", "R8_SNORM", "R8G8_SNORM", "R8G8B8A8_SNORM", "R8G8B8A8_SNORM"}[min(max(components, 0), 4)]
	}
	if components <= 0 {
		components = 4
		if suffix != "FLOAT" {
			components = 1
		}
	}
	return [...]string{"", "R32_", "R32G32_", "R32G32B32_", "R32G32B32A32_"}[min(components, 4)] + suffix
}

// defaultTexel is the storage-texture format policy: what a UAV texture is
// taken to be when nobody says. Formats that core WebGPU can store, in full
// precision for float and integers (r32, rg32, rgba32 by the component count
// of RDEF; four where it is unknown), rgba8unorm and rgba8snorm for the
// normalized ones. A texture that is read and written is r32 of its kind
// unless RDEF says that it has more components: D3D11 itself lets a program
// read back only one 32-bit channel without extra formats.
func defaultTexel(t dxbc.ReturnType, components int, readWrite bool) string {
	if readWrite && components <= 1 {
		switch t {
		case dxbc.RetSint:
			return "R32_SINT"
		case dxbc.RetUint:
			return "R32_UINT"
		}
		return "R32_FLOAT"
	}
	switch t {
	case dxbc.RetUnorm:
		return "R8G8B8A8_UNORM"
	case dxbc.RetSnorm:
		if readWrite {
			return "R32G32B32A32_FLOAT"
		}
		return "R8G8B8A8_SNORM"
	}
	if components <= 0 || components == 3 {
		components = 4
	}
	if readWrite && components == 2 {
		components = 4
	}
	return AssumedFormat(t, components)
}

// Allowed lists the view formats that may stand behind resource res of a function,
// the likeliest first: what the planner accepts for its declaration and for what
// the program does with it. It is empty for what has no view format.
func Allowed(f *ir.Function, res int) []string {
	if res < 0 || res >= len(f.Resources) {
		return nil
	}
	r := &f.Resources[res]
	buffer := r.Dim == dxbc.DimBuffer
	switch {
	case r.Class != ir.SRV && r.Class != ir.UAV, r.Class == ir.SRV && !buffer, buffer && r.Class == ir.SRV && r.Return[0] == dxbc.RetMixed:
		return nil
	case !buffer:
		if _, ok := viewDims[r.Dim]; !ok {
			return nil
		}
	case r.Atomic:
		return []string{AtomicFormat(r.Return[0])}
	}
	n := Components(f, r)
	first := AssumedFormat(r.Return[0], n)
	if !buffer {
		first = defaultTexel(r.Return[0], n, r.Read && r.Written)
	}
	likely, ok := LookupFormat(first)
	if !ok {
		return nil // cannot be: both rules name formats of the table
	}
	var out []*Format
	for i := range formats {
		x := &formats[i]
		if !x.fits(r.Return[0]) || !buffer && !x.stores(r.Read, r.Written) {
			continue
		}
		out = append(out, x)
	}
	// Closest to the likeliest: as many channels, then the same kind of number, then
	// the order of the table.
	far := func(x *Format) int {
		d := 4 * abs(x.Channels()-likely.Channels())
		if x.Type != likely.Type {
			d += 2
		}
		if x.Bytes != likely.Bytes {
			d++
		}
		return d
	}
	slices.SortStableFunc(out, func(a, b *Format) int { return far(a) - far(b) })
	names := make([]string, len(out))
	for i, x := range out {
		names[i] = x.Name
	}
	return names
}

// stores reports whether a storage texture can have the format.
func (f *Format) stores(read, written bool) bool {
	tier := f.Tier
	if read && written {
		tier = f.ReadWrite
	}
	return f.Texel != "" && tier >= 0 && (tier != 3 || !read)
}

func abs(n int) int { return max(n, -n) }
