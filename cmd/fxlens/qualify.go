package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"

	"fxlens/core/compile"
	"fxlens/core/files"
	"fxlens/core/pack/cewgpu"
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

// qualifyFlags are the flags of qualify.
type qualifyFlags struct {
	reportFlags
	compileFlags
	onlyDefault, noPackages, noCache bool
	jobs                             int
	cacheDir, cacheSize              string
	shard                            string
}

// defaultCacheSize is how much the cache keeps.
const defaultCacheSize = "512M"

func (a *app) qualifyCommand() *cobra.Command {
	var f qualifyFlags
	cmd := &cobra.Command{
		Use:   "qualify DIR|FILE...",
		Short: "translate a whole corpus and say what is missing",
		Long: `qualify translates every effect (all permutations), bare program and package below the
folders, and prints what qualified, why the rest did not, and what to add next. Equal
passes are translated once, wherever they are.

Results are cached by content, so that a second run takes as long as hashing the files,
and a run that was stopped goes on where it was. --shard K/N takes part K of N; "/N"
takes the index from JOB_COMPLETION_INDEX, as in a Kubernetes Job. "qualify merge" joins
the reports of shards.

It fails (exit code 1) on files and folders that cannot be read as what they are, with --baseline on
regressions instead, and with --require-supported on anything that did not qualify.`,
		Example: "  fxlens qualify shaders --html report.html --db corpus.db\n  fxlens qualify shaders --baseline last.json --allow allowed.toml -o now.json\n  fxlens qualify shaders --shard 3/8 -o 3.json && fxlens qualify merge *.json -o all.json",
		Args:    atLeast(1, "name a folder or file"),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.qualify(cmd.Context(), args, &f) },
	}
	fl := cmd.Flags()
	f.reportFlags.add(cmd)
	fl.BoolVar(&f.onlyDefault, "default", false, "only the default permutation of each effect")
	fl.BoolVar(&f.noPackages, "no-packages", false, "don't build the package of each default permutation")
	fl.IntVar(&f.jobs, "jobs", 0, "`number` of passes translated at a time (default: one for each CPU)")
	fl.BoolVar(&f.noCache, "no-cache", false, "neither read nor write the cache")
	fl.StringVar(&f.cacheDir, "cache", "", "`folder` of the cache (default: that of the user)")
	fl.StringVar(&f.cacheSize, "cache-size", defaultCacheSize, "most `bytes` that the cache keeps")
	fl.StringVar(&f.shard, "shard", "", "only part `K/N` of the corpus")
	f.compileFlags.add(cmd)
	cmd.AddCommand(a.mergeCommand())
	return cmd
}

func atLeast(n int, want string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < n {
			return usagef("%s takes at least %s, %d given; %s", cmd.CommandPath(), plural(n, "argument", "arguments"), len(args), want)
		}
		return nil
	}
}

// corpus reads files for a run. Names in reports are text, paths need not be: real maps
// those that differ.
type corpus struct {
	a       *app
	real    map[string]string
	skipped int // folders that cannot be read
}

// Read returns a file and what its sidecar adds.
func (c *corpus) Read(_ context.Context, e qualify.Entry, base compile.Options) ([]byte, compile.Options, error) {
	path := c.path(e.Path)
	data, err := files.Read(path, 0)
	if err != nil {
		return nil, base, err
	}
	base.Views, base.Classes = maps.Clone(base.Views), maps.Clone(base.Classes)
	return data, base, c.a.sidecar(path, &base)
}

// list finds the files of a corpus. Folders that cannot be read are reported and left
// out; an argument that is no folder is a file whatever its name.
func (a *app) list(ctx context.Context, args []string) ([]qualify.Entry, *corpus, error) {
	var out []files.Entry
	unread := 0
	for _, arg := range args {
		arg = filepath.Clean(arg)
		info, err := os.Stat(arg)
		if err == nil && !info.IsDir() {
			out = append(out, files.Entry{Path: arg, Size: info.Size()})
			continue
		}
		found, skipped, err := files.List(ctx, arg)
		if err != nil {
			return nil, nil, err
		}
		unread += a.skipped(skipped)
		out = append(out, found...)
	}
	entries, c := a.entries(out)
	c.skipped = unread
	return entries, c, nil
}

// entries names the files of a corpus for its report, each once, in order.
func (a *app) entries(found []files.Entry) ([]qualify.Entry, *corpus) {
	c := &corpus{a: a, real: map[string]string{}}
	var out []qualify.Entry
	for _, e := range found {
		name := filepath.ToSlash(e.Path)
		if !utf8.ValidString(name) {
			name = views.Text(name)
		}
		if name != e.Path {
			c.real[name] = e.Path
		}
		out = append(out, qualify.Entry{Path: name, Size: e.Size})
	}
	slices.SortFunc(out, func(x, y qualify.Entry) int { return strings.Compare(x.Path, y.Path) })
	return slices.CompactFunc(out, func(x, y qualify.Entry) bool { return x.Path == y.Path }), c
}

// path is the file of a name in the report.
func (c *corpus) path(name string) string {
	if p, ok := c.real[name]; ok {
		return p
	}
	return name
}

func (a *app) qualify(ctx context.Context, args []string, f *qualifyFlags) error {
	opt, cache, err := a.qualifyOptions(f)
	if err != nil {
		return err
	}
	var shard qualify.Shard
	if f.shard != "" {
		if shard, err = qualify.ParseShard(f.shard, os.Getenv("JOB_COMPLETION_INDEX")); err != nil {
			return usagef("--shard %v", err)
		}
	}
	if f.brief && shard.N > 1 {
		return usagef("--brief with --shard: merge needs full reports; give --brief to `fxlens qualify merge`")
	}
	entries, src, err := a.list(ctx, args)
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		return usagef("there are no shader files below %s; known endings are %s", strings.Join(args, ", "), strings.Join(files.Extensions, " "))
	}
	entries = shard.Of(entries)
	out, err := a.openReport(&f.reportFlags, qualify.NewHead(&opt, f.brief, shard))
	if err != nil {
		return err
	}
	defer out.discard()
	wipe := a.runProgress(&opt)
	err = qualify.Run(ctx, src, entries, opt, out.add)
	wipe()
	if cache != nil {
		if terr := cache.Trim(); terr != nil {
			a.problem("%s", views.Text(terr.Error()))
		}
	}
	if err != nil {
		if ctx.Err() != nil && cache != nil {
			a.problem("what is done is in the cache: the same command goes on from there")
		}
		return err
	}
	if f.baseline != "" { // what it has and this run could not read is a regression
		return out.finish()
	}
	return a.complete(out.finish(), src.skipped)
}

// skipped prints why parts of a folder were left out, and how many those are.
func (a *app) skipped(parts []error) int {
	for _, s := range parts {
		a.problem("%s", views.Text(s.Error()))
	}
	return len(parts)
}

// complete is the result of a command over folders of which some parts could not be
// read: without them it must not pass for success.
func (a *app) complete(err error, unread int) error {
	if err != nil || unread == 0 {
		return err
	}
	a.problem("%s could not be read: the result is without what is in there", plural(unread, "folder or file", "folders or files"))
	return errRefused
}

func (a *app) qualifyOptions(f *qualifyFlags) (qualify.Options, *files.Cache, error) {
	co, err := f.compileFlags.options()
	if err != nil {
		return qualify.Options{}, nil, err
	}
	opt := qualify.Options{Version: version, DefaultOnly: f.onlyDefault, Compile: co, Jobs: f.jobs}
	if f.jobs < 0 {
		return opt, nil, usagef("--jobs %d: use a number from 1 on", f.jobs)
	}
	if !f.noPackages {
		opt.Package = buildDefault
	}
	if f.noCache {
		return opt, nil, nil
	}
	size, err := files.ParseSize(f.cacheSize)
	if err != nil {
		return opt, nil, usagef("--cache-size: %v", err)
	}
	dir := f.cacheDir
	if dir == "" {
		if dir, err = files.CacheDir(); err != nil {
			a.problem("%s", views.Text(err.Error()))
			return opt, nil, nil
		}
	}
	cache, err := files.OpenCache(dir, size)
	if err != nil {
		if f.cacheDir != "" {
			return opt, nil, err
		}
		a.problem("%s; going on without a cache", views.Text(err.Error()))
		return opt, nil, nil
	}
	if opt.Build, err = buildIdentity(); err != nil {
		a.problem("the cache is not used, since this program cannot tell its own build: %s", views.Text(err.Error()))
		return opt, nil, nil
	}
	opt.Cache = cache
	return opt, cache, nil
}

// buildIdentity is the digest of this program: results are remembered for exactly the
// code that made them.
func buildIdentity() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return version + " " + hex.EncodeToString(h.Sum(nil)), nil
}

// buildDefault builds what `fxlens build` would write: the strict profile if it can
// carry the effect, else the extended one.
func buildDefault(ctx context.Context, name string, data []byte, opt compile.Options) (*qualify.Package, error) {
	s, err := session.Open(name, data, opt)
	if err != nil {
		return &qualify.Package{Reason: err.Error()}, nil
	}
	out := &qualify.Package{}
	for _, profile := range []cewgpu.Profile{cewgpu.Strict, cewgpu.Extended} {
		_, r, err := s.BuildPackage(ctx, session.PackageOptions{Perm: s.DefaultPermutation(), Profile: profile, Version: version})
		var refused *cewgpu.BuildError
		switch {
		case err == nil:
			out.Profile, out.SHA256, out.Size = string(r.Profile), r.SHA256, r.Size
			return out, nil
		case errors.As(err, &refused):
			if ds := refused.Diags(); out.Reason == "" && len(ds) > 0 {
				out.Reason = ds[0].Text
			}
		default:
			return nil, err
		}
	}
	return out, nil
}

// runProgress shows counts, rate and remaining time on a terminal's stderr.
func (a *app) runProgress(opt *qualify.Options) (wipe func()) {
	if !a.errTerm {
		return func() {}
	}
	start := time.Now()
	var last time.Time
	opt.Progress = func(p qualify.Progress) {
		now := time.Now()
		if now.Sub(last) < 100*time.Millisecond {
			return
		}
		last = now
		took := now.Sub(start)
		line := fmt.Sprintf("%d of %d files, %d qualified", p.Files, p.TotalFiles, p.Counts[qualify.Qualified])
		if n := p.Counts[qualify.Partial] + p.Counts[qualify.Unsupported]; n > 0 {
			line += fmt.Sprintf(", %d not yet", n)
		}
		if n := p.Counts[qualify.Failed]; n > 0 {
			line += fmt.Sprintf(", %d failed", n)
		}
		if p.Cached > 0 {
			line += fmt.Sprintf(", %d cached", p.Cached)
		}
		line += fmt.Sprintf("; %.0f files/s", float64(p.Files)/took.Seconds())
		if p.Bytes > 0 {
			left := time.Duration(float64(took) * float64(p.TotalBytes-p.Bytes) / float64(p.Bytes))
			line += fmt.Sprintf(", %s left", left.Round(time.Second))
		}
		fmt.Fprintf(a.err, "\r\x1b[K%s", line)
	}
	return func() { fmt.Fprint(a.err, "\r\x1b[K") }
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

func (a *app) mergeCommand() *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "merge SHARD...",
		Short: "join the reports or databases of shards",
		Long: `merge joins what "fxlens qualify --shard" wrote into what one run over the whole corpus
would have written, byte for byte. The inputs are full JSON reports, or databases, of
one version with the same options. It fails (exit code 1) as qualify does, and where a
shard of them is missing.`,
		Args: atLeast(1, "name the reports of the shards"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.merge(cmd.Context(), args, &f) },
	}
	f.add(cmd)
	return cmd
}

func (a *app) merge(ctx context.Context, args []string, f *reportFlags) error {
	readers := make([]io.Reader, len(args))
	for i, path := range args {
		r, stop, err := openShard(ctx, path)
		if err != nil {
			return err
		}
		defer stop()
		readers[i] = r
	}
	// The head decides which baseline fits, so it is read once before everything else.
	var head *qualify.Head
	var shards []string
	for _, path := range args {
		r, stop, err := openShard(ctx, path)
		if err != nil {
			return err
		}
		h, err := qualify.ReadHead(r)
		stop()
		if err != nil {
			return reportError(path, err)
		}
		if head == nil {
			head = h
		}
		shards = append(shards, h.Shard)
	}
	head.Shard, head.Brief = "", f.brief
	out, err := a.openReport(f, *head)
	if err != nil {
		return err
	}
	defer out.discard()
	if err := qualify.Merge(args, readers, func(file *qualify.File) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return out.add(file)
	}); err != nil {
		return reportError("merge", err)
	}
	err = out.finish()
	if missing := qualify.MissingShards(shards); err == nil && len(missing) > 0 {
		const most = 8
		word, more := "shards", ""
		if len(missing) == 1 {
			word = "shard"
		}
		if len(missing) > most {
			missing, more = missing[:most], fmt.Sprintf(" and %d more", len(missing)-most)
		}
		a.problem("the result is without %s %s%s: give the reports of all shards", word, strings.Join(missing, ", "), more)
		return errRefused
	}
	return err
}

// openShard opens a report, or a database as if it were one.
func openShard(ctx context.Context, path string) (io.Reader, func(), error) {
	f, err := openInput(path)
	if err != nil {
		return nil, nil, err
	}
	magic := make([]byte, 16)
	n, _ := io.ReadFull(f, magic)
	if string(magic[:n]) != "SQLite format 3\x00" {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			f.Close()
			return nil, nil, &files.Error{Op: "read", Path: path, Reason: err.Error(), Err: err}
		}
		return f, func() { f.Close() }, nil
	}
	f.Close()
	r, w := io.Pipe()
	go func() { w.CloseWithError(databaseReport(ctx, path, w)) }()
	return r, func() { r.Close() }, nil
}

func databaseReport(ctx context.Context, path string, w io.Writer) error {
	var out *qualify.Writer
	_, err := files.ReadDatabase(ctx, path, func(h *qualify.Head) (err error) {
		h.Brief = false
		out, err = qualify.NewWriter(w, *h)
		return err
	}, func(f *qualify.File) error { return out.Add(f) })
	if err != nil {
		return err
	}
	_, err = out.Close()
	return err
}
