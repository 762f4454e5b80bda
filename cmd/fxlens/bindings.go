package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/ir"
	"fxlens/core/session"
	"fxlens/core/wgsl/layout"
)

// bindingsDoc is the JSON of one pass's binding plan.
type bindingsDoc struct {
	Schema           string           `json:"schema"` // fxlens.bindings/1
	Link             string           `json:"link"`
	Status           compile.Status   `json:"status"`
	Stages           []stageStatus    `json:"stages"`
	Bindings         []layout.Binding `json:"bindings"`
	SharedIdentities []string         `json:"sharedIdentities"`
	Premises         []premiseDoc     `json:"premises"`
	Diagnostics      []diag.Diag      `json:"diagnostics"`
}

// premiseDoc is one thing that a stage takes for granted of its caller.
type premiseDoc struct {
	Stage string `json:"stage"`
	ir.Premise
}

// premiseTable prints premises beside their stage.
func premiseTable(ps []premiseDoc) string {
	if len(ps) == 0 {
		return ""
	}
	t := table{}
	t.add("premise", "stage", "at", "holds when", "name", "because")
	for i := range ps {
		p := &ps[i]
		at := "-"
		if n := p.At.Index(); n >= 0 {
			at = "@" + strconv.Itoa(n)
		}
		name := p.Name
		if name == "" {
			name = "-"
		}
		t.add(p.Kind.String(), p.Stage, at, p.Short(), name, p.Text)
	}
	return "\n" + t.String()
}

// stageStatus is what became of one stage of a pass.
type stageStatus struct {
	Stage  string         `json:"stage"`
	Status compile.Status `json:"status"`
}

func (a *app) bindingsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bindings FILE[LINK]",
		Short: "print the binding plan of passes",
		Long: `bindings prints which group and binding every register of a pass gets, its type,
and the stages that see it. The plan belongs to the pass: a stage in the link only
selects passes that have it. Below it stand the premises of each stage: what the
program takes for granted of its caller. A pass without a plan makes the exit code 1.`,
		Args:              exactly(1, "name one file"),
		ValidArgsFunction: a.completeLink,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, t, err := a.at(args[0])
			if err != nil {
				return err
			}
			return a.bindings(cmd.Context(), s, t)
		},
	}
	a.compileFlags.add(cmd)
	return cmd
}

func (a *app) bindings(ctx context.Context, s *session.Session, t session.Target) error {
	var docs []any
	refused := false
	for i, ref := range t.Passes {
		pass, err := compilePass(ctx, s, t.Perm, ref)
		if err != nil {
			return err
		}
		d := &bindingsDoc{
			Schema: "fxlens.bindings/1", Link: s.Link(t.Perm, ref, "", -1).String(), Status: pass.Status,
			Stages: []stageStatus{}, Bindings: []layout.Binding{}, SharedIdentities: []string{}, Premises: []premiseDoc{}, Diagnostics: []diag.Diag{},
		}
		for _, st := range pass.Stages {
			d.Stages = append(d.Stages, stageStatus{st.Kind.Long(), st.Status})
			for _, p := range s.Premises(t.Perm, ref, st) {
				d.Premises = append(d.Premises, premiseDoc{st.Kind.Long(), p})
			}
		}
		d.Diagnostics = append(d.Diagnostics, s.Diags(t.Perm, ref, pass)...)
		if pass.Plan != nil {
			d.Bindings = append(d.Bindings, pass.Plan.Bindings...)
			d.SharedIdentities = append(d.SharedIdentities, pass.Plan.SharedIdentities...)
		}
		refused = refused || pass.Plan == nil && len(pass.Stages) > 0
		if a.json {
			docs = append(docs, d)
			continue
		}
		if len(t.Passes) > 1 {
			a.heading(i == 0, "#", d.Link)
		}
		a.print("%s", bindingTable(d.Bindings))
		if len(d.Bindings) == 0 && pass.Plan != nil {
			a.print("no bindings\n")
		}
		a.print("%s", premiseTable(d.Premises))
		a.diagnostics(fileLink(s), d.Diagnostics)
	}
	if a.json {
		if err := a.printDocs("fxlens.bindings/1", linkOf(s, t), len(t.Passes) == 1, docs); err != nil {
			return err
		}
	}
	if refused {
		return errRefused
	}
	return nil
}

// bindingTable prints a plan in its order: group, binding, register, name, type,
// stages and what is special.
func bindingTable(bs []layout.Binding) string {
	if len(bs) == 0 {
		return ""
	}
	t := table{}
	t.add("group", "binding", "register", "name", "type", "stages", "kind", "notes")
	for i := range bs {
		b := &bs[i]
		reg := b.Symbol
		if reg == "" {
			reg = strconv.Itoa(int(b.Register))
		}
		var vis []string
		for _, v := range b.Visibility {
			vis = append(vis, v.String())
		}
		name := b.Name
		if name == "" {
			name = "-"
		}
		t.add(strconv.Itoa(b.Group), strconv.Itoa(b.Binding), reg, name, b.Type, strings.Join(vis, ","), b.Kind.String(), bindingNotes(b))
	}
	return t.String()
}

func bindingNotes(b *layout.Binding) string {
	var n []string
	switch {
	case b.Buffer != nil:
		n = append(n, fmt.Sprintf("%s, at least %d bytes", b.Buffer.Type, b.Buffer.MinBindingSize))
	case b.Texture != nil:
		t := b.Texture.SampleType + " " + b.Texture.ViewDimension
		if b.Texture.Multisampled {
			t += " multisampled"
		}
		n = append(n, t)
	case b.Sampler != nil:
		n = append(n, b.Sampler.Type)
	case b.Storage != nil:
		n = append(n, b.Storage.Access+" "+b.Storage.Format+" "+b.Storage.ViewDimension)
	}
	if b.Stride > 0 {
		n = append(n, fmt.Sprintf("stride %d", b.Stride))
	}
	if b.Format != "" {
		n = append(n, "view "+b.Format+" ("+b.FormatFrom+")")
	}
	return strings.Join(n, "; ")
}
