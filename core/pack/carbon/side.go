package carbon

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"fxlens/core/diag"
	"fxlens/core/pack/cewgpu"
)

// The identity of a side file.
const (
	SideFormat  = "FXLENS_CARBON_SIDE"
	SideVersion = 1
)

// Loss is one thing that a conversion leaves out.
type Loss struct {
	What   string `json:"what"`            // "source maps"
	Count  int    `json:"count,omitempty"` // how many, where that means something
	Detail string `json:"detail"`          // what it was, or why it goes
	Kept   bool   `json:"kept"`            // the side file has it
}

func (l Loss) String() string {
	s := l.What
	if l.Count > 0 {
		s = fmt.Sprintf("%d %s", l.Count, l.What)
	}
	s += ": " + l.Detail
	if l.Kept {
		s += " (kept in the side file)"
	}
	return s
}

// Side is the document beside a container: what the container cannot say. It never
// changes the container.
type Side struct {
	Format        string           `json:"format"`
	FormatVersion int              `json:"formatVersion"`
	Container     SideFile         `json:"container"`
	Producer      *cewgpu.Producer `json:"producer,omitempty"` // who translated
	Source        SideSource       `json:"source"`             // which effect
	Permutation   int              `json:"permutation"`        // the selected one
	Lost          []Loss           `json:"lost"`
	Package       *SidePackage     `json:"package,omitempty"` // that was converted
}

// SideFile identifies a file.
type SideFile struct {
	ByteLength int    `json:"byteLength"`
	SHA256     string `json:"sha256"`
}

// SideSource identifies the effect that was translated.
type SideSource struct {
	Label string `json:"label"`
	SideFile
	EffectVersion   int    `json:"effectVersion"`
	CompilerVersion string `json:"compilerVersion,omitempty"` // hex of the four bytes; empty before version 15
	Hash            string `json:"hash,omitempty"`            // the 32 characters of the header
}

// SidePackage is the package that was converted, less what the container says.
type SidePackage struct {
	SideFile
	Chunks []SideChunk `json:"chunks"`
}

// SideChunk is one chunk: a document, whose payload is its compact form and a line
// feed, or bytes. In a document without programs the text of every module is empty
// and is that of the container.
type SideChunk struct {
	Tag      string          `json:"tag"`
	SHA256   string          `json:"sha256"` // of the payload
	Document json.RawMessage `json:"document,omitempty"`
	Programs string          `json:"programs,omitempty"` // "container" where their text was left out
	Bytes    []byte          `json:"bytes,omitempty"`    // base64
}

// Encode returns the side file.
func (s *Side) Encode() ([]byte, error) {
	b, err := marshal(s)
	if err != nil {
		return nil, fmt.Errorf("writing a side file: %w", err)
	}
	return b, nil
}

// ParseSide reads a side file. Whether it fits a container is for ToPackage.
func ParseSide(b []byte) (*Side, error) {
	var s Side
	if err := json.Unmarshal(b, &s); err != nil {
		return nil, diag.New(diag.Error, ruleSide, diag.Loc{}, "the side file is no JSON document of its kind: %v", err)
	}
	if s.Format != SideFormat || s.FormatVersion != SideVersion {
		return nil, diag.New(diag.Error, ruleSide, diag.Loc{}, "the side file is %q version %d; %s version %d is read", clip(s.Format), s.FormatVersion, SideFormat, SideVersion)
	}
	return &s, nil
}

// marshal writes a document as packages do.
func marshal(v any) ([]byte, error) { return cewgpu.Marshal(v) }

func digest(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

func fileOf(b []byte) SideFile { return SideFile{ByteLength: len(b), SHA256: digest(b)} }

// programs finds the text of modules in a container.
type programs struct {
	f     *File
	by    map[int]map[string]string // body -> shader key -> text
	spent int                       // bytes of text given out
}

func (p *programs) text(body int, key string) (string, bool) {
	if body < 0 || body >= len(p.f.Bodies) {
		return "", false
	}
	if p.by == nil {
		p.by = map[int]map[string]string{}
	}
	texts, ok := p.by[body]
	if !ok {
		texts = map[string]string{}
		if content, err := p.f.content(body); err == nil {
			for t := range content.Techniques {
				tech := &content.Techniques[t]
				for i := range tech.Passes {
					for _, s := range tech.Passes[i].Stages {
						texts[passKey(lenient(tech.Name), i)+"."+s.Type.String()] = string(s.Program)
					}
				}
			}
		}
		p.by[body] = texts
	}
	s, ok := texts[key]
	// A module's text stands in a package once per unit and in the container once,
	// but no real package is that much larger.
	p.spent += len(s)
	return s, ok && p.spent <= maxExpansion*len(p.f.Data)
}

// maxExpansion bounds what a side file can make of a container.
const maxExpansion = 256

// each visits the text of every module of a document, with the container's text.
func (p *programs) each(doc any, meta *cewgpu.Meta, visit func(code *string, text string) bool) bool {
	switch doc := doc.(type) {
	case *cewgpu.WGSLSet:
		body := p.f.BodyOf(meta.BodyIndex)
		for i := range doc.Shaders {
			text, ok := p.text(body, doc.Shaders[i].Key)
			if !ok || !visit(&doc.Shaders[i].Code, text) {
				return false
			}
		}
	case *cewgpu.BodySet:
		user := map[string]int{} // unit -> a body that has it
		for _, b := range doc.Bodies {
			for _, pass := range b.Passes {
				if _, ok := user[pass.UnitKey]; !ok {
					user[pass.UnitKey] = p.f.BodyOf(b.RepresentativePermutationIndex)
				}
			}
		}
		for i := range doc.PassUnits {
			u := &doc.PassUnits[i]
			body, ok := user[u.Key]
			if !ok {
				return false
			}
			for j := range u.Shaders {
				text, ok := p.text(body, u.Shaders[j].Key)
				if !ok || !visit(&u.Shaders[j].Code, text) {
					return false
				}
			}
		}
	}
	return true
}

// sideChunk makes the record of a chunk, as short as it goes back exactly.
func sideChunk(c cewgpu.Chunk, p *programs, meta *cewgpu.Meta) SideChunk {
	out := SideChunk{Tag: c.Tag, SHA256: digest(c.Data)}
	if c.Tag == "WGSL" || c.Tag == "WGSB" {
		var doc any = new(cewgpu.WGSLSet)
		if c.Tag == "WGSB" {
			doc = new(cewgpu.BodySet)
		}
		if json.Unmarshal(c.Data, doc) == nil && p.each(doc, meta, func(code *string, text string) bool {
			same := *code == text
			*code = ""
			return same
		}) {
			if b, err := marshal(doc); err == nil {
				short := SideChunk{Tag: c.Tag, SHA256: out.SHA256, Document: bytes.TrimSuffix(b, []byte("\n")), Programs: "container"}
				if back, err := short.payload(p, meta); err == nil && bytes.Equal(back, c.Data) {
					return short
				}
			}
		}
	}
	if json.Valid(c.Data) {
		short := SideChunk{Tag: c.Tag, SHA256: out.SHA256, Document: bytes.TrimSuffix(c.Data, []byte("\n"))}
		if b, err := marshal(short); err == nil {
			var read SideChunk
			if json.Unmarshal(b, &read) == nil {
				if back, err := read.payload(p, meta); err == nil && bytes.Equal(back, c.Data) {
					return short
				}
			}
		}
	}
	out.Bytes = slices.Clone(c.Data)
	return out
}

// payload makes the chunk again.
func (c *SideChunk) payload(p *programs, meta *cewgpu.Meta) ([]byte, error) {
	if c.Document == nil {
		return c.Bytes, nil
	}
	if c.Programs == "" {
		var buf bytes.Buffer
		if err := json.Compact(&buf, c.Document); err != nil {
			return nil, err
		}
		buf.WriteByte('\n')
		return buf.Bytes(), nil
	}
	var doc any
	switch c.Tag {
	case "WGSL":
		doc = new(cewgpu.WGSLSet)
	case "WGSB":
		doc = new(cewgpu.BodySet)
	default:
		return nil, fmt.Errorf("chunk %q has no programs", clip(c.Tag))
	}
	if err := json.Unmarshal(c.Document, doc); err != nil {
		return nil, err
	}
	if !p.each(doc, meta, func(code *string, text string) bool { *code = text; return true }) {
		return nil, fmt.Errorf("chunk %s names a module that the container does not have", c.Tag)
	}
	return marshal(doc)
}

// restore makes the package again that the container was converted from.
func (s *Side) restore(f *File) ([]byte, error) {
	refuse := func(format string, args ...any) ([]byte, error) {
		return nil, diag.New(diag.Error, ruleSide, diag.Loc{}, format, args...)
	}
	if got := digest(f.Data); got != s.Container.SHA256 {
		return refuse("the side file belongs to a container with the SHA-256 %s, this one has %s", clip(s.Container.SHA256), got)
	}
	var meta cewgpu.Meta
	for i := range s.Package.Chunks {
		if c := &s.Package.Chunks[i]; c.Tag == "META" && c.Document != nil {
			if err := json.Unmarshal(c.Document, &meta); err != nil {
				return refuse("the side file's chunk META: %v", err)
			}
		}
	}
	p := &programs{f: f}
	var chunks []cewgpu.Chunk
	for i := range s.Package.Chunks {
		c := &s.Package.Chunks[i]
		data, err := c.payload(p, &meta)
		if err != nil {
			return refuse("the side file's chunk %s: %v", clip(c.Tag), err)
		}
		if got := digest(data); got != c.SHA256 {
			return refuse("the side file's chunk %s has the SHA-256 %s, it says %s", clip(c.Tag), got, clip(c.SHA256))
		}
		chunks = append(chunks, cewgpu.Chunk{Tag: c.Tag, Data: data})
	}
	pkg, err := cewgpu.EncodeContainer(chunks)
	if err != nil {
		return refuse("%v", err)
	}
	if got := digest(pkg); got != s.Package.SHA256 {
		return refuse("the package made again has the SHA-256 %s, the side file says %s", got, clip(s.Package.SHA256))
	}
	return pkg, nil
}
