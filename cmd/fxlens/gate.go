package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fxlens/cmd/fxlens/gate"
	"fxlens/core/diag"
	"fxlens/core/files"
	"fxlens/core/pack/carbon"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
	"fxlens/core/variant/bundle"
	"fxlens/views"
)

// gateFlags are the flags of gate.
type gateFlags struct {
	browser   string
	adapter   string
	noSandbox bool
	visible   bool
	byHand    bool
	allLimits bool
	timeout   time.Duration
}

// gateDoc is the JSON of gate.
type gateDoc struct {
	Schema   string        `json:"schema"` // fxlens.gate/1
	OK       bool          `json:"ok"`     // the browser had nothing to say
	Browser  string        `json:"browser"`
	Adapter  gate.Adapter  `json:"adapter"`
	Packages []gatePackage `json:"packages"`
}

// gatePackage is one package.
type gatePackage struct {
	File   string     `json:"file"`
	Kind   string     `json:"kind"` // strict, extended, carbon, variants
	OK     bool       `json:"ok"`
	Passes []gatePass `json:"passes"`
}

// gatePass is one distinct pass of a package.
type gatePass struct {
	Key      string         `json:"key"`
	Bodies   []string       `json:"bodies"` // that have it
	Modules  int            `json:"modules"`
	Created  gateCreated    `json:"created"`
	Pipeline string         `json:"pipeline"` // created, failed, not tried
	Why      string         `json:"why,omitempty"`
	Messages []gate.Message `json:"messages"`
}

// gateCreated counts what the browser made without an objection.
type gateCreated struct {
	Modules int `json:"modules"`
	Layouts int `json:"layouts"`
}

func (a *app) gateCommand() *cobra.Command {
	var f gateFlags
	cmd := &cobra.Command{
		Use:   "gate PACKAGE...",
		Short: "let a real browser create every module, layout and pipeline of packages",
		Long: `gate serves the passes of packages (CEWGPU or Carbon WebGPU), or the variants of a
package that fxlens switches build wrote, to a browser, which creates every shader
module, bind group layout and pipeline in WebGPU, and prints what it said, pass by pass.
Any message makes the exit code 1. Render states of the effect are not part of it:
pipelines have a depth attachment and colour targets that fit the modules.

The browser is Chromium or Chrome, found in PATH or named; it runs without a window,
with a new profile, and without any connection but to fxlens on the loopback interface.
--adapter software takes the browser's SwiftShader, which needs no GPU.`,
		Example: "  fxlens gate quad.cewgpu --adapter software\n  fxlens gate out/*.cewgpu --json",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("%s takes one package or more; name them", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.gate(cmd.Context(), args, &f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.browser, "browser", "", "`path` or name of Chromium, Chrome or a relative")
	fl.StringVar(&f.adapter, "adapter", "default", "WebGPU adapter: `default|software`")
	fl.BoolVar(&f.noSandbox, "no-sandbox", os.Geteuid() == 0, "run the browser without its sandbox, which root and some containers need")
	fl.BoolVar(&f.visible, "visible", false, "show the browser's window")
	fl.BoolVar(&f.byHand, "by-hand", false, "start no browser: print the address and wait for one (Firefox, Safari, another machine's by a tunnel)")
	fl.BoolVar(&f.allLimits, "all-limits", false, "ask for all that the adapter has, not for WebGPU's default limits and what the package asks for")
	fl.DurationVar(&f.timeout, "timeout", time.Minute, "longest `time` for one pass")
	_ = cmd.RegisterFlagCompletionFunc("adapter", cobra.FixedCompletions([]string{"default", "software"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (a *app) gate(ctx context.Context, paths []string, f *gateFlags) error {
	if f.adapter != "default" && f.adapter != "software" {
		return usagef("--adapter %s: use default or software", f.adapter)
	}
	if f.timeout <= 0 {
		return usagef("--timeout %s: name a time above zero, such as 1m", f.timeout)
	}
	doc := gateDoc{Schema: "fxlens.gate/1", OK: true, Packages: []gatePackage{}}
	var all []gate.Pass
	for _, path := range paths {
		kind, passes, err := gatePasses(path)
		if err != nil {
			return err
		}
		p := gatePackage{File: path, Kind: kind, OK: true, Passes: []gatePass{}}
		for i := range passes {
			p.Passes = append(p.Passes, gatePass{Key: passes[i].Key, Bodies: append([]string{}, passes[i].Bodies...), Modules: len(passes[i].Modules)})
		}
		all = append(all, passes...)
		doc.Packages = append(doc.Packages, p)
	}
	o := gate.Options{Launch: gate.Launch{Software: f.adapter == "software", NoSandbox: f.noSandbox, Visible: f.visible},
		ByHand: f.byHand, AllLimits: f.allLimits, Timeout: f.timeout}
	if f.byHand {
		o.Ready = func(url string) {
			a.problem("open %s in a browser with WebGPU; the command goes on when it has judged", url)
		}
	} else {
		var err error
		if o.Path, err = gate.Find(f.browser); err != nil {
			return err
		}
	}
	if a.errTerm {
		o.Progress = func(done, total int) { fmt.Fprintf(a.err, "\rpasses: %d of %d", done, total) }
	}
	rep, err := gate.Run(ctx, all, o)
	if a.errTerm {
		fmt.Fprint(a.err, "\r\x1b[K")
	}
	if err != nil {
		return err
	}
	doc.Browser, doc.Adapter = rep.UserAgent, rep.Adapter
	n := 0
	for i := range doc.Packages {
		p := &doc.Packages[i]
		for j := range p.Passes {
			r := &rep.Results[n]
			n++
			q := &p.Passes[j]
			q.Created, q.Pipeline, q.Why, q.Messages = gateCreated{r.Modules, r.Layouts}, r.Pipeline, r.Why, r.Messages
			if !r.OK() {
				p.OK, doc.OK = false, false
			}
		}
	}
	if a.json {
		if err := a.printJSON(doc); err != nil {
			return err
		}
	} else {
		a.printGate(&doc)
	}
	if !doc.OK {
		return errRefused
	}
	return nil
}

// gatePasses opens a package or container.
func gatePasses(path string) (kind string, passes []gate.Pass, err error) {
	data, err := files.Read(path, 0)
	if err != nil {
		return "", nil, err
	}
	invalid := func(err error, remedy string) (string, []gate.Pass, error) {
		return "", nil, &session.OpenError{Name: path, Reason: err.Error(), Remedy: remedy, Err: err}
	}
	switch {
	case bytes.HasPrefix(data, []byte("CWGP")):
		p, err := cewgpu.Open(data)
		if err != nil {
			return invalid(err, "build the package again; `fxlens verify` lists every finding")
		}
		if bundle.Is(p.Chunks) {
			v, err := bundle.Open(data)
			if err != nil {
				return invalid(err, "build the package again with fxlens switches build")
			}
			return "variants", gate.Variants(v), nil
		}
		kind = "strict"
		if p.Extended {
			kind = "extended"
		}
		passes, err = gate.Passes(p)
		if err != nil {
			return invalid(err, "name a package of an effect, or one of shader variants")
		}
	case carbon.Sniff(data):
		file, ds := carbon.Validate(data, carbon.Detect)
		if diag.HasErrors(ds) {
			return invalid(&carbon.InvalidError{Findings: ds}, "build the container again from its effect")
		}
		kind = "carbon"
		if passes, err = gate.ContainerPasses(file); err != nil {
			return invalid(err, "name a container with blocks for WebGPU")
		}
	default:
		return invalid(errors.New("this is neither a CEWGPU package nor a Carbon WebGPU container"), "name a package; `fxlens build` makes one of an effect")
	}
	return kind, passes, nil
}

func (a *app) printGate(d *gateDoc) {
	for i := range d.Packages {
		p := &d.Packages[i]
		modules, created, pipelines, untried := 0, 0, 0, 0
		for j := range p.Passes {
			q := &p.Passes[j]
			modules += q.Modules
			created += q.Created.Modules
			switch q.Pipeline {
			case "created":
				pipelines++
			case "not tried":
				untried++
			}
			for _, m := range q.Messages {
				at := m.At
				if m.Line > 0 {
					at += fmt.Sprintf(":%d:%d", m.Line, m.Column)
				}
				where := p.File + ": " + at
				if !strings.HasPrefix(m.At, q.Key) {
					where = p.File + ": " + q.Key + ": " + at
				}
				a.print("%s: %s: %s\n", views.Text(where), views.Text(m.Severity), indent(m.Text))
			}
			if q.Why != "" && len(q.Messages) == 0 {
				a.print("%s: %s: no pipeline: %s\n", views.Text(p.File), views.Text(q.Key), views.Text(q.Why))
			}
		}
		if len(p.Passes) == 0 {
			a.print("%s: %s, nothing to judge: no pass of it is translated\n", views.Text(p.File), p.Kind)
			continue
		}
		verdict := "ok"
		if !p.OK {
			verdict = "FAIL"
		}
		line := fmt.Sprintf("%s: %s, %d of %d modules, %d of %s", verdict, p.Kind, created, modules, pipelines, plural(len(p.Passes), "pipeline", "pipelines"))
		if untried > 0 {
			line += fmt.Sprintf(", %d not tried", untried)
		}
		a.print("%s: %s\n", views.Text(p.File), line)
	}
	adapter := strings.Join(strings.Fields(strings.Join([]string{d.Adapter.Vendor, d.Adapter.Architecture, d.Adapter.Device, d.Adapter.Description}, " ")), " ")
	a.print("by %s; adapter: %s\n", views.Text(d.Browser), views.Text(adapter))
}

// indent makes a message of several lines safe, with the later ones below the first.
func indent(s string) string {
	return strings.ReplaceAll(text(strings.TrimSpace(s)), "\n", "\n    ")
}
