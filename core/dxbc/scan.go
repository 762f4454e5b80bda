package dxbc

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// FileKind says what some bytes are.
type FileKind uint8

// The kinds that [Sniff] tells apart.
const (
	KindUnknown    FileKind = iota
	KindDXBC                // a container with an SM4 or SM5 program
	KindDXIL                // a container with an SM6 program
	KindContainer           // a container without either: a library, a root signature, an effect
	KindTokens              // a bare SM4 or SM5 program
	KindD3D9                // bytecode of a Direct3D 9 shader
	KindD3D9Effect          // a compiled Direct3D 9 effect (fx_2_0)
	KindCHeader             // a C array of bytes
	KindListing             // a disassembly
	KindBitcode             // LLVM bitcode without a container
	KindSPIRV
)

var fileKindNames = [...]string{
	"unknown", "dxbc", "dxil", "container", "tokens", "d3d9", "d3d9-effect", "c-header", "listing", "llvm-bitcode", "spir-v",
}

// String returns a short word: "dxbc", "d3d9-effect".
func (k FileKind) String() string { return fileKindNames[min(int(k), len(fileKindNames)-1)] }

// MarshalText makes JSON print the word.
func (k FileKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Kind is what [Sniff] found out.
type Kind struct {
	Kind FileKind
	Text string // for messages: "a Direct3D 9 pixel shader (ps_3_0)"
}

// Sniff says what b is from its first bytes and, for containers, its chunk
// tags. It never fails; what it does not know is KindUnknown.
func Sniff(b []byte) Kind {
	if len(b) >= headerSize && bytes.Equal(b[:4], magic) {
		return sniffContainer(b)
	}
	if len(b) >= 4 {
		switch w := binary.LittleEndian.Uint32(b); {
		case w>>16 == 0xfffe || w>>16 == 0xffff:
			if major, minor := w>>8&0xff, w&0xff; major >= 1 && major <= 3 && (minor <= 4 || minor == 0xff) {
				name, word := "vs", "vertex"
				if w>>16 == 0xffff {
					name, word = "ps", "pixel"
				}
				m := fmt.Sprint(minor)
				switch minor {
				case 0xff:
					m = "sw"
				case 1:
					if major == 2 {
						m = "x"
					}
				}
				return Kind{KindD3D9, fmt.Sprintf("a Direct3D 9 %s shader (%s_%d_%s)", word, name, major, m)}
			}
		case w == 0xfeff0901:
			return Kind{KindD3D9Effect, "a compiled Direct3D 9 effect (fx_2_0)"}
		case w == 0xbcf00bcf:
			// A wrapper of later D3DX versions: the effect follows after its own length.
			return Kind{KindD3D9Effect, "a compiled Direct3D 9 effect in its wrapper (fx_2_0)"}
		case w == 0x07230203:
			return Kind{KindSPIRV, "a SPIR-V module"}
		case w == 0xdec04342 || w == 0x0b17c0de:
			return Kind{KindBitcode, "LLVM bitcode"}
		}
		if len(b) >= 8 && tokensAt(b) {
			p := Program{Kind: ProgramKind(binary.LittleEndian.Uint16(b[2:])), Major: b[0] >> 4, Minor: b[0] & 15}
			return Kind{KindTokens, fmt.Sprintf("a bare %s program without container", p.Profile())}
		}
	}
	if text, ok := firstText(b); ok {
		switch {
		case isListing(text):
			return Kind{KindListing, "a disassembly"}
		case hasByteArray(b): // fxc puts the listing first, however long it is
			return Kind{KindCHeader, "C source with an array of bytes"}
		}
	}
	return Kind{}
}

// tokensAt reports whether b starts like a program whose length fits.
func tokensAt(b []byte) bool {
	ver, n := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
	if ver>>16 > uint32(Compute) || ver&0xff00 != 0 || n < 2 || uint64(n)*4 > uint64(len(b)) {
		return false
	}
	switch ver & 0xff {
	case 0x40, 0x41, 0x50, 0x51:
		return true
	}
	return false
}

// sniffContainer goes through the offset table without trusting it.
func sniffContainer(b []byte) Kind {
	n := min(binary.LittleEndian.Uint32(b[28:]), maxChunks)
	kind, text := KindContainer, "a DXBC container without a program"
	for i := range int(n) {
		at := headerSize + 4*i
		if at+4 > len(b) {
			break
		}
		off := binary.LittleEndian.Uint32(b[at:])
		if uint64(off)+4 > uint64(len(b)) {
			continue
		}
		switch tag := string(b[off : off+4]); tag {
		case "DXIL", "ILDB":
			return Kind{KindDXIL, "a DXIL shader (shader model 6)"}
		case "SHDR", "SHEX":
			kind, text = KindDXBC, "a DXBC shader"
			if uint64(off)+16 <= uint64(len(b)) {
				ver := binary.LittleEndian.Uint32(b[off+8:])
				p := Program{Kind: ProgramKind(min(ver>>16, 255)), Major: uint8(ver >> 4 & 15), Minor: uint8(ver & 15)}
				text = "a DXBC shader (" + p.Profile() + ")"
			}
		default:
			if kind == KindContainer {
				for _, w := range withoutCode {
					if w.tag == tag {
						text = "a DXBC container with " + describe(tag)
					}
				}
			}
		}
	}
	return Kind{kind, text}
}

// Embedded is a shader found inside other bytes.
type Embedded struct {
	Offset int // bytes from the start of what was scanned
	Size   int // bytes
	Kind   Kind
}

// Scan finds every DXBC container in b, whatever surrounds it: effect files,
// archives, caches, executables. Only containers whose chunk table is sound are
// listed, in order of their offsets; one inside another (an effect's shaders)
// follows the outer one. Direct3D 9 programs are found as containers' Aon9 only:
// without a container nothing marks where they end.
func Scan(b []byte) []Embedded {
	var out []Embedded
	for at := 0; ; {
		i := bytes.Index(b[at:], magic)
		if i < 0 {
			return out
		}
		at += i
		if size, ok := containerAt(b[at:]); ok {
			out = append(out, Embedded{Offset: at, Size: size, Kind: sniffContainer(b[at : at+size])})
		}
		at += len(magic)
	}
}

// containerAt reports whether a sound container starts at b, and its size. It
// looks only at the header and chunk headers, so that a scan stays linear.
func containerAt(b []byte) (int, bool) {
	if len(b) < headerSize || binary.LittleEndian.Uint32(b[20:]) != 1 {
		return 0, false
	}
	size := binary.LittleEndian.Uint32(b[24:])
	n := binary.LittleEndian.Uint32(b[28:])
	if uint64(size) > uint64(len(b)) || size > maxContainer || n > maxChunks || headerSize+4*uint64(n) > uint64(size) {
		return 0, false
	}
	end := headerSize + 4*uint64(n)
	for i := range int(n) {
		off := uint64(binary.LittleEndian.Uint32(b[headerSize+4*i:]))
		if off < end || off+chunkHeader > uint64(size) {
			return 0, false
		}
		end = off + chunkHeader + uint64(binary.LittleEndian.Uint32(b[off+4:]))
		if end > uint64(size) {
			return 0, false
		}
	}
	return int(size), true
}
