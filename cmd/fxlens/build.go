package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fxlens/core/diag"
	"fxlens/core/effect"
	"fxlens/core/files"
	"fxlens/core/pack/carbon"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
	"fxlens/views"
)

// buildFlags are the flags of build.
type buildFlags struct {
	out     string
	force   bool
	set     []string
	passes  []string
	mode    string
	profile string
	order   string
	format  string
	label   string
	partial bool
}

// buildDoc is the JSON of build.
type buildDoc struct {
	Schema      string         `json:"schema"` // fxlens.build/1
	Source      string         `json:"source"` // link to what was packaged
	File        string         `json:"file"`   // that was written; empty where none was
	Format      session.Format `json:"format"` // cewgpu or carbon
	Size        int            `json:"size,omitempty"`
	SHA256      string         `json:"sha256,omitempty"`
	Report      *cewgpu.Report `json:"report,omitempty"` // of the package, from which a container is made too
	Side        string         `json:"side,omitempty"`   // carbon: the side file that was written
	Lost        []carbon.Loss  `json:"lost,omitempty"`   // carbon: what the container cannot say
	Diagnostics []diag.Diag    `json:"diagnostics"`      // why there is no package
}

func (a *app) buildCommand() *cobra.Command {
	var f buildFlags
	cmd := &cobra.Command{
		Use:   "build FILE[LINK]|DIR -o OUT",
		Short: "write a CEWGPU package or Carbon WebGPU container",
		Long: `build translates an effect and writes a package. The permutation is that of the link
or of --set; a link with a technique or pass, or --pass, restricts the modules to it.
The package is written whole or not at all, read back, and checked by the strict
reader. An existing file is replaced only with --force.

--format carbon writes the package's Carbon WebGPU container. What a container cannot say
is listed and kept in a side file beside it, OUT` + session.SideSuffix + `, with which
fxlens convert makes the package again, byte for byte.

Of a folder of chunks, files called NN-TAG.ext as fxlens extract --into writes them, build
makes the package or generic container that they are; a file NN-WGSL.wgsl is raw text.`,
		Example:           "  fxlens build 'quadv5.sm_hi?SKINNED=ON' -o quad.cewgpu\n  fxlens build quadv5.sm_hi --set SKINNED=ON --pass Main/0 -o quad.cewgpu\n  fxlens build quadv5.sm_hi --mode all --format carbon -o quad.carbonwebgpu",
		Args:              exactly(1, "name one effect"),
		ValidArgsFunction: a.completeLink,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.build(cmd.Context(), args[0], &f) },
	}
	fl := cmd.Flags()
	fl.StringVarP(&f.out, "output", "o", "", "`file` to write")
	fl.BoolVar(&f.force, "force", false, "replace an existing file")
	fl.StringArrayVar(&f.set, "set", nil, "choose the option of an axis: `AXIS=OPTION` (repeatable)")
	fl.StringArrayVar(&f.passes, "pass", nil, "only this `pass`, as in Main/0, or technique (repeatable)")
	fl.StringVar(&f.mode, "mode", "selected", "bodies to translate: `selected|all`")
	fl.StringVar(&f.profile, "profile", "strict", "package profile: `strict|extended`")
	fl.StringVar(&f.order, "order", string(cewgpu.CodePoint), orderUsage)
	fl.StringVar(&f.format, "format", "cewgpu", "container: `cewgpu|carbon`")
	fl.StringVar(&f.label, "label", "", "`name` of the source inside the package (default its base name)")
	fl.BoolVar(&f.partial, "allow-partial", false, "take the first permutation that can be translated where the selected one cannot")
	for flag, words := range map[string][]string{"mode": {"selected", "all"}, "profile": {"strict", "extended"}, "format": {"cewgpu", "carbon"}, "order": orderWords} {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	}
	_ = cmd.RegisterFlagCompletionFunc("set", a.completeSets)
	_ = cmd.RegisterFlagCompletionFunc("pass", a.completePasses)
	a.compileFlags.add(cmd)
	return cmd
}

// options checks the flags and makes package options of them.
func (f *buildFlags) options() (o session.PackageOptions, err error) {
	switch {
	case f.out == "":
		return o, usagef("build needs a target: -o FILE")
	case f.format != string(session.CEWGPU) && f.format != string(session.Carbon):
		return o, usagef("--format %s: use cewgpu or carbon", f.format)
	case f.mode != string(cewgpu.Selected) && f.mode != string(cewgpu.All):
		return o, usagef("--mode %s: use selected or all", f.mode)
	case !slices.Contains(orderWords, f.order):
		return o, badOrder(f.order)
	case f.profile != string(cewgpu.Strict) && f.profile != string(cewgpu.Extended):
		return o, usagef("--profile %s: use strict or extended", f.profile)
	}
	return session.PackageOptions{Mode: cewgpu.Mode(f.mode), Profile: cewgpu.Profile(f.profile), Order: cewgpu.Order(f.order), Label: f.label, Version: version, AllowPartial: f.partial}, nil
}

// The orders of techniques that build and convert offer.
const orderUsage = "order of techniques in the package: `code-point|root` (root: as the ICU root collation)"

var orderWords = []string{string(cewgpu.CodePoint), string(cewgpu.Root)}

func badOrder(s string) error { return usagef("--order %s: use code-point or root", s) }

// link adds what --set and --pass say to a link.
func (f *buildFlags) link(l session.Link) (session.Link, error) {
	for _, v := range f.set {
		axis, option, ok := strings.Cut(v, "=")
		if !ok {
			return l, usagef("--set %s: write AXIS=OPTION", v)
		}
		l.Options = append(l.Options, effect.Option{Axis: axis, Value: option})
	}
	if l.Stage != "" || l.Instr >= 0 {
		return l, usagef("a package holds whole passes: leave the stage out of %s", l.Inside())
	}
	if len(f.passes) > 0 && l.HasTechnique() {
		return l, usagef("the link and --pass both choose passes; use one of them")
	}
	return l, nil
}

// pick resolves --pass, each of which is the place part of a link.
func (f *buildFlags) pick(s *session.Session, l session.Link) (session.Target, error) {
	t, err := s.Resolve(l)
	if err != nil || len(f.passes) == 0 {
		return t, err
	}
	t.Passes = nil
	for _, p := range f.passes {
		pl, err := session.ParseLink("#" + p)
		if err != nil {
			return t, err
		}
		if !pl.HasTechnique() || pl.Stage != "" || pl.Instr >= 0 {
			return t, usagef("--pass %s: write a technique and a pass, as in Main/0", p)
		}
		pl.Options = l.Options
		one, err := s.Resolve(pl)
		if err != nil {
			return t, err
		}
		t.Passes = append(t.Passes, one.Passes...)
	}
	return t, nil
}

func (a *app) build(ctx context.Context, arg string, f *buildFlags) error {
	o, err := f.options()
	if err != nil {
		return err
	}
	l, err := parseArg(arg)
	if err != nil {
		return err
	}
	if info, err := os.Stat(l.File); err == nil && info.IsDir() && l.IsFile() {
		return a.packFolder(l.File, f)
	}
	restricted := l.HasTechnique() || len(f.passes) > 0
	if l, err = f.link(l); err != nil {
		return err
	}
	s, err := a.open(l)
	if err != nil {
		return err
	}
	if s.Kind != session.EffectFile {
		return usagef("%s is a %s, and only a compiled effect can be packaged", s.Name, s.Kind)
	}
	t, err := f.pick(s, l)
	if err != nil {
		return err
	}
	side := ""
	if f.format == string(session.Carbon) {
		side = f.out + session.SideSuffix
	}
	for _, target := range []string{f.out, side} {
		if err := checkTarget(target, f.force, l.File); err != nil {
			return err
		}
	}
	o.Perm = t.Perm
	if restricted {
		o.Passes = t.Passes
	}
	done := a.progress(&o, "translating passes")
	out, err := s.Export(ctx, session.Format(f.format), o)
	done()
	doc := buildDoc{Schema: "fxlens.build/1", Source: linkOf(s, t), Format: session.Format(f.format), Diagnostics: []diag.Diag{}}
	var refused *cewgpu.BuildError
	var unsayable *carbon.ConvertError
	switch {
	case errors.As(err, &refused):
		doc.Diagnostics = append(doc.Diagnostics, refused.Diags()...)
	case errors.As(err, &unsayable):
		doc.Diagnostics = append(doc.Diagnostics, unsayable.Findings...)
	case err != nil:
		return err
	}
	if err != nil {
		if a.json {
			if err := a.printJSON(doc); err != nil {
				return err
			}
			return errRefused
		}
		a.diagnostics(fileLink(s), doc.Diagnostics)
		a.problem("%s: no package was written: %s", views.Text(f.out), plural(len(doc.Diagnostics), "finding", "findings"))
		return errRefused
	}
	if err := writeExported(f, out, side); err != nil {
		return err
	}
	sum := sha256.Sum256(out.Data)
	doc.File, doc.Size, doc.SHA256 = f.out, len(out.Data), hex.EncodeToString(sum[:])
	doc.Report, doc.Side, doc.Lost = out.Report, side, out.Lost
	if a.json {
		return a.printJSON(doc)
	}
	for _, g := range out.Report.Findings {
		doc.Diagnostics = append(doc.Diagnostics, g.Diag())
	}
	a.printReport(&doc)
	a.diagnostics(f.out, doc.Diagnostics)
	return nil
}

// checkTarget refuses, before anything is translated, what cannot be written later.
func checkTarget(out string, force bool, source string) error {
	info, err := os.Stat(out)
	if err != nil {
		return nil // a new file; its folder is looked at when it is written
	}
	if src, err := os.Stat(source); err == nil && os.SameFile(info, src) {
		return usagef("%s is the source itself; name another file", out)
	}
	if info.Mode().IsRegular() && !force {
		return existsError(out)
	}
	return nil
}

func existsError(path string) error {
	return &files.Error{Op: "write", Path: path, Reason: "exists already", Remedy: "name another file, or replace it with --force", Err: files.ErrExists}
}

// writeExported writes a package, or a container after its side file, and reads the
// file back. Where the second cannot be written the first does not stay.
func writeExported(f *buildFlags, out *session.Exported, side string) error {
	if side != "" {
		_, before := os.Lstat(side)
		if err := write(side, out.Side, f.force); err != nil {
			return err
		}
		if err := writeChecked(f, out); err != nil {
			if errors.Is(before, fs.ErrNotExist) {
				os.Remove(side)
			}
			return err
		}
		return nil
	}
	return writeChecked(f, out)
}

func writeChecked(f *buildFlags, out *session.Exported) error {
	if err := write(f.out, out.Data, f.force); err != nil {
		return err
	}
	bad := func(reason string, err error) error {
		return &session.OpenError{Name: f.out, Reason: "the file read back is not what was written" + reason, Remedy: "check the disk and build again", Err: err}
	}
	back, err := files.Read(f.out, int64(len(out.Data)))
	if err != nil {
		return err
	}
	if !bytes.Equal(back, out.Data) {
		return bad("", cewgpu.ErrNotValid)
	}
	if out.Format == session.Carbon {
		_, err = carbon.Open(back)
	} else {
		_, err = cewgpu.Open(back)
	}
	if err != nil {
		return bad(": "+err.Error(), err)
	}
	return nil
}

func (a *app) printReport(d *buildDoc) {
	r := d.Report
	what := "package"
	if d.Format == session.Carbon {
		what = "Carbon WebGPU container"
	}
	a.print("%s: %s %s, %s\n", views.Text(d.File), r.Profile, what, r.Mode)
	t := table{indent: "  "}
	t.add("source", d.Source)
	t.add("size", fmt.Sprintf("%d bytes (%s)", d.Size, files.Size(int64(d.Size))))
	t.add("sha256", d.SHA256)
	if r.Order != cewgpu.CodePoint {
		t.add("techniques", "in "+string(r.Order)+" order")
	}
	t.add("modules", fmt.Sprintf("%d of %d stages, %s", r.Qualification.ShaderCount, r.Qualification.SelectedStageCount, plural(r.Qualification.LayoutCount, "layout", "layouts")))
	if r.Mode == cewgpu.All {
		n := 0
		for _, b := range r.Bodies {
			if b.Translated {
				n++
			}
		}
		t.add("bodies", fmt.Sprintf("%d of %d translated", n, len(r.Bodies)))
		for _, b := range r.Bodies {
			if !b.Translated {
				t.add("", fmt.Sprintf("%s: %s", b.Key, b.Reason))
			}
		}
	}
	for _, p := range r.Passes {
		if p.Reason != "" {
			t.add("not in it", fmt.Sprintf("%s: %s", p.Key, p.Reason))
		}
	}
	if d.Side != "" {
		t.add("side file", d.Side)
	}
	for _, l := range d.Lost {
		t.add("lost", l.String())
	}
	a.print("%s", t.String())
}

// progress shows counts on a terminal's stderr; the function that it returns wipes them.
func (a *app) progress(o *session.PackageOptions, what string) func() {
	if !a.errTerm {
		return func() {}
	}
	o.Progress = func(done, total int) { fmt.Fprintf(a.err, "\r%s: %d of %d", what, done, total) }
	return func() { fmt.Fprint(a.err, "\r\x1b[K") }
}
