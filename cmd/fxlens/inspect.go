package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/effect"
	"fxlens/core/files"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
	"fxlens/core/variant/bundle"
	"fxlens/core/wgsl/layout"
	"fxlens/views"
)

func (a *app) inspectCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "inspect FILE[LINK]|DIR",
		Short: "print what a file is: axes, techniques, passes, stages, findings",
		Long: `inspect prints what a file is and what is in it. For an effect that is its version,
axes, counts, and the techniques, passes and stages of one permutation: that of the
link, or the default. With --json it is all permutations' in full. For a folder it
lists the shader files below it; one that cannot be read makes the exit code 1.`,
		Args:              exactly(1, "name one file or folder"),
		ValidArgsFunction: a.completeLink,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.inspect(cmd.Context(), args[0]) },
	}
}

func (a *app) inspect(ctx context.Context, arg string) error {
	l, err := parseArg(arg)
	if err != nil {
		return err
	}
	if files.IsGraph(l.File) {
		return a.listSwitches(ctx, arg)
	}
	if info, err := os.Stat(l.File); err == nil && info.IsDir() {
		if !l.IsFile() {
			return usagef("%s is a folder, and %s selects inside a file; name a file", l.File, l.Inside())
		}
		return a.inspectFolder(ctx, l.File)
	}
	s, err := a.open(l)
	if err != nil {
		return err
	}
	switch s.Kind {
	case session.EffectFile:
		t, err := s.Resolve(l)
		if err != nil {
			return err
		}
		if a.json {
			return a.printJSON(s.Effect.Inspect(s.Name))
		}
		return a.inspectEffect(s, t)
	case session.ProgramFile:
		if _, err := s.Resolve(l); err != nil {
			return err
		}
		d := programOf(s)
		if a.json {
			return a.printJSON(d)
		}
		a.inspectProgram(s, d)
		return nil
	default:
		var t session.Target
		if s.Effect != nil || !l.IsFile() {
			if t, err = s.Resolve(l); err != nil {
				return err
			}
		}
		return a.inspectPackage(s, t)
	}
}

// shaderModel is "5.0" for a program that decodes, or what it is instead.
func shaderModel(program []byte) (model string, instrs int) {
	sh, err := dxbc.OpenToList(program)
	if err == nil {
		return fmt.Sprintf("%d.%d", sh.Program.Major, sh.Program.Minor), len(sh.Program.Instrs)
	}
	if k := dxbc.Sniff(program); k.Kind != dxbc.KindUnknown {
		return k.Kind.String(), 0
	}
	return "unknown", 0
}

func (a *app) inspectEffect(s *session.Session, t session.Target) error {
	e := s.Effect
	head := fmt.Sprintf("compiled effect, version %d", e.Version)
	if c := e.CompilerVersionString(); c != "" {
		head += ", compiler " + c
	}
	a.print("%s: %s\n", views.Text(s.Name), head)
	facts := table{indent: "  "}
	facts.add("size", fmt.Sprintf("%d bytes (%s)", e.Size, files.Size(int64(e.Size))))
	facts.add("sha256", hex.EncodeToString(e.SHA256[:]))
	if e.SourceHash != "" {
		facts.add("source hash", e.SourceHash)
	}
	facts.add("permutations", fmt.Sprintf("%d, %s", e.PermutationCount(), plural(len(e.Bodies()), "distinct body", "distinct bodies")))
	a.print("%s", facts.String())
	return a.inspectContent(s, t)
}

// inspectContent prints axes, and the passes that the target selects.
func (a *app) inspectContent(s *session.Session, t session.Target) error {
	e := s.Effect
	a.print("\naxes: %d\n", len(e.Axes))
	axes := table{indent: "  "}
	for i := range e.Axes {
		x := &e.Axes[i]
		opts := make([]string, len(x.Options))
		for j, o := range x.Options {
			opts[j] = o
			if j == x.Default {
				opts[j] += "*"
			}
		}
		axes.add(x.Name, effect.AxisTypeName(x.Type), strings.Join(opts, " "))
	}
	a.print("%s", axes.String())

	what := fmt.Sprintf("permutation %d", t.Perm)
	if t.Perm == e.DefaultIndex() {
		what += " (all defaults)"
	}
	if n := e.BodyOf(t.Perm); n >= 0 {
		b := e.Bodies()[n]
		if s.Kind == session.PackageFile {
			if b = s.StoredBody(t.Perm); b.Size == 0 {
				b = effect.UniqueBody{Key: "the only one"}
			}
		}
		what += fmt.Sprintf(": %s, %d bytes", b.Key, b.Size)
		if len(b.Permutations) > 1 {
			what += fmt.Sprintf(", shared by %d permutations", len(b.Permutations))
		}
	}
	a.print("\n%s\n", what)
	if p := s.Permutation(t.Perm); p != "" {
		a.print("  ?%s\n", p)
	}
	rows := table{indent: "  "}
	body, err := e.Body(t.Perm)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	for _, ref := range t.Passes {
		pass := &body.Techniques[ref.TechIndex].Passes[ref.Pass]
		in, err := s.Input(t.Perm, ref)
		if err != nil {
			return err
		}
		if len(in.Stages) == 0 {
			rows.add(ref.String(), "-", "no stages", plural(len(pass.States), "state", "states"))
		}
		for i, st := range in.Stages {
			if t.Stage != "" && st.Kind.String() != t.Stage {
				continue
			}
			if !s.HasPrograms() {
				rows.add(ref.String(), st.Kind.String(), storedStage(s, t.Perm, ref, st.Kind))
				continue
			}
			model, n := shaderModel(st.Program)
			states := ""
			if i == 0 {
				states = plural(len(pass.States), "state", "states")
			}
			rows.add(ref.String(), st.Kind.String(), model, fmt.Sprintf("%d bytes", len(st.Program)), plural(n, "instruction", "instructions"), states)
		}
	}
	for i := range body.Techniques {
		tech := &body.Techniques[i]
		if len(tech.Passes) == 0 && len(tech.Libraries) == 0 {
			rows.add(session.Escape(tech.Name), "-", "no passes")
		}
		for j := range tech.Libraries {
			l := &tech.Libraries[j]
			rows.add(session.Escape(tech.Name), "library", plural(len(l.Exports), "export", "exports"), fmt.Sprintf("%d bytes", len(l.Program)))
		}
	}
	a.print("%s", rows.String())
	a.printFindings(s)
	return nil
}

// storedStage says what a file without programs has for a stage.
func storedStage(s *session.Session, perm int, ref session.PassRef, kind dxbc.ProgramKind) string {
	p, err := s.Stored(perm, ref)
	if err != nil {
		return "not in the package"
	}
	stage, ok := layout.StageOf(kind)
	for i := range p.Shaders {
		if ok && p.Shaders[i].Stage == stage.String() {
			return fmt.Sprintf("WGSL, %d bytes", len(p.Shaders[i].Code))
		}
	}
	return "no module"
}

// printFindings lists the findings of a file: they are results here, not errors.
func (a *app) printFindings(s *session.Session) {
	if len(s.Findings()) == 0 {
		a.print("\nfindings: none\n")
		return
	}
	a.print("\nfindings: %d\n", len(s.Findings()))
	for _, d := range s.Findings() {
		line := fmt.Sprintf("%s: %s [%s]", d.Sev, d.Text, d.Code)
		if at := d.At.String(); at != "" {
			line = at + ": " + line
		}
		a.print("  %s\n", views.Text(line))
	}
}

// programDoc is the JSON of inspect on a bare shader.
type programDoc struct {
	Schema       string        `json:"schema"` // fxlens.inspect/1
	File         string        `json:"file"`
	FileSize     int           `json:"fileSize"`
	FileSHA256   string        `json:"fileSha256"`
	Kind         string        `json:"kind"` // program
	Stage        string        `json:"stage"`
	Profile      string        `json:"profile"`
	Checksum     string        `json:"checksum"` // retail, debug or mismatch
	Instructions int           `json:"instructions"`
	Chunks       []chunkDoc    `json:"chunks"`
	Features     []string      `json:"features"`
	Inputs       []sigDoc      `json:"inputs"`
	Outputs      []sigDoc      `json:"outputs"`
	Patch        []sigDoc      `json:"patchConstants"`
	Resources    []resourceDoc `json:"resources"` // of RDEF, where the file has it
	Findings     []diag.Diag   `json:"findings"`
}

// sigDoc is one element of a signature.
type sigDoc struct {
	Semantic string `json:"semantic"`
	Index    uint32 `json:"index"`
	Register *int   `json:"register"` // null where there is none
	Mask     string `json:"mask"`
	Used     string `json:"used"`
	System   string `json:"system,omitempty"`
	Type     string `json:"type"`
	Stream   uint32 `json:"stream,omitempty"`
}

// resourceDoc is one bound resource of RDEF.
type resourceDoc struct {
	Name     string `json:"name"`
	Register string `json:"register"` // t3, cb0, s1, u0
	Space    uint32 `json:"space"`
	Count    uint32 `json:"count"` // 0: unbounded
}

func programOf(s *session.Session) *programDoc {
	sh, p := s.Program, s.Program.Program
	d := &programDoc{
		Schema: effect.InspectionSchema, File: s.Name, FileSize: len(s.Data), FileSHA256: hex.EncodeToString(s.SHA256[:]),
		Kind: s.Kind.String(), Stage: p.Kind.Long(), Profile: p.Profile(), Checksum: sh.Container.Sum.String(),
		Instructions: len(p.Instrs), Chunks: chunksOf(sh.Container), Features: []string{}, Resources: []resourceDoc{}, Findings: []diag.Diag{},
		Inputs: signatureOf(sh.In, false), Outputs: signatureOf(sh.Out, true), Patch: signatureOf(sh.Patch, p.Kind == dxbc.Hull),
	}
	d.Features = append(d.Features, dxbc.FeatureNames(sh.Features)...)
	d.Findings = append(d.Findings, s.Findings()...)
	if sh.RDEF != nil {
		for i := range sh.RDEF.Bindings {
			b := &sh.RDEF.Bindings[i]
			d.Resources = append(d.Resources, resourceDoc{b.Name, fmt.Sprintf("%s%d", b.Register(), b.Bind), b.Space, b.Count})
		}
	}
	return d
}

const maskLetters = "xyzw"

func maskText(m uint8) string {
	s := ""
	for i := range 4 {
		if m>>i&1 != 0 {
			s += maskLetters[i : i+1]
		}
	}
	return s
}

func signatureOf(sig *dxbc.Signature, output bool) []sigDoc {
	out := []sigDoc{}
	if sig == nil {
		return out
	}
	for i := range sig.Elements {
		e := &sig.Elements[i]
		d := sigDoc{Semantic: e.Name, Index: e.Index, Mask: maskText(e.Mask), Used: maskText(e.Used(output)), Type: e.Format(), Stream: e.Stream}
		if e.Register != ^uint32(0) {
			r := int(e.Register)
			d.Register = &r
		}
		if e.SysValue != 0 {
			d.System = dxbc.SigSysName(e.SysValue)
		}
		out = append(out, d)
	}
	return out
}

func (a *app) inspectProgram(s *session.Session, d *programDoc) {
	a.print("%s: DXBC shader, %s\n", views.Text(s.Name), d.Profile)
	facts := table{indent: "  "}
	facts.add("size", fmt.Sprintf("%d bytes (%s)", d.FileSize, files.Size(int64(d.FileSize))))
	facts.add("sha256", d.FileSHA256)
	facts.add("stage", d.Stage)
	facts.add("instructions", fmt.Sprint(d.Instructions))
	facts.add("checksum", d.Checksum)
	if len(d.Features) > 0 {
		facts.add("features", strings.Join(d.Features, ", "))
	}
	var tags []string
	for _, c := range d.Chunks {
		tags = append(tags, c.Tag)
	}
	facts.add("chunks", strings.Join(tags, " "))
	a.print("%s", facts.String())
	for _, g := range []struct {
		name string
		sig  []sigDoc
	}{{"inputs", d.Inputs}, {"outputs", d.Outputs}, {"patch constants", d.Patch}} {
		if len(g.sig) == 0 {
			continue
		}
		a.print("\n%s: %d\n", g.name, len(g.sig))
		t := table{indent: "  "}
		for _, e := range g.sig {
			reg := "-"
			if e.Register != nil {
				reg = fmt.Sprint(*e.Register)
			}
			used := e.Used
			if used == "" {
				used = "unused"
			}
			t.add(fmt.Sprintf("%s%d", e.Semantic, e.Index), "register "+reg, e.Mask, e.Type, used, e.System)
		}
		a.print("%s", t.String())
	}
	if len(d.Resources) > 0 {
		a.print("\nresources: %d\n", len(d.Resources))
		t := table{indent: "  "}
		for _, r := range d.Resources {
			n := fmt.Sprintf("space %d", r.Space)
			if r.Count != 1 {
				n += fmt.Sprintf(", %d registers", r.Count)
			}
			t.add(r.Register, r.Name, n)
		}
		a.print("%s", t.String())
	}
	a.printFindings(s)
}

// folderDoc is the JSON of inspect on a folder.
type folderDoc struct {
	Schema string    `json:"schema"` // fxlens.inspect-folder/1
	Folder string    `json:"folder"`
	Files  []fileDoc `json:"files"`
}

// fileDoc is one file of a folder.
type fileDoc struct {
	File         string `json:"file"`
	Size         int64  `json:"size"`
	Kind         string `json:"kind,omitempty"` // effect, program, package; empty where it cannot be read
	Version      uint32 `json:"version,omitempty"`
	Permutations int    `json:"permutations,omitempty"`
	Bodies       int    `json:"bodies,omitempty"`
	Profile      string `json:"profile,omitempty"`
	Error        string `json:"error,omitempty"`
}

func (a *app) inspectFolder(ctx context.Context, dir string) error {
	found, skipped, err := files.List(ctx, dir)
	if err != nil {
		return err
	}
	opt, err := a.options()
	if err != nil {
		return err
	}
	doc := folderDoc{"fxlens.inspect-folder/1", dir, []fileDoc{}}
	failed := len(skipped) > 0
	rows := table{}
	for _, f := range found {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		d := fileDoc{File: f.Path, Size: f.Size}
		data, err := files.Read(f.Path, 0)
		var s *session.Session
		if err == nil {
			s, err = session.Open(f.Path, data, opt)
		}
		switch {
		case err != nil:
			failed = true
			d.Error = err.Error()
			rows.add(f.Path, "unreadable", reasonOf(err))
		case s.Kind == session.EffectFile:
			d.Kind, d.Version = s.Kind.String(), s.Effect.Version
			d.Permutations, d.Bodies = s.Permutations(), len(s.Effect.Bodies())
			rows.add(f.Path, "effect", fmt.Sprintf("version %d", d.Version), plural(d.Permutations, "permutation", "permutations"), plural(d.Bodies, "body", "bodies"))
		case s.Kind == session.ProgramFile:
			d.Kind, d.Profile = s.Kind.String(), s.Program.Program.Profile()
			rows.add(f.Path, "program", d.Profile)
		default:
			d.Kind = s.Kind.String()
			rows.add(f.Path, "package")
		}
		doc.Files = append(doc.Files, d)
	}
	if a.json {
		if err := a.printJSON(doc); err != nil {
			return err
		}
	} else if len(found) == 0 {
		a.print("%s: no shader files (%s)\n", views.Text(dir), strings.Join(files.Extensions, " "))
	} else {
		a.print("%s", rows.String())
	}
	for _, err := range skipped {
		a.problem("%s", views.Text(err.Error()))
	}
	if failed {
		return errRefused
	}
	return nil
}

// reasonOf is an error's text without the file's name, which the row has already.
func reasonOf(err error) string {
	var o *session.OpenError
	var f *files.Error
	switch {
	case errors.As(err, &o):
		return o.Reason
	case errors.As(err, &f):
		return f.Reason
	}
	return err.Error()
}

// packageDoc is the JSON of inspect on a package: its chunks, and the documents that
// say what it is.
type packageDoc struct {
	Schema     string          `json:"schema"` // fxlens.inspect/1
	File       string          `json:"file"`
	FileSize   int             `json:"fileSize"`
	FileSHA256 string          `json:"fileSha256"`
	Kind       string          `json:"kind"`              // package
	Format     session.Format  `json:"format"`            // cewgpu or carbon
	Summary    *cewgpu.Summary `json:"summary,omitempty"` // of a CEWGPU package
	Chunks     []chunkDoc      `json:"chunks"`
	Info       json.RawMessage `json:"info,omitempty"` // the chunk, or the view of a container
	Meta       json.RawMessage `json:"meta,omitempty"`
	// Effect is what an effect package or a container describes.
	Effect   *effect.Inspection `json:"effect,omitempty"`
	Variants *bundle.Package    `json:"variants,omitempty"` // of a package of shader variants
	Findings []diag.Diag        `json:"findings"`
}
