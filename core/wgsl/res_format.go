package wgsl

import (
	"fmt"
	"strings"

	"fxlens/core/dxbc"
	"fxlens/core/ir"
	"fxlens/core/wgsl/layout"
)

// formatKind is the WGSL kind of what a view of the format returns.
func formatKind(f *layout.Format) ir.Kind {
	switch f.Type {
	case dxbc.RetSint:
		return ir.I32
	case dxbc.RetUint:
		return ir.U32
	}
	return ir.F32
}

// rawWord is word w of the array as u32 text.
func (m *memory) rawWord(w string) string {
	if m.kind == ir.I32 {
		return "bitcast<u32>(" + m.read(w) + ")"
	}
	return m.read(w)
}

// typedBounds is the test that element i is inside, and the text of its first
// word and, for formats below a word, of its bit position.
func typedBounds(m *memory, f *layout.Format) (inside, word, shift string) {
	switch {
	case f.Bytes < 4:
		per := 4 / f.Bytes
		return fmt.Sprintf("i < %s * %du", m.length(), per), fmt.Sprintf("i / %du", per), fmt.Sprintf("(i %% %du) * %du", per, 8*f.Bytes)
	case f.Bytes == 4:
		return "i < " + m.length(), "i", ""
	}
	return fmt.Sprintf("i < %s / %du", m.length(), f.Bytes/4), fmt.Sprintf("i * %du", f.Bytes/4), ""
}

// decoder is the function that reads element i of a typed buffer: zero outside;
// a channel that the format does not have is zero, alpha one (D3D11 functional
// specification, format conversion).
func decoder(name string, m *memory, f *layout.Format) string {
	kind := formatKind(f)
	t := vec(kind, 4)
	inside, word, shift := typedBounds(m, f)
	var b strings.Builder
	fmt.Fprintf(&b, "fn %s(i: u32) -> %s {\n  if (%s) {\n", name, t, inside)
	var lanes [4]string
	one := map[ir.Kind]string{ir.F32: "1.0", ir.I32: "1", ir.U32: "1u"}[kind]
	zero := literalText(0, kind)
	for c := range lanes {
		lanes[c] = zero
	}
	lanes[3] = one
	whole := ""
	switch {
	case f.Bytes < 4:
		fmt.Fprintf(&b, "    let x = %s >> (%s);\n", m.rawWord(word), shift)
	case f.Bytes == 4:
		if f.Channels() == 1 && f.Fields[0].Bits == 32 {
			lanes[0] = m.rawWord(word)
			switch {
			case kind == ir.F32:
				lanes[0] = "bitcast<f32>(" + lanes[0] + ")"
			case kind == ir.I32 && m.kind == ir.I32:
				lanes[0] = m.read(word)
			case kind == ir.I32:
				lanes[0] = "bitcast<i32>(" + lanes[0] + ")"
			}
			break
		}
		fmt.Fprintf(&b, "    let x = %s;\n", m.rawWord(word))
		whole = wholeDecode(f)
	default:
		fmt.Fprintf(&b, "    let w = %s;\n", word)
	}
	if whole == "" && (f.Bytes != 4 || f.Channels() > 1 || f.Fields[0].Bits != 32) {
		bit := 0
		for _, fd := range f.Fields {
			x, at := "x", bit
			if f.Bytes > 4 {
				w := "w"
				if bit >= 32 {
					w = fmt.Sprintf("w + %du", bit/32)
				}
				x, at = m.rawWord(w), bit%32
			}
			if fd.Channel < 4 {
				lanes[fd.Channel] = decodeField(f.Type, x, at, int(fd.Bits))
			}
			bit += int(fd.Bits)
		}
	}
	if whole == "" {
		whole = fmt.Sprintf("%s(%s)", t, strings.Join(lanes[:], ", "))
	}
	fmt.Fprintf(&b, "    return %s;\n  }\n  return %s();\n}\n", whole, t)
	return b.String()
}

// wholeDecode is the unpack function that fits a four-byte format, or empty.
func wholeDecode(f *layout.Format) string {
	switch f.Name {
	case "R8G8B8A8_UNORM":
		return "unpack4x8unorm(x)"
	case "R8G8B8A8_SNORM":
		return "unpack4x8snorm(x)"
	case "B8G8R8A8_UNORM":
		return "unpack4x8unorm(x).bgra"
	case "B8G8R8X8_UNORM":
		return "vec4<f32>(unpack4x8unorm(x).bgr, 1.0)"
	case "R16G16_UNORM":
		return "vec4<f32>(unpack2x16unorm(x), 0.0, 1.0)"
	case "R16G16_SNORM":
		return "vec4<f32>(unpack2x16snorm(x), 0.0, 1.0)"
	case "R16G16_FLOAT":
		return "vec4<f32>(unpack2x16float(x), 0.0, 1.0)"
	}
	return ""
}

// decodeField is the value of bits at to at+n of the u32 x.
func decodeField(t dxbc.ReturnType, x string, at, n int) string {
	field := func(x string) string {
		if n == 32 {
			return x
		}
		return fmt.Sprintf("extractBits(%s, %du, %du)", x, at, n)
	}
	switch t {
	case dxbc.RetUint:
		return field(x)
	case dxbc.RetSint:
		return field("bitcast<i32>(" + x + ")")
	case dxbc.RetUnorm:
		return fmt.Sprintf("f32(%s) / %d.0", field(x), 1<<n-1)
	case dxbc.RetSnorm:
		return fmt.Sprintf("max(f32(%s) / %d.0, -1.0)", field("bitcast<i32>("+x+")"), 1<<(n-1)-1)
	}
	switch n {
	case 32:
		return "bitcast<f32>(" + x + ")"
	case 16:
		return "unpack2x16float(" + field(x) + ").x"
	}
	// 10 and 11 bits are halves without sign and without the low mantissa bits.
	return fmt.Sprintf("unpack2x16float(%s << %du).x", field(x), 15-n)
}

// encoder is the function that writes element i of a typed buffer; nothing
// outside. Elements below a word are put into their word by a compare loop, since
// neighbours may be written at the same time.
func encoder(name string, m *memory, f *layout.Format) string {
	kind := formatKind(f)
	t := vec(kind, 4)
	inside, word, shift := typedBounds(m, f)
	var b strings.Builder
	fmt.Fprintf(&b, "fn %s(i: u32, value: %s) {\n  if (%s) {\n", name, t, inside)
	put := func(w, x string) {
		if m.kind == ir.I32 {
			x = "bitcast<i32>(" + x + ")"
		}
		fmt.Fprintf(&b, "    %s\n", m.write(w, x))
	}
	switch {
	case f.Bytes < 4:
		fmt.Fprintf(&b, "    let bits = %s;\n    let shift = %s;\n", packWord(f, 0), shift)
		if !m.atomic {
			put(word, fmt.Sprintf("insertBits(%s, bits, shift, %du)", m.read(word), 8*f.Bytes))
			break
		}
		fmt.Fprintf(&b, `    var old = atomicLoad(&%s[%s]);
    loop {
      let r = atomicCompareExchangeWeak(&%s[%s], old, insertBits(old, bits, shift, %du));
      if (r.exchanged) {
        break;
      }
      old = r.old_value;
    }
`, m.name, word, m.name, word, 8*f.Bytes)
	case f.Bytes == 4:
		x := wholeEncode(f)
		if x == "" {
			x = packWord(f, 0)
		}
		put("i", x)
	default:
		fmt.Fprintf(&b, "    let w = %s;\n", word)
		for k := range f.Bytes / 4 {
			w := "w"
			if k > 0 {
				w = fmt.Sprintf("w + %du", k)
			}
			put(w, packWord(f, k))
		}
	}
	b.WriteString("  }\n}\n")
	return b.String()
}

// wholeEncode is the pack function that fits a four-byte format, or empty.
func wholeEncode(f *layout.Format) string {
	switch f.Name {
	case "R8G8B8A8_UNORM":
		return "pack4x8unorm(value)"
	case "R8G8B8A8_SNORM":
		return "pack4x8snorm(value)"
	case "B8G8R8A8_UNORM", "B8G8R8X8_UNORM":
		return "pack4x8unorm(value.bgra)"
	case "R16G16_UNORM":
		return "pack2x16unorm(value.xy)"
	case "R16G16_SNORM":
		return "pack2x16snorm(value.xy)"
	case "R16G16_FLOAT":
		return "pack2x16float(value.xy)"
	}
	return ""
}

// packWord is word k of the encoded value.
func packWord(f *layout.Format, k int) string {
	var parts []string
	bit := 0
	for _, fd := range f.Fields {
		if bit/32 == k && fd.Channel < 4 {
			x := encodeField(f.Type, "value."+laneNames[fd.Channel:fd.Channel+1], int(fd.Bits))
			if bit%32 > 0 {
				x = fmt.Sprintf("(%s << %du)", x, bit%32)
			}
			parts = append(parts, x)
		}
		bit += int(fd.Bits)
	}
	return strings.Join(parts, " | ")
}

// encodeField is x in the low n bits of a u32. Integers saturate, normalized
// values are rounded to nearest (D3D11 functional specification, format conversion).
func encodeField(t dxbc.ReturnType, x string, n int) string {
	mask := uint64(1)<<n - 1
	switch t {
	case dxbc.RetUint:
		if n == 32 {
			return x
		}
		return fmt.Sprintf("min(%s, %du)", x, mask)
	case dxbc.RetSint:
		if n == 32 {
			return "bitcast<u32>(" + x + ")"
		}
		return fmt.Sprintf("(bitcast<u32>(clamp(%s, -%d, %d)) & 0x%xu)", x, mask/2+1, mask/2, mask)
	case dxbc.RetUnorm:
		return fmt.Sprintf("u32(saturate(%s) * %d.0 + 0.5)", x, mask)
	case dxbc.RetSnorm:
		return fmt.Sprintf("(bitcast<u32>(i32(round(clamp(%s, -1.0, 1.0) * %d.0))) & 0x%xu)", x, mask/2, mask)
	}
	switch n {
	case 32:
		return "bitcast<u32>(" + x + ")"
	case 16:
		return fmt.Sprintf("(pack2x16float(vec2<f32>(%s, 0.0)) & 0xffffu)", x)
	}
	return fmt.Sprintf("((pack2x16float(vec2<f32>(max(%s, 0.0), 0.0)) & 0x7fffu) >> %du)", x, 15-n)
}
