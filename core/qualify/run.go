package qualify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"fxlens/core/compile"
	"fxlens/core/diag"
)

// Entry is one file of a corpus before it is read.
type Entry struct {
	Path string // names it in the report; unique
	Size int64  // bytes
}

// Source gives a run its files. It is called from several goroutines.
type Source interface {
	// Read returns the content of a file and the options that a sidecar beside it
	// adds to base.
	Read(ctx context.Context, e Entry, base compile.Options) ([]byte, compile.Options, error)
}

// Cache remembers results by content. Get returns false where it has nothing or what
// it has is damaged; Put may drop what it is given. Both are called from several
// goroutines.
type Cache interface {
	Get(key string) ([]byte, bool)
	Put(key string, value []byte)
}

// Options are those of a run.
type Options struct {
	Version string // of fxlens, for the report
	Build   string // identity of this build of fxlens: a part of cache keys
	// DefaultOnly qualifies the default permutation of each effect alone.
	DefaultOnly bool
	Compile     compile.Options
	// Package builds the package of an effect's default permutation; nil: none is built.
	// What cannot be packaged is a result with a reason, not an error.
	Package  func(ctx context.Context, name string, data []byte, opt compile.Options) (*Package, error)
	Jobs     int   // default GOMAXPROCS
	Cache    Cache // may be nil
	Progress func(Progress)
}

// Progress is how far a run is. It is reported with every file, just before the sink has it.
type Progress struct {
	Files, TotalFiles int
	Bytes, TotalBytes int64
	Cached            int
	Counts            [5]int // by Status
}

type runner struct {
	opt   Options
	slots chan struct{} // one for each pass that may be compiled at a time
	memo  memo
}

// window is how many files may be ahead of the one that the sink waits for, for each
// job. It bounds memory.
const window = 32

// Run qualifies the entries and gives the results to sink in the order of their paths,
// from one goroutine. It fails when ctx ends, when sink fails, and on nothing else:
// what is wrong with a file is a result. What it has cached is not lost when it fails.
func Run(ctx context.Context, src Source, entries []Entry, opt Options, sink func(*File) error) error {
	if opt.Jobs <= 0 {
		opt.Jobs = runtime.GOMAXPROCS(0)
	}
	entries = slices.Clone(entries)
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	entries = slices.CompactFunc(entries, func(a, b Entry) bool { return a.Path == b.Path })
	r := &runner{opt: opt, slots: make(chan struct{}, opt.Jobs)}

	type result struct {
		f      *File
		cached bool
	}
	results := make([]chan result, len(entries))
	for i := range results {
		results[i] = make(chan result, 1)
	}
	tickets := make(chan struct{}, window*opt.Jobs)
	g, gctx := errgroup.WithContext(ctx)
	workers := make(chan struct{}, 2*opt.Jobs) // some read while others compile
	g.Go(func() error {
		for i := range entries {
			for _, c := range []chan struct{}{tickets, workers} {
				select {
				case <-gctx.Done():
					return gctx.Err()
				case c <- struct{}{}:
				}
			}
			g.Go(func() error {
				defer func() { <-workers }()
				f, cached, err := r.entry(gctx, src, entries[i])
				if err != nil {
					return err
				}
				results[i] <- result{f, cached}
				return nil
			})
		}
		return nil
	})
	g.Go(func() error {
		p := Progress{TotalFiles: len(entries)}
		for _, e := range entries {
			p.TotalBytes += e.Size
		}
		for i, e := range entries {
			var res result
			select {
			case <-gctx.Done():
				return gctx.Err()
			case res = <-results[i]:
			}
			results[i] = nil
			<-tickets
			p.Files++
			p.Bytes += e.Size
			p.Counts[res.f.Status]++
			if res.cached {
				p.Cached++
			}
			if opt.Progress != nil {
				opt.Progress(p)
			}
			if err := sink(res.f); err != nil {
				return err
			}
		}
		return nil
	})
	if err := g.Wait(); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("qualify: %w", ctx.Err())
		}
		return err
	}
	return nil
}

// entry reads and qualifies a file, or takes the result from the cache.
func (r *runner) entry(ctx context.Context, src Source, e Entry) (f *File, cached bool, err error) {
	data, opt, err := src.Read(ctx, e, r.opt.Compile)
	if err != nil {
		if ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
		f := &File{Path: e.Path, Kind: "other", Size: e.Size}
		f.fail(codeUnreadable, "%v", err)
		return f, false, nil
	}
	key := ""
	if r.opt.Cache != nil {
		key = r.key(e.Path, data, &opt)
		if b, ok := r.opt.Cache.Get(key); ok {
			f := new(File)
			if json.Unmarshal(b, f) == nil && f.Path == "" {
				f.Path = e.Path
				return f, true, nil
			}
		}
	}
	f, err = r.guarded(ctx, e.Path, data, &opt)
	if err != nil {
		return nil, false, err
	}
	if r.opt.Cache != nil && !hasBug(f) {
		named := f.Path
		f.Path = ""
		b, err := json.Marshal(f)
		f.Path = named
		if err == nil {
			r.opt.Cache.Put(key, b)
		}
	}
	return f, false, nil
}

func hasBug(f *File) bool {
	bug := func(d Diag) bool { return d.Code == string(codeBug) }
	return slices.ContainsFunc(f.Diagnostics, bug) ||
		slices.ContainsFunc(f.Units, func(u *Unit) bool { return slices.ContainsFunc(u.Diagnostics, bug) })
}

// guarded turns a panic outside the compiler, which guards itself, into a result.
func (r *runner) guarded(ctx context.Context, name string, data []byte, opt *compile.Options) (f *File, err error) {
	defer func() {
		if v := recover(); v != nil {
			sum := sha256.Sum256(data)
			f, err = &File{Path: name, SHA256: hex.EncodeToString(sum[:]), Size: int64(len(data)), Kind: "other"}, nil
			f.fail(codeBug, "%v at %s", v, topOf(debug.Stack()))
		}
	}()
	f, err = r.file(ctx, name, data, opt)
	var bug *compile.BugError
	if errors.As(err, &bug) { // while building the package: the units have been compiled
		f.Status = Failed
		f.Diagnostics = append(f.Diagnostics, newDiag(diag.New(diag.Error, codeBug, diag.Loc{}, "%v", bug.Value), ""))
		err = nil
	}
	return f, err
}

// topOf returns the function that panicked, from a stack.
func topOf(stack []byte) string {
	lines := strings.Split(string(stack), "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "panic(") && i+2 < len(lines) {
			return lines[i+2]
		}
	}
	return "an unknown place"
}

// key is the cache key of a file: its content, and everything else that its result
// depends on. The base name is in the package that is built of it and its ending decides
// whether it is ignored.
func (r *runner) key(name string, data []byte, opt *compile.Options) string {
	h := digest{sha256.New()}
	h.text("fxlens.file/1")
	h.text(r.opt.Build)
	h.text(name[strings.LastIndexAny(name, `/\`)+1:])
	sum := opt.Key()
	h.Write(sum[:])
	flags := uint64(0)
	if r.opt.DefaultOnly {
		flags |= 1
	}
	if r.opt.Package != nil {
		flags |= 2
	}
	h.number(flags)
	h.number(uint64(len(data)))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}
