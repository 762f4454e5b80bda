package main

import (
	"context"
	"errors"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fxlens/core/effect"
	"fxlens/core/files"
	"fxlens/core/session"
	"fxlens/core/switches"
	"fxlens/core/variant"
	"fxlens/core/variant/bundle"
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
