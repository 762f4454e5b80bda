package dxbc

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Bytes returns the payload of the signature chunk that [ParseSignature] reads.
// System values that the compiler leaves to the semantic name (targets and
// depth) are 0 in the file.
func (s *Signature) Bytes() []byte {
	stride, lead := 24, 0
	switch s.Tag {
	case "OSG5":
		stride, lead = 28, 4
	case "ISG1", "OSG1", "PSG1":
		stride, lead = 32, 4
	}
	le := binary.LittleEndian
	b := make([]byte, 8+stride*len(s.Elements))
	le.PutUint32(b, uint32(len(s.Elements)))
	le.PutUint32(b[4:], 8)
	names := map[string]uint32{}
	for i := range s.Elements {
		e := &s.Elements[i]
		off, ok := names[e.Name]
		if !ok {
			off = uint32(len(b))
			names[e.Name] = off
			b = append(append(b, e.Name...), 0)
		}
		r := b[8+stride*i:]
		if lead > 0 {
			le.PutUint32(r, e.Stream)
			if stride == 32 {
				le.PutUint32(r[28:], uint32(e.Min))
			}
			r = r[lead:]
		}
		sys := e.SysValue
		if sys >= SysTarget && sysFromSemantic()[strings.ToLower(e.Name)] == sys {
			sys = 0
		}
		le.PutUint32(r, off)
		le.PutUint32(r[4:], e.Index)
		le.PutUint32(r[8:], sys)
		le.PutUint32(r[12:], e.CompType)
		le.PutUint32(r[16:], e.Register)
		r[20], r[21] = e.Mask, e.RWMask
	}
	for len(b)%4 != 0 {
		b = append(b, 0xab)
	}
	return b
}

// headerSignatures reads the signature tables of a header comment. given is
// false where the text has none.
func headerSignatures(text string) (in, out, patch *Signature, given bool, err error) {
	hull := false
	for _, line := range strings.Split(text, "\n") {
		if v, ok := parseProfile(strings.TrimSpace(line)); ok {
			hull = ProgramKind(v>>16) == Hull
			break
		}
	}
	in, out = &Signature{Tag: "ISGN"}, &Signature{Tag: "OSGN"}
	var cur *Signature
	output := false
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimRight(line, "\r")
		if !strings.HasPrefix(line, "//") {
			break // the program starts
		}
		switch line {
		case "// Input signature:":
			cur, given, output = in, true, false
			continue
		case "// Output signature:":
			cur, given, output = out, true, true
			continue
		case "// Patch Constant signature:":
			patch = &Signature{Tag: "PCSG"}
			cur, given, output = patch, true, hull
			continue
		}
		body := strings.TrimPrefix(line, "// ")
		switch {
		case cur == nil || line == "//" && len(cur.Elements) == 0 || strings.HasPrefix(body, "Name ") || strings.HasPrefix(body, "---"):
			continue
		case line == "//" || strings.HasPrefix(body, "no "):
			cur = nil
			continue
		}
		e, ok := parseSigRow(body, output)
		if !ok {
			return nil, nil, nil, false, &AsmError{n + 1, 1, "this row of a signature cannot be read"}
		}
		cur.Elements = append(cur.Elements, e)
	}
	for _, s := range []*Signature{in, out, patch} {
		if s != nil {
			s.chooseTag()
		}
	}
	return in, out, patch, given, nil
}

// chooseTag takes the form with streams or minimum precision where one is needed.
func (s *Signature) chooseTag() {
	for i := range s.Elements {
		if s.Elements[i].Min != MinDefault {
			s.Tag = s.Tag[:3] + "1"
			if s.Tag == "PCS1" {
				s.Tag = "PSG1"
			}
			return
		}
	}
	if s.Tag == "OSGN" && streams(s) {
		s.Tag = "OSG5"
	}
}

// parseSigRow reads a row of a signature table, whose mask columns have fixed
// places behind the name and the index.
func parseSigRow(row string, output bool) (SigElement, bool) {
	var e SigElement
	f := strings.Fields(row)
	if len(f) < 5 {
		return e, false
	}
	e.Name = f[0]
	if m, name, ok := strings.Cut(e.Name, ":"); ok && len(m) > 1 && m[0] == 'm' {
		if v, err := strconv.ParseUint(m[1:], 10, 32); err == nil {
			e.Stream, e.Name = uint32(v), name
		}
	}
	index, err := strconv.ParseUint(f[1], 10, 32)
	if err != nil {
		return e, false
	}
	e.Index = uint32(index)
	// The index ends at column 26 unless name or index are longer.
	at := strings.Index(row, f[0]) + len(f[0])
	at += strings.Index(row[at:], f[1]) + len(f[1])
	rest := row[at:]
	if strings.HasPrefix(strings.TrimSpace(rest), "N/A") {
		if len(f) < 7 {
			return e, false
		}
		e.Register, e.Mask = NoRegister, 1
		e.SysValue, _ = sysByName(f[4])
		if !e.format(f[5]) {
			return e, false
		}
		e.setUsed(output, map[bool]uint8{true: 1}[f[6] == "YES"])
		return e, true
	}
	if len(rest) < 7 {
		return e, false
	}
	mask, ok := columnMask(rest[3:7])
	if !ok {
		return e, false
	}
	e.Mask = mask
	f = strings.Fields(rest[7:])
	if len(f) < 3 {
		return e, false
	}
	reg, err := strconv.ParseUint(f[0], 10, 32)
	if err != nil {
		return e, false
	}
	e.Register = uint32(reg)
	if e.SysValue, ok = sysByName(f[1]); !ok || !e.format(f[2]) {
		return e, false
	}
	used := uint8(0)
	for _, w := range f[3:] {
		m, ok := maskOf(w)
		if !ok {
			return e, false
		}
		used |= m
	}
	e.setUsed(output, used)
	return e, true
}

func (e *SigElement) setUsed(output bool, used uint8) {
	e.RWMask = used
	if output {
		e.RWMask = ^used & 15
	}
}

func (e *SigElement) format(w string) bool {
	if k := slices.Index(compTypeNames[:], w); k >= 0 {
		e.CompType = uint32(k)
		return true
	}
	m := slices.Index(minNames[:], w)
	if m < 0 || w == "" {
		return false
	}
	e.Min = MinPrecision(m)
	e.CompType = map[MinPrecision]uint32{Min16F: 3, Min2_8F: 3, Min16I: 2, Min16U: 1}[e.Min]
	return true
}

func sysByName(w string) (uint32, bool) {
	for v, n := range sigSysNames() {
		if n == w {
			return v, true
		}
	}
	return 0, false
}

// columnMask reads "xy w" with a column for each component.
func columnMask(cols string) (uint8, bool) {
	var m uint8
	for c := range 4 {
		switch cols[c] {
		case letterOf[c]:
			m |= 1 << c
		case ' ':
		default:
			return 0, false
		}
	}
	return m, true
}

// deriveSignatures makes signatures from declarations: TEXCOORD with the
// register's number, SV_Target for pixel outputs, or what a system name says.
func (p *Program) deriveSignatures() (in, out, patch *Signature) {
	in, out = &Signature{Tag: "ISGN"}, &Signature{Tag: "OSGN"}
	phase, stream := OpNop, uint32(0)
	type key struct {
		sig    *Signature
		reg    uint32
		stream uint32
		sys    uint32
	}
	rows := map[key]int{}
	for i := range p.Instrs {
		ins := &p.Instrs[i]
		switch ins.Op {
		case OpHsControlPointPhase, OpHsForkPhase, OpHsJoinPhase:
			phase = ins.Op
			continue
		case OpDclStream:
			stream = ins.Operands[0].Index(0).Imm
			continue
		case OpDclInput, OpDclInputSgv, OpDclInputSiv, OpDclInputPs, OpDclInputPsSgv, OpDclInputPsSiv, OpDclOutput, OpDclOutputSgv, OpDclOutputSiv:
		default:
			continue
		}
		o := &ins.Operands[0]
		var sig *Signature
		output := false
		switch o.Reg {
		case RegInput, RegInputControlPoint, RegInputCoverage, RegInnerCoverage:
			sig = in
		case RegOutput, RegOutputDepth, RegOutputCoverageMask, RegOutputDepthGE, RegOutputDepthLE, RegOutputStencilRef:
			sig, output = out, true
			if p.Kind == Hull && (phase == OpHsForkPhase || phase == OpHsJoinPhase) {
				sig = nil
			}
		case RegPatchConstant:
		default:
			continue
		}
		if sig == nil {
			if patch == nil {
				patch = &Signature{Tag: "PCSG"}
			}
			sig, output = patch, p.Kind == Hull
		}
		e := p.element(ins, o, output)
		e.Stream = 0
		if output && p.Kind == Geometry {
			e.Stream = stream
		}
		k := key{sig, e.Register, e.Stream, e.SysValue}
		if at, ok := rows[k]; ok && e.Register != NoRegister {
			// The same register again: vertices of a patch, or a second phase.
			sig.Elements[at].Mask |= e.Mask
			sig.Elements[at].setUsed(output, sig.Elements[at].Mask)
			continue
		}
		rows[k] = len(sig.Elements)
		sig.Elements = append(sig.Elements, e)
	}
	for _, s := range []*Signature{in, out, patch} {
		if s != nil {
			s.chooseTag()
		}
	}
	return in, out, patch
}

// element makes the signature row of a declaration.
func (p *Program) element(in *Instr, o *Operand, output bool) SigElement {
	e := SigElement{Register: NoRegister, Mask: o.written(), CompType: 3, Min: o.Min}
	if numbered(o.Reg) && o.NumIndex > 0 {
		e.Register = o.LastIndex().Imm
	}
	e.Name, e.Index = "TEXCOORD", e.Register
	if output && p.Kind == Pixel {
		e.Name, e.SysValue = "SV_Target", SysTarget
	}
	if name, sys, compType, ok := o.Reg.Special(); ok {
		e.Name, e.Index, e.SysValue, e.CompType = name, 0, sys, compType
	}
	if in.Decl.SysName != 0 {
		names := [...]string{1: "SV_Position", "SV_ClipDistance", "SV_CullDistance", "SV_RenderTargetArrayIndex", "SV_ViewportArrayIndex",
			"SV_VertexID", "SV_PrimitiveID", "SV_InstanceID", "SV_IsFrontFace", "SV_SampleIndex"}
		sys, _ := tokenSys(in.Decl.SysName)
		e.SysValue, e.Index = sys, 0
		switch {
		case int(sys) < len(names):
			e.Name = names[sys]
			if sys >= 4 {
				e.CompType = 1
			}
			if sys == 2 || sys == 3 {
				e.Index = e.Register
			}
		case sys == 12 || sys == 14:
			e.Name, e.Index = "SV_InsideTessFactor", in.Decl.SysName%2
		default:
			e.Name, e.Index = "SV_TessFactor", e.Register
		}
	}
	e.setUsed(output, e.Mask)
	return e
}

// String prints a row for messages: "TEXCOORD2 (v2.xy)".
func (e *SigElement) String() string {
	return fmt.Sprintf("%s%d (register %d, %s)", e.Name, e.Index, int32(e.Register), maskText(e.Mask))
}
