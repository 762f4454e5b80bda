package effect

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
)

// ProgramKind says what the bytes of a program are.
type ProgramKind uint8

// The program kinds.
const (
	ProgramEmpty ProgramKind = iota
	ProgramDXBC              // a container with shader model 4 or 5 tokens
	ProgramDXIL              // a container with shader model 6 bitcode
	ProgramOther             // no such container: another platform, or damaged
)

var programNames = []string{"empty", "dxbc", "dxil", "other"}

func (k ProgramKind) String() string { return name(programNames, k, "program") }

// MarshalText makes JSON print the word.
func (k ProgramKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads the word back.
func (k *ProgramKind) UnmarshalText(b []byte) error {
	i := slices.Index(programNames, string(b))
	if i < 0 {
		return fmt.Errorf("unknown program kind %q", b)
	}
	*k = ProgramKind(i)
	return nil
}

// ProgramInfo is what the container's first look tells about a program.
type ProgramInfo struct {
	Kind         ProgramKind
	Major, Minor uint8     // shader model, DXBC only
	Stage        StageType // DXBC only
}

// Model returns "5.0", or "" if it is not known.
func (p ProgramInfo) Model() string {
	if p.Kind != ProgramDXBC {
		return ""
	}
	return strconv.Itoa(int(p.Major)) + "." + strconv.Itoa(int(p.Minor))
}

// the stage of a program by the kind in its version token
var tokenStages = [...]StageType{Pixel, Vertex, Geometry, Hull, Domain, Compute}

// LookAtProgram recognises a program by its container header and the first dword of
// its code. It checks nothing else; decoding is package dxbc's work.
func LookAtProgram(b []byte) ProgramInfo {
	if len(b) == 0 {
		return ProgramInfo{}
	}
	other := ProgramInfo{Kind: ProgramOther}
	if len(b) < 32 || string(b[:4]) != "DXBC" {
		return other
	}
	le := binary.LittleEndian
	n := uint64(le.Uint32(b[28:]))
	for i := range min(n, uint64(len(b)-32)/4) {
		off := uint64(le.Uint32(b[32+4*i:]))
		if off+8 > uint64(len(b)) {
			return other
		}
		switch string(b[off : off+4]) {
		case "DXIL":
			return ProgramInfo{Kind: ProgramDXIL}
		case "SHDR", "SHEX":
			if off+12 > uint64(len(b)) {
				return other
			}
			v := le.Uint32(b[off+8:])
			if v>>16 >= uint32(len(tokenStages)) {
				return other
			}
			return ProgramInfo{ProgramDXBC, uint8(v >> 4 & 15), uint8(v & 15), tokenStages[v>>16]}
		}
	}
	return other
}
