package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fxlens/cmd/fxlens/judge"
	"fxlens/core/effect"
	"fxlens/core/files"
	"fxlens/core/gpu"
	"fxlens/core/session"
	"fxlens/core/switches"
	"fxlens/core/variant"
	"fxlens/core/variant/bundle"
	"fxlens/core/variant/manifest"
	"fxlens/views"
)

const switchesHelp = `switches opens a shader graph whose implementations are chosen by switches: a folder with
switches.toml and the .wgsl chunks that it names, or one TOML file with the chunks in it. An
effect is such a graph too: its permutation axes are switches, whose value 0 is the default
option, and its passes are shaders.

GRAPH may have a link behind it, GRAPH?SWITCH=MEMBER&SWITCH=MEMBER#SHADER. A set is written
as SWITCH=MEMBER,SWITCH=MEMBER, or is "default", "all", or a name that the manifest gives.`

func (a *app) switchesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "switches list|variants|link|audit|diff|build GRAPH",
		Short: "shader graphs with switches, and effects as such graphs",
		Long:  switchesHelp,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("name what to do: fxlens switches list|variants|link|audit|diff|build GRAPH")
			}
			return usagef("there is no command %q of switches; %s", args[0], session.Hint(args[0], []string{"list", "variants", "link", "audit", "diff", "build"}))
		},
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	cmd.AddCommand(a.switchesList(), a.switchesVariants(), a.switchesLink(), a.switchesAudit(), a.switchesDiff(), a.switchesBuild())
	return cmd
}

// graphArg is what an argument selects: a workspace, the sets of --set or of the link, and
// the shaders of the link; nil is all of them.
type graphArg struct {
	*switches.Workspace
	sets    []*variant.Set
	shaders []int
}

func (g *graphArg) keys(list []*variant.Switch) []string {
	out := []string{}
	for _, s := range g.Switches {
		if slices.Contains(list, s.Switch) {
			out = append(out, s.Key)
		}
	}
	return out
}

// openGraph opens GRAPH with its link. Sets of flags come on top of the link's.
func (a *app) openGraph(ctx context.Context, arg string, flags []string) (*graphArg, error) {
	file, query, fragment := arg, "", ""
	if _, err := os.Lstat(arg); err != nil {
		file, fragment, _ = strings.Cut(file, "#")
		file, query, _ = strings.Cut(file, "?")
	}
	l, err := session.ParseLink(session.FileLink(file).String() + "?" + query)
	if err != nil {
		return nil, err
	}
	g := &graphArg{}
	if isGraphFile(l.File) {
		g.Workspace, err = files.OpenGraph(l.File)
	} else {
		var s *session.Session
		if s, err = a.open(session.FileLink(l.File)); err == nil {
			g.Workspace, err = switches.OpenEffect(ctx, s)
		}
		if errors.Is(err, switches.ErrNoAxes) {
			return nil, usagef("%v; name a folder with switches.toml, a manifest, or an effect", err)
		}
	}
	if err != nil {
		return nil, err
	}
	base, err := g.linkSet(l.Options)
	if err != nil {
		return nil, err
	}
	for _, f := range flags {
		sets, err := g.Set(f)
		if err != nil {
			return nil, usagef("--set %s: %v", f, err)
		}
		for _, t := range sets {
			if len(l.Options) > 0 {
				if t, err = over(base, t); err != nil {
					return nil, err
				}
			}
			if !slices.Contains(g.sets, t) {
				g.sets = append(g.sets, t)
			}
		}
	}
	if len(flags) == 0 && len(l.Options) > 0 {
		g.sets = []*variant.Set{base}
	}
	return g, g.pick(fragment)
}

// isGraphFile reports whether a path is a graph's: folders are, so that one without a
// manifest is told what it lacks.
func isGraphFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && (info.IsDir() || files.IsGraph(path))
}

func (g *graphArg) linkSet(options []effect.Option) (*variant.Set, error) {
	t := variant.Empty
	for _, o := range options {
		var err error
		if t, err = g.Value(t, o.Axis, o.Value); err != nil {
			return nil, usagef("%v", err)
		}
	}
	return t, nil
}

// over is base with what t has beside the defaults.
func over(base, t *variant.Set) (*variant.Set, error) {
	for _, s := range t.Switches() {
		var err error
		if base, err = base.With(s, t.Get(s)); err != nil {
			return nil, err
		}
	}
	return base, nil
}

// pick finds the shaders of a link: one, all of a template pass, or all passes of a
// technique.
func (g *graphArg) pick(name string) error {
	if name == "" {
		return nil
	}
	if plain, err := url.PathUnescape(name); err == nil && !g.Effect {
		name = plain
	}
	for i, s := range g.Shaders {
		if s.Pass == name || g.Effect && strings.HasPrefix(s.Key, name+"/") {
			g.shaders = append(g.shaders, i)
		}
	}
	if len(g.shaders) > 0 {
		return nil
	}
	n, err := g.Shader(name)
	if err != nil {
		return usagef("%v", err)
	}
	g.shaders = []int{n}
	return nil
}

// all are the shaders that are selected.
func (g *graphArg) all() []int {
	if g.shaders != nil {
		return g.shaders
	}
	out := make([]int, len(g.Shaders))
	for i := range out {
		out[i] = i
	}
	return out
}

// one is the single set that a command takes.
func (g *graphArg) one() (*variant.Set, error) {
	switch len(g.sets) {
	case 0:
		return variant.Empty, nil
	case 1:
		return g.sets[0], nil
	}
	return nil, usagef("this takes one set, and %d are named; name one", len(g.sets))
}

func (a *app) switchesSub(use, short, long, example string, args cobra.PositionalArgs, run func(ctx context.Context, args []string) error) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Long: long, Example: example, Args: args,
		RunE: func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), args) }}
	a.compileFlags.add(cmd)
	return cmd
}

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

// The JSON of switches link.
type switchesLinkDoc struct {
	Schema   string             `json:"schema"` // fxlens.switches-link/1
	Shader   string             `json:"shader"`
	Label    string             `json:"label"`
	Set      string             `json:"set"`
	Modules  []linkedModule     `json:"modules"`
	Bindings []switches.Binding `json:"bindings"`
	Reason   string             `json:"reason,omitempty"`
}

type linkedModule struct {
	Stage      string `json:"stage,omitempty"`
	EntryPoint string `json:"entryPoint,omitempty"`
	WGSL       string `json:"wgsl"`
	SHA256     string `json:"sha256"`
}

func (a *app) switchesLink() *cobra.Command {
	var sets []string
	cmd := a.switchesSub("link GRAPH#SHADER", "the linked WGSL of a shader for a set",
		"link prints the WGSL of one shader for one set: the chunks of the selected alternatives,\neach once, behind what they need. Of an effect's pass it prints every stage.",
		"  fxlens switches link 'deferred#shade' --set shadow=Virtual\n  fxlens switches link 'quadv5.sm_hi?SKINNED=ON#Main/0'", exactly(1, "name one shader of a graph, as in deferred#shade"),
		func(ctx context.Context, args []string) error {
			g, err := a.openGraph(ctx, args[0], sets)
			if err != nil {
				return err
			}
			t, err := g.one()
			if err != nil {
				return err
			}
			list := g.all()
			if len(list) != 1 {
				var keys []string
				for _, i := range list {
					keys = append(keys, g.Shaders[i].Key)
				}
				return usagef("link prints one shader: write %s#SHADER; %s", g.File, session.Hint("", keys))
			}
			v, err := g.Variant(ctx, list[0], t)
			if err != nil {
				return err
			}
			d := switchesLinkDoc{Schema: "fxlens.switches-link/1", Shader: g.Shaders[list[0]].Key, Label: v.Label, Set: v.Set.String(), Modules: []linkedModule{}, Bindings: append([]switches.Binding{}, v.Bindings...), Reason: v.Reason}
			for _, m := range v.Modules {
				d.Modules = append(d.Modules, linkedModule{m.Stage, m.EntryPoint, m.Text, m.SHA256})
			}
			switch {
			case a.json:
				err = a.printJSON(d)
			case len(d.Modules) == 1:
				a.print("%s", text(strings.TrimRight(d.Modules[0].WGSL, "\n")+"\n"))
			default:
				for i, m := range d.Modules {
					a.heading(i == 0, "//", v.Label+"/"+m.Stage)
					a.print("%s", text(strings.TrimRight(m.WGSL, "\n")+"\n"))
				}
			}
			if err == nil && d.Reason != "" {
				a.problem("%s has no WGSL: %s", d.Label, d.Reason)
				return errRefused
			}
			return err
		})
	cmd.Flags().StringArrayVar(&sets, "set", nil, "the `set`: default, a name, or SWITCH=MEMBER,SWITCH=MEMBER")
	return cmd
}

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

// The JSON of switches build.
type switchesBuildDoc struct {
	Schema string         `json:"schema"` // fxlens.switches-build/1
	Source string         `json:"source"`
	File   string         `json:"file"`
	Report *bundle.Report `json:"report"`
}

func (a *app) switchesBuild() *cobra.Command {
	var sets []string
	var out, profile string
	var force bool
	cmd := a.switchesSub("build GRAPH[#SHADER] -o OUT", "a package of chosen variants",
		"build writes a CEWGPU package of the variants for the sets of --set, or without it for all\ndefaults and the sets that the manifest names. Every variant is labelled with its set, and\nequal text is stored once: whole modules in the generic profile, which every reader of the\ncontainer can use, pieces of text in the extended one. The package is read back before it is\nwritten.",
		"  fxlens switches build deferred -o deferred.cewgpu\n  fxlens switches build deferred --set all --profile extended -o deferred.cewgpu", exactly(1, "name one graph or effect"),
		func(ctx context.Context, args []string) error {
			if out == "" {
				return usagef("build needs a target: -o FILE")
			}
			if profile != string(bundle.Generic) && profile != string(bundle.Extended) {
				return usagef("--profile %s: use generic or extended", profile)
			}
			g, err := a.openGraph(ctx, args[0], sets)
			if err != nil {
				return err
			}
			if err := checkTarget(out, force, g.File); err != nil {
				return err
			}
			list := g.sets
			if list == nil {
				list = g.Built()
			}
			data, r, err := g.Package(ctx, g.shaders, list, bundle.Profile(profile), version, a.variantProgress("variants"))
			a.clearProgress()
			var not switches.NotBuilt
			if errors.As(err, &not) {
				for _, line := range not {
					a.problem("%s", line)
				}
				a.problem("the package was not written: %s", plural(len(not), "variant is missing", "variants are missing"))
				return errRefused
			}
			if err != nil {
				return switchUsage(err)
			}
			if err := files.Write(out, data, force); err != nil {
				return err
			}
			d := switchesBuildDoc{"fxlens.switches-build/1", g.File, out, r}
			if a.json {
				return a.printJSON(d)
			}
			a.print("%s: %s, %s of %s in %s, %s of WGSL, %s shared\n", views.Text(out), files.Size(int64(r.Size)), plural(r.Variants, "variant", "variants"),
				plural(r.Shaders, "shader", "shaders"), plural(r.Modules, "module", "modules"), files.Size(int64(r.Text)), files.Size(int64(r.Saved)))
			return nil
		})
	cmd.Flags().StringArrayVar(&sets, "set", nil, "a `set` to build (repeatable)")
	cmd.Flags().StringVarP(&out, "output", "o", "", "`file` to write")
	cmd.Flags().StringVar(&profile, "profile", string(bundle.Generic), "package profile: `generic|extended`")
	cmd.Flags().BoolVar(&force, "force", false, "replace an existing file")
	_ = cmd.RegisterFlagCompletionFunc("profile", cobra.FixedCompletions([]string{"generic", "extended"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}
