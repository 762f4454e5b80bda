package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"fxlens/core/compile"
	"fxlens/core/files"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/qualify"
	"fxlens/core/session"
	"fxlens/views"
)

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
