package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fxlens/core/diag"
	"fxlens/core/effect"
	"fxlens/core/files"
	"fxlens/core/pack/carbon"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
	"fxlens/views"
)

// convertFlags are the flags of convert.
type convertFlags struct {
	out    string
	force  bool
	source string
	side   string
	noSide bool
	to     string
	blocks string
	order  string
	label  string
	set    []string
	hash   bool
}

// convertDoc is the JSON of convert.
type convertDoc struct {
	Schema      string        `json:"schema"` // fxlens.convert/1
	Source      string        `json:"source"` // that was converted
	From        string        `json:"from"`   // cewgpu or carbon
	To          string        `json:"to"`
	File        string        `json:"file"` // that was written; empty where none was
	Size        int           `json:"size,omitempty"`
	SHA256      string        `json:"sha256,omitempty"`
	Side        string        `json:"side,omitempty"` // side file that was written or used
	Exact       bool          `json:"exact"`          // the side file gave the original package, byte for byte
	Lost        []carbon.Loss `json:"lost"`
	Diagnostics []diag.Diag   `json:"diagnostics"`
}

func (a *app) convertCommand() *cobra.Command {
	var f convertFlags
	cmd := &cobra.Command{
		Use:   "convert PACKAGE -o OUT",
		Short: "make a Carbon WebGPU container of a package, or the reverse",
		Long: `convert makes a Carbon WebGPU container (.carbonwebgpu) of a CEWGPU package, or a
package of a container. A container cannot say all that a package does: what is lost
is listed, and kept in a side file beside the container, OUT` + session.SideSuffix + `, with which
the way back gives the package byte for byte. A binding that would come back different
is refused. From container to container it is laid out anew.

--source names the effect that both were made of: on the way to a container it keeps
what a package does not have (the order of stages, names of fixed samplers), and packages
of effects below version 15 need it; on the way back it makes the package complete.`,
		Example: "  fxlens convert quad.cewgpu -o quad.carbonwebgpu --source quadv5.sm_hi\n  fxlens convert quad.carbonwebgpu -o quad.cewgpu",
		Args:    exactly(1, "name one package or container"),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.convert(cmd.Context(), args[0], &f) },
	}
	fl := cmd.Flags()
	fl.StringVarP(&f.out, "output", "o", "", "`file` to write")
	fl.BoolVar(&f.force, "force", false, "replace existing files")
	fl.StringVar(&f.source, "source", "", "effect `file` that the package was made of")
	fl.StringVar(&f.side, "side", "", "side `file` (default the container's name with "+session.SideSuffix+")")
	fl.BoolVar(&f.noSide, "no-side", false, "write no side file, and use none")
	fl.StringVar(&f.to, "to", "", "`cewgpu|carbon` (default by the name of OUT, else the other than PACKAGE)")
	fl.StringVar(&f.blocks, "blocks", "detect", "whether passes of the container have blocks: `detect|with|without`")
	fl.StringVar(&f.label, "label", "", "`name` of the source in the package")
	fl.StringVar(&f.order, "order", "", orderUsage+"; default that of the side file, else code-point")
	fl.StringArrayVar(&f.set, "set", nil, "choose the option of an axis of the container: `AXIS=OPTION` (repeatable)")
	fl.BoolVar(&f.hash, "hash", false, "write a digest of the content into the container's header in place of zeros")
	for flag, words := range map[string][]string{"to": {"cewgpu", "carbon"}, "blocks": {"detect", "with", "without"}, "order": orderWords} {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	}
	return cmd
}

// converting is one run of convert.
type converting struct {
	a    *app
	f    *convertFlags
	path string
	data []byte
	doc  convertDoc
}

func (a *app) convert(ctx context.Context, path string, f *convertFlags) error {
	refs, ok := map[string]carbon.References{"detect": carbon.Detect, "with": carbon.With, "without": carbon.Without}[f.blocks]
	switch {
	case f.out == "":
		return usagef("convert needs a target: -o FILE")
	case !ok:
		return usagef("--blocks %s: use detect, with or without", f.blocks)
	case f.to != "" && f.to != "cewgpu" && f.to != "carbon":
		return usagef("--to %s: use cewgpu or carbon", f.to)
	case f.order != "" && !slices.Contains(orderWords, f.order):
		return badOrder(f.order)
	case f.side != "" && f.noSide:
		return usagef("--side and --no-side exclude each other; use one of them")
	}
	data, err := files.Read(path, 0)
	if err != nil {
		return err
	}
	c := &converting{a: a, f: f, path: path, data: data,
		doc: convertDoc{Schema: "fxlens.convert/1", Source: path, From: "carbon", Lost: []carbon.Loss{}, Diagnostics: []diag.Diag{}}}
	if bytes.HasPrefix(data, []byte("CWGP")) {
		c.doc.From = "cewgpu"
	} else if !carbon.Sniff(data) && refs == carbon.Detect && filepath.Ext(path) != ".carbonwebgpu" {
		return &session.OpenError{Name: path, Reason: "this is neither a CEWGPU package nor a Carbon WebGPU container",
			Remedy: "name a package; `fxlens build` makes one of an effect, `fxlens inspect` says what other files are", Err: session.ErrUnknown}
	}
	c.doc.To = target(f, c.doc.From)
	if c.doc.From == "cewgpu" && c.doc.To == "cewgpu" {
		return usagef("%s is a CEWGPU package already; name a target that ends in .carbonwebgpu, or say --to carbon", path)
	}
	if err := checkTarget(f.out, f.force, path); err != nil {
		return err
	}
	switch {
	case c.doc.From == "cewgpu":
		err = c.toContainer(ctx)
	case c.doc.To == "carbon":
		err = c.again(refs)
	default:
		err = c.toPackage(ctx, refs)
	}
	return c.finish(err)
}

// target says what to write: as told, by the name, else the other kind.
func target(f *convertFlags, from string) string {
	if f.to != "" {
		return f.to
	}
	switch filepath.Ext(f.out) {
	case ".cewgpu":
		return "cewgpu"
	case ".carbonwebgpu":
		return "carbon"
	}
	if from == "cewgpu" {
		return "carbon"
	}
	return "cewgpu"
}

// effectOf reads --source.
func (c *converting) effectOf() (*effect.Effect, error) {
	if c.f.source == "" {
		return nil, nil
	}
	data, err := files.Read(c.f.source, 0)
	if err != nil {
		return nil, err
	}
	e, err := effect.Parse(data)
	if err != nil {
		return nil, notSource(c.f.source, data, err)
	}
	return e, nil
}

func (c *converting) toContainer(ctx context.Context) error {
	p, err := cewgpu.Open(c.data)
	if err != nil {
		return &session.OpenError{Name: c.path, Reason: err.Error(), Remedy: "build the package again; `fxlens verify` lists every finding", Err: err}
	}
	if p.Kind != cewgpu.EffectPackage {
		return usagef("%s is a generic container of chunks, and only effect packages can be converted", c.path)
	}
	src, err := c.effectOf()
	if err != nil {
		return err
	}
	out, err := carbon.FromPackage(ctx, p, carbon.FromOptions{Source: src, Hash: c.f.hash})
	if err != nil {
		return err
	}
	c.doc.Lost = out.Side.Lost
	if c.f.noSide {
		for i := range c.doc.Lost {
			c.doc.Lost[i].Kept = false
		}
		return c.write(out.Data)
	}
	side, err := out.Side.Encode()
	if err != nil {
		return err
	}
	c.doc.Side = c.f.side
	if c.doc.Side == "" {
		c.doc.Side = c.f.out + session.SideSuffix
	}
	_, before := os.Lstat(c.doc.Side)
	if err := write(c.doc.Side, side, c.f.force); err != nil {
		return err
	}
	if err := c.write(out.Data); err != nil {
		if errors.Is(before, fs.ErrNotExist) {
			os.Remove(c.doc.Side) // no half of a result stays
		}
		return err
	}
	return nil
}

// container opens the input as one.
func (c *converting) container(refs carbon.References) (*carbon.File, error) {
	file, ds := carbon.Validate(c.data, refs)
	if diag.HasErrors(ds) {
		err := &carbon.InvalidError{Findings: ds}
		c.doc.Diagnostics = append(c.doc.Diagnostics, ds...)
		return nil, &session.OpenError{Name: c.path, Reason: err.Error(), Remedy: ds[0].Remedy, Err: err}
	}
	for _, d := range ds {
		if d.Sev == diag.Warning {
			c.doc.Diagnostics = append(c.doc.Diagnostics, d)
		}
	}
	return file, nil
}

// again lays a container out anew.
func (c *converting) again(refs carbon.References) error {
	file, err := c.container(refs)
	if err != nil {
		return err
	}
	out, err := file.Rewrite()
	if err != nil {
		return &session.OpenError{Name: c.path, Reason: err.Error(), Remedy: "build the container again from its effect", Err: err}
	}
	return c.write(out)
}

func (c *converting) toPackage(ctx context.Context, refs carbon.References) error {
	file, err := c.container(refs)
	if err != nil {
		return err
	}
	o := carbon.ToOptions{Permutation: -1, Order: cewgpu.Order(c.f.order), Label: c.f.label, Version: version, Producer: &cewgpu.Producer{Name: "fxlens", Version: version, Profile: string(cewgpu.Strict)}}
	if o.Source, err = c.effectOf(); err != nil {
		return err
	}
	if o.Side, err = c.sideFile(); err != nil {
		return err
	}
	if len(c.f.set) > 0 {
		choice, err := file.Effect.ParseOptions(strings.Join(c.f.set, "&"))
		if err != nil {
			return usagef("--set: %v", err)
		}
		if o.Permutation, err = file.Effect.Index(choice); err != nil {
			return usagef("--set: %v", err)
		}
	}
	if o.Label == "" && o.Side == nil {
		o.Label = filepath.Base(c.path)
	}
	out, err := file.ToPackage(ctx, o)
	if err != nil {
		return err
	}
	c.doc.Exact, c.doc.Lost = out.Exact, out.Lost
	if out.Report != nil {
		for _, g := range out.Report.Findings {
			c.doc.Diagnostics = append(c.doc.Diagnostics, g.Diag())
		}
	}
	return c.write(out.Data)
}

// sideFile reads the side file, if there is one.
func (c *converting) sideFile() (*carbon.Side, error) {
	if c.f.noSide {
		return nil, nil
	}
	path := c.f.side
	if path == "" {
		path = c.path + session.SideSuffix
	}
	data, err := files.Read(path, 0)
	if errors.Is(err, fs.ErrNotExist) && c.f.side == "" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	side, err := carbon.ParseSide(data)
	if err != nil {
		return nil, badSide(path, err)
	}
	c.doc.Side = path
	return side, nil
}

// write puts a file in its place, whole or not at all.
func write(path string, data []byte, force bool) error {
	err := files.Write(path, data, force)
	if errors.Is(err, files.ErrExists) {
		return existsError(path)
	}
	return err
}

func (c *converting) write(data []byte) error {
	if err := write(c.f.out, data, c.f.force); err != nil {
		return err
	}
	c.doc.File, c.doc.Size, c.doc.SHA256 = c.f.out, len(data), fmt.Sprintf("%x", sha256.Sum256(data))
	return nil
}

// finish prints what was done, or why nothing was.
func (c *converting) finish(err error) error {
	a := c.a
	var (
		refused *carbon.ConvertError
		build   *cewgpu.BuildError
		side    diag.Diag
	)
	switch {
	case errors.As(err, &refused):
		c.doc.Diagnostics = append(c.doc.Diagnostics, refused.Findings...)
	case errors.As(err, &build):
		c.doc.Diagnostics = append(c.doc.Diagnostics, build.Diags()...)
	case errors.As(err, &side):
		c.doc.Diagnostics = append(c.doc.Diagnostics, side)
	case err != nil:
		return err
	}
	if a.json {
		if perr := a.printJSON(c.doc); perr != nil {
			return perr
		}
	}
	link := session.FileLink(c.path).String()
	if err != nil {
		if !a.json {
			a.diagnostics(link, c.doc.Diagnostics)
			a.problem("%s: nothing was written: %s", views.Text(c.f.out), plural(len(c.doc.Diagnostics), "finding", "findings"))
		}
		return errRefused
	}
	if a.json {
		return nil
	}
	kind := map[string]string{"cewgpu": "CEWGPU package", "carbon": "Carbon WebGPU container"}
	a.print("%s: %s\n", views.Text(c.doc.File), kind[c.doc.To])
	t := table{indent: "  "}
	t.add("source", c.doc.Source)
	t.add("size", fmt.Sprintf("%d bytes (%s)", c.doc.Size, files.Size(int64(c.doc.Size))))
	t.add("sha256", c.doc.SHA256)
	if c.doc.Side != "" {
		t.add("side file", c.doc.Side)
	}
	if c.doc.Exact {
		t.add("exact", "the package that the container was made of, byte for byte")
	}
	for _, l := range c.doc.Lost {
		t.add("lost", l.String())
	}
	a.print("%s", t.String())
	a.diagnostics(link, c.doc.Diagnostics)
	return nil
}
