package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/ir"
	"fxlens/core/session"
)

// ssaDoc is the JSON of one stage's SSA.
type ssaDoc struct {
	Schema      string         `json:"schema"` // fxlens.ssa/1
	Link        string         `json:"link"`
	Status      compile.Status `json:"status"`
	Stage       string         `json:"stage"` // vertex, pixel, compute, geometry, hull, domain
	Phase       string         `json:"phase"` // the phase after which the text is
	Phases      []phaseDoc     `json:"phases"`
	Text        string         `json:"text,omitempty"`
	Diagnostics []diag.Diag    `json:"diagnostics"`
}

// phaseDoc is one phase of the pipeline: how much was alive after it.
type phaseDoc struct {
	Name   string `json:"name"`
	Values int    `json:"values"`
	Nodes  int    `json:"nodes"`
}

func (a *app) ssaCommand() *cobra.Command {
	var phase string
	cmd := &cobra.Command{
		Use:   "ssa FILE[LINK]",
		Short: "print the SSA form of stages",
		Long: `ssa prints the SSA form of every stage that the link selects, after the last phase
or after the one named by --phase; --phase list prints the phases with how many
values and nodes were alive after each.`,
		Args:              exactly(1, "name one file"),
		ValidArgsFunction: a.completeLink,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, t, err := a.at(args[0])
			if err != nil {
				return err
			}
			return a.ssa(cmd.Context(), s, t, phase)
		},
	}
	cmd.Flags().StringVar(&phase, "phase", "", "print the form after this `phase`; list prints their names")
	_ = cmd.RegisterFlagCompletionFunc("phase", func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return a.completePhases(c.Context(), args), cobra.ShellCompDirectiveNoFileComp
	})
	a.compileFlags.add(cmd)
	return cmd
}

func (a *app) ssa(ctx context.Context, s *session.Session, t session.Target, phase string) error {
	refs, err := stages(s, t)
	if err != nil {
		return err
	}
	var docs []any
	refused := false
	for i, r := range refs {
		d, f, err := ssaOf(ctx, s, &r, phase)
		if err != nil {
			return err
		}
		refused = refused || f == nil
		if a.json {
			docs = append(docs, d)
			continue
		}
		if len(refs) > 1 {
			a.heading(i == 0, ";", r.link(s))
		}
		if phase == "list" {
			tab := table{}
			for _, p := range d.Phases {
				tab.add(p.Name, plural(p.Values, "value", "values"), plural(p.Nodes, "node", "nodes"))
			}
			a.print("%s", tab.String())
		} else {
			a.print("%s", text(d.Text))
		}
		a.diagnostics(fileLink(s), d.Diagnostics)
	}
	if a.json {
		if err := a.printDocs("fxlens.ssa/1", linkOf(s, t), single(t, len(refs)), docs); err != nil {
			return err
		}
	}
	if refused {
		return errRefused
	}
	return nil
}

// ssaOf makes the document of a stage and returns the function that it shows, nil
// where the stage did not get as far.
func ssaOf(ctx context.Context, s *session.Session, r *stageRef, phase string) (*ssaDoc, *ir.Function, error) {
	pass, err := compilePass(ctx, s, r.perm, r.pass)
	if err != nil {
		return nil, nil, err
	}
	phases, err := s.Phases(ctx, r.perm, r.pass, r.index)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", r.link(s), err)
	}
	d := &ssaDoc{Schema: "fxlens.ssa/1", Link: r.link(s), Stage: r.input.Kind.Long(), Phases: []phaseDoc{}, Diagnostics: []diag.Diag{}}
	var f *ir.Function
	var names []string
	for _, p := range phases {
		d.Phases = append(d.Phases, phaseDoc{p.Name, p.Values, p.Nodes})
		names = append(names, p.Name)
		if phase == "" || phase == "list" || phase == p.Name {
			d.Phase, f = p.Name, p.Func
		}
	}
	if f == nil && len(phases) > 0 {
		return nil, nil, usagef("there is no phase %q; %s", phase, session.Hint(phase, names))
	}
	if f != nil && phase != "list" {
		d.Text = ir.Print(f)
		if d.Text != "" && !strings.HasSuffix(d.Text, "\n") {
			d.Text += "\n"
		}
	}
	for _, st := range pass.Stages {
		if st.Kind != r.input.Kind {
			continue
		}
		d.Status = st.Status
		for _, g := range st.Diags {
			d.Diagnostics = append(d.Diagnostics, s.Place(r.perm, r.pass, r.stage, g))
		}
	}
	return d, f, nil
}
