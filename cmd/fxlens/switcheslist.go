package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"fxlens/core/switches"
	"fxlens/core/variant/bundle"
	"fxlens/views"
)

// The JSON of switches list.
type switchesListDoc struct {
	Schema   string           `json:"schema"` // fxlens.switches-list/1
	File     string           `json:"file"`
	Name     string           `json:"name"`
	Kind     string           `json:"kind"` // graph, effect
	Switches []switchDoc      `json:"switches"`
	Shaders  []switchedShader `json:"shaders"`
	Sets     []namedSetsDoc   `json:"sets"`
	Bodies   []switches.Body  `json:"bodies,omitempty"` // of an effect
}

type switchDoc struct {
	Key      string          `json:"key"`
	Label    string          `json:"label"`
	Bool     bool            `json:"bool"`
	Members  []bundle.Member `json:"members"`
	Affected []string        `json:"recompiles"` // shaders that flipping it compiles again
}

type switchedShader struct {
	Key      string   `json:"key"`
	Label    string   `json:"label"`
	Type     string   `json:"type"`
	Pass     string   `json:"templatePass,omitempty"`
	Template string   `json:"template,omitempty"`
	Switches []string `json:"switches"`         // keys
	States   []string `json:"states,omitempty"` // of a pass: axes that change its states alone
	Variants int      `json:"variants"`
}

type namedSetsDoc struct {
	Key  string   `json:"key"`
	Sets []string `json:"sets"`
}

func (a *app) switchesList() *cobra.Command {
	return a.switchesSub("list GRAPH", "switches, what flipping one recompiles, what a shader depends on",
		"list prints the switches with their members (* is the default), the shaders that flipping\neach would compile again, and for every shader, or pass of an effect, the switches that its\ncode depends on.",
		"  fxlens switches list deferred\n  fxlens switches list quadv5.sm_hi", exactly(1, "name one graph or effect"),
		func(ctx context.Context, args []string) error { return a.listSwitches(ctx, args[0]) })
}

// listSwitches prints what a graph has, also where a graph is inspected.
func (a *app) listSwitches(ctx context.Context, arg string) error {
	g, err := a.openGraph(ctx, arg, nil)
	if err != nil {
		return err
	}
	d := switchesListDoc{Schema: "fxlens.switches-list/1", File: g.File, Name: g.Name, Kind: "graph", Switches: []switchDoc{}, Shaders: []switchedShader{}, Sets: []namedSetsDoc{}, Bodies: g.Bodies()}
	if g.Effect {
		d.Kind = "effect"
	}
	for _, s := range g.Switches {
		x := switchDoc{Key: s.Key, Label: s.Label(), Bool: s.IsBool(), Affected: []string{}}
		for _, m := range s.Members() {
			x.Members = append(x.Members, bundle.Member{Name: m.Name, Value: m.Value})
		}
		for _, i := range g.Affected(s.Switch) {
			x.Affected = append(x.Affected, g.Shaders[i].Key)
		}
		d.Switches = append(d.Switches, x)
	}
	for _, i := range g.all() {
		s := &g.Shaders[i]
		d.Shaders = append(d.Shaders, switchedShader{s.Key, s.Label, s.Type, s.Pass, s.Template, g.keys(s.Switches), g.keys(s.States), s.Variants()})
	}
	for _, n := range g.Sets {
		x := namedSetsDoc{Key: n.Key}
		for _, t := range n.Sets {
			x.Sets = append(x.Sets, g.SetText(t))
		}
		d.Sets = append(d.Sets, x)
	}
	if a.json {
		return a.printJSON(d)
	}
	a.printSwitches(g, &d)
	return nil
}

func (a *app) printSwitches(g *graphArg, d *switchesListDoc) {
	a.print("%s  %s, %s", views.Text(d.Name), plural(len(d.Switches), "switch", "switches"), plural(len(d.Shaders), map[bool]string{true: "pass", false: "shader"}[g.Effect], map[bool]string{true: "passes", false: "shaders"}[g.Effect]))
	if g.Effect {
		a.print(", %s", plural(len(d.Bodies), "body", "bodies"))
	}
	a.print("\n\n")
	t := table{}
	t.add("switch", "label", "members", "flipping it recompiles")
	for _, s := range d.Switches {
		var members []string
		for _, m := range s.Members {
			if m.Value == 0 {
				m.Name += "*"
			}
			members = append(members, m.Name)
		}
		recompiles := "nothing"
		if len(s.Affected) > 0 {
			recompiles = strings.Join(s.Affected, ", ")
		}
		t.add(s.Key, s.Label, strings.Join(members, " "), recompiles)
	}
	a.print("%s\n", t.String())
	t = table{}
	head := []string{"shader", "type", "variants", "depends on"}
	if g.Effect {
		head = []string{"pass", "type", "variants", "code depends on", "states alone"}
	}
	t.add(head...)
	for _, s := range d.Shaders {
		row := []string{s.Key, s.Type, fmt.Sprint(s.Variants), orNothing(s.Switches)}
		if g.Effect {
			row = append(row, orNothing(s.States))
		}
		t.add(row...)
	}
	a.print("%s", t.String())
	if len(d.Sets) > 0 {
		a.print("\n")
		t = table{}
		t.add("set", "stands for")
		for _, n := range d.Sets {
			text := fmt.Sprintf("%d sets", len(n.Sets))
			if len(n.Sets) == 1 {
				text = n.Sets[0]
			}
			t.add(n.Key, text)
		}
		a.print("%s", t.String())
	}
}

func orNothing(list []string) string {
	if len(list) == 0 {
		return "nothing"
	}
	return strings.Join(list, ", ")
}
