package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fxlens/core/files"
	"fxlens/core/qualify"
	"fxlens/views"
)

// matrixFlags are the flags of matrix.
type matrixFlags struct {
	compileFlags
	out              string
	jobs             int
	requireSupported bool
}

// matrixDoc is the JSON of matrix for two folders.
type matrixDoc struct {
	Schema  string            `json:"schema"` // fxlens.matrices/1
	Pairs   []*qualify.Matrix `json:"pairs"`
	Missing []missingPair     `json:"missing"`
}

// missingPair is a path that one folder has alone.
type missingPair struct {
	Path string `json:"path"`
	Side string `json:"side"` // that lacks it: A or B
}

func (a *app) matrixCommand() *cobra.Command {
	var f matrixFlags
	cmd := &cobra.Command{
		Use:   "matrix A B",
		Short: "compare two builds of an effect pass by pass",
		Long: `matrix translates every permutation of two builds of an effect, such as those for
Direct3D 11 and 12, and compares axes, topology, coverage, status and WGSL pass by
pass. Two folders are compared effect by effect, by path.

It fails (exit code 1) where axes or topology differ, where something cannot be read,
and with --require-supported where a pass of either side is refused.`,
		Example: "  fxlens matrix effects/quadv5.sm_hi effects/dx12/quadv5.sm_hi\n  fxlens matrix effect.dx11 effect.dx12 -o matrix.json",
		Args:    exactly(2, "name two effects or two folders"),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.matrix(cmd.Context(), args, &f) },
	}
	fl := cmd.Flags()
	fl.StringVarP(&f.out, "output", "o", "", "write the whole JSON report to `file`")
	fl.IntVar(&f.jobs, "jobs", 0, "`number` of passes translated at a time (default: one for each CPU)")
	fl.BoolVar(&f.requireSupported, "require-supported", false, "fail where a pass is refused")
	f.compileFlags.add(cmd)
	return cmd
}

func (a *app) matrix(ctx context.Context, args []string, f *matrixFlags) error {
	co, err := f.compileFlags.options()
	if err != nil {
		return err
	}
	opt := qualify.Options{Version: version, Compile: co, Jobs: f.jobs}
	pairs, missing, unread, err := a.pairs(ctx, args[0], args[1])
	if err != nil {
		return err
	}
	doc := matrixDoc{Schema: "fxlens.matrices/1", Pairs: []*qualify.Matrix{}, Missing: missing}
	for _, p := range pairs {
		var both [2]*qualify.File
		for i, path := range p {
			info, err := os.Stat(path)
			if err != nil {
				_, err = files.Read(path, 0) // for its words
				return err
			}
			src := &corpus{a: a, real: map[string]string{}}
			if err := qualify.Run(ctx, src, []qualify.Entry{{Path: path, Size: info.Size()}}, opt, func(r *qualify.File) error {
				both[i] = r
				return nil
			}); err != nil {
				return err
			}
		}
		m, err := qualify.NewMatrix(both[0], both[1])
		if err != nil {
			why := ""
			for _, b := range both {
				if b.Effect == nil && len(b.Diagnostics) > 0 {
					why = ": " + b.Diagnostics[0].Message
				}
			}
			return &files.Error{Op: "matrix", Path: p[0], Reason: err.Error() + why, Remedy: "name two compiled effects", Err: fs.ErrInvalid}
		}
		doc.Pairs = append(doc.Pairs, m)
	}
	return a.complete(a.matrixResult(&doc, f, len(pairs) == 1 && len(missing) == 0), unread)
}

// pairs matches the effects of two folders by path; two files are one pair.
func (a *app) pairs(ctx context.Context, x, y string) (out [][2]string, missing []missingPair, unread int, err error) {
	missing = []missingPair{}
	var lists [2][]string
	dirs := 0
	for i, arg := range []string{x, y} {
		info, err := os.Stat(arg)
		if err != nil || !info.IsDir() {
			continue
		}
		dirs++
		found, skipped, err := files.List(ctx, arg)
		if err != nil {
			return nil, nil, 0, err
		}
		unread += a.skipped(skipped)
		for _, e := range found {
			if strings.HasPrefix(strings.ToLower(filepath.Ext(e.Path)), ".sm_") {
				rel, err := filepath.Rel(arg, e.Path)
				if err == nil {
					lists[i] = append(lists[i], rel)
				}
			}
		}
		slices.Sort(lists[i])
	}
	if dirs == 0 {
		return [][2]string{{x, y}}, missing, unread, nil
	}
	if dirs == 1 {
		return nil, nil, 0, usagef("one of %s and %s is a folder and the other is not; name two effects or two folders", x, y)
	}
	for _, rel := range lists[0] {
		if _, ok := slices.BinarySearch(lists[1], rel); ok {
			out = append(out, [2]string{filepath.Join(x, rel), filepath.Join(y, rel)})
		} else {
			missing = append(missing, missingPair{rel, "B"})
		}
	}
	for _, rel := range lists[1] {
		if _, ok := slices.BinarySearch(lists[0], rel); !ok {
			missing = append(missing, missingPair{rel, "A"})
		}
	}
	if len(out) == 0 {
		return nil, nil, 0, usagef("%s and %s have no effect of the same path", x, y)
	}
	return out, missing, unread, nil
}

func (a *app) matrixResult(doc *matrixDoc, f *matrixFlags, one bool) error {
	var whole any = doc
	if one {
		whole = doc.Pairs[0]
	}
	if f.out != "" {
		b, err := jsonBytes(whole)
		if err != nil {
			return err
		}
		if err := files.Write(f.out, b, true); err != nil {
			return err
		}
	}
	if a.json {
		if err := a.printJSON(whole); err != nil {
			return err
		}
	}
	failed, refused := 0, 0
	for i, m := range doc.Pairs {
		if !a.json {
			if i > 0 {
				a.print("\n")
			}
			a.printMatrix(m)
		}
		switch m.Status {
		case "failed":
			failed++
		case "unsupported":
			refused++
		}
	}
	for _, m := range doc.Missing {
		if !a.json {
			a.print("\n%s: %s has no such effect\n", views.Text(m.Path), m.Side)
		}
	}
	if len(doc.Pairs) > 1 && !a.json {
		a.print("\n%s: %d qualified, %d unsupported, %d failed; %d without partner\n", plural(len(doc.Pairs), "pair", "pairs"),
			len(doc.Pairs)-failed-refused, refused, failed, len(doc.Missing))
	}
	if failed > 0 || f.requireSupported && refused > 0 {
		return errRefused
	}
	return nil
}

func (a *app) printMatrix(m *qualify.Matrix) {
	a.print("%s\n  A %s\n  B %s\n", m.Status, views.Text(m.A.Path), views.Text(m.B.Path))
	yes := func(ok bool) string {
		if ok {
			return "match"
		}
		return "differ"
	}
	t := table{indent: "  "}
	t.add("axes", yes(m.AxesMatch))
	for _, d := range m.AxesDifferences {
		t.add("", d)
	}
	t.add("topology", yes(m.TopologyMatch))
	for _, d := range m.TopologyExamples {
		t.add("", fmt.Sprintf("?%s: %s in A, %s in B", d.Options, d.A, d.B))
	}
	for _, e := range m.EmptyTechniques {
		t.add("empty", e.Name)
	}
	for _, s := range []struct {
		name string
		s    *qualify.Side
	}{{"A", &m.A}, {"B", &m.B}} {
		o := s.s.Stages.Occurrences
		t.add(s.name, fmt.Sprintf("version %d, %s, %s, %d of %d stage occurrences qualified (%d of %d distinct)", s.s.Version,
			plural(s.s.Permutations, "permutation", "permutations"), plural(s.s.Bodies.Total, "body", "bodies"), o.Qualified, o.Total,
			s.s.Stages.Unique.Qualified, s.s.Stages.Unique.Total))
		for _, b := range s.s.Boundaries {
			t.add("", fmt.Sprintf("%d %s", b.Count, b.Name))
		}
	}
	p := m.Pairs
	t.add("passes", fmt.Sprintf("%d compared: %d qualified in both (%d with equal WGSL, %d of those with another layout), %d in A alone, %d in B alone, %d in neither",
		p.Total, p.BothWhole, p.SameWGSL, p.OnlyLayouts, p.OnlyA, p.OnlyB, p.Neither))
	a.print("%s", t.String())
	rows := table{indent: "  "}
	for _, v := range m.Variants {
		what := "equal WGSL"
		switch {
		case v.StatusA != qualify.Qualified || v.StatusB != qualify.Qualified:
			what = fmt.Sprintf("%s in A, %s in B", v.StatusA, v.StatusB)
			if codes := append(slices.Clone(v.ReasonsA), v.ReasonsB...); len(codes) > 0 {
				slices.Sort(codes)
				what += ": " + strings.Join(slices.Compact(codes), " ")
			}
		case !v.SameWGSL:
			what = "other WGSL: " + strings.Join(v.Differ, " ")
		case !v.SameLayout:
			what = "equal WGSL, another layout"
		}
		rows.add(v.Pass, fmt.Sprintf("%dx", v.Occurrences), what, "?"+v.Options)
	}
	a.print("%s", rows.String())
}
