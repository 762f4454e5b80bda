package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"fxlens/core/switches"
	"fxlens/core/variant"
	"fxlens/views"
)

// The JSON of switches audit.
type switchesAuditDoc struct {
	Schema   string             `json:"schema"` // fxlens.switches-audit/1
	File     string             `json:"file"`
	Errors   int                `json:"errors"`
	Warnings int                `json:"warnings"`
	Findings []switches.Finding `json:"findings"`
}

func (a *app) switchesAudit() *cobra.Command {
	var sets []string
	cmd := a.switchesSub("audit GRAPH", "unbound and mistyped declarations, hidden dependencies, unfinished choices",
		"audit compares, for every chunk of every variant, the bindings that its functions read with\nthose that it declares, links every variant, and looks for names that a chunk uses and none\nof its dependencies defines, names that two linked chunks define, choices without an\nalternative, what no shader reaches, and switched shaders of which only the default is\nbuilt. An error makes the exit code 1; warnings do not.",
		"  fxlens switches audit deferred", exactly(1, "name one graph or effect"),
		func(ctx context.Context, args []string) error {
			g, err := a.openGraph(ctx, args[0], sets)
			if err != nil {
				return err
			}
			found, err := g.Audit(ctx, g.sets)
			if err != nil {
				return switchUsage(err)
			}
			d := switchesAuditDoc{Schema: "fxlens.switches-audit/1", File: g.File, Findings: append([]switches.Finding{}, found...)}
			for _, f := range found {
				if f.Error {
					d.Errors++
				} else {
					d.Warnings++
				}
			}
			if a.json {
				err = a.printJSON(d)
			} else {
				for _, f := range found {
					a.print("%s\n", views.Text(findingLine(g.File, &f)))
				}
				a.print("%s, %s\n", plural(d.Errors, "error", "errors"), plural(d.Warnings, "warning", "warnings"))
			}
			if err == nil && d.Errors > 0 {
				return errRefused
			}
			return err
		})
	cmd.Flags().StringArrayVar(&sets, "set", nil, "only for this `set` (repeatable; default all)")
	return cmd
}

func findingLine(file string, f *switches.Finding) string {
	at := file
	switch {
	case f.File != "":
		at = fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Column)
	case f.Shader != "":
		at += "#" + f.Shader
	}
	sev := "warning"
	if f.Error {
		sev = "error"
	}
	what := strings.ReplaceAll(f.Text, "\n", "; ")
	if f.Set != "" && !strings.Contains(what, f.Set) {
		what += " (for " + f.Set
		if f.More > 0 {
			what += fmt.Sprintf(" and %d more", f.More)
		}
		what += ")"
	} else if f.More > 0 {
		what += fmt.Sprintf(" (and for %d more)", f.More)
	}
	return fmt.Sprintf("%s: %s: %s [%s]; %s", at, sev, what, f.Rule, f.Remedy)
}

// The JSON of switches diff.
type switchesDiffDoc struct {
	Schema  string           `json:"schema"` // fxlens.switches-diff/1
	File    string           `json:"file"`
	A       string           `json:"a"`
	B       string           `json:"b"`
	Shaders []switchesChange `json:"shaders"`
}

type switchesChange struct {
	Shader  string            `json:"shader"`
	A       string            `json:"a"` // labels
	B       string            `json:"b"`
	Changes []switches.Change `json:"changes"`
}

func (a *app) switchesDiff() *cobra.Command {
	return a.switchesSub("diff GRAPH[#SHADER] SET SET", "two sets, declaration by declaration",
		"diff compares every shader, or the one of the link, under two sets: declarations that one\nof the two lacks or that differ. Names that a generator numbered, such as Struct_12, are\ncompared by the order in which they come. Where there are differences the exit code is 1.",
		"  fxlens switches diff deferred default shadow=Virtual\n  fxlens switches diff 'quadv5.sm_hi#Main/0' default SKINNED=ON", exactly(3, "name a graph and two sets"),
		func(ctx context.Context, args []string) error {
			g, err := a.openGraph(ctx, args[0], nil)
			if err != nil {
				return err
			}
			var t [2]*variant.Set
			for i, text := range args[1:] {
				sets, err := g.Set(text)
				if err != nil {
					return usagef("%v", err)
				}
				if len(sets) != 1 {
					return usagef("%s stands for %d sets; name one", text, len(sets))
				}
				t[i] = sets[0]
			}
			d := switchesDiffDoc{Schema: "fxlens.switches-diff/1", File: g.File, A: g.SetText(t[0]), B: g.SetText(t[1]), Shaders: []switchesChange{}}
			n := 0
			for _, i := range g.all() {
				changes, err := g.Diff(ctx, i, t[0], t[1])
				if err != nil {
					return err
				}
				n += len(changes)
				d.Shaders = append(d.Shaders, switchesChange{g.Shaders[i].Key, g.VariantLabel(i, t[0]), g.VariantLabel(i, t[1]), changes})
			}
			if a.json {
				err = a.printJSON(d)
			} else {
				a.printSetDiff(&d, n)
			}
			if err == nil && n > 0 {
				return errRefused
			}
			return err
		})
}

func (a *app) printSetDiff(d *switchesDiffDoc, n int) {
	for _, s := range d.Shaders {
		if len(s.Changes) == 0 {
			continue
		}
		a.print("--- %s\n+++ %s\n", views.Text(s.A), views.Text(s.B))
		for _, c := range s.Changes {
			where := ""
			if c.Stage != "" {
				where = c.Stage + " "
			}
			a.print("@@ %s%s %s\n", where, c.Kind, views.Text(c.Name))
			for _, side := range []struct{ mark, text string }{{"-", c.Was}, {"+", c.Is}} {
				if side.text == "" {
					continue
				}
				for line := range strings.SplitSeq(side.text, "\n") {
					a.print("%s%s\n", side.mark, text(line))
				}
			}
		}
	}
	if n == 0 {
		a.print("%s and %s are the same for every shader\n", views.Text(d.A), views.Text(d.B))
		return
	}
	a.print("%s\n", plural(n, "declaration differs", "declarations differ"))
}
