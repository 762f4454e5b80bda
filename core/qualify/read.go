package qualify

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"strings"

	"golang.org/x/sync/errgroup"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/effect"
	"fxlens/core/pack/cewgpu"
)

var (
	codeUnreadable = diag.Register(diag.Info{
		Code: "qualify.unreadable", Title: "a file of the corpus cannot be read",
		Rule:   "a run goes on after a file that cannot be read, and counts it as failed",
		Remedy: "see that the file can be read, or leave it out",
	})
	codeInvalid = diag.Register(diag.Info{
		Code: "qualify.invalid", Title: "a file is not what its first bytes say",
		Rule:   "a container that breaks a rule of its format is not guessed at",
		Remedy: "the file is damaged or cut off: take it from its source again",
	})
	codeFormat = diag.Register(diag.Info{
		Code: "qualify.format", Title: "a shader of another kind than Direct3D 10 or 11 bytecode",
		Rule:   "fxlens translates shader model 4.0 to 5.1; Direct3D 9 bytecode, DXIL and SPIR-V are other languages",
		Remedy: "compile the shader for shader model 5",
	})
	codeUnknown = diag.Register(diag.Info{
		Code: "qualify.unknown", Title: "a file with a shader's ending that is none",
		Rule:   "files are recognised by their first bytes, whatever their names say",
		Remedy: "leave the file out, or see what `fxlens scan` finds in it",
	})
)

// file qualifies one file. It fails only when ctx ends.
func (r *runner) file(ctx context.Context, name string, data []byte, opt *compile.Options) (*File, error) {
	sum := sha256.Sum256(data)
	f := &File{Path: name, SHA256: hex.EncodeToString(sum[:]), Size: int64(len(data)), Kind: "other"}
	kind := dxbc.Sniff(data)
	switch {
	case bytes.HasPrefix(data, []byte("CWGP")):
		f.pack(data)
	case kind.Kind == dxbc.KindDXBC || kind.Kind == dxbc.KindUnknown && bytes.HasPrefix(data, []byte("DXBC")):
		return f, r.program(ctx, f, data, opt)
	case kind.Kind == dxbc.KindTokens:
		tag := "SHEX"
		if data[0] < 0x50 {
			tag = "SHDR"
		}
		b, err := dxbc.Build([]dxbc.Chunk{{Tag: tag, Data: data}}, false)
		if err != nil {
			f.fail(codeInvalid, "%s: %v", kind.Text, err)
			return f, nil
		}
		return f, r.program(ctx, f, b, opt)
	case kind.Kind == dxbc.KindCHeader:
		return f, r.header(ctx, f, data, opt)
	case kind.Kind == dxbc.KindUnknown && looksLikeEffect(data):
		return f, r.effect(ctx, f, data, opt)
	case kind.Kind == dxbc.KindUnknown || kind.Kind == dxbc.KindListing:
		what := kind.Text
		if what == "" {
			what = fmt.Sprintf("an unknown kind of file (it begins with % x)", data[:min(4, len(data))])
		}
		f.fail(codeUnknown, "this is %s", what)
		if strings.EqualFold(path.Ext(name), ".o") { // other tools' objects have this ending too
			f.Status = Ignored
		}
	default:
		f.fail(codeFormat, "this is %s", kind.Text)
		f.Status = Unsupported
	}
	return f, nil
}

// looksLikeEffect reports whether the first word may be an effect's version.
func looksLikeEffect(b []byte) bool {
	return len(b) >= 4 && binary.LittleEndian.Uint32(b)-1 < 0x1f
}

// fail gives the file an error and the status that goes with it.
func (f *File) fail(c diag.Code, format string, args ...any) {
	f.Status = Failed
	f.Diagnostics = append(f.Diagnostics, newDiag(diag.New(diag.Error, c, diag.Loc{}, format, args...), ""))
}

func (f *File) pack(data []byte) {
	f.Kind = "package"
	_, findings := cewgpu.Validate(data)
	for _, g := range findings {
		d := newDiag(g.Diag(), "")
		if place := strings.Trim(g.Chunk+"/"+g.Path, "/"); place != "" {
			d.Message = place + ": " + d.Message
		}
		f.Diagnostics = append(f.Diagnostics, d)
	}
	if cewgpu.HasErrors(findings) {
		f.Status = Failed
	}
}

func (r *runner) header(ctx context.Context, f *File, data []byte, opt *compile.Options) error {
	arrays, err := dxbc.ParseArrays(data)
	if err != nil {
		f.fail(codeInvalid, "%v", err)
		return nil
	}
	for _, a := range arrays {
		if dxbc.Sniff(a.Data).Kind == dxbc.KindDXBC {
			return r.program(ctx, f, a.Data, opt)
		}
	}
	f.fail(codeFormat, "no array of this C source is a DXBC shader")
	f.Status = Unsupported
	return nil
}

// program qualifies a bare program: one body with one pass without a name.
func (r *runner) program(ctx context.Context, f *File, container []byte, opt *compile.Options) error {
	f.Kind = "program"
	s, err := dxbc.Open(container)
	if err != nil {
		f.fail(codeInvalid, "%v", err)
		if errors.Is(err, dxbc.ErrUnsupported) || errors.Is(err, dxbc.ErrMissing) {
			f.Diagnostics[0] = newDiag(diag.New(diag.Error, codeFormat, diag.Loc{}, "%v", err), "")
			f.Status = Unsupported
		}
		return nil
	}
	c := &collector{r: r, f: f, opt: opt}
	in := &compile.PassInput{Stages: []compile.StageInput{{Kind: s.Program.Kind, Program: container}}}
	b := Body{Key: "body0", Permutations: []int{0}, Passes: []BodyPass{{Unit: c.pass(in, opt)}}}
	f.Bodies = []Body{b}
	return c.finish(ctx)
}

func (r *runner) effect(ctx context.Context, f *File, data []byte, opt *compile.Options) error {
	f.Kind = "effect"
	e, err := effect.Parse(data)
	if err != nil {
		f.Status = Failed
		var ee *effect.Error
		if errors.As(err, &ee) {
			f.Diagnostics = append(f.Diagnostics, newDiag(ee.Diag(), ""))
		} else {
			f.fail(codeInvalid, "%v", err)
		}
		return nil
	}
	for _, d := range e.AllFindings() {
		f.Diagnostics = append(f.Diagnostics, newDiag(d, ""))
	}
	f.describe(e)
	c := &collector{r: r, f: f, opt: opt}
	selected := e.BodyOf(e.DefaultIndex())
	for i, u := range e.Bodies() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if r.opt.DefaultOnly && i != selected {
			continue
		}
		body, err := e.UniqueBody(i)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
		counts := count(body)
		f.Effect.All.add(counts)
		if i == selected {
			f.Effect.Selected = counts
		}
		c.body(&u, body)
	}
	if err := c.finish(ctx); err != nil {
		return err
	}
	if r.opt.Package == nil {
		return nil
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case r.slots <- struct{}{}:
	}
	defer func() { <-r.slots }()
	f.Package, err = r.opt.Package(ctx, f.Path, data, *opt)
	return err
}

func (f *File) describe(e *effect.Effect) {
	f.Effect = &Effect{
		Version: e.Version, CompilerVersion: e.CompilerVersionString(), SourceHash: e.SourceHash,
		Axes: []Axis{}, Permutations: e.PermutationCount(), Default: e.DefaultIndex(), Contents: len(e.Bodies()),
	}
	for i := range e.Axes {
		a := &e.Axes[i]
		f.Effect.Axes = append(f.Effect.Axes, Axis{a.Name, a.Default, a.Type, a.Options})
	}
	type span struct{ off, size uint32 }
	seen := map[span]bool{}
	for _, r := range e.Records {
		seen[span{r.Offset, r.Size}] = true
	}
	f.Effect.Records = len(seen)
}

// count counts the records of a body.
func count(b *effect.Body) (c Counts) {
	data := func(d *effect.StageData) {
		c.Constants += len(d.Constants)
		c.Resources += len(d.Textures)
		c.Samplers += len(d.Samplers)
		c.UAVs += len(d.UAVs)
		c.DefaultBytes += len(d.Defaults)
	}
	for t := range b.Techniques {
		tech := &b.Techniques[t]
		c.Techniques++
		c.Passes += len(tech.Passes)
		c.Libraries += len(tech.Libraries)
		for p := range tech.Passes {
			c.Stages += len(tech.Passes[p].Stages)
			c.RenderStates += len(tech.Passes[p].States)
			for s := range tech.Passes[p].Stages {
				data(&tech.Passes[p].Stages[s].StageData)
			}
		}
		for l := range tech.Libraries {
			data(&tech.Libraries[l].Global.StageData)
			data(&tech.Libraries[l].Local.StageData)
		}
	}
	return c
}

// collector gathers the distinct passes of a file, then compiles them.
type collector struct {
	r      *runner
	f      *File
	opt    *compile.Options
	ps     programs
	index  map[[32]byte]int
	keys   [][32]byte
	inputs []*compile.PassInput
	opts   []*compile.Options
	done   []*built
}

func (c *collector) add(key [32]byte, in *compile.PassInput, opt *compile.Options, b *built) int {
	if i, ok := c.index[key]; ok {
		return i
	}
	if c.index == nil {
		c.index = map[[32]byte]int{}
	}
	i := len(c.keys)
	c.index[key] = i
	c.keys, c.inputs, c.opts, c.done = append(c.keys, key), append(c.inputs, in), append(c.opts, opt), append(c.done, b)
	return i
}

func (c *collector) pass(in *compile.PassInput, opt *compile.Options) int {
	return c.add(in.Key(opt, c.ps.sum), in, opt, nil)
}

func (c *collector) body(u *effect.UniqueBody, body *effect.Body) {
	out := Body{Key: u.Key, SHA256: hex.EncodeToString(u.SHA256[:]), Permutations: u.Permutations, Passes: []BodyPass{}}
	var facts *compile.Facts
	nth := map[string]int{}
	for t := range body.Techniques {
		tech := &body.Techniques[t]
		n := nth[tech.Name]
		nth[tech.Name]++
		for p := range tech.Passes {
			in := compile.EffectPass(&tech.Passes[p])
			if in.NeedsFacts() {
				if facts == nil {
					facts = compile.BodyFacts(body)
				}
				facts.Apply(t, p, in)
			}
			bp := BodyPass{Technique: tech.Name, Nth: n, Pass: p}
			bp.Unit = c.pass(in, optionsFor(c.opt, bp.Text()))
			out.Passes = append(out.Passes, bp)
		}
		for l := range tech.Libraries {
			key, b := library(&tech.Libraries[l], &c.ps, c.opt.Key())
			out.Passes = append(out.Passes, BodyPass{Technique: tech.Name, Nth: n, Pass: l, Library: true, Unit: c.add(key, nil, nil, b)})
		}
	}
	c.f.Bodies = append(c.f.Bodies, out)
}

// optionsFor returns the options of one pass: "Main/0/ps/t3" is "ps/t3" for Main/0 and
// nothing for the others.
func optionsFor(opt *compile.Options, pass string) *compile.Options {
	named := false
	for k := range opt.Views {
		named = named || strings.Count(k, "/") > 1
	}
	if !named {
		return opt
	}
	o := *opt
	o.Views = make(map[string]string, len(opt.Views))
	for _, k := range sortedKeys(opt.Views) {
		if strings.Count(k, "/") <= 1 {
			if _, set := o.Views[k]; !set {
				o.Views[k] = opt.Views[k]
			}
		} else if rest, ok := strings.CutPrefix(k, pass+"/"); ok {
			o.Views[rest] = opt.Views[k] // the more exact key wins
		}
	}
	return &o
}

// finish compiles what was gathered and gives bodies and file their statuses.
func (c *collector) finish(ctx context.Context) error {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(cap(c.r.slots))
	for i := range c.keys {
		if c.done[i] != nil {
			continue
		}
		g.Go(func() (err error) {
			c.done[i], err = c.r.unit(gctx, c.keys[i], c.inputs[i], c.opts[i], &c.ps)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, b := range c.done {
		c.f.Units = append(c.f.Units, b.unit)
		for _, p := range b.programs {
			if !seen[p.SHA256] {
				seen[p.SHA256] = true
				c.f.Programs = append(c.f.Programs, p)
			}
		}
	}
	c.f.settle()
	return nil
}

// settle works out the statuses of bodies and file from those of the units.
func (f *File) settle() {
	var parts []Status
	for i := range f.Bodies {
		b := &f.Bodies[i]
		passes := make([]Status, len(b.Passes))
		for k, p := range b.Passes {
			passes[k] = f.Units[p.Unit].Status
		}
		b.Status = ofPasses(passes)
		parts = append(parts, b.Status)
	}
	f.Status = together(parts)
}
