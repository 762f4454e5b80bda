// Package api is what the browser build of fxlens can do: five functions from bytes
// and plain options to plain values, that the entry point in cmd/fxlens-wasm hands to
// JavaScript. It knows nothing of JavaScript, so that tests call it anywhere; what
// the page gets is what they see.
package api

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/effect"
	"fxlens/core/ir"
	"fxlens/core/pack/carbon"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
	"fxlens/core/wgsl"
	"fxlens/core/wgsl/layout"
)

// Version is the version of fxlens, by semantic versioning.
const Version = "0.1.0"

// Options are the options of every function; each uses what it needs.
type Options struct {
	Name    string            `json:"name"`    // of the file, for messages and links
	Label   string            `json:"label"`   // of the source inside a package; default the name
	Set     map[string]string `json:"set"`     // axis to option; the others have their defaults
	Link    string            `json:"link"`    // what to select: "#Main/0/ps", "?SKINNED=ON#Main"
	Mode    string            `json:"mode"`    // buildEffect: selected, all
	Profile string            `json:"profile"` // buildEffect: strict, extended
	Order   string            `json:"order"`   // buildEffect: code-point, root: of techniques
	Format  string            `json:"format"`  // buildEffect: cewgpu, carbon
	Views   map[string]string `json:"views"`   // view formats: "t3", "Main/0/ps/t3", or "*" to "auto"
	Classes map[string]string `json:"classes"` // class instances of interface slots
	Numeric string            `json:"numeric"` // default, exact
	Strict  bool              `json:"strict"`  // refuse what would be a warning
	Limits  bool              `json:"limits"`  // refuse what needs more than WebGPU's default limits
	Partial bool              `json:"partial"` // buildWgsl: return what is translated instead of failing
}

// Error is why a function failed. It becomes an exception with the same fields.
type Error struct {
	Code     string      `json:"code"`    // the code of the first finding, "input", or "bug"
	Place    string      `json:"place"`   // a link, or a chunk and path, or a byte; may be empty
	Message  string      `json:"message"` // what, where, what to do
	Remedy   string      `json:"remedy"`
	Findings []diag.Diag `json:"findings"` // all of them, where there are several
}

func (e *Error) Error() string { return e.Message }

// Blob is a run of bytes with its place in a result.
type Blob struct {
	Path []any // keys and indices
	Data []byte
}

// Result is a plain value and the bytes that belong into it.
type Result struct {
	Value any
	Blobs []Blob
}

func (r *Result) blob(data []byte, path ...any) { r.Blobs = append(r.Blobs, Blob{path, data}) }

// call is one call.
type call struct {
	ctx  context.Context
	data []byte
	o    Options
	out  Result
}

var functions = map[string]func(*call) error{
	"read":          (*call).read,
	"inspect":       (*call).inspect,
	"analyzeEffect": (*call).analyze,
	"buildEffect":   (*call).build,
	"buildWgsl":     (*call).wgsl,
}

// Functions are the names that Call knows.
func Functions() []string {
	return []string{"analyzeEffect", "buildEffect", "buildWgsl", "inspect", "read"}
}

// Call runs a function on the bytes of a file; options are JSON, or empty. It never
// panics; whatever fails is an *[Error].
func Call(ctx context.Context, name string, data, options []byte) (r *Result, err *Error) {
	defer func() {
		if p := recover(); p != nil {
			r, err = nil, &Error{Code: "bug", Message: fmt.Sprintf("a bug of ours in %s: %v\n%s", name, p, debug.Stack()), Remedy: "report it, with the file if you can share it", Findings: []diag.Diag{}}
		}
	}()
	f, ok := functions[name]
	if !ok {
		return nil, input("there is no function %q; there are %s", name, strings.Join(Functions(), ", "))
	}
	c := &call{ctx: ctx, data: data}
	if len(options) > 0 {
		d := json.NewDecoder(bytes.NewReader(options))
		d.DisallowUnknownFields()
		if e := d.Decode(&c.o); e != nil {
			return nil, input("the options of %s: %v", name, e)
		}
	}
	if c.o.Name == "" {
		c.o.Name = "memory"
	}
	if e := f(c); e != nil {
		return nil, explain(e)
	}
	return &c.out, nil
}

func input(format string, args ...any) *Error {
	return &Error{Code: "input", Message: fmt.Sprintf(format, args...), Remedy: "see docs/browser.md for functions and options", Findings: []diag.Diag{}}
}

// explain makes an error of the core one for the page.
func explain(err error) *Error {
	out := &Error{Code: "input", Message: err.Error(), Findings: []diag.Diag{}}
	first := func(code, place, remedy string) { out.Code, out.Place, out.Remedy = code, place, remedy }
	var (
		own     *Error
		bug     *compile.BugError
		invalid *cewgpu.InvalidError
		build   *cewgpu.BuildError
		cinv    *carbon.InvalidError
		conv    *carbon.ConvertError
		eff     *effect.Error
		open    *session.OpenError
		link    *session.LinkError
		many    *refused
	)
	findings := func(fs []cewgpu.Finding) {
		for _, f := range fs {
			if f.Severity == diag.Error && len(out.Findings) == 0 {
				place := strings.TrimSpace(f.Chunk + " " + f.Path)
				if f.Offset >= 0 {
					place = strings.TrimSpace(fmt.Sprintf("%s +0x%x", place, f.Offset))
				}
				first(string(f.Rule), place, f.Remedy)
			}
			if len(out.Findings) > 0 || f.Severity == diag.Error {
				out.Findings = append(out.Findings, f.Diag())
			}
		}
	}
	diags := func(ds []diag.Diag) {
		out.Findings = append(out.Findings, ds...)
		if i := slices.IndexFunc(ds, func(d diag.Diag) bool { return d.Sev == diag.Error }); i >= 0 {
			first(string(ds[i].Code), ds[i].At.String(), ds[i].Remedy)
		}
	}
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &bug):
		first("bug", "", "report it, with the file if you can share it")
	case errors.As(err, &invalid):
		findings(invalid.Findings)
	case errors.As(err, &build):
		findings(build.Findings)
	case errors.As(err, &cinv):
		diags(cinv.Findings)
	case errors.As(err, &conv):
		diags(conv.Findings)
	case errors.As(err, &many):
		diags(many.diags)
	case errors.As(err, &eff):
		diags([]diag.Diag{eff.Diag()})
		out.Place = eff.Path
		if eff.Offset >= 0 {
			out.Place += fmt.Sprintf(" +0x%x", eff.Offset)
		}
	case errors.As(err, &open):
		first("input", open.Name, open.Remedy)
	case errors.As(err, &link):
		first("input", link.Link, link.Hint)
	}
	return out
}

// refused is a list of refusals.
type refused struct{ diags []diag.Diag }

func (r *refused) Error() string {
	for _, d := range r.diags {
		if d.Sev == diag.Error {
			return d.String()
		}
	}
	return "refused"
}

// session opens the bytes as an effect or program, with the options of the compiler.
func (c *call) session() (*session.Session, error) {
	o := compile.Options{Views: c.o.Views, Classes: c.o.Classes, Options: wgsl.Options{Strict: c.o.Strict, Limits: c.o.Limits}}
	switch c.o.Numeric {
	case "", "default":
	case "exact":
		o.Numeric = wgsl.Exact
	default:
		return nil, input("numeric is %q; it is default or exact", c.o.Numeric)
	}
	return session.Open(c.o.Name, c.data, o)
}

// target finds what set and link select.
func (c *call) target(s *session.Session) (session.Target, error) {
	l, err := session.ParseLink(c.o.Link)
	if err != nil {
		return session.Target{}, err
	}
	axes := make([]string, 0, len(c.o.Set))
	for a := range c.o.Set {
		axes = append(axes, a)
	}
	slices.Sort(axes)
	for _, a := range axes {
		l.Options = append(l.Options, effect.Option{Axis: a, Value: c.o.Set[a]})
	}
	return s.Resolve(l)
}

// chunk is a chunk of a package without its bytes, which are a blob beside it.
type chunk struct {
	Tag    string `json:"tag"`
	Size   int    `json:"size"`
	Offset int    `json:"offset"`
}

// packageValue is what read returns for a CEWGPU package.
type packageValue struct {
	Kind      string                     `json:"kind"` // cewgpu
	Summary   cewgpu.Summary             `json:"summary"`
	Chunks    []chunk                    `json:"chunks"`    // with bytes: a Uint8Array each
	Documents map[string]json.RawMessage `json:"documents"` // chunks that are JSON
	Findings  []diag.Diag                `json:"findings"`  // warnings and notes
}

// containerValue is what read returns for a Carbon WebGPU container.
type containerValue struct {
	Kind     string          `json:"kind"` // carbon
	Info     *carbon.Info    `json:"info"`
	Metadata any             `json:"metadata"`
	Graph    *carbon.Graph   `json:"permutationGraph"`
	WGSL     *cewgpu.WGSLSet `json:"wgsl"`
	Bodies   *cewgpu.BodySet `json:"backendBodySet"`
	Findings []diag.Diag     `json:"findings"`
}

func (c *call) isPackage() bool   { return bytes.HasPrefix(c.data, []byte("CWGP")) }
func (c *call) isContainer() bool { return carbon.Sniff(c.data) }

// read opens a package or container by every rule of its format, an effect or a
// program by those of its own.
func (c *call) read() error {
	switch {
	case c.isPackage():
		p, fs := cewgpu.Validate(c.data)
		if cewgpu.HasErrors(fs) {
			return &cewgpu.InvalidError{Findings: fs}
		}
		v := packageValue{Kind: "cewgpu", Summary: p.Summary(), Chunks: []chunk{}, Documents: map[string]json.RawMessage{}, Findings: []diag.Diag{}}
		for i, ch := range p.Chunks {
			v.Chunks = append(v.Chunks, chunk{ch.Tag, len(ch.Data), ch.Offset})
			c.out.blob(ch.Data, "chunks", i, "bytes")
			if ch.Tag != "RBLB" && json.Valid(ch.Data) {
				v.Documents[ch.Tag] = ch.Data
			}
		}
		for _, f := range fs {
			v.Findings = append(v.Findings, f.Diag())
		}
		c.out.Value = v
		return nil
	case c.isContainer():
		f, ds := carbon.Validate(c.data, carbon.Detect)
		if diag.HasErrors(ds) {
			return &carbon.InvalidError{Findings: ds}
		}
		perm := f.SelectedPermutation()
		v := containerValue{Kind: "carbon", Info: f.Info(), Metadata: f.Metadata(c.o.Name, perm), Graph: f.Graph(), Findings: append([]diag.Diag{}, ds...)}
		v.WGSL, _ = f.WGSL(perm)
		v.Bodies, _ = f.BodySet()
		c.out.Value = v
		return nil
	}
	return c.inspect()
}

// inspected is what inspect returns for a package, valid or not.
type inspected struct {
	Kind     string          `json:"kind"`
	Valid    bool            `json:"valid"`
	Summary  *cewgpu.Summary `json:"summary,omitempty"` // cewgpu
	Info     *carbon.Info    `json:"info,omitempty"`    // carbon
	Findings []diag.Diag     `json:"findings"`
}

// program is what inspect returns for a bare program.
type program struct {
	Kind     string      `json:"kind"` // program
	Stage    string      `json:"stage"`
	Model    string      `json:"shaderModel"`
	Size     int         `json:"size"`
	SHA256   string      `json:"sha256"`
	Chunks   []chunk     `json:"chunks"`
	Findings []diag.Diag `json:"findings"`
}

// inspectedEffect is what inspect returns for an effect.
type inspectedEffect struct {
	Kind string `json:"kind"` // effect
	*effect.Inspection
}

// inspect says what a file is. Findings of packages don't make it fail.
func (c *call) inspect() error {
	switch {
	case c.isPackage():
		p, fs := cewgpu.Validate(c.data)
		v := inspected{Kind: "cewgpu", Valid: !cewgpu.HasErrors(fs), Findings: []diag.Diag{}}
		if p != nil {
			s := p.Summary()
			v.Summary = &s
		}
		for _, f := range fs {
			v.Findings = append(v.Findings, f.Diag())
		}
		c.out.Value = v
		return nil
	case c.isContainer():
		f, ds := carbon.Validate(c.data, carbon.Detect)
		v := inspected{Kind: "carbon", Valid: !diag.HasErrors(ds), Findings: append([]diag.Diag{}, ds...)}
		if f != nil {
			v.Info = f.Info()
		}
		c.out.Value = v
		return nil
	}
	s, err := c.session()
	if err != nil {
		return err
	}
	if s.Kind == session.EffectFile {
		c.out.Value = inspectedEffect{"effect", s.Effect.Inspect(s.Name)}
		return nil
	}
	p := s.Program.Program
	v := program{Kind: "program", Stage: p.Kind.Long(), Model: fmt.Sprintf("%d.%d", p.Major, p.Minor), Size: len(s.Data), SHA256: hex.EncodeToString(s.SHA256[:]),
		Chunks: []chunk{}, Findings: append([]diag.Diag{}, s.Findings()...)}
	for _, ch := range s.Program.Container.Chunks {
		v.Chunks = append(v.Chunks, chunk{ch.Tag, len(ch.Data), ch.Offset})
	}
	c.out.Value = v
	return nil
}

// analysis is what analyzeEffect returns.
type analysis struct {
	Schema      string            `json:"schema"` // fxlens.analysis/1
	Name        string            `json:"name"`
	SHA256      string            `json:"sha256"`
	Permutation int               `json:"permutation"`
	Options     map[string]string `json:"options"` // of every axis
	Passes      []analysisPass    `json:"passes"`
}

type analysisPass struct {
	Technique    string               `json:"technique"`
	Pass         int                  `json:"pass"`
	Link         string               `json:"link"`
	Status       compile.Status       `json:"status"`
	RenderStates []cewgpu.RenderState `json:"renderStates"`
	Bindings     []layout.Binding     `json:"bindings"` // the plan
	Stages       []analysisStage      `json:"stages"`
	Diagnostics  []diag.Diag          `json:"diagnostics"` // of the pass and its stages
}

// analysisStage has a bytes property beside it: the program, a Uint8Array.
type analysisStage struct {
	Stage       string         `json:"stage"`
	Status      compile.Status `json:"status"`
	ShaderModel string         `json:"shaderModel"`
	SHA256      string         `json:"sha256"`
	Disassembly string         `json:"disassembly"` // Microsoft's text; empty where the program cannot be decoded
	SSA         string         `json:"ssa"`         // after the last phase that was reached
	WGSL        string         `json:"wgsl"`        // empty where refused
}

// analyze compiles what is selected and returns everything about it, refusals too.
func (c *call) analyze() error {
	s, err := c.session()
	if err != nil {
		return err
	}
	t, err := c.target(s)
	if err != nil {
		return err
	}
	v := analysis{Schema: "fxlens.analysis/1", Name: s.Name, SHA256: hex.EncodeToString(s.SHA256[:]), Permutation: t.Perm, Options: map[string]string{}, Passes: []analysisPass{}}
	if s.Effect != nil {
		for i, o := range s.Effect.Choice(t.Perm) {
			v.Options[s.Effect.Axes[i].Name] = s.Effect.Axes[i].Options[o]
		}
	}
	for _, ref := range t.Passes {
		in, err := s.Input(t.Perm, ref)
		if err != nil {
			return err
		}
		pass, err := s.Compile(c.ctx, t.Perm, ref)
		if err != nil {
			return err
		}
		p := analysisPass{Technique: ref.Technique, Pass: ref.Pass, Link: s.Link(t.Perm, ref, "", -1).String(), Status: pass.Status,
			RenderStates: []cewgpu.RenderState{}, Bindings: []layout.Binding{}, Stages: []analysisStage{}, Diagnostics: append([]diag.Diag{}, s.Diags(t.Perm, ref, pass)...)}
		if s.Effect != nil {
			body, err := s.Effect.Body(t.Perm)
			if err != nil {
				return err
			}
			for _, st := range body.Techniques[ref.TechIndex].Passes[ref.Pass].States {
				p.RenderStates = append(p.RenderStates, cewgpu.RenderState{State: st.State, Value: st.Value})
			}
		}
		if pass.Plan != nil {
			p.Bindings = append(p.Bindings, pass.Plan.Bindings...)
		}
		for _, st := range pass.Stages {
			i := slices.IndexFunc(in.Stages, func(x compile.StageInput) bool { return x.Kind == st.Kind })
			if i < 0 || t.Stage != "" && st.Kind.String() != t.Stage {
				continue
			}
			code := in.Stages[i].Program
			info := effect.LookAtProgram(code)
			a := analysisStage{Stage: st.Kind.Long(), Status: st.Status, ShaderModel: info.Model(), SHA256: digest(code)}
			if sh, err := dxbc.OpenToList(code); err == nil {
				a.Disassembly = dxbc.Disassemble(sh, dxbc.ListOptions{})
			}
			if st.Func != nil {
				a.SSA = ir.Print(st.Func)
			}
			if st.Module != nil {
				a.WGSL = st.Module.Code
			}
			c.out.blob(code, "passes", len(v.Passes), "stages", len(p.Stages), "bytes")
			p.Stages = append(p.Stages, a)
		}
		v.Passes = append(v.Passes, p)
	}
	c.out.Value = v
	return nil
}
