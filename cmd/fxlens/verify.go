package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"fxlens/core/diag"
	"fxlens/core/files"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
	"fxlens/views"
)

// verifyDoc is the JSON of verify.
type verifyDoc struct {
	Schema   string           `json:"schema"` // fxlens.verify/1
	File     string           `json:"file"`
	Valid    bool             `json:"valid"`            // no rule is broken, and the source fits where one was given
	Source   string           `json:"source,omitempty"` // --source
	Summary  *cewgpu.Summary  `json:"summary,omitempty"`
	Findings []cewgpu.Finding `json:"findings"`
}

func (a *app) verifyCommand() *cobra.Command {
	var source string
	cmd := &cobra.Command{
		Use:   "verify PACKAGE",
		Short: "check a package by every rule of its format",
		Long: `verify checks a CEWGPU package by every published rule and lists all findings: chunk,
path inside its document, byte, reason, rule. With --source it also compares the
package with the effect that it says it was made of. A broken rule makes the exit
code 1; warnings and notes do not.`,
		Args: exactly(1, "name one package"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.verify(cmd.Context(), args[0], source) },
	}
	cmd.Flags().StringVar(&source, "source", "", "effect `file` that the package was made of")
	return cmd
}

func (a *app) verify(ctx context.Context, path, source string) error {
	data, err := a.read(path)
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(data, []byte("CWGP")) {
		return &session.OpenError{Name: path, Reason: "this is no CEWGPU package: it does not begin with CWGP", Remedy: "name a package; `fxlens inspect` says what other files are", Err: session.ErrUnknown}
	}
	p, found := cewgpu.Validate(data)
	doc := verifyDoc{Schema: "fxlens.verify/1", File: path, Source: source, Findings: []cewgpu.Finding{}}
	doc.Findings = append(doc.Findings, found...)
	if p != nil {
		s := p.Summary()
		doc.Summary = &s
	}
	if source != "" && p != nil && p.Valid() && p.Kind == cewgpu.EffectPackage {
		src, err := files.Read(source, 0)
		if err != nil {
			return err
		}
		more, err := p.VerifySource(ctx, src)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return &session.OpenError{Name: source, Reason: err.Error(), Remedy: "name the effect that the package was built from", Err: err}
		}
		doc.Findings = append(doc.Findings, more...)
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
	a.print("%s: %s %s: %s, %s, %s\n", views.Text(d.File), verdict, kind,
		plural(n[diag.Error], "error", "errors"), plural(n[diag.Warning], "warning", "warnings"), plural(n[diag.Note], "note", "notes"))
	if d.Valid && d.Source != "" {
		a.print("%s: the package is of this file\n", views.Text(d.Source))
	}
}

// extract prints a chunk or part of it.
func (a *app) extractCommand() *cobra.Command {
	var out string
	var force bool
	cmd := &cobra.Command{
		Use:   "extract PACKAGE CHUNK[/PATH]",
		Short: "print a chunk of a package, or a value inside its document",
		Long: `extract prints the bytes of a chunk as they are, or, with a path, one value of the
JSON document in it. A path is keys, list indices, or the "key" of a list's element,
joined by slashes; a string prints as its text, RBLB/blob3 as the bytes of a blob.`,
		Example: "  fxlens extract quad.cewgpu WGSL/shaders/Main.pass0.pixel/code\n  fxlens extract quad.cewgpu RBLB/blob0 -o program.dxbc",
		Args:    exactly(2, "name a package and a chunk"),
		RunE: func(_ *cobra.Command, args []string) error {
			data, err := a.read(args[0])
			if err != nil {
				return err
			}
			value, binary, err := extract(args[0], data, args[1])
			if err != nil {
				return err
			}
			switch {
			case out != "":
				if err := files.Write(out, value, force); errors.Is(err, files.ErrExists) {
					return existsError(out)
				} else if err != nil {
					return err
				}
				a.print("%s: %d bytes\n", views.Text(out), len(value))
				return nil
			case binary && a.outTerm:
				return usagef("%s is binary; write it to a file with -o", args[1])
			case a.outTerm:
				a.print("%s\n", text(string(value)))
				return nil
			}
			if _, err := a.out.Write(value); err != nil {
				return fmt.Errorf("cannot write the output: %w", err)
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "`file` to write")
	cmd.Flags().BoolVar(&force, "force", false, "replace an existing file")
	return cmd
}
