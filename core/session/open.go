package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/effect"
	"fxlens/core/pack/carbon"
)

// ErrUnknown marks a file of a kind that fxlens does not read.
var ErrUnknown = errors.New("not a file that fxlens reads")

// Expected says what Open reads, for messages.
const Expected = "compiled effects of version 8 to 15, DXBC shaders (shader model 4.0 to 5.1), CEWGPU packages and Carbon WebGPU containers"

// OpenError says why a file cannot be opened.
type OpenError struct {
	Name   string // of the file, raw
	What   string // what the bytes seem to be, with article: "a Direct3D 9 effect"; empty if unknown
	Reason string // what is wrong with it
	Remedy string // what to do
	Err    error  // *effect.Error, *dxbc.Error, *cewgpu.InvalidError, *carbon.InvalidError or ErrUnknown
}

func (e *OpenError) Error() string {
	s := e.Name + ": " + e.Reason
	if e.Remedy != "" && e.Remedy != "none" {
		s += "; " + e.Remedy
	}
	return s
}

// Unwrap returns the cause.
func (e *OpenError) Unwrap() error { return e.Err }

var (
	codeBareTokens = diag.Register(diag.Info{
		Code:   "session.bare-tokens",
		Title:  "the file is a program without its container",
		Rule:   "a shader is a DXBC container whose chunks name inputs and outputs; a bare SHDR or SHEX payload is read as if it had no signatures",
		Remedy: "take the whole container (it begins with DXBC) where it is to be had",
	})
	codeFromHeader = diag.Register(diag.Info{
		Code:   "session.c-header",
		Title:  "the file is C source with the shader as an array of bytes",
		Rule:   "fxc /Fh writes a shader as a C array; fxlens reads the bytes of the array, and offsets count in them",
		Remedy: "none",
	})
)

// Open recognises data and reads it: compiled effects, DXBC shaders (bare, as
// tokens without container, or as the C array of fxc /Fh), CEWGPU packages and Carbon
// WebGPU containers.
// It keeps data, which must not be changed afterwards. It fails with an
// *OpenError that says what the file is, what is wrong and what was expected.
func Open(name string, data []byte, opt compile.Options) (*Session, error) {
	s := &Session{Name: name, Data: data, SHA256: sha256.Sum256(data), Options: opt, compiler: new(compile.Compiler), known: new(known)}
	kind := dxbc.Sniff(data)
	var err error
	switch {
	case len(data) == 0:
		return nil, &OpenError{name, "", "the file is empty", "fxlens reads " + Expected, ErrUnknown}
	case bytes.HasPrefix(data, []byte("CWGP")):
		err = s.openPackage()
	case kind.Kind == dxbc.KindDXBC || kind.Kind == dxbc.KindDXIL || kind.Kind == dxbc.KindContainer || bytes.HasPrefix(data, []byte("DXBC")):
		err = s.openProgram(data, kind.Text)
	case kind.Kind == dxbc.KindTokens:
		err = s.openTokens(kind.Text)
	case kind.Kind == dxbc.KindCHeader:
		err = s.openHeader(kind.Text)
	case kind.Kind == dxbc.KindUnknown && carbon.Sniff(data):
		err = s.openContainer()
	case kind.Kind == dxbc.KindUnknown && looksLikeEffect(data):
		err = s.openEffect()
	default:
		err = unknown(name, data, kind)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// looksLikeEffect reports whether the first word may be an effect's version. No
// other binary file that is known here starts with so small a number.
func looksLikeEffect(b []byte) bool {
	if len(b) < 4 {
		return false
	}
	v := binary.LittleEndian.Uint32(b)
	return v > 0 && v < 0x20
}

func (s *Session) openEffect() error {
	e, err := effect.Parse(s.Data)
	if err != nil {
		o := &OpenError{Name: s.Name, What: "a compiled effect", Reason: "not a valid compiled effect: " + err.Error(), Err: err}
		var ee *effect.Error
		if errors.As(err, &ee) {
			o.Remedy = ee.Diag().Remedy
		}
		return o
	}
	s.Kind, s.Effect = EffectFile, e
	s.ofEffect = sync.OnceValue(e.AllFindings)
	return nil
}

// openProgram reads a container. what describes it for messages.
func (s *Session) openProgram(container []byte, what string) error {
	p, err := dxbc.OpenToList(container)
	if err != nil {
		o := &OpenError{Name: s.Name, What: what, Reason: err.Error(), Err: err}
		var de *dxbc.Error
		if errors.As(err, &de) {
			switch {
			case errors.Is(de, dxbc.ErrUnsupported), errors.Is(de, dxbc.ErrMissing):
				o.Remedy = "fxlens reads " + Expected
				if !strings.Contains(what, "without a program") && what != "" {
					o.Reason = "this is " + what + ": " + de.Error()
				}
			default:
				o.Remedy = "the file is damaged or cut off: compare it with the original, or compile the shader again"
			}
		}
		return o
	}
	s.Kind, s.Program, s.container = ProgramFile, p, container
	s.said = append(s.said, p.Diags...)
	s.said = append(s.said, p.Check()...)
	return nil
}

func (s *Session) openTokens(what string) error {
	tag := "SHEX"
	if v := s.Data[0]; v < 0x50 {
		tag = "SHDR"
	}
	b, err := dxbc.Build([]dxbc.Chunk{{Tag: tag, Data: s.Data}}, false)
	if err != nil {
		return &OpenError{Name: s.Name, What: what, Reason: err.Error(), Remedy: "fxlens reads " + Expected, Err: err}
	}
	if err := s.openProgram(b, what); err != nil {
		return err
	}
	s.said = append(s.said, diag.New(diag.Note, codeBareTokens, diag.Loc{}, "this is %s: it has no signatures", what))
	return nil
}

func (s *Session) openHeader(what string) error {
	arrays, err := dxbc.ParseArrays(s.Data)
	if err != nil {
		return &OpenError{Name: s.Name, What: what, Reason: err.Error(), Remedy: "fxlens reads " + Expected, Err: err}
	}
	for _, a := range arrays {
		inner := dxbc.Sniff(a.Data)
		if inner.Kind != dxbc.KindDXBC {
			continue
		}
		if err := s.openProgram(a.Data, inner.Text); err != nil {
			return err
		}
		s.said = append(s.said, diag.New(diag.Note, codeFromHeader, diag.Loc{},
			"the shader is the array %q, %d bytes", a.Name, len(a.Data)))
		return nil
	}
	e := unknown(s.Name, arrays[0].Data, dxbc.Sniff(arrays[0].Data))
	e.What, e.Reason = what, fmt.Sprintf("the array %q is no DXBC shader: %s", arrays[0].Name, e.Reason)
	return e
}

// unknown names what the bytes are as far as their first ones tell.
func unknown(name string, data []byte, kind dxbc.Kind) *OpenError {
	what, remedy := kind.Text, "fxlens reads "+Expected
	if what == "" {
		what = magicOf(data)
	}
	if what == "" {
		n := min(len(data), 4)
		e := &OpenError{name, "", fmt.Sprintf("unknown kind of file (it begins with % x)", data[:n]), remedy, ErrUnknown}
		if found := dxbc.Scan(data); len(found) > 0 {
			e.Remedy = fmt.Sprintf("there are %d DXBC containers inside, the first at byte %#x: see `fxlens scan`", len(found), found[0].Offset)
		}
		return e
	}
	switch kind.Kind {
	case dxbc.KindD3D9, dxbc.KindD3D9Effect:
		remedy = "compile it for shader model 4 or 5: " + remedy
	case dxbc.KindListing:
		remedy = "make a container of it with `fxlens asm`: " + remedy
	}
	return &OpenError{name, what, "this is " + what, remedy, ErrUnknown}
}

// magics are the first bytes of files that are easily taken for shaders.
var magics = []struct{ prefix, what string }{
	{"\x7fELF", "an ELF object file"},
	{"MZ", "a Windows executable"},
	{"PK\x03\x04", "a ZIP archive"},
	{"\x1f\x8b", "gzip-compressed data"},
	{"DDS ", "a DDS texture"},
	{"\x89PNG", "a PNG image"},
	{"\x28\xb5\x2f\xfd", "zstd-compressed data"},
	{"glTF", "a glTF model"},
	{"XSHD", "a MonoGame shader"},
	{"MGFX", "a MonoGame effect"},
	{"FXLC", "a Direct3D 9 preshader"},
}

func magicOf(b []byte) string {
	for _, m := range magics {
		if bytes.HasPrefix(b, []byte(m.prefix)) {
			return m.what
		}
	}
	head := b[:min(len(b), 512)]
	for len(head) > 0 && !utf8.Valid(head) && len(b) > len(head) && len(head) > 508 {
		head = head[:len(head)-1] // a character may be cut
	}
	if bytes.IndexByte(head, 0) >= 0 || !utf8.Valid(head) {
		return ""
	}
	text := strings.TrimSpace(string(head))
	switch {
	case strings.HasPrefix(text, "{"), strings.HasPrefix(text, "["):
		return "text, probably JSON"
	case strings.Contains(text, "@vertex"), strings.Contains(text, "@fragment"), strings.Contains(text, "@compute"), strings.Contains(text, "@group("):
		return "WGSL source"
	case strings.Contains(text, "cbuffer"), strings.Contains(text, "SV_"), strings.Contains(text, "technique"), strings.Contains(text, "#pragma"), strings.Contains(text, "#include"):
		return "shader source text, not compiled"
	}
	return "text"
}
