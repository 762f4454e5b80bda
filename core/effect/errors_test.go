package effect_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/diag"
	"fxlens/core/effect"
)

// file is the bytes of an effect to damage.
type file struct {
	t testing.TB
	b []byte
}

func built(t testing.TB, m *effect.Model) *file {
	t.Helper()
	b, err := effect.BuildUnchecked(m)
	require.NoError(t, err)
	return &file{t, b}
}

func (f *file) u32at(off int) int { return int(binary.LittleEndian.Uint32(f.b[off:])) }

func (f *file) axesAt() int { return 44 + f.u32at(40) }

// recordsAt is the offset of the body count.
func (f *file) recordsAt() int {
	at := f.axesAt()
	n := int(f.b[at])
	at++
	for range n {
		at += 11 + 4*int(f.b[at+10])
	}
	return at
}

// bodyAt is the offset of a permutation's body.
func (f *file) bodyAt(p int) int { return f.u32at(f.recordsAt() + 4 + 12*p + 4) }

// textAt is the string table offset of a text.
func (f *file) textAt(s string) int {
	i := bytes.Index(f.b[44:f.axesAt()], []byte(s+"\x00"))
	require.GreaterOrEqual(f.t, i, 0)
	return i
}

// refTo is the offset behind from of the first reference to a text.
func (f *file) refTo(from int, s string) int {
	i := bytes.Index(f.b[from:], binary.LittleEndian.AppendUint32(nil, uint32(f.textAt(s))))
	require.GreaterOrEqual(f.t, i, 0)
	return from + i
}

func (f *file) set8(off int, v uint8) *file {
	f.b[off] = v
	return f
}

func (f *file) set32(off int, v uint32) *file {
	binary.LittleEndian.PutUint32(f.b[off:], v)
	return f
}

// grow makes the one body of a file without axes longer or shorter.
func (f *file) grow(tail []byte, cut int) *file {
	size := f.recordsAt() + 12
	f.set32(size, uint32(f.u32at(size)+len(tail)-cut))
	f.b = append(f.b[:len(f.b)-cut], tail...)
	return f
}

func stages(s ...effect.Stage) *effect.Model {
	m := minimal()
	m.Bodies[0].Techniques[0].Passes[0].Stages = s
	return m
}

// TestErrors has one case for each check: what is damaged, and the message with
// path, offset and reason.
func TestErrors(t *testing.T) {
	many := func(n int) []uint8 {
		out := make([]uint8, n)
		for i := range out {
			out[i] = uint8(i)
		}
		return out
	}
	textures := func(regs ...uint8) (s effect.Stage) {
		for _, r := range regs {
			s.Textures = append(s.Textures, effect.Texture{Register: r, Name: "T", Type: effect.ResTexture2D})
		}
		return s
	}
	samplers := func(regs ...uint8) (s effect.Stage) {
		for _, r := range regs {
			s.Samplers = append(s.Samplers, effect.Sampler{Register: r, Name: "S"})
		}
		return s
	}
	uavs := func(regs ...uint8) (s effect.Stage) {
		for _, r := range regs {
			s.UAVs = append(s.UAVs, effect.UAV{Register: r, Name: "U"})
		}
		return s
	}
	states := func(n ...uint32) *effect.Model {
		m := minimal()
		for _, s := range n {
			m.Bodies[0].Techniques[0].Passes[0].States = append(m.Bodies[0].Techniques[0].Passes[0].States, effect.RenderState{State: s})
		}
		return m
	}
	groups := func(names ...string) *effect.Model {
		m := minimal()
		for _, n := range names {
			m.Bodies[0].Groups = append(m.Bodies[0].Groups, effect.ParameterGroup{Name: n})
		}
		return m
	}
	axes := func(a ...effect.Axis) *effect.Model {
		m := minimal()
		m.Axes = a
		n := 1
		for _, x := range a {
			n *= len(x.Options)
		}
		m.Bodies = slices.Repeat(m.Bodies, n)
		return m
	}
	library := func(l effect.Library) *effect.Model {
		m := minimal()
		m.Bodies[0].Techniques[0].Libraries = []effect.Library{l}
		return m
	}

	cases := []struct {
		name string
		make func() *file
		kind error
		want string
	}{
		// header
		{"empty file", func() *file { return &file{t, nil} }, effect.ErrTruncated,
			`header at byte 0 (0x0): truncated: version needs 4 bytes, 0 left`},
		{"another kind of file", func() *file { return &file{t, dxbc(0)} }, effect.ErrVersion,
			`header at byte 0 (0x0): unsupported version: version word 1128421444 (0x43425844), versions 8 to 15 are readable`},
		{"version 7", func() *file { return built(t, minimal()).set32(0, 7) }, effect.ErrVersion,
			`header at byte 0 (0x0): unsupported version: version word 7 (0x00000007), versions 8 to 15 are readable`},
		{"version 16", func() *file { return built(t, minimal()).set32(0, 16) }, effect.ErrVersion,
			`header at byte 0 (0x0): unsupported version: version word 16 (0x00000010), versions 8 to 15 are readable`},
		{"header cut", func() *file { f := built(t, minimal()); f.b = f.b[:39]; return f }, effect.ErrTruncated,
			`header at byte 4 (0x4): truncated: compiler version and source hash needs 36 bytes, 35 left`},
		{"table size cut", func() *file { f := built(t, minimal()); f.b = f.b[:42]; return f }, effect.ErrTruncated,
			`header at byte 40 (0x28): truncated: string table size needs 4 bytes, 2 left`},
		{"table passes the end", func() *file { return built(t, minimal()).set32(40, 0xffffffff) }, effect.ErrTruncated,
			`header at byte 40 (0x28): truncated: the string table of 4294967295 bytes passes the end of the file, 33 left`},
		{"no axis count", func() *file { f := built(t, minimal()); f.b = f.b[:f.axesAt()]; return f }, effect.ErrTruncated,
			`file at byte 49 (0x31): truncated: axis count needs 1 byte, 0 left`},
		// axes
		{"axes cut", func() *file { f := built(t, everything()); f.b = f.b[:f.axesAt()+20]; return f }, effect.ErrTruncated,
			`file at byte 532 (0x214): truncated: the count 2 (axis) needs at least 30 bytes, 19 left`},
		{"axis name past the table", func() *file { f := built(t, everything()); return f.set32(f.axesAt()+1, uint32(f.u32at(40))) }, effect.ErrString,
			`axis[0] at byte 533 (0x215): invalid string: axis name starts at 488, the string table has 488 bytes`},
		{"axis description past the table", func() *file { f := built(t, everything()); return f.set32(f.axesAt()+6, 0xffffffff) }, effect.ErrString,
			`axis[0] at byte 538 (0x21a): invalid string: axis description starts at 4294967295, the string table has 488 bytes`},
		{"default option", func() *file { f := built(t, everything()); return f.set8(f.axesAt()+5, 2) }, effect.ErrRange,
			`axis[0] at byte 537 (0x219): out of range: default option 2, the axis has 2 options`},
		{"no options", func() *file { f := built(t, everything()); return f.set8(f.axesAt()+11, 0) }, effect.ErrRange,
			`axis[0] at byte 543 (0x21f): out of range: the axis has no options`},
		{"options cut", func() *file {
			f := built(t, everything())
			f.b = f.b[:f.axesAt()+40]
			return f.set8(f.axesAt()+11, 200)
		}, effect.ErrTruncated,
			`axis[0] at byte 543 (0x21f): truncated: the count 200 (option) needs at least 800 bytes, 28 left`},
		{"option name past the table", func() *file { f := built(t, everything()); return f.set32(f.axesAt()+16, 0x10000) }, effect.ErrString,
			`axis[0].option[1] at byte 548 (0x224): invalid string: option name starts at 65536, the string table has 488 bytes`},
		{"option twice", func() *file { return built(t, axes(effect.Axis{Name: "A", Options: []string{"X", "Y", "X"}})) }, effect.ErrDuplicate,
			`axis[0].option[2] at byte 76 (0x4c): duplicate: option name "X" occurs twice, first as option[0]`},
		{"axis twice", func() *file {
			return built(t, axes(effect.Axis{Name: "A", Options: []string{"X"}}, effect.Axis{Name: "B", Options: []string{"X"}}, effect.Axis{Name: "A", Options: []string{"Y"}}))
		}, effect.ErrDuplicate,
			`axis[2] at byte 89 (0x59): duplicate: axis name "A" occurs twice, first as axis[0]`},
		{"too many permutations", func() *file {
			opts := make([]string, 16)
			for i := range opts {
				opts[i] = fmt.Sprintf("O%d", i)
			}
			var a []effect.Axis
			for i := range 4 {
				a = append(a, effect.Axis{Name: fmt.Sprintf("A%d", i), Options: opts})
			}
			f := built(t, axes(a...)) // exactly the limit
			at := f.recordsAt()
			extra := append(slices.Clone(f.b[f.axesAt()+1:f.axesAt()+1+11]), f.b[f.axesAt()+12:f.axesAt()+20]...)
			extra[10] = 2
			f.b = slices.Insert(f.b, at, extra...)
			return f.set8(f.axesAt(), 5).set32(at, uint32(f.textAt("Main")))
		}, effect.ErrTooMany,
			`axis[4] at byte 427 (0x1ab): too many: with this axis of 2 options there are 131072 permutations, at most 65536 are allowed`},
		// body table
		{"no body count", func() *file { f := built(t, minimal()); f.b = f.b[:f.recordsAt()+2]; return f }, effect.ErrTruncated,
			`records at byte 50 (0x32): truncated: body count needs 4 bytes, 2 left`},
		{"no bodies", func() *file { f := built(t, minimal()); return f.set32(f.recordsAt(), 0) }, effect.ErrRange,
			`records at byte 50 (0x32): out of range: 0 body records, the axes span 1 permutations`},
		{"bodies and axes differ", func() *file { f := built(t, everything()); return f.set32(f.recordsAt(), 5) }, effect.ErrRange,
			`records at byte 575 (0x23f): out of range: 5 body records, the axes span 6 permutations`},
		{"too many bodies", func() *file { f := built(t, minimal()); return f.set32(f.recordsAt(), 65537) }, effect.ErrTooMany,
			`records at byte 50 (0x32): too many: 65537 body records, at most 65536 are allowed`},
		{"body table cut", func() *file { f := built(t, everything()); f.b = f.b[:f.recordsAt()+40]; return f }, effect.ErrTruncated,
			`file at byte 575 (0x23f): truncated: the count 6 (record) needs at least 72 bytes, 36 left`},
		{"permutation index", func() *file { f := built(t, everything()); return f.set32(f.recordsAt()+4+24, 1) }, effect.ErrRange,
			`record[2] at byte 603 (0x25b): out of range: permutation index 1 at position 2`},
		{"body past the end", func() *file { f := built(t, minimal()); f.b = f.b[:len(f.b)-1]; return f }, effect.ErrRange,
			`record[0] at byte 58 (0x3a): out of range: body of 11 bytes at 66 passes the end of the file (76 bytes)`},
		{"body offset wraps", func() *file { f := built(t, minimal()); return f.set32(f.recordsAt()+8, 0xffffffff) }, effect.ErrRange,
			`record[0] at byte 58 (0x3a): out of range: body of 11 bytes at 4294967295 passes the end of the file (77 bytes)`},
		{"body without bytes", func() *file { f := built(t, minimal()); return f.set32(f.recordsAt()+12, 2) }, effect.ErrRange,
			`record[0] at byte 62 (0x3e): out of range: body size 2, a body has at least 3 bytes`},
		{"body in the header", func() *file { f := built(t, minimal()); return f.set32(f.recordsAt()+8, 44) }, effect.ErrOverlap,
			`record[0] at byte 58 (0x3a): overlapping ranges: the body at 44 overlaps the header, which ends at 66`},
		{"bodies overlap", func() *file {
			f := built(t, everything())
			at := f.recordsAt() + 4 + 12 + 4
			return f.set32(at, uint32(f.u32at(at)-1))
		}, effect.ErrOverlap,
			`record[1] at byte 595 (0x253): overlapping ranges: the body at 1263 to 1876 overlaps that of record 4 at 651 to 1264 without being the same range`},
		{"body inside another", func() *file {
			f := built(t, everything())
			at := f.recordsAt() + 4 + 24 + 8
			return f.set32(at, uint32(f.u32at(at)-1))
		}, effect.ErrOverlap,
			`record[0] at byte 583 (0x247): overlapping ranges: the body at 651 to 1264 overlaps that of record 2 at 651 to 1263 without being the same range`},
		{"gap between bodies", func() *file {
			f := built(t, everything())
			f.b = slices.Insert(f.b, f.bodyAt(1), 1, 2, 3)
			for p := 1; p < 6; p += 2 {
				f.set32(f.recordsAt()+8+12*p, uint32(f.bodyAt(p)+3))
			}
			return f
		}, effect.ErrTrailing,
			`record[1] at byte 1264 (0x4f0): trailing bytes: 3 bytes before the body at 1267, in no record`},
		{"gap before the bodies", func() *file {
			f := built(t, minimal())
			f.b = slices.Insert(f.b, f.bodyAt(0), 0)
			return f.set32(f.recordsAt()+8, uint32(f.bodyAt(0)+1))
		}, effect.ErrTrailing,
			`record[0] at byte 66 (0x42): trailing bytes: 1 byte before the body at 67, in no record`},
		{"bytes after the last body", func() *file { f := built(t, minimal()); f.b = append(f.b, 0); return f }, effect.ErrTrailing,
			`file at byte 77 (0x4d): trailing bytes: 1 byte after the last body`},
		// body
		{"bytes after the body's records", func() *file { return built(t, minimal()).grow([]byte{0, 0}, 0) }, effect.ErrTrailing,
			`body[0] at byte 77 (0x4d): trailing bytes: 2 bytes after the body's last record`},
		{"group count cut", func() *file { return built(t, minimal()).grow(nil, 1) }, effect.ErrTruncated,
			`body[0] at byte 75 (0x4b): truncated: parameter group count needs 2 bytes, 1 left`},
		{"techniques cut", func() *file { f := built(t, minimal()); return f.set8(f.bodyAt(0), 3) }, effect.ErrTruncated,
			`body[0] at byte 66 (0x42): truncated: the count 3 (technique) needs at least 18 bytes, 10 left`},
		{"technique name past the table", func() *file { f := built(t, minimal()); return f.set32(f.bodyAt(0)+1, uint32(f.u32at(40))) }, effect.ErrString,
			`body[0].technique[0] at byte 67 (0x43): invalid string: technique name starts at 5, the string table has 5 bytes`},
		{"technique name without end", func() *file { f := built(t, minimal()); return f.set8(f.axesAt()-1, 'n') }, effect.ErrString,
			`body[0].technique[0] at byte 67 (0x43): invalid string: technique name at 0 has no terminator inside the string table of 5 bytes`},
		{"too many passes", func() *file {
			m := minimal()
			m.Bodies[0].Techniques[0].Passes = make([]effect.Pass, 65)
			return built(t, m)
		}, effect.ErrTooMany,
			`body[0].technique[0] at byte 71 (0x47): too many: 65 passes, at most 64 are allowed`},
		{"too many stages", func() *file { return built(t, stages(make([]effect.Stage, 7)...)) }, effect.ErrTooMany,
			`body[0].technique[0].pass[0] at byte 72 (0x48): too many: 7 stages, at most 6 are allowed`},
		{"stage type", func() *file { return built(t, stages(effect.Stage{Type: 6})) }, effect.ErrRange,
			`body[0].technique[0].pass[0].stage[0] at byte 73 (0x49): out of range: stage type 6, the last known is 5`},
		{"stage twice", func() *file {
			return built(t, stages(effect.Stage{Type: effect.Pixel}, effect.Stage{}, effect.Stage{Type: effect.Pixel}))
		}, effect.ErrDuplicate,
			`body[0].technique[0].pass[0].stage[2] at byte 153 (0x99): duplicate: the pass has two pixel stages`},
		{"too many states", func() *file { return built(t, states(make([]uint32, 65)...)) }, effect.ErrTooMany,
			`body[0].technique[0].pass[0] at byte 73 (0x49): too many: 65 render states, at most 64 are allowed`},
		{"state twice", func() *file { return built(t, states(7, 22, 22)) }, effect.ErrDuplicate,
			`body[0].technique[0].pass[0].state[2] at byte 90 (0x5a): duplicate: render state 22 occurs twice`},
		{"too many groups", func() *file { f := built(t, minimal()); return f.set8(len(f.b)-1, 2) }, effect.ErrTooMany,
			`body[0] at byte 75 (0x4b): too many: 512 parameter groups, at most 256 are allowed`},
		{"group twice", func() *file { return built(t, groups("A", "B", "C", "B")) }, effect.ErrDuplicate,
			`body[0].group[2] at byte 93 (0x5d): duplicate: parameter group "B" occurs twice, first as group[1]`},
		{"group twice, at another place of the table", func() *file {
			f := built(t, groups("ain", "C"))
			return f.set32(f.bodyAt(0)+11, uint32(f.textAt("Main")+1))
		}, effect.ErrDuplicate,
			`body[0].group[1] at byte 88 (0x58): duplicate: parameter group "ain" occurs twice, first as group[0]`},
		// stage
		{"program past the table", func() *file {
			f := built(t, stages(effect.Stage{Program: dxbc(1)}))
			return f.set32(f.bodyAt(0)+12, 10)
		}, effect.ErrRange,
			`body[0].technique[0].pass[0].stage[vs] at byte 130 (0x82): out of range: program: 52 bytes at 10 pass the end of the string table (57 bytes)`},
		{"program beyond any file", func() *file {
			f := built(t, stages(effect.Stage{Program: dxbc(1)}))
			return f.set32(f.bodyAt(0)+8, 0xfffffff0)
		}, effect.ErrRange,
			`body[0].technique[0].pass[0].stage[vs] at byte 130 (0x82): out of range: program: 4294967280 bytes at 0 pass the end of the string table (57 bytes)`},
		{"empty program past the table", func() *file { f := built(t, stages(effect.Stage{})); return f.set32(f.bodyAt(0)+12, 0x7fffffff) }, effect.ErrRange,
			`body[0].technique[0].pass[0].stage[vs] at byte 78 (0x4e): out of range: empty program at 2147483647, the string table has 5 bytes`},
		{"too many inputs", func() *file { return built(t, stages(effect.Stage{Inputs: make([]effect.PipelineInput, 65)})) }, effect.ErrTooMany,
			`body[0].technique[0].pass[0].stage[vs] at byte 94 (0x5e): too many: 65 pipeline inputs, at most 64 are allowed`},
		{"registers cut", func() *file { f := built(t, stages(effect.Stage{})); return f.set8(f.bodyAt(0)+29, 250) }, effect.ErrTruncated,
			`body[0].technique[0].pass[0].stage[vs] at byte 95 (0x5f): truncated: the count 250 (registers) needs at least 2500 bytes, 21 left`},
		{"static samplers cut", func() *file { f := built(t, stages(effect.Stage{})); return f.set8(f.bodyAt(0)+30, 250) }, effect.ErrTruncated,
			`body[0].technique[0].pass[0].stage[vs] at byte 96 (0x60): truncated: the count 250 (staticSamplers) needs at least 6750 bytes, 20 left`},
		{"constants cut", func() *file { f := built(t, stages(effect.Stage{})); return f.set32(f.bodyAt(0)+31, 0xffffffff) }, effect.ErrTruncated,
			`body[0].technique[0].pass[0].stage[vs] at byte 97 (0x61): truncated: the count 4294967295 (constants) needs at least 85899345900 bytes, 16 left`},
		{"constant name past the table", func() *file {
			f := built(t, everything())
			return f.set32(f.refTo(f.bodyAt(0), "Tint"), 0xfffffffe)
		}, effect.ErrString,
			`body[0].technique[0].pass[0].stage[vs].constants[1] at byte 1040 (0x410): invalid string: constant name starts at 4294967294, the string table has 488 bytes`},
		{"defaults past the table", func() *file {
			f := built(t, stages(effect.Stage{StageData: effect.StageData{Defaults: []byte{1, 2, 3, 4}}}))
			return f.set32(f.bodyAt(0)+35, 0x01000000)
		}, effect.ErrRange,
			`body[0].technique[0].pass[0].stage[vs] at byte 109 (0x6d): out of range: defaults: 16777216 bytes at 0 pass the end of the string table (9 bytes)`},
		{"too many textures", func() *file { return built(t, stages(textures(many(65)...))) }, effect.ErrTooMany,
			`body[0].technique[0].pass[0].stage[vs] at byte 111 (0x6f): too many: 65 textures, at most 64 are allowed`},
		{"texture twice", func() *file { return built(t, stages(textures(1, 200, 200))) }, effect.ErrDuplicate,
			`body[0].technique[0].pass[0].stage[vs].textures[2] at byte 136 (0x88): duplicate: register 200 occurs twice`},
		{"too many samplers", func() *file { return built(t, stages(samplers(many(65)...))) }, effect.ErrTooMany,
			`body[0].technique[0].pass[0].stage[vs] at byte 112 (0x70): too many: 65 samplers, at most 64 are allowed`},
		{"sampler twice", func() *file { return built(t, stages(samplers(0, 0))) }, effect.ErrDuplicate,
			`body[0].technique[0].pass[0].stage[vs].samplers[1] at byte 156 (0x9c): duplicate: register 0 occurs twice`},
		{"too many UAVs", func() *file { return built(t, stages(uavs(many(65)...))) }, effect.ErrTooMany,
			`body[0].technique[0].pass[0].stage[vs] at byte 113 (0x71): too many: 65 UAVs, at most 64 are allowed`},
		{"UAV twice", func() *file { return built(t, stages(uavs(63, 64, 127, 127))) }, effect.ErrDuplicate,
			`body[0].technique[0].pass[0].stage[vs].uavs[3] at byte 147 (0x93): duplicate: register 127 occurs twice`},
		{"annotation text past the table", func() *file {
			f := built(t, everything())
			return f.set32(f.refTo(f.bodyAt(1), "tile shading"), 0x00ffffff)
		}, effect.ErrString,
			`body[1].technique[0].pass[0].stage[ps].annotations[2] at byte 1570 (0x622): invalid string: annotation text starts at 16777215, the string table has 488 bytes`},
		// libraries
		{"libraries cut", func() *file { f := built(t, minimal()); return f.set8(f.bodyAt(0)+8, 1) }, effect.ErrTruncated,
			`body[0].technique[0] at byte 74 (0x4a): truncated: the count 1 (library) needs at least 56 bytes, 2 left`},
		{"exports cut", func() *file {
			f := built(t, library(effect.Library{}))
			return f.set32(f.bodyAt(0)+9+12, 0xffffffff)
		}, effect.ErrTruncated,
			`body[0].technique[0].library[0] at byte 88 (0x58): truncated: the count 4294967295 (exports) needs at least 21474836475 bytes, 42 left`},
		{"hit group past the table", func() *file {
			f := built(t, library(effect.Library{HitGroupName: "Hit"}))
			return f.set32(f.bodyAt(0)+9+16, 0x00ffffff)
		}, effect.ErrString,
			`body[0].technique[0].library[0] at byte 95 (0x5f): invalid string: hit group name starts at 16777215, the string table has 9 bytes`},
		{"UAV of a library twice", func() *file {
			l := effect.Library{}
			l.Local.UAVs = uavs(3, 3).UAVs
			return built(t, library(l))
		}, effect.ErrDuplicate,
			`body[0].technique[0].library[0].local.uavs[1] at byte 144 (0x90): duplicate: register 3 occurs twice`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := c.make()
			e, err := effect.Parse(f.b)
			require.Error(t, err)
			assert.Nil(t, e)
			require.ErrorIs(t, err, c.kind)
			var typed *effect.Error
			require.ErrorAs(t, err, &typed)
			assert.Equal(t, c.want, err.Error())
			assert.GreaterOrEqual(t, typed.Offset, 0)
			assert.LessOrEqual(t, typed.Offset, len(f.b))
			d := typed.Diag()
			assert.Equal(t, diag.Error, d.Sev)
			assert.Equal(t, typed.Offset, d.At.ByteOffset())
			assert.NotEqual(t, "none", d.Remedy)
		})
	}
}

// TestErrorKinds checks that each kind is given, and that no error is of two.
func TestErrorKinds(t *testing.T) {
	kinds := []error{effect.ErrVersion, effect.ErrTruncated, effect.ErrRange, effect.ErrOverlap, effect.ErrTrailing,
		effect.ErrString, effect.ErrTooMany, effect.ErrDuplicate}
	for i, k := range kinds {
		e := &effect.Error{Offset: 4, Path: "header", Reason: "why", Kind: k}
		for j, other := range kinds {
			assert.Equal(t, i == j, errors.Is(e, other))
		}
	}
}

// Every prefix of a file is refused, with an offset inside of it.
func TestEveryTruncation(t *testing.T) {
	full := built(t, everything()).b
	_, err := effect.Parse(full)
	require.NoError(t, err)
	for n := range full {
		_, err := effect.Parse(full[:n:n])
		var e *effect.Error
		require.ErrorAs(t, err, &e, "%d bytes", n)
		assert.LessOrEqual(t, e.Offset, n)
	}
}
