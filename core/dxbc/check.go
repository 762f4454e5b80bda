package dxbc

import (
	"fmt"
	"math/bits"
	"strings"

	"fxlens/core/diag"
)

// The codes of [Shader.Check].
var (
	codeUndeclared = register("undeclared", "an instruction uses a register that is not declared",
		"every register, buffer, resource and sampler is declared before the instructions, with the components that are used",
		"the bytecode was patched or damaged: compile the shader again")
	codeIndexRange = register("index-range", "an index lies outside what is declared",
		"constant buffers, arrays, ranges and immediate constants have a declared size; Direct3D reads zero or anything outside",
		"correct the index in the source of the shader")
	codeTwice = register("duplicate-declaration", "something is declared twice",
		"a register is declared once in a program, or once in each phase of a hull program",
		"the bytecode was patched or damaged: compile the shader again")
	codeOperand = register("operand-kind", "an operand is not of the kind that the instruction takes",
		"each opcode takes registers of certain files, and each load and store a resource of its kind",
		"the bytecode was patched or damaged: compile the shader again")
	codeSignature = register("signature", "declarations and signature differ",
		"each input and output that is declared has a row in the signature with its register and components",
		"the container was put together from parts of different shaders: take the signature of this program")
	codeStat = register("stat", "STAT and the program differ",
		"STAT holds counts that the compiler took of the same program",
		"none: the statistics change nothing; the program may have been patched after compiling")
	codeReserved = register("reserved-bits", "reserved bits of a token are set",
		"bits without a meaning are zero in everything that Microsoft's compiler makes",
		"none: they are ignored")
	codeTrailing = register("trailing-words", "an instruction is longer than its operands",
		"the length field covers the operands; the compiler itself adds a word to samplepos and to samples with a level clamp",
		"none: the words are skipped")
	codePrecise = register("precise", "a precise mask covers lanes that are not written",
		"bits 19 to 22 of an instruction mark lanes of its destination as precise",
		"none: the surplus lanes have no effect")
	codeStage = register("stage", "an opcode does not exist in this kind of program",
		"each opcode belongs to certain shader models and stages",
		"compile the shader for the profile that it is used as")
	codeKind = register("stage-kind", "an effect calls a program something else than it is",
		"the effect names the stage of each shader, the version token of the program names its kind",
		"the effect was put together wrongly: compile it again")
	codeLimits = register("limits", "a declaration passes a limit of Direct3D",
		"the functional specification bounds registers, buffers, thread groups and groupshared memory",
		"reduce what the message names in the source of the shader")
	codeFlow = register("flow", "control flow is not well formed",
		"if, loop and switch nest and are closed by endif, endloop and endswitch; break and continue stand inside them",
		"the bytecode was patched or damaged: compile the shader again")
	codeEncoding = register("encoding", "an instruction has a form that no compiler makes",
		"64-bit indices, unknown modifiers and precisions, and reserved opcodes have no defined meaning",
		"the bytecode was patched or damaged: compile the shader again")
	codeRDEF = register("reflection-mismatch", "RDEF and the program differ",
		"RDEF describes the program beside it: its kind, its model and every resource that it binds",
		"the container was put together from parts of different shaders: strip RDEF, or take that of this program")
	codeMany = register("many", "a program has more findings than are listed",
		"a list ends after 1000 findings",
		"mend the first ones and check again")
)

func register(name, title, rule, remedy string) diag.Code {
	return diag.Register(diag.Info{Code: diag.Code("dxbc." + name), Title: title, Rule: rule, Remedy: remedy})
}

const maxFindings = 1000

// Check compares the parts of a shader with each other: operands with
// declarations, declarations with signatures, resources and limits, STAT with
// what was decoded, tokens with the bits that they may have. An Error means
// that no translation can be right; a Warning that something is odd and its
// meaning clear. The shaders that Microsoft's compiler makes have no findings
// above Note. The diagnostics of opening the shader are not repeated.
func (s *Shader) Check() []diag.Diag {
	c := checker{s: s, p: s.Program}
	c.declarations()
	c.program()
	c.signatures()
	c.statistics()
	c.reflection()
	if c.more > 0 {
		c.ds = append(c.ds, diag.New(diag.Note, codeMany, diag.Loc{}, "%d findings more are not listed", c.more))
	}
	return c.ds
}

// CheckStage compares the kind that an effect gives to a shader with the
// program's own: the two are equal, or there is one diagnostic that shows both.
func (p *Program) CheckStage(want ProgramKind) []diag.Diag {
	if p.Kind == want {
		return nil
	}
	return []diag.Diag{diag.New(diag.Error, codeKind, diag.Loc{}, "the effect says %s, the program is a %s program (%s)",
		want.Long(), p.Kind.Long(), p.Profile())}
}

// regKey is a declared input or output register.
type regKey struct {
	file RegType
	reg  uint32
}

// scope holds what a phase of a hull program declares for itself; other programs have one.
type scope struct {
	first   int // instruction
	temps   uint32
	arrays  map[uint32][2]uint32 // x#: elements, components
	masks   map[regKey]uint8
	special map[RegType]bool
	ranges  []indexRange
}

type indexRange struct {
	file         RegType
	first, count uint32
}

type checker struct {
	s    *Shader
	p    *Program
	ds   []diag.Diag
	more int

	scopes   []scope
	cur      *scope
	bound    map[regKey]*Instr // cb, t, s, u, g by slot or range ID
	labels   map[regKey]bool   // label#, fb#, ft#, fp#
	icb      int               // rows, -1 without
	vertices uint32            // of the input primitive or patch
	flags    uint32
}

func (c *checker) add(sev diag.Severity, code diag.Code, i int, format string, args ...any) {
	if len(c.ds) >= maxFindings {
		c.more++
		return
	}
	at := diag.Loc{}
	if i >= 0 {
		at = diag.At(i)
		at.Offset = 4*int(c.p.Instrs[i].Offset) + 1
	}
	c.ds = append(c.ds, diag.New(sev, code, at, format, args...))
}

// declarations collects what is declared and finds duplicates and limits.
func (c *checker) declarations() {
	c.bound, c.labels, c.icb = map[regKey]*Instr{}, map[regKey]bool{}, -1
	c.newScope(0)
	single := map[Op]int{}
	for i := range c.p.Instrs {
		in := &c.p.Instrs[i]
		switch in.Op {
		case OpHsControlPointPhase, OpHsForkPhase, OpHsJoinPhase:
			c.newScope(i)
		case OpCustomdata:
			if in.Custom.Class == CustomICB {
				if c.icb >= 0 {
					c.add(diag.Warning, codeTwice, i, "the program has two immediate constant buffers")
				}
				c.icb = len(in.Custom.Words) / 4
				if len(in.Custom.Words)%4 != 0 {
					c.add(diag.Warning, codeLimits, i, "the immediate constant buffer has %d words, not whole rows", len(in.Custom.Words))
				}
			}
		case OpLabel:
			o := in.Src(0)
			c.name(i, o.Reg, o.Index(0).Imm)
		}
		if in.Decl == nil {
			continue
		}
		c.declare(i, in)
		switch in.Op {
		case OpDclGlobalFlags, OpDclThreadGroup, OpDclInputprimitive, OpDclMaxout, OpDclGsinstances, OpDclTessellatorDomain,
			OpDclTessellatorPartitioning, OpDclTessellatorOutputPrimitive, OpDclInputControlPointCount, OpDclOutputControlPointCount:
			if j, dup := single[in.Op]; dup {
				c.add(diag.Warning, codeTwice, i, "%s is declared again; first in instruction %d", in.Op, j)
			}
			single[in.Op] = i
		}
	}
}

func (c *checker) newScope(first int) {
	c.scopes = append(c.scopes, scope{first: first, arrays: map[uint32][2]uint32{}, masks: map[regKey]uint8{}, special: map[RegType]bool{}})
	c.cur = &c.scopes[len(c.scopes)-1]
}

func (c *checker) name(i int, file RegType, n uint32) {
	k := regKey{file, n}
	if c.labels[k] {
		c.add(diag.Error, codeTwice, i, "%s%d is defined twice", file, n)
	}
	c.labels[k] = true
}

func (c *checker) limit(i int, what string, got, most uint32) {
	if got > most {
		c.add(diag.Warning, codeLimits, i, "%s: %d, the limit is %d", what, got, most)
	}
}

func (c *checker) declare(i int, in *Instr) {
	d, s := in.Decl, c.cur
	sm5 := c.p.Major >= 5
	switch in.Op {
	case OpDclGlobalFlags:
		c.flags |= d.Flags
	case OpDclTemps:
		if s.temps > 0 {
			c.add(diag.Warning, codeTwice, i, "dcl_temps is declared again")
		}
		s.temps = max(s.temps, d.Words[0])
		c.limit(i, "temporary registers", d.Words[0], 4096)
	case OpDclIndexableTemp:
		if _, dup := s.arrays[d.Words[0]]; dup {
			c.add(diag.Warning, codeTwice, i, "x%d is declared again", d.Words[0])
		}
		s.arrays[d.Words[0]] = [2]uint32{d.Words[1], d.Words[2]}
		c.limit(i, fmt.Sprintf("elements of x%d", d.Words[0]), d.Words[1], 4096)
		if n := d.Words[2]; n < 1 || n > 4 {
			c.add(diag.Error, codeLimits, i, "x%d has %d components, not 1 to 4", d.Words[0], n)
		}
	case OpDclIndexrange:
		o := &in.Operands[0]
		if o.NumIndex > 0 {
			s.ranges = append(s.ranges, indexRange{o.Reg, o.LastIndex().Imm, d.Words[0]})
		}
	case OpDclConstantbuffer, OpDclResource, OpDclResourceRaw, OpDclResourceStructured, OpDclUavTyped, OpDclUavRaw,
		OpDclUavStructured, OpDclSampler, OpDclTgsmRaw, OpDclTgsmStructured:
		c.bind(i, in)
	case OpDclInput, OpDclInputSgv, OpDclInputSiv, OpDclInputPs, OpDclInputPsSgv, OpDclInputPsSiv, OpDclOutput, OpDclOutputSgv, OpDclOutputSiv:
		c.inout(i, in)
	case OpDclInputprimitive:
		c.vertices = map[uint32]uint32{1: 1, 2: 2, 3: 3, 6: 4, 7: 6}[d.Words[0]]
		if p := d.Words[0]; p >= 8 && p <= 39 {
			c.vertices = p - 7
		}
		if c.vertices == 0 {
			c.add(diag.Warning, codeReserved, i, "input primitive %d is unknown", d.Words[0])
		}
	case OpDclInputControlPointCount:
		c.vertices = d.Words[0]
		c.limit(i, "input control points", d.Words[0], 32)
	case OpDclOutputControlPointCount:
		c.limit(i, "output control points", d.Words[0], 32)
	case OpDclMaxout:
		c.limit(i, "vertices that one invocation emits", d.Words[0], 1024)
	case OpDclGsinstances:
		c.limit(i, "instances", d.Words[0], 32)
	case OpDclStream:
		c.limit(i, "stream number", in.Operands[0].Index(0).Imm, 3)
	case OpDclThreadGroup:
		x, y, z := d.Words[0], d.Words[1], d.Words[2]
		most, deep := uint64(1024), uint32(64)
		if !sm5 {
			most, deep = 768, 1
		}
		if hi, lo := bits.Mul64(uint64(x)*uint64(y), uint64(z)); hi != 0 || lo > most || lo == 0 {
			c.add(diag.Warning, codeLimits, i, "a thread group of %d x %d x %d: 1 to %d threads are allowed", x, y, z, most)
		}
		c.limit(i, "depth of a thread group", z, deep)
	case OpDclFunctionBody:
		c.name(i, RegFunctionBody+numRegTypes, d.Words[0]) // the declaration, not the label
	case OpDclFunctionTable:
		c.name(i, RegFunctionTable, d.Words[0])
	case OpDclInterface:
		c.name(i, RegInterface, d.Words[0])
	}
}

// bind enters a resource, sampler, buffer or groupshared declaration.
func (c *checker) bind(i int, in *Instr) {
	o, d := &in.Operands[0], in.Decl
	want := map[Op]RegType{
		OpDclConstantbuffer: RegConstantBuffer, OpDclResource: RegResource, OpDclResourceRaw: RegResource, OpDclResourceStructured: RegResource,
		OpDclUavTyped: RegUAV, OpDclUavRaw: RegUAV, OpDclUavStructured: RegUAV, OpDclSampler: RegSampler,
		OpDclTgsmRaw: RegGroupShared, OpDclTgsmStructured: RegGroupShared,
	}[in.Op]
	if o.Reg != want {
		c.add(diag.Error, codeOperand, i, "%s declares a register of the file %s, not %s", in.Op, o.Reg, want)
		return
	}
	id, lo, hi := in.Range()
	k := regKey{o.Reg, id}
	if c.bound[k] != nil {
		c.add(diag.Warning, codeTwice, i, "%s%d is declared again", o.Reg, id)
	}
	c.bound[k] = in
	if c.p.SM51() && want != RegGroupShared {
		if hi < lo {
			c.add(diag.Error, codeLimits, i, "range %d goes from %d down to %d", id, lo, hi)
		}
	} else {
		most := map[RegType]uint32{RegConstantBuffer: 14, RegSampler: 16, RegResource: 128, RegUAV: 64}[want]
		if most > 0 && id >= most {
			c.add(diag.Warning, codeLimits, i, "%s%d: the highest slot is %d", o.Reg, id, most-1)
		}
	}
	switch in.Op {
	case OpDclConstantbuffer:
		c.limit(i, "rows of the constant buffer", d.Size, 4096)
	case OpDclResource, OpDclUavTyped:
		if d.Dim < DimBuffer || d.Dim > DimTextureCubeArray {
			c.add(diag.Error, codeReserved, i, "dimension %d is no texture and no typed buffer", d.Dim)
		}
		for _, r := range d.Return {
			if r < RetUnorm || r > RetUnused {
				c.add(diag.Warning, codeReserved, i, "component type %d is unknown", r)
				break
			}
		}
	case OpDclResourceStructured, OpDclUavStructured:
		if d.Stride == 0 || d.Stride%4 != 0 || d.Stride > 2048 {
			c.add(diag.Warning, codeLimits, i, "a structure of %d bytes: 4 to 2048 in steps of 4 are allowed", d.Stride)
		}
	case OpDclTgsmRaw, OpDclTgsmStructured:
		size := uint64(d.Size)
		if in.Op == OpDclTgsmStructured {
			size *= uint64(d.Stride)
		}
		most := uint64(32768)
		if c.p.Major < 5 {
			most = 16384
		}
		if size > most || size == 0 || size%4 != 0 {
			c.add(diag.Warning, codeLimits, i, "groupshared memory of %d bytes: 4 to %d in steps of 4 are allowed", size, most)
		}
	}
}

// numbered register files are declared register by register.
func numbered(r RegType) bool {
	switch r {
	case RegInput, RegOutput, RegInputControlPoint, RegOutputControlPoint, RegPatchConstant:
		return true
	}
	return false
}

// written returns the components that a destination or declaration names.
func (o *Operand) written() uint8 {
	switch o.Mode {
	case CompMask:
		return o.Mask
	case CompOne:
		return 1
	case CompNone:
		return 15
	}
	var m uint8
	for _, s := range o.Swizzle {
		m |= 1 << s
	}
	return m
}

func (c *checker) inout(i int, in *Instr) {
	o, s := &in.Operands[0], c.cur
	if !numbered(o.Reg) {
		if s.special[o.Reg] && o.Reg != RegNull {
			c.add(diag.Warning, codeTwice, i, "%s is declared again", o.Reg)
		}
		s.special[o.Reg] = true
		return
	}
	if o.NumIndex == 0 {
		c.add(diag.Error, codeOperand, i, "%s declares %s without a number", in.Op, o.Reg)
		return
	}
	k := regKey{o.Reg, o.LastIndex().Imm}
	m := o.written()
	// Streams of a geometry program share register numbers.
	if s.masks[k]&m != 0 && c.p.Kind != Geometry {
		c.add(diag.Warning, codeTwice, i, "%s%d.%s is declared again", o.Reg, k.reg, maskText(s.masks[k]&m))
	}
	s.masks[k] |= m
	c.limit(i, "register number", k.reg, 31)
}

func maskText(m uint8) string { return strings.ReplaceAll(maskColumns(m), " ", "") }

// program checks every instruction.
func (c *checker) program() {
	next := 0
	var flow []Op
	for i := range c.p.Instrs {
		for next < len(c.scopes) && c.scopes[next].first <= i {
			c.cur = &c.scopes[next]
			next++
		}
		in := &c.p.Instrs[i]
		c.token(i, in)
		if in.Op == OpCustomdata || !in.Op.Valid() {
			continue
		}
		row := in.Op.row()
		// Feature level 11.1 has memory writes in every stage, 11.2 feedback.
		wider := row.Flags&(FlagFeedback|FlagLoad|FlagAtomic) != 0 || strings.ContainsAny(row.Out, "UW")
		if !row.Stages.Has(c.p.Kind) && !(wider && c.p.Major >= 5) {
			c.add(diag.Warning, codeStage, i, "%s does not exist in a %s program, only in %s", in.Op, c.p.Kind.Long(), row.Stages)
		}
		if since := row.Since; since == 50 && c.p.Major < 5 && row.Flags&(FlagLoad|FlagSide|FlagDecl) == 0 {
			c.add(diag.Warning, codeStage, i, "%s exists from shader model 5.0 on, the program is %s", in.Op, c.p.Profile())
		}
		if row.Flags&FlagDecl != 0 {
			continue
		}
		c.precise(i, in)
		for j := range in.Operands {
			c.operand(i, in, j)
		}
		c.resource(i, in, row)
		flow = c.flow(i, in, flow)
	}
	if len(flow) > 0 {
		c.add(diag.Error, codeFlow, len(c.p.Instrs)-1, "the program ends inside %s", flow[len(flow)-1])
	}
}

const maxFlow = 64

func (c *checker) flow(i int, in *Instr, st []Op) []Op {
	top := func() Op {
		if len(st) == 0 {
			return OpNop
		}
		return st[len(st)-1]
	}
	inside := func(ops ...Op) bool {
		for _, s := range st {
			for _, o := range ops {
				if s == o {
					return true
				}
			}
		}
		return false
	}
	closes := func(op Op) {
		if top() != op {
			c.add(diag.Error, codeFlow, i, "%s without a matching %s", in.Op, op)
			return
		}
		st = st[:len(st)-1]
	}
	switch in.Op {
	case OpIf, OpLoop, OpSwitch:
		if len(st) == maxFlow {
			c.add(diag.Warning, codeLimits, i, "control flow nests deeper than %d", maxFlow)
		}
		st = append(st, in.Op)
	case OpElse:
		if top() != OpIf {
			c.add(diag.Error, codeFlow, i, "else without a matching if")
			break
		}
		st[len(st)-1] = OpElse
	case OpEndif:
		if top() == OpElse {
			st[len(st)-1] = OpIf
		}
		closes(OpIf)
	case OpEndloop:
		closes(OpLoop)
	case OpEndswitch:
		closes(OpSwitch)
	case OpCase, OpDefault:
		if top() != OpSwitch {
			c.add(diag.Error, codeFlow, i, "%s outside of a switch", in.Op)
		}
	case OpBreak, OpBreakc:
		if !inside(OpLoop, OpSwitch) {
			c.add(diag.Error, codeFlow, i, "%s outside of a loop or switch", in.Op)
		}
	case OpContinue, OpContinuec:
		if !inside(OpLoop) {
			c.add(diag.Error, codeFlow, i, "%s outside of a loop", in.Op)
		}
	case OpLabel, OpHsDecls, OpHsControlPointPhase, OpHsForkPhase, OpHsJoinPhase:
		if len(st) > 0 {
			c.add(diag.Error, codeFlow, i, "%s inside of %s", in.Op, top())
			st = st[:0]
		}
	}
	return st
}

func (c *checker) precise(i int, in *Instr) {
	if in.Precise == 0 {
		return
	}
	if in.NumDst == 0 {
		c.add(diag.Warning, codePrecise, i, "%s writes nothing and has the precise mask %s", in.Op, maskText(in.Precise))
		return
	}
	var m uint8
	for d := range int(in.NumDst) {
		if o := in.Dst(d); o.Reg != RegNull {
			m |= o.written()
		}
	}
	if extra := in.Precise &^ m; extra != 0 {
		c.add(diag.Warning, codePrecise, i, "precise(%s) covers %s, which is not written", maskText(in.Precise), maskText(extra))
	}
}
