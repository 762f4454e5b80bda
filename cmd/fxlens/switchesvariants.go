package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fxlens/cmd/fxlens/judge"
	"fxlens/core/gpu"
	"fxlens/core/switches"
	"fxlens/core/variant"
	"fxlens/core/variant/manifest"
	"fxlens/views"
)

// The JSON of switches variants.
type switchesVariantsDoc struct {
	Schema   string          `json:"schema"` // fxlens.switches-variants/1
	File     string          `json:"file"`
	Judge    string          `json:"judge"`             // dawn, fxlens, none
	Why      string          `json:"because,omitempty"` // why it was not Dawn
	Variants []switchVariant `json:"variants"`
}

type switchVariant struct {
	Label    string           `json:"label"`
	Shader   string           `json:"shader"`
	Set      string           `json:"set"`
	Sets     int              `json:"sets"` // of the shader's switches that lead to it
	SHA256   string           `json:"sha256,omitempty"`
	Content  *variant.Content `json:"content,omitempty"`
	Dropped  []switches.Part  `json:"dropped"` // against the all-defaults variant
	Added    []switches.Part  `json:"added"`
	Changed  []string         `json:"changed"`
	Same     string           `json:"sameTextAs,omitempty"`
	Valid    *bool            `json:"valid,omitempty"`
	Messages []variantMessage `json:"messages"`
	Reason   string           `json:"reason,omitempty"` // why there is no WGSL
}

// variantMessage is what a judge says, with the place in the chunk that the line comes
// from, where it comes from one.
type variantMessage struct {
	gpu.Message
	Chunk string        `json:"chunk,omitempty"`
	At    *manifest.Pos `json:"at,omitempty"`
}

func (a *app) switchesVariants() *cobra.Command {
	var sets []string
	var by string
	cmd := a.switchesSub("variants GRAPH[#SHADER]", "the variants of each shader, and whether they are valid",
		"variants lists every variant of every shader: what its WGSL has, what it drops and adds\nagainst the variant of all defaults, and whether Google's Tint takes it. Without Node.js and\nthe judge's package, fxlens's own checker answers instead; the last line says who was\nasked. An invalid variant makes the exit code 1.",
		"  fxlens switches variants deferred\n  fxlens switches variants 'deferred#shade' --set shadow=Virtual", exactly(1, "name one graph or effect"),
		func(ctx context.Context, args []string) error { return a.variants(ctx, args[0], sets, by) })
	cmd.Flags().StringArrayVar(&sets, "set", nil, "only for this `set` (repeatable; default all)")
	cmd.Flags().StringVar(&by, "judge", "auto", "who validates: `auto|dawn|fxlens|none`")
	_ = cmd.RegisterFlagCompletionFunc("judge", cobra.FixedCompletions([]string{"auto", "dawn", "fxlens", "none"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (a *app) variants(ctx context.Context, arg string, sets []string, by string) error {
	if !slices.Contains([]string{"auto", "dawn", "fxlens", "none"}, by) {
		return usagef("--judge %s: use auto, dawn, fxlens or none", by)
	}
	g, err := a.openGraph(ctx, arg, sets)
	if err != nil {
		return err
	}
	rows, err := g.Table(ctx, g.shaders, g.sets, a.variantProgress("variants"))
	a.clearProgress()
	if err != nil {
		return switchUsage(err)
	}
	d := switchesVariantsDoc{Schema: "fxlens.switches-variants/1", File: g.File, Variants: []switchVariant{}}
	results, err := a.judgeVariants(ctx, rows, by, &d)
	if err != nil {
		return err
	}
	bad := false
	for i := range rows {
		r := &rows[i]
		v := switchVariant{Label: r.Label, Shader: g.Shaders[r.Shader].Key, Set: r.Set.String(), Sets: r.Sets, Same: r.Same, Reason: r.Reason,
			Dropped: append([]switches.Part{}, r.Dropped...), Added: append([]switches.Part{}, r.Added...), Changed: append([]string{}, r.Changed...), Messages: []variantMessage{}}
		if r.Err != nil {
			v.Reason = r.Err.Error()
		}
		if len(r.Modules) > 0 {
			v.SHA256, v.Content = r.SHA256(), &r.Content
		}
		if res := results[i]; res != nil {
			valid := res.Valid()
			v.Valid = &valid
			for _, m := range res.Messages {
				x := variantMessage{Message: m}
				if len(r.Modules) == 1 {
					if at, chunk, ok := g.Source(&r.Modules[0], m.Line, m.Col); ok {
						x.Chunk, x.At = chunk, &at
					}
				}
				v.Messages = append(v.Messages, x)
			}
			bad = bad || !valid
		}
		bad = bad || r.Err != nil
		d.Variants = append(d.Variants, v)
	}
	if a.json {
		if err := a.printJSON(d); err != nil {
			return err
		}
	} else {
		a.printVariants(g, &d)
	}
	if bad {
		return errRefused
	}
	return nil
}

// switchUsage makes a wrong set wrong usage.
func switchUsage(err error) error {
	if errors.Is(err, switches.ErrSet) {
		return usagef("%v", err)
	}
	return err
}

func (a *app) variantProgress(what string) switches.Progress {
	if !a.errTerm {
		return nil
	}
	return func(done, total int) { fmt.Fprintf(a.err, "\r%s: %d of %d", what, done, total) }
}

func (a *app) clearProgress() {
	if a.errTerm {
		fmt.Fprint(a.err, "\r\x1b[K")
	}
}

// judgeVariants validates the variants that have modules, each distinct text once.
func (a *app) judgeVariants(ctx context.Context, rows []switches.Row, by string, d *switchesVariantsDoc) ([]*gpu.Result, error) {
	out := make([]*gpu.Result, len(rows))
	d.Judge = "none"
	if by == "none" {
		return out, nil
	}
	var j *judge.Judge
	if by != "fxlens" {
		var err error
		if j, err = judge.Find(""); err != nil {
			if by == "dawn" {
				return nil, err
			}
			d.Why = err.Error()
		}
	}
	seen := map[string]bool{} // texts
	var cases []gpu.Case
	var of []*switches.Row // of each case
	for i := range rows {
		r := &rows[i]
		if len(r.Modules) == 0 || seen[r.SHA256()] {
			continue
		}
		seen[r.SHA256()] = true
		of = append(of, r)
		c := gpu.Case{ID: fmt.Sprint(i)}
		for _, m := range r.Modules {
			c.Modules = append(c.Modules, gpu.Module{Code: m.Text})
			c.Features = append(c.Features, m.Features...)
		}
		slices.Sort(c.Features)
		c.Features = slices.Compact(c.Features)
		cases = append(cases, c)
	}
	var results []gpu.Result
	if j != nil {
		d.Judge = "dawn"
		var err error
		if results, err = judge.Ask[gpu.Case, gpu.Result](ctx, j, "dawngate.mjs", cases); err != nil {
			return nil, err
		}
	} else {
		d.Judge = "fxlens"
		for _, r := range of {
			results = append(results, ownVerdict(r))
		}
	}
	byText := map[string]*gpu.Result{}
	for k, r := range of {
		byText[r.SHA256()] = &results[k]
	}
	for i := range rows {
		if len(rows[i].Modules) > 0 {
			out[i] = byText[rows[i].SHA256()]
		}
	}
	return out, nil
}

// ownVerdict is that of fxlens's own checker.
func ownVerdict(r *switches.Row) gpu.Result {
	out := gpu.Result{ID: r.Label, Messages: []gpu.Message{}, Pipeline: "not tried"}
	for i := range r.Modules {
		for _, e := range r.Modules[i].Check() {
			sev := "error"
			if e.Warning {
				sev = "warning"
			}
			out.Messages = append(out.Messages, gpu.Message{Stage: r.Modules[i].Stage, Severity: sev, Line: e.Line, Col: e.Col, Text: e.Msg})
		}
	}
	return out
}

func (a *app) printVariants(g *graphArg, d *switchesVariantsDoc) {
	shader := ""
	var t table
	flush := func() {
		if len(t.rows) > 0 {
			a.print("%s", t.String())
		}
		t = table{indent: "  "}
	}
	valid, judged := 0, 0
	for _, v := range d.Variants {
		if v.Shader != shader {
			flush()
			if shader != "" {
				a.print("\n")
			}
			shader = v.Shader
			a.print("%s\n", views.Text(shader))
			t.add("set", "functions", "declarations", "characters", "verdict", "against the default")
		}
		set := v.Set
		if set == "" {
			set = "default"
		}
		verdict := "-"
		if v.Valid != nil {
			judged++
			if *v.Valid {
				valid++
			}
			switch {
			case !*v.Valid:
				verdict = "! invalid"
			case len(v.Messages) > 0:
				verdict = fmt.Sprintf("valid, %s", plural(len(v.Messages), "message", "messages"))
			default:
				verdict = "valid"
			}
		}
		if v.Content == nil {
			t.add(set, "-", "-", "-", "! no WGSL", firstLine(v.Reason))
			continue
		}
		t.add(set, fmt.Sprint(v.Content.Functions), fmt.Sprint(v.Content.Declarations), fmt.Sprint(v.Content.Characters), verdict, against(&v))
	}
	flush()
	for _, line := range messageLines(d.Variants) {
		a.print("%s\n", views.Text(line))
	}
	switch d.Judge {
	case "dawn":
		a.print("\n%d of %d valid, says Tint\n", valid, judged)
	case "fxlens":
		a.print("\n%d of %d valid, says fxlens's own checker", valid, judged)
		if d.Why != "" {
			a.print(" (not Tint: %s)", views.Text(d.Why))
		}
		a.print("\n")
	}
}

// messageLines are what a judge says, by the place in a chunk's file where there is one: of
// the variants that link the chunk, the first is named.
func messageLines(list []switchVariant) []string {
	type key struct {
		at   manifest.Pos
		text string
	}
	more := map[key]int{}
	for _, v := range list {
		for _, m := range v.Messages {
			if m.At != nil {
				more[key{*m.At, m.Text}]++
			}
		}
	}
	var out []string
	for _, v := range list {
		for _, m := range v.Messages {
			where := v.Label
			if m.Stage != "" {
				where += "/" + m.Stage
			}
			where = fmt.Sprintf("%s:%d:%d", where, m.Line, m.Col)
			if m.At == nil {
				out = append(out, fmt.Sprintf("%s: %s: %s", where, m.Severity, m.Text))
				continue
			}
			k := key{*m.At, m.Text}
			n := more[k]
			if n == 0 {
				continue
			}
			more[k] = 0
			if n > 1 {
				where += fmt.Sprintf(" and %d more", n-1)
			}
			out = append(out, fmt.Sprintf("%s: %s: %s (%s)", m.At, m.Severity, m.Text, where))
		}
	}
	return out
}

// against says what a variant drops, adds and changes.
func against(v *switchVariant) string {
	if v.Same != "" {
		return "same text as " + v.Same
	}
	var parts []string
	for _, p := range v.Dropped {
		parts = append(parts, "-"+p.Name)
	}
	for _, p := range v.Added {
		parts = append(parts, "+"+p.Name)
	}
	for _, n := range v.Changed {
		parts = append(parts, "~"+n)
	}
	const most = 12
	if n := len(parts) - most; n > 0 {
		parts = append(parts[:most], fmt.Sprintf("and %d more", n))
	}
	return strings.Join(parts, " ")
}
