package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"fxlens/core/diag"
	"fxlens/core/effect"
	"fxlens/core/files"
	"fxlens/core/pack/carbon"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
	"fxlens/core/variant/bundle"
	"fxlens/views"
)

// verifyDoc is the JSON of verify.
type verifyDoc struct {
	Schema   string           `json:"schema"` // fxlens.verify/1
	File     string           `json:"file"`
	Valid    bool             `json:"valid"`            // no rule is broken, and the source fits where one was given
	Source   string           `json:"source,omitempty"` // --source
	Side     string           `json:"side,omitempty"`   // side file of a container whose package was compared
	Kind     string           `json:"kind,omitempty"`   // --kind
	Summary  *cewgpu.Summary  `json:"summary,omitempty"`
	Info     *carbon.Info     `json:"info,omitempty"`     // of a container
	Variants bool             `json:"variants,omitempty"` // it is a package of shader variants
	Findings []cewgpu.Finding `json:"findings"`
}

// verifyFlags are the flags of verify.
type verifyFlags struct {
	source string
	side   string
	kind   string
}

func (a *app) verifyCommand() *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use:   "verify PACKAGE",
		Short: "check a package by every rule of its format",
		Long: `verify checks a CEWGPU package or a Carbon WebGPU container by every published rule and
lists all findings: chunk, path inside its document, byte, reason, rule. With --source it
also compares the file with the effect that it says it was made of, and recomputes every
digest of the source. Beside its side file, or with --side, the views of a container are
compared with the documents of the package that it was made of. A broken rule makes the
exit code 1; warnings and notes do not.

Every module is read by the WGSL front end of fxlens too, which needs neither node nor a
browser: what it finds is in the list, with line and column of the module.

A package without the marker of effect packages is a generic container, of which little
can be wrong; of a package of variants that fxlens switches build wrote, every rule is
checked. --kind effect demands the marker.`,
		Args: exactly(1, "name one package"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.verify(cmd.Context(), args[0], &f) },
	}
	cmd.Flags().StringVar(&f.source, "source", "", "effect `file` that the package was made of")
	cmd.Flags().StringVar(&f.side, "side", "", "side `file` of a container (default the container's name with "+session.SideSuffix+")")
	cmd.Flags().StringVar(&f.kind, "kind", "any", "what it must be: `any|effect|generic`")
	_ = cmd.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions([]string{"any", "effect", "generic"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (a *app) verify(ctx context.Context, path string, f *verifyFlags) error {
	if f.kind != "any" && f.kind != "effect" && f.kind != "generic" {
		return usagef("--kind %s: use any, effect or generic", f.kind)
	}
	data, err := a.read(path)
	if err != nil {
		return err
	}
	doc := verifyDoc{Schema: "fxlens.verify/1", File: path, Source: f.source, Kind: f.kind, Findings: []cewgpu.Finding{}}
	switch {
	case bytes.HasPrefix(data, []byte("CWGP")):
		err = verifyPackage(ctx, data, f, &doc)
	case carbon.Sniff(data) || filepath.Ext(path) == ".carbonwebgpu":
		err = verifyContainer(ctx, path, data, f, &doc)
	default:
		return &session.OpenError{Name: path, Reason: "this is neither a CEWGPU package, which begins with CWGP, nor a Carbon WebGPU container", Remedy: "name a package; `fxlens inspect` says what other files are", Err: session.ErrUnknown}
	}
	if err != nil {
		return err
	}
	doc.Valid = !cewgpu.HasErrors(doc.Findings)
	if a.json {
		if err := a.printJSON(doc); err != nil {
			return err
		}
	} else {
		a.printVerified(&doc)
	}
	if !doc.Valid {
		return errRefused
	}
	return nil
}

// wrongSource is an effect that cannot be compared with.
func wrongSource(ctx context.Context, path string, data []byte, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return notSource(path, data, err)
}

// notSource is a file named with --source that is no compiled effect. A package in its
// place is the usual slip, and the effect's reader knows only a version word.
func notSource(path string, data []byte, err error) error {
	e := &session.OpenError{Name: path, Reason: "not a valid compiled effect: " + err.Error(), Remedy: "name the effect that the package was built from", Err: err}
	kind := ""
	switch {
	case bytes.HasPrefix(data, []byte("CWGP")):
		kind = "a CEWGPU package"
	case carbon.Sniff(data):
		kind = "a Carbon WebGPU container"
	default:
		return e
	}
	e.Reason, e.Remedy = "this is "+kind+", and --source means a compiled effect", "name the effect that it was made of; `fxlens inspect` prints its name and digest"
	return e
}

// badSide is a side file that cannot be read: invalid input, not a broken rule of the
// container beside it.
func badSide(path string, err error) error {
	var d diag.Diag
	if errors.As(err, &d) {
		err = errors.New(d.Text)
	}
	return &session.OpenError{Name: path, Reason: err.Error(), Remedy: "convert the package again, which writes it anew, or go on without it (fxlens convert --no-side)", Err: err}
}

func verifyPackage(ctx context.Context, data []byte, f *verifyFlags, doc *verifyDoc) error {
	p, found := cewgpu.Validate(data)
	doc.Findings = append(doc.Findings, found...)
	if p == nil {
		return nil
	}
	var variants *bundle.Opened
	if bundle.Is(p.Chunks) && p.Valid() {
		var err error
		if variants, err = bundle.Open(data); err != nil {
			doc.Findings = append(doc.Findings, bundle.Finding(err))
		} else {
			doc.Findings = doc.Findings[:0] // that it is no effect package
			doc.Variants = true
		}
	}
	s := p.Summary()
	doc.Summary = &s
	if f.kind != "any" && f.kind != p.Kind.String() {
		doc.Findings = append(doc.Findings, p.WrongKind())
	}
	if !cewgpu.HasErrors(doc.Findings) {
		check := func(ctx context.Context) ([]cewgpu.Finding, error) { return session.CheckModules(ctx, p) }
		if variants != nil {
			check = variants.Faults
		}
		bad, err := check(ctx)
		if err != nil {
			return err
		}
		doc.Findings = append(doc.Findings, bad...)
	}
	if f.source == "" || !p.Valid() || p.Kind != cewgpu.EffectPackage {
		return nil
	}
	src, err := files.Read(f.source, 0)
	if err != nil {
		return err
	}
	more, err := p.VerifySource(ctx, src)
	if err != nil {
		return wrongSource(ctx, f.source, src, err)
	}
	doc.Findings = append(doc.Findings, more...)
	return nil
}

// verifyContainer checks a container, and its views where its package is kept beside it.
func verifyContainer(ctx context.Context, path string, data []byte, f *verifyFlags, doc *verifyDoc) error {
	if f.kind == "generic" {
		return usagef("%s is a Carbon WebGPU container, and --kind generic means CEWGPU packages", path)
	}
	add := func(ds []diag.Diag) {
		for _, d := range ds {
			doc.Findings = append(doc.Findings, cewgpu.Finding{Rule: d.Code, Severity: d.Sev, Path: d.At.String(), Offset: -1, Reason: d.Text, Remedy: d.Remedy})
		}
	}
	file, ds := carbon.Validate(data, carbon.Detect)
	add(ds)
	if file == nil || diag.HasErrors(ds) {
		return nil
	}
	doc.Info = file.Info()
	bad, err := session.CheckContainer(ctx, file)
	if err != nil {
		return err
	}
	doc.Findings = append(doc.Findings, bad...)
	if f.source != "" {
		src, err := files.Read(f.source, 0)
		if err != nil {
			return err
		}
		e, err := effect.Parse(src)
		if err != nil {
			return wrongSource(ctx, f.source, src, err)
		}
		if ds, err = file.VerifySource(ctx, e); err != nil {
			return wrongSource(ctx, f.source, src, err)
		}
		add(ds)
	}
	side := f.side
	if side == "" {
		side = path + session.SideSuffix
	}
	text, err := files.Read(side, 0)
	if errors.Is(err, fs.ErrNotExist) && f.side == "" {
		return nil
	}
	if err != nil {
		return err
	}
	doc.Side = side
	kept, err := carbon.ParseSide(text)
	if err != nil {
		return badSide(side, err)
	}
	if kept.Package == nil {
		return nil // a container that was built without a package
	}
	back, err := file.ToPackage(ctx, carbon.ToOptions{Side: kept, Permutation: -1})
	var d diag.Diag
	switch {
	case errors.As(err, &d):
		add([]diag.Diag{d})
		return nil
	case err != nil:
		return err
	}
	p, err := cewgpu.Open(back.Data)
	if err != nil {
		return &session.OpenError{Name: side, Reason: "the package that it keeps: " + err.Error(), Remedy: "convert the package again", Err: err}
	}
	ds, err = file.VerifyPackage(ctx, p)
	if err != nil {
		return err
	}
	add(ds)
	return nil
}

func (a *app) printVerified(d *verifyDoc) {
	for _, f := range d.Findings {
		line := f.String()
		if f.Severity != diag.Note && f.Remedy != "" && f.Remedy != "none" {
			line += "; " + f.Remedy
		}
		a.print("%s\n", views.Text(line))
	}
	n := map[diag.Severity]int{}
	for _, f := range d.Findings {
		n[f.Severity]++
	}
	verdict := "valid"
	if !d.Valid {
		verdict = "not valid"
	}
	kind := "container"
	if d.Summary != nil && d.Summary.Profile != "" {
		kind = d.Summary.Profile + " effect package"
	}
	if d.Variants {
		kind = "package of shader variants"
	}
	if d.Info != nil {
		kind = "Carbon WebGPU container"
	}
	a.print("%s: %s %s: %s, %s, %s\n", views.Text(d.File), verdict, kind,
		plural(n[diag.Error], "error", "errors"), plural(n[diag.Warning], "warning", "warnings"), plural(n[diag.Note], "note", "notes"))
	if d.Valid && d.Source != "" {
		a.print("%s: the package is of this file\n", views.Text(d.Source))
	}
	if d.Valid && d.Side != "" {
		a.print("%s: the views of the container are the documents of its package\n", views.Text(d.Side))
	}
}

// extractFlags are the flags of extract.
type extractFlags struct {
	out   string
	into  string
	force bool
}

// extract prints a chunk or part of it.
func (a *app) extractCommand() *cobra.Command {
	var f extractFlags
	cmd := &cobra.Command{
		Use:   "extract PACKAGE[?AXIS=OPTION] CHUNK[/PATH]",
		Short: "print a chunk of a package, or a value inside its document",
		Long: `extract prints the bytes of a chunk as they are, or, with a path, one value of the
JSON document in it. A path is keys, list indices, or the "key" of a list's element,
joined by slashes; a string prints as its text, RBLB/blob3 as the bytes of a blob.

A Carbon WebGPU container has no chunks; INFO, META, PGRF, ANLS, WGSL and WGSB are the
documents that it stands for. Of both, reflection is the whole portable reflection of a
permutation, with its bytes as base64, and programs are its modules and layouts: of the
options behind the file name, or of the package's own permutation.

--into writes every chunk of a package into a folder, from which fxlens build makes the
package again, byte for byte.`,
		Example: "  fxlens extract quad.cewgpu WGSL/shaders/Main.pass0.pixel/code\n  fxlens extract quad.cewgpu RBLB/blob0 -o program.dxbc\n  fxlens extract 'all.cewgpu?SKINNED=ON' programs\n  fxlens extract quad.cewgpu --into chunks && fxlens build chunks -o again.cewgpu",
		Args: func(cmd *cobra.Command, args []string) error {
			if f.into != "" {
				return exactly(1, "--into writes all chunks: name a package alone")(cmd, args)
			}
			return exactly(2, "name a package and a chunk")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.into != "" {
				return a.extractInto(args[0], &f)
			}
			return a.extract(cmd.Context(), args[0], args[1], &f)
		},
	}
	cmd.Flags().StringVarP(&f.out, "output", "o", "", "`file` to write")
	cmd.Flags().StringVar(&f.into, "into", "", "write all chunks into this `folder`, made where it is missing")
	cmd.Flags().BoolVar(&f.force, "force", false, "replace existing files")
	return cmd
}

func (a *app) extract(ctx context.Context, arg, place string, f *extractFlags) error {
	l, err := parseArg(arg)
	if err != nil {
		return err
	}
	data, err := a.read(l.File)
	if err != nil {
		return err
	}
	value, binary, err := a.extracted(ctx, l, data, place)
	if err != nil {
		return err
	}
	switch {
	case f.out != "":
		if err := write(f.out, value, f.force); err != nil {
			return err
		}
		a.print("%s: %d bytes\n", views.Text(f.out), len(value))
		return nil
	case binary && a.outTerm:
		return usagef("%s is binary; write it to a file with -o", place)
	case a.outTerm:
		a.print("%s\n", text(string(value)))
		return nil
	}
	if _, err := a.out.Write(value); err != nil {
		return fmt.Errorf("cannot write the output: %w", err)
	}
	return nil
}
