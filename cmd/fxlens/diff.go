package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"fxlens/core/diag"
	"fxlens/core/pack/carbon"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
	"fxlens/views"
)

// diffDoc is the JSON of diff.
type diffDoc struct {
	Schema      string              `json:"schema"` // fxlens.diff/1
	A           string              `json:"a"`
	B           string              `json:"b"`
	Kinds       [2]session.Format   `json:"kinds"`
	Identical   bool                `json:"identical"` // byte for byte
	Equal       bool                `json:"equal"`     // by meaning
	More        bool                `json:"more"`      // there are more differences than --limit
	Differences []cewgpu.Difference `json:"differences"`
}

func (a *app) diffCommand() *cobra.Command {
	limit, in := 0, "wgsl"
	cmd := &cobra.Command{
		Use:   "diff LINK LINK | diff PACKAGE PACKAGE",
		Short: "compare two permutations stage by stage, or two packages by meaning",
		Long: `diff compares what two links select, pass by pass and stage by stage, in the form that
--in names, and prints a unified diff whose titles say what each side is. Lines that differ
only in the names of values, registers and locals, one for one, are equal: those names
depend on what else is in the program. Numbers of bindings count as such names in WGSL;
--in bindings compares them. The second link may leave out the file, which is then that
of the first.

Of two packages diff lists where they mean different things: chunk, path, value here, value
there. Order of chunks and keys, white space and spelling don't count, and digests of
chunks are left out, since they follow from their chunks. Containers are compared by the
documents that they stand for. A package and a container are compared as far as a container
can say it.

Any difference makes the exit code 1, and so does a stage that the form cannot show.`,
		Example:           "  fxlens diff 'quadv5.sm_hi#Main/0/ps' '?SKINNED=ON#Main/0/ps' --in dxbc\n  fxlens diff old/quadv5.sm_hi new/quadv5.sm_hi\n  fxlens diff a.cewgpu b.cewgpu",
		Args:              exactly(2, "name two links or two packages"),
		ValidArgsFunction: a.completeLink,
		RunE: func(cmd *cobra.Command, args []string) error {
			packages, sides, err := a.diffArgs(args)
			if err != nil {
				return err
			}
			if packages {
				return a.diff(cmd.Context(), args[0], args[1], limit)
			}
			return a.diffLinks(cmd.Context(), sides, in)
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 200, "of packages list at most `N` differences; 0 lists all")
	cmd.Flags().StringVar(&in, "in", "wgsl", "compare stages in this `form`: dxbc|ssa|wgsl|bindings")
	cmd.Flags().StringVar(&in, "form", "wgsl", "the same as --in")
	_ = cmd.Flags().MarkHidden("form")
	_ = cmd.RegisterFlagCompletionFunc("in", cobra.FixedCompletions(views.DiffForms[:], cobra.ShellCompDirectiveNoFileComp))
	a.compileFlags.add(cmd)
	return cmd
}

// side is one of the two files of diff.
type diffSide struct {
	name      string
	data      []byte
	format    session.Format
	pkg       *cewgpu.Package
	container *carbon.File
}

func (a *app) diffSide(path string) (*diffSide, error) {
	data, err := a.read(path)
	if err != nil {
		return nil, err
	}
	s := &diffSide{name: path, data: data, format: session.CEWGPU}
	invalid := func(err error) error {
		return &session.OpenError{Name: path, Reason: err.Error(), Remedy: "see what `fxlens verify` lists", Err: err}
	}
	switch {
	case bytes.HasPrefix(data, []byte("CWGP")):
		if s.pkg, err = cewgpu.Open(data); err != nil {
			return nil, invalid(err)
		}
	case carbon.Sniff(data):
		s.format = session.Carbon
		if s.container, err = carbon.Open(data); err != nil {
			return nil, invalid(err)
		}
	default:
		return nil, &session.OpenError{Name: path, Reason: "this is neither a CEWGPU package nor a Carbon WebGPU container", Remedy: "name a package; `fxlens inspect` says what other files are", Err: session.ErrUnknown}
	}
	return s, nil
}

func (a *app) diff(ctx context.Context, pathA, pathB string, limit int) error {
	if limit < 0 {
		return usagef("--limit %d: name a number of differences, or 0 for all", limit)
	}
	x, err := a.diffSide(pathA)
	if err != nil {
		return err
	}
	y, err := a.diffSide(pathB)
	if err != nil {
		return err
	}
	d := diffDoc{Schema: "fxlens.diff/1", A: pathA, B: pathB, Kinds: [2]session.Format{x.format, y.format}, Identical: bytes.Equal(x.data, y.data), Differences: []cewgpu.Difference{}}
	most := limit
	if limit > 0 {
		most = limit + 1
	}
	found, err := x.compare(ctx, y, most)
	if err != nil {
		return err
	}
	d.Differences = append(d.Differences, found...)
	d.Equal = len(found) == 0
	if limit > 0 && len(found) > limit {
		d.More, d.Differences = true, d.Differences[:limit]
	}
	if a.json {
		if err := a.printJSON(d); err != nil {
			return err
		}
	} else {
		a.printDiff(&d)
	}
	if !d.Equal {
		return errRefused
	}
	return nil
}

// compare lists the differences of two files. Two of one kind are compared document
// by document.
func (s *diffSide) compare(ctx context.Context, o *diffSide, limit int) ([]cewgpu.Difference, error) {
	switch {
	case s.pkg != nil && o.pkg != nil:
		return cewgpu.Diff(s.pkg, o.pkg, limit), nil
	case s.container != nil && o.container != nil:
		a, err := s.container.Views(ctx, s.container.SelectedPermutation(), filepath.Base(s.name))
		if err != nil {
			return nil, err
		}
		// One label for both: their names are no difference in meaning.
		b, err := o.container.Views(ctx, o.container.SelectedPermutation(), filepath.Base(s.name))
		if err != nil {
			return nil, err
		}
		out := cewgpu.Diff(&cewgpu.Package{Chunks: a}, &cewgpu.Package{Chunks: b}, limit)
		if len(out) == 0 && !bytes.Equal(s.data, o.data) {
			if x, y := plainContainer(s.container), plainContainer(o.container); !bytes.Equal(x, y) {
				out = append(out, cewgpu.Difference{Chunk: "container", Path: "", A: fmt.Sprintf("%d bytes when laid out anew", len(x)), B: fmt.Sprintf("%d bytes", len(y))})
			}
		}
		return out, nil
	}
	container, pkg := s.container, o.pkg
	if container == nil {
		container, pkg = o.container, s.pkg
	}
	ds, err := container.VerifyPackage(ctx, pkg)
	if err != nil {
		return nil, &session.OpenError{Name: o.name, Reason: err.Error(), Remedy: "name an effect package", Err: err}
	}
	var out []cewgpu.Difference
	for _, d := range ds[:max(0, min(len(ds), limitOf(limit, len(ds))))] {
		out = append(out, viewDifference(d))
	}
	return out, nil
}

func limitOf(limit, n int) int {
	if limit == 0 {
		return n
	}
	return limit
}

// plainContainer is a container laid out anew, so that only its content counts.
func plainContainer(f *carbon.File) []byte {
	b, err := f.Rewrite()
	if err != nil {
		return f.Data
	}
	return b
}

func viewDifference(d diag.Diag) cewgpu.Difference {
	return cewgpu.Difference{Chunk: "view", Path: d.Text, A: "the container's", B: "the package's"}
}

func (a *app) printDiff(d *diffDoc) {
	for _, x := range d.Differences {
		a.print("%s\n", views.Text(fmt.Sprintf("%s %s: %s -> %s", x.Chunk, x.Path, absent(x.A), absent(x.B))))
	}
	switch {
	case d.Identical:
		a.print("the files are identical\n")
	case d.Equal:
		a.print("the files differ in bytes and not in meaning\n")
	case d.More:
		a.print("there are more than %s; --limit 0 lists all\n", plural(len(d.Differences), "difference", "differences"))
	default:
		a.print("%s\n", plural(len(d.Differences), "difference", "differences"))
	}
}
