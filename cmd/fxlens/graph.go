package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"fxlens/core/graph"
	"fxlens/core/session"
	"fxlens/views"
)

// graphFlags are the flags of graph.
type graphFlags struct {
	rows, cols []string
	pass       string
	filter     string
	tree, fold bool
	list       string
	dot, svg   bool
	quick      bool
}

// graphColumns is how many columns a grid has by itself, here and on the screen.
const graphColumns = views.GridColumns

func (a *app) graphCommand() *cobra.Command {
	var f graphFlags
	cmd := &cobra.Command{
		Use:   "graph FILE[LINK]",
		Short: "print who shares which body and pass, and which axes matter",
		Long: `graph prints the permutation graph of an effect: which axes change the code of which
pass, and a table of all permutations in which equal letters are equal bodies and the
mark says what became of them: ✓ translated, ✗ refused, ∅ a stage that WebGPU does not
have, ! not decodable. With a pass (--pass or in the link) the letters are units of that
pass: equal letters are equal code.

--rows and --cols name the axes that make the rows and columns, the first one varying
slowest; axes named in neither have the option that the link gives them, or their
default. Without both flags every axis is somewhere. --tree prints a level for every
axis instead, --list a row for every body or unit with how much its programs are, the
largest first. --fold prints equal rows, columns and branches once.

--filter leaves permutations for which all of its terms hold:
` + graph.FilterHelp + `.

Marks need every pass to be compiled; --quick leaves them open (…). --dot prints the
graph for Graphviz, --svg the table as a picture.`,
		Example:           "  fxlens graph quadv5.sm_hi --rows BLEND_MODE --cols DETAIL_LAYERS,SKINNED\n  fxlens graph 'quadv5.sm_hi#Depth/0' --fold\n  fxlens graph decal.sm_hi --dot | dot -Tsvg > decal.svg\n  fxlens graph histogram.sm_hi --filter 'unsupported op:ld'",
		Args:              exactly(1, "name one effect"),
		ValidArgsFunction: a.completeLink,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.graph(cmd.Context(), args[0], &f) },
	}
	fl := cmd.Flags()
	fl.StringSliceVar(&f.rows, "rows", nil, "`axes` that make the rows")
	fl.StringSliceVar(&f.cols, "cols", nil, "`axes` that make the columns")
	fl.StringVar(&f.pass, "pass", "", "show the units of this `pass`, as in Main/0")
	fl.StringVar(&f.filter, "filter", "", "only permutations for which these `terms` hold")
	fl.BoolVar(&f.tree, "tree", false, "print a tree instead of a table")
	fl.StringVar(&f.list, "list", "", "print a list sorted by instructions, reads, writes, temps, permutations or letter")
	fl.Lookup("list").NoOptDefVal = views.ByInstrs.String()
	fl.BoolVar(&f.fold, "fold", false, "print equal rows, columns and branches once")
	fl.BoolVar(&f.dot, "dot", false, "print the graph for Graphviz")
	fl.BoolVar(&f.svg, "svg", false, "print the table as a picture")
	fl.BoolVar(&f.quick, "quick", false, "compile nothing: marks stay open")
	a.compileFlags.add(cmd)
	return cmd
}

func (a *app) graph(ctx context.Context, arg string, f *graphFlags) error {
	forms := 0
	for _, on := range []bool{a.json, f.dot, f.svg, f.tree, f.list != ""} {
		if on {
			forms++
		}
	}
	if forms > 1 {
		return usagef("use one of --json, --dot, --svg, --tree and --list")
	}
	if (a.json || f.dot) && (f.filter != "" || f.fold || len(f.rows)+len(f.cols) > 0) {
		return usagef("--json and --dot have all of the graph: leave out --rows, --cols, --fold and --filter")
	}
	var order views.GraphOrder
	if f.list != "" {
		var err error
		if order, err = views.ParseGraphOrder(f.list); err != nil {
			return usagef("--list: %v", err)
		}
	}
	s, t, err := a.at(arg)
	if err != nil {
		return err
	}
	if s.Effect == nil {
		return usagef("%s is a %s and has one permutation; graph needs an effect", s.Name, s.Kind)
	}
	g, err := graph.New(s.Effect).Link(ctx)
	if err != nil {
		return err
	}
	st := &views.GraphState{Graph: g, Pass: -1, Fold: f.fold}
	if err := a.graphPass(st, t, arg, f.pass); err != nil {
		return err
	}
	lay := g.Auto(graphColumns)
	if len(f.rows)+len(f.cols) > 0 {
		if lay, err = g.Layout(f.rows, f.cols, t.Perm); err != nil {
			return err
		}
	}
	var filter *graph.Filter
	if f.filter != "" {
		if filter, err = g.ParseFilter(f.filter); err != nil {
			return err
		}
		if f.quick && filter.NeedsResults() {
			return usagef("--filter %s asks what became of permutations, which --quick leaves open; leave out --quick", f.filter)
		}
	}
	if !f.quick {
		if st.Results, err = a.compileGraph(ctx, s, g); err != nil {
			return err
		}
	}
	finder := graph.NewFinder(g, s)
	if filter != nil {
		if st.Match, err = filter.Match(ctx, g, st.Results, finder, st.Pass); err != nil {
			return err
		}
	}
	name := fileLink(s)
	switch {
	case a.json:
		return a.printJSON(g.Document(s, st.Results))
	case f.dot:
		a.print("%s", g.DOT(name, st.Results))
	case f.svg:
		a.print("%s", g.SVG(name, &lay, st.Results, st.Pass))
	default:
		a.print("%s  %s\n\n", views.Text(name), g.Summary())
		a.lines(views.AxisTable(g))
		a.print("\n")
		if f.tree {
			t := views.NewGraphTree(st, nil, true)
			a.lines(t.Lines(views.Window{Rows: t.Len()}, -1, views.NoGraphCursor))
			break
		}
		if f.list != "" {
			v, err := views.NewGraphList(ctx, st, finder, order)
			if err != nil {
				return err
			}
			a.lines([]views.Line{v.Head()})
			a.lines(v.Lines(views.Window{Rows: v.Len()}, -1, views.NoGraphCursor))
			break
		}
		v := views.NewGrid(st, lay)
		a.print("%s\n\n", views.Text(v.Title()))
		rows, _ := v.Size()
		a.lines(v.Head(0, -1))
		const block = 1024 // rows at a time: a grid can be long
		for y := 0; y < rows; y += block {
			a.lines(v.Lines(views.Window{First: y, Rows: block}, 0, -1, views.NoGraphCursor))
		}
		if rows == 0 {
			a.print("no permutation is left by the filter %s\n", views.Text(filter.Text))
		}
	}
	return nil
}

// graphPass chooses the pass whose units are shown: the flag's, or the link's where it
// names one.
func (a *app) graphPass(st *views.GraphState, t session.Target, arg, flag string) error {
	if flag == "" && strings.Contains(arg, "#") && len(t.Passes) == 1 {
		flag = t.Passes[0].String()
	}
	if flag == "" {
		return nil
	}
	var names []string
	for i := range st.Graph.Passes {
		names = append(names, st.Graph.Passes[i].Name)
	}
	if st.Pass = st.Graph.PassNamed(flag); st.Pass < 0 {
		return usagef("there is no pass %q; %s", flag, session.Hint(flag, names))
	}
	return nil
}

// compileGraph compiles every unit.
func (a *app) compileGraph(ctx context.Context, s *session.Session, g *graph.Graph) (graph.Results, error) {
	out := make(graph.Results, len(g.Units))
	var done atomic.Int64
	eg, ctx := errgroup.WithContext(ctx)
	eg.SetLimit(runtime.GOMAXPROCS(0))
	for u := range out {
		eg.Go(func() error {
			r, err := g.Compile(ctx, s, u)
			out[u] = r
			if n := done.Add(1); a.errTerm && err == nil {
				fmt.Fprintf(a.err, "\rcompiling: %d of %d units", n, len(out))
			}
			return err
		})
	}
	err := eg.Wait()
	if a.errTerm {
		fmt.Fprint(a.err, "\r\x1b[K")
	}
	return out, err
}

// lines prints the lines of a view, without their gutters.
func (a *app) lines(ls []views.Line) {
	for i := range ls {
		a.print("%s\n", strings.TrimRight(views.Text(ls[i].Text()), " "))
	}
}
