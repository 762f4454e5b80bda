package dxbc

import (
	"errors"
	"strings"

	"fxlens/core/diag"
)

// Shader is everything that is known about one shader.
type Shader struct {
	Container      *Container
	Program        *Program
	Code           *Chunk     // the chunk that Program came from
	In, Out, Patch *Signature // nil where the container has none
	RDEF           *Reflection
	Stat           *Stat
	Features       uint64 // SFI0
	Interfaces     *Interfaces
	Diags          []diag.Diag
}

// OpenOptions changes what [OpenWith] accepts.
type OpenOptions struct {
	Decode DecodeOptions
}

var (
	codeListedOnly = diag.Register(diag.Info{
		Code:   "dxbc.listed-only",
		Title:  "a program can be listed but not understood",
		Rule:   "no compiler makes opcodes, indices or modifiers that the format reserves; a listing prints them as Microsoft's disassembler does, and nothing else is made of them",
		Remedy: "compile the shader again; if a compiler made these bytes, send us the file",
	})
	codeTwoPrograms = diag.Register(diag.Info{
		Code:   "dxbc.two-programs",
		Title:  "a container holds both SHEX and SHDR",
		Rule:   "Direct3D 11 reads SHEX where both exist",
		Remedy: "none",
	})
	codeSurplus = diag.Register(diag.Info{
		Code:   "dxbc.surplus",
		Title:  "a code chunk is longer than its program",
		Rule:   "the second word of a program is its length; what follows it is ignored",
		Remedy: "none",
	})
	codeReflection = diag.Register(diag.Info{
		Code:   "dxbc.bad-chunk",
		Title:  "a chunk beside the program cannot be read",
		Rule:   "reflection, statistics and class linkage describe the program and do not change it, so the program is read without them",
		Remedy: "compile the shader again, or strip the chunk (fxlens chunks)",
	})
)

// refusedChunks make a container something else than an SM4 or SM5 shader.
var refusedChunks = []struct{ tag, why string }{
	{"DXIL", "the shader is DXIL (shader model 6), not DXBC: compile it for a profile up to 5_1"},
	{"ILDB", "the shader is DXIL with debug information (shader model 6), not DXBC: compile it for a profile up to 5_1"},
}

// withoutCode says what a container without a program is, by a chunk that it has.
var withoutCode = []struct{ tag, why string }{
	{"FX10", "this is an effect of the effects framework (fx_4_0, fx_5_0): its shaders are containers inside it, see scan"},
	{"LIBF", "this is a shader library (lib_4_0, lib_5_0): it has functions and no entry point"},
	{"LIBH", "this is a shader library (lib_4_0, lib_5_0): it has functions and no entry point"},
	{"XNAS", "this holds console microcode, not a Direct3D program"},
	{"XNAP", "this holds console microcode, not a Direct3D program"},
	{"Aon9", "this holds only a Direct3D 9 program for feature level 9"},
	{"RTS0", "this is a serialized root signature without a program"},
}

// Open reads a container and decodes its parts. What prevents reading the
// program or its signatures is an [*Error]; flaws of reflection and other
// companions are diagnostics.
func Open(b []byte) (*Shader, error) { return OpenWith(b, OpenOptions{}) }

// OpenToList is [Open] for those who only list a program: what cannot be understood
// but can be printed (reserved opcodes, 64-bit indices, modifiers and precisions
// without a meaning) is kept, and the shader's Diags say what that is.
func OpenToList(b []byte) (*Shader, error) {
	s, err := Open(b)
	if !errors.Is(err, ErrUnsupported) {
		return s, err
	}
	s, terr := OpenWith(b, OpenOptions{Decode: DecodeOptions{Tolerant: true}})
	if terr != nil {
		return nil, err
	}
	at := diag.Loc{}
	var e *Error
	if errors.As(err, &e) {
		at = diag.AtOffset(e.Offset)
	}
	s.Diags = append(s.Diags, diag.New(diag.Error, codeListedOnly, at, "%v", err))
	return s, nil
}

// OpenWith is [Open] with options.
func OpenWith(b []byte, o OpenOptions) (*Shader, error) {
	c, err := Parse(b)
	if err != nil {
		return nil, err
	}
	for _, r := range refusedChunks {
		if ch := c.Chunk(r.tag); ch != nil {
			e := fail(ErrUnsupported, ch.Offset, "%s", r.why)
			e.Chunk = ch.Tag
			return nil, e
		}
	}
	s := &Shader{Container: c, Diags: c.Diags}
	if s.Code = c.Chunk("SHEX", "SHDR"); s.Code == nil {
		for _, r := range withoutCode {
			if ch := c.Chunk(r.tag); ch != nil {
				e := fail(ErrUnsupported, ch.Offset, "%s", r.why)
				e.Chunk = ch.Tag
				return nil, e
			}
		}
		return nil, fail(ErrMissing, headerSize, "the container has no SHEX or SHDR chunk, only %s", orNone(c.String()))
	}
	if other := c.Chunk("SHDR"); other != nil && other != s.Code {
		s.Diags = append(s.Diags, diag.New(diag.Note, codeTwoPrograms, diag.AtOffset(other.Offset),
			"the container has SHEX at byte %#x and SHDR at byte %#x; SHEX is used", s.Code.Offset, other.Offset))
	}
	if s.Program, err = DecodeWith(s.Code.Data, o.Decode); err != nil {
		return nil, err.(*Error).in(s.Code)
	}
	if extra := len(s.Code.Data) - 4*len(s.Program.Words); extra > 0 {
		s.Diags = append(s.Diags, diag.New(diag.Note, codeSurplus, diag.AtOffset(s.Code.Offset+chunkHeader+4*len(s.Program.Words)),
			"%d bytes after the program are ignored", extra))
	}
	for _, g := range []struct {
		to   **Signature
		tags []string
	}{
		{&s.In, []string{"ISG1", "ISGN"}}, {&s.Out, []string{"OSG1", "OSG5", "OSGN"}}, {&s.Patch, []string{"PSG1", "PCSG"}},
	} {
		if ch := c.Chunk(g.tags...); ch != nil {
			sig, err := parseSignature(ch.Tag, ch.Data)
			if err != nil {
				return nil, err.in(ch)
			}
			*g.to = sig
		}
	}
	s.companions()
	return s, nil
}

// companions reads the chunks that describe the program without changing it.
func (s *Shader) companions() {
	report := func(ch *Chunk, err *Error) {
		e := err.in(ch)
		s.Diags = append(s.Diags, diag.New(diag.Warning, codeReflection, diag.AtOffset(e.Offset), "%s is ignored: %s", describe(ch.Tag), e.Reason))
	}
	var err *Error
	if ch := s.Container.Chunk("RDEF"); ch != nil {
		if s.RDEF, err = parseRDEF(ch.Data); err != nil {
			s.RDEF = nil
			report(ch, err)
		}
	}
	if ch := s.Container.Chunk("STAT"); ch != nil {
		if s.Stat, err = parseStat(ch.Data); err != nil {
			report(ch, err)
		}
	}
	if ch := s.Container.Chunk("IFCE"); ch != nil {
		if s.Interfaces, err = parseInterfaces(ch.Data); err != nil {
			report(ch, err)
		}
	}
	if ch := s.Container.Chunk("SFI0"); ch != nil {
		if len(ch.Data) < 8 {
			report(ch, fail(ErrTruncated, len(ch.Data), "feature flags have 8 bytes, %d are here", len(ch.Data)))
		} else {
			s.Features = uint64(u32(ch.Data, 0)) | uint64(u32(ch.Data, 4))<<32
		}
	}
}

func orNone(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}

// Profile returns the target of the program: "ps_5_0".
func (p *Program) Profile() string {
	var b strings.Builder
	b.WriteString(p.Kind.String())
	b.WriteByte('_')
	b.WriteByte('0' + p.Major)
	b.WriteByte('_')
	b.WriteByte('0' + p.Minor)
	return b.String()
}

// SM51 reports whether operands have the form of shader model 5.1, with ranges.
func (p *Program) SM51() bool { return p.Major == 5 && p.Minor >= 1 }
