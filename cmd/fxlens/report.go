package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"

	"fxlens/core/files"
	"fxlens/core/qualify"
	"fxlens/core/session"
	"fxlens/views"
)

// reportFlags say where a report goes and what it is compared with.
type reportFlags struct {
	out, markdown, html, db string
	brief                   bool
	baseline, allow         string
	requireSupported        bool
}

func (f *reportFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVarP(&f.out, "output", "o", "", "write the JSON report to `file`")
	fl.StringVar(&f.markdown, "markdown", "", "write the report as Markdown to `file`")
	fl.StringVar(&f.html, "html", "", "write the report as one HTML page to `file`")
	fl.StringVar(&f.db, "db", "", "write the results as an SQLite database to `file`; see `fxlens query`")
	fl.BoolVar(&f.brief, "brief", false, "one short record a file in the JSON report: enough for a baseline, not for merge")
	fl.StringVar(&f.baseline, "baseline", "", "compare with the JSON report in `file`; regressions fail")
	fl.StringVar(&f.allow, "allow", "", "TOML `file` with permitted regressions and their reasons")
	fl.BoolVar(&f.requireSupported, "require-supported", false, "fail unless every file qualifies")
}

// report is the outputs of a run while it goes on.
type report struct {
	a     *app
	f     *reportFlags
	head  qualify.Head
	w     *qualify.Writer
	file  *files.Pending // -o
	db    *files.Database
	rows  []*qualify.Row // where something needs them
	base  []*qualify.Row
	allow []qualify.Allow
}

// openReport opens every output and reads the baseline before any work is done.
func (a *app) openReport(f *reportFlags, head qualify.Head) (*report, error) {
	r := &report{a: a, f: f, head: head}
	if err := r.open(); err != nil {
		r.discard()
		return nil, err
	}
	return r, nil
}

func (r *report) open() (err error) {
	if r.f.allow != "" {
		if r.f.baseline == "" {
			return usagef("--allow permits differences from a baseline; add --baseline FILE")
		}
		if r.allow, err = readAllow(r.f.allow); err != nil {
			return err
		}
	}
	if r.f.baseline != "" {
		head, rows, err := readRows(r.f.baseline)
		if err != nil {
			return err
		}
		head.Brief, head.Version = r.head.Brief, r.head.Version
		if err := head.Same(&r.head); err != nil {
			return usagef("%s is of another kind of run: %v", r.f.baseline, err)
		}
		r.base = rows
	}
	for _, path := range []string{r.f.markdown, r.f.html} {
		if path == "" {
			continue
		}
		if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
			return &files.Error{Op: "write", Path: path, Reason: "its folder does not exist", Remedy: "make the folder first", Err: fs.ErrNotExist}
		}
	}
	var to io.Writer = io.Discard
	switch {
	case r.f.out != "":
		if r.file, err = files.Create(r.f.out, true); err != nil {
			return err
		}
		to = r.file
	case r.a.json:
		to = r.a.out
	}
	if r.f.db != "" {
		if r.db, err = files.CreateDatabase(r.f.db, r.head); err != nil {
			return err
		}
	}
	r.w, err = qualify.NewWriter(to, r.head)
	return err
}

func (r *report) add(f *qualify.File) error {
	if err := r.w.Add(f); err != nil {
		return err
	}
	return r.beside(f)
}

// beside is add without the JSON report.
func (r *report) beside(f *qualify.File) error {
	if r.f.markdown != "" || r.f.html != "" || r.f.baseline != "" {
		r.rows = append(r.rows, f.Row())
	}
	if r.db != nil {
		return r.db.Add(f)
	}
	return nil
}

func (r *report) discard() {
	if r.file != nil {
		r.file.Discard()
	}
	if r.db != nil {
		r.db.Discard()
	}
}

func (r *report) finish() error {
	s, err := r.w.Close()
	if err != nil {
		return err
	}
	return r.end(s)
}

// end writes the other forms, prints the summary and decides about success.
func (r *report) end(s *qualify.Summary) error {
	page := &qualify.Page{Head: r.head, Summary: s, Rows: r.rows}
	if r.f.baseline != "" {
		page.Comparison = qualify.Compare(r.base, r.rows, r.allow)
	}
	if r.file != nil {
		if err := r.file.Commit(); err != nil {
			return err
		}
	}
	if r.db != nil {
		if err := r.db.Finish(s); err != nil {
			return err
		}
	}
	for path, write := range map[string]func(io.Writer) error{r.f.markdown: page.WriteMarkdown, r.f.html: page.WriteHTML} {
		if path == "" {
			continue
		}
		p, err := files.Create(path, true)
		if err != nil {
			return err
		}
		if err := write(p); err != nil {
			p.Discard()
			return err
		}
		if err := p.Commit(); err != nil {
			return err
		}
	}
	if !r.a.json {
		r.a.printSummary(page)
	} else if r.f.out != "" {
		if err := r.a.printJSON(struct {
			Schema string `json:"schema"`
			Report string `json:"report"`
			*qualify.Summary
			Comparison *qualify.Comparison `json:"comparison,omitempty"`
			NotProved  []string            `json:"notProved"`
		}{"fxlens.qualify-summary/1", r.f.out, s, page.Comparison, qualify.NotProved()}); err != nil {
			return err
		}
	}
	return r.verdict(page)
}

func (r *report) verdict(p *qualify.Page) error {
	s, a := p.Summary, r.a
	if s.Bugs > 0 {
		text := fmt.Sprintf("the compiler failed on %s", plural(s.Bugs, "pass", "passes"))
		for _, x := range s.Reasons {
			if x.Code == "qualify.bug" {
				text += ", first " + x.Example + ": " + x.Message
			}
		}
		return &bugError{value: text}
	}
	failed := false
	if r.f.requireSupported && s.Files.Total != s.Files.Qualified+s.Files.Ignored {
		a.problem("%s of %d did not qualify", plural(s.Files.Total-s.Files.Qualified-s.Files.Ignored, "file", "files"), s.Files.Total)
		failed = true
	}
	if c := p.Comparison; c != nil {
		if c.Regressions > 0 {
			a.out.Flush()
			const most = 20
			n := 0
			for _, x := range c.Worst() {
				if x.Regression && x.Allowed == "" && n < most {
					n++
					fmt.Fprintf(a.err, "%s: %s: %s\n", views.Text(x.Path), x.Kind, views.Text(x.Text))
				}
			}
			more := ""
			if c.Regressions > n {
				more = fmt.Sprintf(", the first %d above", n)
			}
			a.problem("%s against %s%s", plural(c.Regressions, "regression", "regressions"), views.Text(r.f.baseline), more)
			failed = true
		}
	} else if s.Files.Failed > 0 {
		a.problem("%s", plural(s.Files.Failed, "file could not be read as what it is", "files could not be read as what they are"))
		failed = true
	}
	if failed {
		return errRefused
	}
	return nil
}

// printSummary prints the totals as text.
func (a *app) printSummary(p *qualify.Page) {
	s := p.Summary
	t := table{}
	t.add("", "total", "qualified", "partial", "unsupported", "failed")
	n := func(i int) string { return fmt.Sprint(i) }
	for _, x := range s.Totals() {
		t.add(x.What, n(x.Total), n(x.Qualified), n(x.Partial), n(x.Unsupported), n(x.Failed))
	}
	a.print("%s", t.String())
	if s.Files.Ignored > 0 {
		a.print("\n%s: not shaders\n", plural(s.Files.Ignored, "file is ignored", "files are ignored"))
	}
	if p.Head.Packages && s.Built.Total > 0 {
		a.print("\npackages of default permutations: %d strict, %d extended only, %d refused\n", s.Built.Qualified, s.Built.Partial, s.Built.Unsupported)
	}
	if len(s.Next) > 0 {
		a.print("\nwhat to add next (stages that each line unlocks, given those above it)\n")
		t := table{indent: "  "}
		for _, x := range s.Next {
			t.add(fmt.Sprintf("+%d", x.Unlocks), fmt.Sprintf("= %d", x.Cumulative), x.Code, x.What)
		}
		a.print("%s", t.String())
	}
	if len(s.Reasons) > 0 {
		a.print("\nreasons (stages; files; first place)\n")
		t := table{indent: "  "}
		for _, x := range s.Reasons {
			t.add(n(x.Stages), n(x.Files), x.Code, x.Example)
		}
		a.print("%s", t.String())
	}
	a.print("\nheader audit\n")
	for _, l := range s.Audit.Lines() {
		a.print("  %s\n", views.Text(l))
	}
	if c := p.Comparison; c != nil {
		a.print("\nagainst the baseline: %s, %d allowed, %s\n", plural(c.Regressions, "regression", "regressions"), c.Allowed, plural(c.Same, "file unchanged", "files unchanged"))
		for _, x := range c.Worst() {
			if !x.Regression || x.Allowed != "" {
				why := ""
				if x.Allowed != "" {
					why = " (allowed: " + views.Text(x.Allowed) + ")"
				}
				a.print("  %s: %s: %s%s\n", views.Text(x.Path), x.Kind, views.Text(x.Text), why)
			}
		}
		for _, u := range c.Unused {
			a.print("  the allow list's %s %s permitted nothing: remove it\n", views.Text(u.Path), u.Kind)
		}
	}
	a.print("\nwhat this does not prove\n")
	for _, l := range qualify.NotProved() {
		a.print("  %s\n", l)
	}
}

// readRows reads the rows of a JSON report.
func readRows(path string) (*qualify.Head, []*qualify.Row, error) {
	f, err := openInput(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	var rows []*qualify.Row
	head, _, err := qualify.Read(f, func(r *qualify.Row) error {
		rows = append(rows, r)
		return nil
	})
	if err != nil {
		return nil, nil, reportError(path, err)
	}
	return head, rows, nil
}

func reportError(path string, err error) error {
	if !errors.Is(err, qualify.ErrReport) {
		return err
	}
	return &files.Error{Op: "read", Path: path, Reason: err.Error(), Remedy: "write one with `fxlens qualify -o FILE`", Err: err}
}

// openInput opens a regular file for reading as it goes.
func openInput(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, &files.Error{Op: "read", Path: path, Reason: "is not a regular file", Remedy: "name a file", Err: files.ErrNotRegular}
	}
	f, err := os.Open(path)
	if err != nil {
		reason := err.Error()
		var pe *fs.PathError
		if errors.As(err, &pe) {
			reason = pe.Err.Error()
		}
		return nil, &files.Error{Op: "read", Path: path, Reason: reason, Remedy: "check the path", Err: err}
	}
	return f, nil
}

// readAllow reads an allow list:
//
//	[[allow]]
//	path = "effects/**"
//	kind = "wgsl"
//	reason = "names of temporaries are shorter since 0.2"
func readAllow(path string) ([]qualify.Allow, error) {
	data, err := files.Read(path, 1<<20)
	if err != nil {
		return nil, err
	}
	bad := func(reason string) error {
		return &files.Error{Op: "read", Path: path, Reason: reason, Remedy: "each [[allow]] has path (a glob), kind and reason", Err: fs.ErrInvalid}
	}
	var doc struct {
		Allow []struct{ Path, Kind, Reason string }
	}
	d := toml.NewDecoder(strings.NewReader(string(data))).DisallowUnknownFields()
	if err := d.Decode(&doc); err != nil {
		return nil, bad("not a valid allow list: " + session.TOMLReason(err))
	}
	var out []qualify.Allow
	for i, x := range doc.Allow {
		switch {
		case x.Path == "":
			return nil, bad(fmt.Sprintf("entry %d has no path", i+1))
		case strings.TrimSpace(x.Reason) == "":
			return nil, bad(fmt.Sprintf("entry %d, %s, has no reason", i+1, x.Path))
		case x.Kind != "*" && !slices.Contains(qualify.ChangeKinds, x.Kind):
			return nil, bad(fmt.Sprintf("entry %d, %s: there is no kind %q; use one of %s, or *", i+1, x.Path, x.Kind, strings.Join(qualify.ChangeKinds, " ")))
		}
		out = append(out, qualify.Allow{Path: x.Path, Kind: x.Kind, Reason: x.Reason})
	}
	return out, nil
}
