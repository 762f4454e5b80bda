package bundle

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"fxlens/core/diag"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/wgsl/layout"
)

// Profile says which readers a package is for.
type Profile string

// The profiles.
const (
	Generic  Profile = "generic"
	Extended Profile = "extended"
)

// The names of the formats in the documents.
const (
	format       = "FXLENS_SWITCH_VARIANTS"
	modulesName  = "FXLENS_WGSL_MODULES"
	version      = 1
	extendedKind = "wgsl-variants-x1"
)

// MaxModules is how many bytes of WGSL all modules of a package have at most when each is
// written out.
const MaxModules = 64 << 20

// Package is the content of a package.
type Package struct {
	Graph    string    `json:"graph"`  // the graph's or effect's name
	Source   string    `json:"source"` // graph, or effect
	Switches []Switch  `json:"switches"`
	Shaders  []Shader  `json:"shaders"`
	Variants []Variant `json:"variants"`
	Modules  []Module  `json:"-"`

	index map[string]int // of Modules by text, as Add knows them
}

// Switch is a switch: its label, its members, and whether it is a bool.
type Switch struct {
	Label   string   `json:"label"`
	Bool    bool     `json:"bool,omitempty"`
	Members []Member `json:"members"`
}

// Member is one value; 0 is the default.
type Member struct {
	Name  string `json:"name"`
	Value int    `json:"value"`
}

// Shader is what all variants of a shader have in common.
type Shader struct {
	Label    string    `json:"label"`
	Type     string    `json:"type"`     // image, compute
	Switches []string  `json:"switches"` // labels of those that it depends on
	Bindings []Binding `json:"bindings,omitempty"`
	Targets  []Target  `json:"targets,omitempty"`
	Depth    *Depth    `json:"depth,omitempty"`
}

// Target is a colour target.
type Target struct {
	Format string `json:"format"`
	Blend  string `json:"blend,omitempty"`
}

// Depth is the depth and stencil state.
type Depth struct {
	Format  string `json:"format"`
	Write   bool   `json:"write"`
	Compare string `json:"compare,omitempty"`
}

// Binding is one slot: exactly one of Buffer, Texture, Sampler and Storage is set.
type Binding struct {
	Name       string                 `json:"name"`
	Group      int                    `json:"group"`
	Binding    int                    `json:"binding"`
	Type       string                 `json:"type"` // of the variable, in WGSL
	Visibility []string               `json:"visibility"`
	Default    string                 `json:"default,omitempty"` // what stands in where nothing is bound
	Buffer     *layout.Buffer         `json:"buffer,omitempty"`
	Texture    *layout.Texture        `json:"texture,omitempty"`
	Sampler    *layout.SamplerState   `json:"sampler,omitempty"`
	Storage    *layout.StorageTexture `json:"storageTexture,omitempty"`
}

// Variant is a shader for a set.
type Variant struct {
	Label   string            `json:"label"` // "Shade [shadow=Virtual]"
	Shader  int               `json:"shader"`
	Set     string            `json:"set"`              // "shadow=Virtual"; empty: all defaults
	Values  map[string]string `json:"values,omitempty"` // member by label of what is not at its default
	Modules []Stage           `json:"modules"`
	// Bindings are those of the variant where they are its own: those of an effect's pass
	// depend on its code.
	Bindings []Binding `json:"bindings,omitempty"`
}

// Stage is a module in a use.
type Stage struct {
	Stage      string `json:"stage,omitempty"` // vertex, fragment, compute; empty: every entry point of the module
	EntryPoint string `json:"entryPoint,omitempty"`
	Module     int    `json:"module"`
}

// Module is WGSL in pieces, which are joined by line feeds. Equal modules are one.
type Module struct {
	Parts []string
}

// Text is the module written out.
func (m Module) Text() string { return strings.Join(m.Parts, "\n") }

// Add returns the number of a module, that of an equal one which was added already where
// there is one.
func (p *Package) Add(parts []string) int {
	text := strings.Join(parts, "\n")
	if n, ok := p.index[text]; ok {
		return n
	}
	if p.index == nil {
		p.index = map[string]int{}
	}
	n := len(p.Modules)
	p.index[text] = n
	p.Modules = append(p.Modules, Module{slices.Clone(parts)})
	return n
}

// Report says what was written.
type Report struct {
	Profile  Profile            `json:"profile"`
	Size     int                `json:"size"`
	SHA256   string             `json:"sha256"`
	Shaders  int                `json:"shaders"`
	Variants int                `json:"variants"`
	Modules  int                `json:"modules"`
	Text     int                `json:"text"`  // bytes of WGSL that all variants have
	Saved    int                `json:"saved"` // bytes of it that sharing leaves out
	Chunks   []cewgpu.ChunkSize `json:"chunks"`
}

type info struct {
	PackageKind   string            `json:"packageKind,omitempty"`
	Format        string            `json:"format"`
	FormatVersion int               `json:"formatVersion"`
	Profile       Profile           `json:"profile"`
	Producer      producer          `json:"producer"`
	Graph         string            `json:"graph"`
	ShaderCount   int               `json:"shaderCount"`
	VariantCount  int               `json:"variantCount"`
	ModuleCount   int               `json:"moduleCount"`
	SHA256        map[string]string `json:"sha256"` // of the other chunks by tag
}

type producer struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type modulesDoc struct {
	Format        string      `json:"format"`
	FormatVersion int         `json:"formatVersion"`
	Modules       []moduleDoc `json:"modules"`
	Pieces        []piece     `json:"pieces,omitempty"` // of TEXT
}

type moduleDoc struct {
	SHA256 string `json:"sha256"` // of the text
	Code   string `json:"code,omitempty"`
	Pieces []int  `json:"pieces,omitempty"`
}

type piece struct {
	Offset int `json:"offset"`
	Length int `json:"length"`
}

func digest(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// Build writes a package. It fails on content that Open would refuse, which is how it is
// checked: the result was read back and is equal.
func Build(p *Package, profile Profile, producerVersion string) ([]byte, *Report, error) {
	if profile != Generic && profile != Extended {
		return nil, nil, fmt.Errorf("there is no profile %q; use generic or extended", profile)
	}
	vars, err := marshal(p)
	if err != nil {
		return nil, nil, err
	}
	r := &Report{Profile: profile, Shaders: len(p.Shaders), Variants: len(p.Variants), Modules: len(p.Modules)}
	doc := modulesDoc{Format: modulesName, FormatVersion: version, Modules: []moduleDoc{}}
	var text []byte
	at := map[string]int{}
	stored := 0
	for _, m := range p.Modules {
		code := m.Text()
		d := moduleDoc{SHA256: digest([]byte(code))}
		if profile == Generic {
			d.Code = code
			stored += len(code)
		} else {
			for _, s := range m.Parts {
				i, ok := at[s]
				if !ok {
					i = len(doc.Pieces)
					at[s] = i
					doc.Pieces = append(doc.Pieces, piece{len(text), len(s)})
					text = append(text, s...)
				}
				d.Pieces = append(d.Pieces, i)
			}
		}
		doc.Modules = append(doc.Modules, d)
	}
	if profile == Extended {
		stored = len(text)
	}
	for _, v := range p.Variants {
		for _, s := range v.Modules {
			if s.Module >= 0 && s.Module < len(p.Modules) {
				r.Text += len(p.Modules[s.Module].Text())
			}
		}
	}
	r.Saved = r.Text - stored
	modules, err := marshal(doc)
	if err != nil {
		return nil, nil, err
	}
	chunks := []cewgpu.Chunk{{Tag: "INFO"}, {Tag: "VARS", Data: vars}, {Tag: "WGSL", Data: modules}}
	in := info{Format: format, FormatVersion: version, Profile: profile, Producer: producer{"fxlens", producerVersion}, Graph: p.Graph,
		ShaderCount: len(p.Shaders), VariantCount: len(p.Variants), ModuleCount: len(p.Modules), SHA256: map[string]string{}}
	if profile == Extended {
		in.PackageKind = extendedKind
		chunks = append(chunks, cewgpu.Chunk{Tag: "TEXT", Data: text})
	}
	for _, c := range chunks[1:] {
		in.SHA256[c.Tag] = digest(c.Data)
	}
	if chunks[0].Data, err = marshal(in); err != nil {
		return nil, nil, err
	}
	out, err := cewgpu.EncodeContainer(chunks)
	if err != nil {
		return nil, nil, err
	}
	back, err := Open(out)
	if err != nil {
		return nil, nil, fmt.Errorf("the package would not be valid: %w", err)
	}
	if again, err := marshal(&back.Package); err != nil || !bytes.Equal(again, vars) || !sameText(back.Modules, p.Modules) {
		return nil, nil, errors.New("the package does not read back as what was written: a bug of ours")
	}
	r.Size, r.SHA256 = len(out), digest(out)
	for _, c := range back.chunks {
		r.Chunks = append(r.Chunks, cewgpu.ChunkSize{Tag: c.Tag, Size: len(c.Data), Offset: c.Offset})
	}
	return out, r, nil
}

func sameText(a, b []Module) bool {
	return slices.EqualFunc(a, b, func(x, y Module) bool { return x.Text() == y.Text() })
}

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("write a document: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// CodeInvalid is the code of a package of variants that breaks a rule.
var CodeInvalid = diag.Register(diag.Info{Code: "bundle.invalid", Title: "a package of variants breaks a rule of its format",
	Rule:   "A container whose INFO has the format FXLENS_SWITCH_VARIANTS holds the chunks of its profile with their digests; labels, sets and values of variants agree with the switches; nothing is stored twice or left over.",
	Remedy: "build it again with fxlens switches build"})

// Finding is what Open failed with as a finding of the package.
func Finding(err error) cewgpu.Finding {
	return cewgpu.NewFinding(diag.Error, CodeInvalid, "", "", -1, err.Error())
}

// ErrNot marks a container that is no package of variants.
var ErrNot = errors.New("this is no package of variants")

// Opened is a package that was read and broke no rule.
type Opened struct {
	Package
	Profile Profile
	Version string // of the producer
	chunks  []cewgpu.Chunk
}

// ChunkDoc says what a chunk of a package of variants holds.
func ChunkDoc(tag string) string {
	return map[string]string{
		"INFO": "what the package is: format, profile, counts, digests",
		"VARS": "switches, shaders with their bindings, variants by label",
		"WGSL": "modules, or the pieces of text that they are made of",
		"TEXT": "every piece of text, once",
	}[tag]
}

// Is reports whether a container says that it is a package of variants.
func Is(chunks []cewgpu.Chunk) bool {
	for _, c := range chunks {
		if c.Tag == "INFO" {
			var in struct {
				Format string `json:"format"`
			}
			return json.Unmarshal(c.Data, &in) == nil && in.Format == format
		}
	}
	return false
}

// Open reads a package and checks it by every rule: the chunks and their digests, that
// every number is in range, that labels and sets agree with the switches, that modules
// are what their digests say, and that nothing is stored twice or left over. It fails
// with the first rule that is broken, and with ErrNot on other containers.
func Open(data []byte) (*Opened, error) {
	chunks, found := cewgpu.ParseContainer(data)
	if cewgpu.HasErrors(found) {
		return nil, &cewgpu.InvalidError{Findings: found}
	}
	if !Is(chunks) {
		return nil, ErrNot
	}
	o := &Opened{chunks: chunks}
	in, err := o.info()
	if err != nil {
		return nil, err
	}
	if err := decode("VARS", o.chunk("VARS"), &o.Package); err != nil {
		return nil, err
	}
	if err := o.modules(); err != nil {
		return nil, err
	}
	if in.ShaderCount != len(o.Shaders) || in.VariantCount != len(o.Variants) || in.ModuleCount != len(o.Modules) || in.Graph != o.Graph {
		return nil, errors.New("INFO: name or counts are not those of the other chunks")
	}
	return o, o.check()
}

func (o *Opened) chunk(tag string) []byte {
	for _, c := range o.chunks {
		if c.Tag == tag {
			return c.Data
		}
	}
	return nil
}

func decode(tag string, data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("%s: %w", tag, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("%s: there is more behind the document", tag)
	}
	return nil
}

func (o *Opened) info() (*info, error) {
	var in info
	if err := decode("INFO", o.chunk("INFO"), &in); err != nil {
		return nil, err
	}
	if in.FormatVersion != version {
		return nil, fmt.Errorf("INFO: format version %d; this program reads %d", in.FormatVersion, version)
	}
	want, kind := []string{"INFO", "VARS", "WGSL"}, ""
	switch in.Profile {
	case Generic:
	case Extended:
		want, kind = append(want, "TEXT"), extendedKind
	default:
		return nil, fmt.Errorf("INFO: there is no profile %q", in.Profile)
	}
	if in.PackageKind != kind {
		return nil, fmt.Errorf("INFO: the kind of a package of profile %s is %q, not %q", in.Profile, kind, in.PackageKind)
	}
	o.Profile, o.Version = in.Profile, in.Producer.Version
	var have []string
	for _, c := range o.chunks {
		have = append(have, c.Tag)
		if c.Tag != "INFO" && in.SHA256[c.Tag] != digest(c.Data) {
			return nil, fmt.Errorf("%s: the SHA-256 is not the one in INFO", c.Tag)
		}
	}
	if !slices.Equal(have, want) {
		return nil, fmt.Errorf("the chunks are %s; they must be %s", strings.Join(have, ", "), strings.Join(want, ", "))
	}
	if len(in.SHA256) != len(want)-1 {
		return nil, errors.New("INFO: there are digests of chunks that are not there")
	}
	return &in, nil
}

func (o *Opened) modules() error {
	var doc modulesDoc
	if err := decode("WGSL", o.chunk("WGSL"), &doc); err != nil {
		return err
	}
	if doc.Format != modulesName || doc.FormatVersion != version {
		return fmt.Errorf("WGSL: the format is %q version %d, not %q version %d", doc.Format, doc.FormatVersion, modulesName, version)
	}
	text := o.chunk("TEXT")
	at := 0
	pieces := make([]string, len(doc.Pieces))
	seen := map[string]bool{}
	for i, p := range doc.Pieces {
		if p.Offset != at || p.Length < 0 || p.Length > len(text)-at {
			return fmt.Errorf("WGSL: piece %d is at byte %d with %d bytes; it has to follow piece %d inside TEXT", i, p.Offset, p.Length, i-1)
		}
		pieces[i] = string(text[at : at+p.Length])
		at += p.Length
		if seen[pieces[i]] {
			return fmt.Errorf("WGSL: piece %d is stored twice", i)
		}
		seen[pieces[i]] = true
	}
	if at != len(text) {
		return fmt.Errorf("TEXT: %d bytes are in no piece", len(text)-at)
	}
	total := 0
	used := make([]bool, len(pieces))
	digests := map[string]bool{}
	for i, m := range doc.Modules {
		var parts []string
		if o.Profile == Generic {
			if len(m.Pieces) > 0 {
				return fmt.Errorf("WGSL: module %d has pieces in a generic package", i)
			}
			parts = []string{m.Code}
			total += len(m.Code)
		} else {
			if m.Code != "" {
				return fmt.Errorf("WGSL: module %d has code in an extended package", i)
			}
			for _, n := range m.Pieces {
				if n < 0 || n >= len(pieces) {
					return fmt.Errorf("WGSL: module %d has piece %d of %d", i, n, len(pieces))
				}
				used[n] = true
				parts = append(parts, pieces[n])
				total += len(pieces[n]) + 1
			}
		}
		if total > MaxModules {
			return fmt.Errorf("WGSL: the modules have more than %d bytes", MaxModules)
		}
		h := sha256.New()
		for k, s := range parts {
			if k > 0 {
				h.Write([]byte{'\n'})
			}
			io.WriteString(h, s)
			if !utf8.ValidString(s) {
				return fmt.Errorf("WGSL: module %d is not valid UTF-8", i)
			}
		}
		if hex.EncodeToString(h.Sum(nil)) != m.SHA256 {
			return fmt.Errorf("WGSL: the SHA-256 of module %d is not that of its text", i)
		}
		if digests[m.SHA256] {
			return fmt.Errorf("WGSL: module %d is stored twice", i)
		}
		digests[m.SHA256] = true
		o.Modules = append(o.Modules, Module{parts})
	}
	if i := slices.Index(used, false); i >= 0 {
		return fmt.Errorf("WGSL: no module has piece %d", i)
	}
	return nil
}

// check compares what the variants say with switches and shaders.
func (o *Opened) check() error {
	switches := map[string]*Switch{}
	for i := range o.Switches {
		s := &o.Switches[i]
		if s.Label == "" || switches[s.Label] != nil {
			return fmt.Errorf("VARS: switch %d has the label %q, which is empty or another's too", i, s.Label)
		}
		zero := false
		names := map[string]bool{}
		for _, m := range s.Members {
			zero = zero || m.Value == 0
			if m.Name == "" || names[m.Name] {
				return fmt.Errorf("VARS: switch %q has two members %q, or one without a name", s.Label, m.Name)
			}
			names[m.Name] = true
		}
		if !zero {
			return fmt.Errorf("VARS: switch %q has no member 0", s.Label)
		}
		switches[s.Label] = s
	}
	for _, s := range o.Shaders {
		for _, n := range s.Switches {
			if switches[n] == nil {
				return fmt.Errorf("VARS: shader %q depends on %q, which is no switch", s.Label, n)
			}
		}
		if err := checkBindings(s.Label, s.Bindings); err != nil {
			return err
		}
	}
	labels := map[string]bool{}
	used := make([]bool, len(o.Modules))
	for i, v := range o.Variants {
		if v.Shader < 0 || v.Shader >= len(o.Shaders) {
			return fmt.Errorf("VARS: variant %d is of shader %d of %d", i, v.Shader, len(o.Shaders))
		}
		s := &o.Shaders[v.Shader]
		var parts []string
		for _, sw := range o.Switches { // a set prints its switches in their order
			member, set := v.Values[sw.Label]
			if !set {
				continue
			}
			k := slices.IndexFunc(sw.Members, func(m Member) bool { return m.Name == member })
			if k < 0 || sw.Members[k].Value == 0 || !slices.Contains(s.Switches, sw.Label) {
				return fmt.Errorf("VARS: variant %q: %s=%s is no value beside the default of a switch of its shader", v.Label, sw.Label, member)
			}
			parts = append(parts, sw.Label+"="+member)
		}
		want := s.Label
		if v.Set != "" {
			want += " [" + v.Set + "]"
		}
		if v.Set != strings.Join(parts, ", ") || len(parts) != len(v.Values) || v.Label != want {
			return fmt.Errorf("VARS: variant %q: label, set and values do not agree", v.Label)
		}
		if labels[v.Label] {
			return fmt.Errorf("VARS: there are two variants %q", v.Label)
		}
		labels[v.Label] = true
		for _, m := range v.Modules {
			if m.Module < 0 || m.Module >= len(o.Modules) {
				return fmt.Errorf("VARS: variant %q has module %d of %d", v.Label, m.Module, len(o.Modules))
			}
			used[m.Module] = true
		}
		if err := checkBindings(v.Label, v.Bindings); err != nil {
			return err
		}
	}
	if i := slices.Index(used, false); i >= 0 {
		return fmt.Errorf("VARS: no variant has module %d", i)
	}
	return nil
}

func checkBindings(label string, bs []Binding) error {
	seen := map[[2]int]bool{}
	for _, b := range bs {
		n := 0
		for _, has := range []bool{b.Buffer != nil, b.Texture != nil, b.Sampler != nil, b.Storage != nil} {
			if has {
				n++
			}
		}
		at := [2]int{b.Group, b.Binding}
		if n != 1 || b.Group < 0 || b.Binding < 0 || seen[at] {
			return fmt.Errorf("VARS: %q: binding %q at group %d binding %d is of no kind, or stands where another does", label, b.Name, b.Group, b.Binding)
		}
		seen[at] = true
	}
	return nil
}
