package qualify

import (
	"slices"
	"strconv"
	"strings"
)

// File is the result of one file. Everything in it but Path follows from the file's
// content and the options.
type File struct {
	Path   string `json:"path"` // as the source named it, raw
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"` // bytes
	Kind   string `json:"kind"` // effect, program, package, or other
	Status Status `json:"status"`
	// Diagnostics are those of the file as a whole: why it could not be read, and
	// findings in an effect or package. Those of stages are in Units.
	Diagnostics []Diag `json:"diagnostics,omitempty"`

	Effect   *Effect    `json:"effect,omitempty"`
	Bodies   []Body     `json:"bodies,omitempty"` // an effect's, by first occurrence; a program has one
	Units    []*Unit    `json:"units,omitempty"`  // distinct passes by content, by first occurrence
	Programs []*Program `json:"programs,omitempty"`
	Package  *Package   `json:"package,omitempty"` // what `fxlens build` makes of the default permutation
}

// Diag is a diagnostic without the place of its pass, which the unit's users know.
type Diag struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`         // note, warning, error
	Stage    string `json:"stage,omitempty"`  // "ps"; empty: the pass or file
	Instr    *int   `json:"instr,omitempty"`  // instruction index
	Offset   *int   `json:"offset,omitempty"` // byte, where there is no instruction
	Message  string `json:"message"`
	Remedy   string `json:"remedy,omitempty"` // of errors
}

// Axis is one permutation axis of an effect.
type Axis struct {
	Name    string   `json:"name"`
	Default int      `json:"default"`
	Type    uint8    `json:"type"` // 0 static, 1 dynamic
	Options []string `json:"options"`
}

// Effect is what the header audit of the corpus needs to know.
type Effect struct {
	Version         uint32 `json:"version"`
	CompilerVersion string `json:"compilerVersion,omitempty"`
	SourceHash      string `json:"sourceHash,omitempty"`
	Axes            []Axis `json:"axes"`
	Permutations    int    `json:"permutations"`
	Default         int    `json:"default"`       // the permutation of all defaults
	Records         int    `json:"uniqueRecords"` // distinct body ranges
	Contents        int    `json:"uniqueBodies"`  // distinct body contents
	All             Counts `json:"all"`           // over all bodies qualified
	Selected        Counts `json:"selected"`      // of the default permutation
}

// Options returns the options of a permutation as links write them:
// "QUALITY=HIGH&SKINNED=ON", percent-escaped.
func (e *Effect) Options(perm int) string {
	var b strings.Builder
	for i, a := range e.Axes {
		if i > 0 {
			b.WriteByte('&')
		}
		n := max(1, len(a.Options))
		b.WriteString(escape(a.Name))
		b.WriteByte('=')
		if k := perm % n; k < len(a.Options) {
			b.WriteString(escape(a.Options[k]))
		}
		perm /= n
	}
	return b.String()
}

// escape writes a name for a link, by the rule of session.Escape: letters, digits, "_",
// "-" and "." stay.
func escape(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-', c == '.':
			b.WriteByte(c)
		default:
			b.WriteString("%" + hex[c>>4:c>>4+1] + hex[c&15:c&15+1])
		}
	}
	return b.String()
}

// Counts are totals of reflected records, in the words of the compatibility document.
type Counts struct {
	Techniques   int `json:"techniques"`
	Passes       int `json:"passes"`
	Stages       int `json:"stages"`
	Libraries    int `json:"libraries"`
	Constants    int `json:"constants"`
	Resources    int `json:"resources"`
	Samplers     int `json:"samplers"`
	UAVs         int `json:"uavs"`
	RenderStates int `json:"renderStates"`
	DefaultBytes int `json:"constantDefaultBytes"`
}

func (c *Counts) add(o Counts) {
	c.Techniques += o.Techniques
	c.Passes += o.Passes
	c.Stages += o.Stages
	c.Libraries += o.Libraries
	c.Constants += o.Constants
	c.Resources += o.Resources
	c.Samplers += o.Samplers
	c.UAVs += o.UAVs
	c.RenderStates += o.RenderStates
	c.DefaultBytes += o.DefaultBytes
}

// Body is one distinct body.
type Body struct {
	Key string `json:"key"` // "body0", by first occurrence
	// SHA256 is of the body's bytes: an identity inside its effect only, since its
	// references are offsets into the effect's string table.
	SHA256       string     `json:"sha256,omitempty"`
	Permutations []int      `json:"permutations"`
	Status       Status     `json:"status"`
	Passes       []BodyPass `json:"passes"`
}

// BodyPass is one pass, or one ray tracing library, of a body.
type BodyPass struct {
	Technique string `json:"technique"`
	Nth       int    `json:"nth,omitempty"` // how many techniques before it have the name
	Pass      int    `json:"pass"`
	Library   bool   `json:"library,omitempty"`
	Unit      int    `json:"unit"` // index into File.Units
}

// Text is the pass as links write it: "Main/0", "Main~2/0".
func (p BodyPass) Text() string {
	s := escape(p.Technique)
	if p.Nth > 0 {
		s += "~" + strconv.Itoa(p.Nth+1)
	}
	if p.Library {
		return s + "/lib" + strconv.Itoa(p.Pass)
	}
	return s + "/" + strconv.Itoa(p.Pass)
}

// Unit is the result for one distinct pass: what `fxlens wgsl` says about it.
type Unit struct {
	// Key is the digest of the programs, the names that reach the output, the proofs
	// and the options: equal keys mean equal results, in whatever effect.
	Key         string    `json:"key"`
	Status      Status    `json:"status"`
	Stages      []Stage   `json:"stages"`
	Diagnostics []Diag    `json:"diagnostics,omitempty"` // of the pass and its stages
	Layout      string    `json:"layoutSha256,omitempty"`
	Bindings    []Binding `json:"bindings,omitempty"`
	Transforms  int       `json:"transforms,omitempty"`
}

// Stage is one stage of a unit.
type Stage struct {
	Stage     string         `json:"stage"`   // "ps", or "lib"
	Program   string         `json:"program"` // SHA-256 of the container
	Status    Status         `json:"status"`
	WGSL      string         `json:"wgslSha256,omitempty"`
	WGSLBytes int            `json:"wgslBytes,omitempty"`
	Features  []string       `json:"features,omitempty"`
	Language  []string       `json:"languageFeatures,omitempty"`
	Limits    map[string]int `json:"limits,omitempty"`
}

// Binding is one slot of a unit's plan.
type Binding struct {
	Identity   string   `json:"identity"`
	Kind       string   `json:"kind"`
	Register   uint32   `json:"register"`
	Space      uint32   `json:"space"`
	Group      int      `json:"group"`
	Binding    int      `json:"binding"`
	Name       string   `json:"name,omitempty"`
	Type       string   `json:"type"`
	Visibility []string `json:"visibility"`
	Format     string   `json:"format,omitempty"`
	FormatFrom string   `json:"formatFrom,omitempty"`
}

// Program is what a program says by itself.
type Program struct {
	SHA256       string     `json:"sha256"`
	Size         int        `json:"size"`    // bytes of the container
	Profile      string     `json:"profile"` // "ps_5_0"; empty where it cannot be decoded
	Instructions int        `json:"instructions"`
	Opcodes      []OpCount  `json:"opcodes,omitempty"`
	Resources    []Resource `json:"resources,omitempty"`
}

// OpCount counts the uses of an opcode on one dimension of resource.
type OpCount struct {
	Op    string `json:"op"`
	Dim   string `json:"dim,omitempty"` // "texturecubearray"; empty without resource
	Count int    `json:"count"`
}

// Resource is a declaration of a program.
type Resource struct {
	Class    string `json:"class"` // b, s, t, u
	Register uint32 `json:"register"`
	Last     uint32 `json:"last"` // of a range; 4294967295: unbounded
	Space    uint32 `json:"space"`
	Kind     string `json:"kind"` // the declaration's opcode: dcl_resource_structured
	Dim      string `json:"dim,omitempty"`
	Stride   uint32 `json:"stride,omitempty"` // bytes
	Size     uint32 `json:"size,omitempty"`   // rows of a constant buffer
}

// Package is the package that `fxlens build` would write.
type Package struct {
	Profile string `json:"profile,omitempty"` // empty: none could be built
	SHA256  string `json:"sha256,omitempty"`
	Size    int    `json:"size,omitempty"`
	Reason  string `json:"reason,omitempty"` // why not the strict profile, or none
}

// Use is one place of a file where a unit is used.
type Use struct {
	Body *Body
	Pass BodyPass
}

// Uses returns the first use of every unit, by index.
func (f *File) Uses() []Use {
	out := make([]Use, len(f.Units))
	for i := range f.Bodies {
		b := &f.Bodies[i]
		for _, p := range b.Passes {
			if p.Unit >= 0 && p.Unit < len(out) && out[p.Unit].Body == nil {
				out[p.Unit] = Use{b, p}
			}
		}
	}
	return out
}

// Link returns the link to a place in the file: stage and instruction may be "" and nil.
func (f *File) Link(u Use, stage string, instr *int) string {
	s := f.Path
	if f.Effect == nil || u.Body == nil || len(u.Body.Permutations) == 0 {
		if instr != nil {
			s += "#@" + strconv.Itoa(*instr)
		}
		return s
	}
	if o := f.Effect.Options(u.Body.Permutations[0]); o != "" {
		s += "?" + o
	}
	s += "#" + u.Pass.Text()
	if stage != "" && !u.Pass.Library {
		s += "/" + stage
	}
	if instr != nil {
		s += "@" + strconv.Itoa(*instr)
	}
	return s
}

// BodyOf returns the body of a permutation, or nil.
func (f *File) BodyOf(perm int) *Body {
	for i := range f.Bodies {
		if _, ok := slices.BinarySearch(f.Bodies[i].Permutations, perm); ok {
			return &f.Bodies[i]
		}
	}
	return nil
}

// Selected returns the status of the body that the default permutation has, which is
// what the peer's counters count.
func (f *File) Selected() Status {
	if f.Effect == nil {
		return f.Status
	}
	if b := f.BodyOf(f.Effect.Default); b != nil {
		return b.Status
	}
	return f.Status
}
