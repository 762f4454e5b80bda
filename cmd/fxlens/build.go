package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"fxlens/core/diag"
	"fxlens/core/effect"
	"fxlens/core/files"
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
	format  string
	label   string
}

// buildDoc is the JSON of build.
type buildDoc struct {
	Schema      string         `json:"schema"` // fxlens.build/1
	Source      string         `json:"source"` // link to what was packaged
	File        string         `json:"file"`   // that was written; empty where none was
	Report      *cewgpu.Report `json:"report,omitempty"`
	Diagnostics []diag.Diag    `json:"diagnostics"` // why there is no package
}

func (a *app) buildCommand() *cobra.Command {
	var f buildFlags
	cmd := &cobra.Command{
		Use:   "build FILE[LINK] -o OUT",
		Short: "write a CEWGPU package",
		Long: `build translates an effect and writes a package. The permutation is that of the link
or of --set; a link with a technique or pass, or --pass, restricts the modules to it.
The package is written whole or not at all, read back, and checked by the strict
reader. An existing file is replaced only with --force.`,
		Example:           "  fxlens build 'quadv5.sm_hi?SKINNED=ON' -o quad.cewgpu\n  fxlens build quadv5.sm_hi --set SKINNED=ON --pass Main/0 -o quad.cewgpu",
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
	fl.StringVar(&f.format, "format", "cewgpu", "container: `cewgpu|carbon`")
	fl.StringVar(&f.label, "label", "", "`name` of the source inside the package (default its base name)")
	for flag, words := range map[string][]string{"mode": {"selected", "all"}, "profile": {"strict", "extended"}, "format": {"cewgpu", "carbon"}} {
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
	case f.format == "carbon":
		return o, usagef("--format carbon: this version writes CEWGPU packages only; use cewgpu")
	case f.format != "cewgpu":
		return o, usagef("--format %s: use cewgpu", f.format)
	case f.mode != string(cewgpu.Selected) && f.mode != string(cewgpu.All):
		return o, usagef("--mode %s: use selected or all", f.mode)
	case f.profile != string(cewgpu.Strict) && f.profile != string(cewgpu.Extended):
		return o, usagef("--profile %s: use strict or extended", f.profile)
	}
	return session.PackageOptions{Mode: cewgpu.Mode(f.mode), Profile: cewgpu.Profile(f.profile), Label: f.label, Version: version}, nil
}

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
	if err := checkTarget(f, l.File); err != nil {
		return err
	}
	o.Perm = t.Perm
	if restricted {
		o.Passes = t.Passes
	}
	done := a.progress(&o, "translating passes")
	pkg, report, err := s.BuildPackage(ctx, o)
	done()
	doc := buildDoc{Schema: "fxlens.build/1", Source: linkOf(s, t), Diagnostics: []diag.Diag{}}
	var refused *cewgpu.BuildError
	if errors.As(err, &refused) {
		doc.Diagnostics = append(doc.Diagnostics, refused.Diags()...)
		if !a.json {
			a.diagnostics(fileLink(s), doc.Diagnostics)
			a.problem("%s: no package was written: %s", views.Text(f.out), plural(len(doc.Diagnostics), "finding", "findings"))
			return errRefused
		}
		if err := a.printJSON(doc); err != nil {
			return err
		}
		return errRefused
	}
	if err != nil {
		return err
	}
	if err := writePackage(f, pkg, report); err != nil {
		return err
	}
	doc.File, doc.Report = f.out, report
	if a.json {
		return a.printJSON(doc)
	}
	for _, g := range report.Findings {
		doc.Diagnostics = append(doc.Diagnostics, g.Diag())
	}
	a.printReport(&doc)
	a.diagnostics(f.out, doc.Diagnostics)
	return nil
}

// checkTarget refuses, before anything is translated, what cannot be written later.
func checkTarget(f *buildFlags, source string) error {
	info, err := os.Stat(f.out)
	if err != nil {
		return nil // a new file; its folder is looked at when it is written
	}
	if src, err := os.Stat(source); err == nil && os.SameFile(info, src) {
		return usagef("%s is the source itself; name another file", f.out)
	}
	if info.Mode().IsRegular() && !f.force {
		return existsError(f.out)
	}
	return nil
}

func existsError(path string) error {
	return &files.Error{Op: "write", Path: path, Reason: "exists already", Remedy: "name another file, or replace it with --force", Err: files.ErrExists}
}

// writePackage writes the package and reads the file back.
func writePackage(f *buildFlags, pkg []byte, report *cewgpu.Report) error {
	if err := files.Write(f.out, pkg, f.force); err != nil {
		if errors.Is(err, files.ErrExists) {
			return existsError(f.out)
		}
		return err
	}
	back, err := files.Read(f.out, int64(len(pkg)))
	if err != nil {
		return err
	}
	p, err := cewgpu.Open(back)
	if err != nil {
		return &session.OpenError{Name: f.out, Reason: "the file read back is not what was written: " + err.Error(), Remedy: "check the disk and build again", Err: err}
	}
	if got := hex.EncodeToString(p.SHA256[:]); got != report.SHA256 {
		return &session.OpenError{Name: f.out, Reason: "the file read back is not what was written", Remedy: "check the disk and build again", Err: cewgpu.ErrNotValid}
	}
	return nil
}

func (a *app) printReport(d *buildDoc) {
	r := d.Report
	a.print("%s: %s package, %s\n", views.Text(d.File), r.Profile, r.Mode)
	t := table{indent: "  "}
	t.add("source", d.Source)
	t.add("size", fmt.Sprintf("%d bytes (%s)", r.Size, files.Size(int64(r.Size))))
	t.add("sha256", r.SHA256)
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
