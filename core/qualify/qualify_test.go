package qualify_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/effect"
	"fxlens/core/qualify"
	"fxlens/internal/corpus"
)

// memory is a corpus in memory.
type memory map[string][]byte

func (m memory) Read(_ context.Context, e qualify.Entry, o compile.Options) ([]byte, compile.Options, error) {
	b, ok := m[e.Path]
	if !ok {
		return nil, o, errors.New("gone")
	}
	return b, o, nil
}

func (m memory) entries() []qualify.Entry {
	var out []qualify.Entry
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, qualify.Entry{Path: k, Size: int64(len(m[k]))})
	}
	return out
}

// bundled reads some of testdata: effects with axes, programs that are refused, a
// package and files that are no shaders.
func bundled(t testing.TB) memory {
	t.Helper()
	root := filepath.Join(corpus.Root(t), "testdata")
	m := memory{"no.o": []byte("\x7fELF rest"), "no.dxbc": []byte("what is this"), "cut.sm_hi": {15, 0, 0, 0, 1},
		"bad.dxbc": []byte("DXBC rest"), "dx9.fxo": {0, 3, 0xff, 0xff, 0xff, 0xff, 0, 0}}
	for _, name := range []string{
		"effects/ui/sprite2d.sm_hi", "corpus/dx12/sprite2d.sm_hi", "effects/quadv5.sm_hi", "effects/edge/flags.sm_hi", "effects/particles/clear.sm_hi",
		"effects/dx12/raytracing/sunshadow.sm_hi", "packages/tiny.cewgpu", "hlsl/stage-geometry.dxbc", "hlsl/cs-doubles.dxbc",
		"dxbc/golden/bits5_cs50.dxbc", "hlsl/texture-gather-2d.dxbc",
	} {
		b, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		m[name] = b
	}
	return m
}

func runAll(t testing.TB, src qualify.Source, es []qualify.Entry, opt qualify.Options) ([]*qualify.File, []byte, *qualify.Summary) {
	t.Helper()
	var out []*qualify.File
	var buf bytes.Buffer
	w, err := qualify.NewWriter(&buf, qualify.NewHead(&opt, false, qualify.Shard{}))
	require.NoError(t, err)
	require.NoError(t, qualify.Run(context.Background(), src, es, opt, func(f *qualify.File) error {
		out = append(out, f)
		return w.Add(f)
	}))
	s, err := w.Close()
	require.NoError(t, err)
	return out, buf.Bytes(), s
}

func find(t *testing.T, fs []*qualify.File, path string) *qualify.File {
	t.Helper()
	i := slices.IndexFunc(fs, func(f *qualify.File) bool { return f.Path == path })
	require.GreaterOrEqual(t, i, 0, path)
	return fs[i]
}

func TestStatuses(t *testing.T) {
	m := bundled(t)
	es := append(m.entries(), qualify.Entry{Path: "gone.dxbc", Size: 3})
	fs, _, s := runAll(t, m, es, qualify.Options{})
	for _, c := range []struct {
		path, kind string
		status     qualify.Status
		code       string // among the errors
	}{
		{"effects/quadv5.sm_hi", "effect", qualify.Qualified, ""},
		{"effects/dx12/raytracing/sunshadow.sm_hi", "effect", qualify.Unsupported, "qualify.library"},
		{"hlsl/stage-geometry.dxbc", "program", qualify.Unsupported, "compile.no-stage"},
		{"hlsl/cs-doubles.dxbc", "program", qualify.Unsupported, "wgsl.double"},
		{"dxbc/golden/bits5_cs50.dxbc", "program", qualify.Unsupported, "bind.view-format"},
		{"packages/tiny.cewgpu", "package", qualify.Qualified, ""},
		{"no.o", "other", qualify.Ignored, "qualify.unknown"},
		{"no.dxbc", "other", qualify.Failed, "qualify.unknown"},
		{"gone.dxbc", "other", qualify.Failed, "qualify.unreadable"},
		{"cut.sm_hi", "effect", qualify.Failed, "effect.invalid"},
		{"bad.dxbc", "program", qualify.Failed, "qualify.invalid"},
		{"dx9.fxo", "other", qualify.Unsupported, "qualify.format"},
	} {
		t.Run(c.path, func(t *testing.T) {
			f := find(t, fs, c.path)
			assert.Equal(t, c.kind, f.Kind)
			assert.Equal(t, c.status, f.Status, "%v", f.Row().Reasons)
			codes := map[string]bool{}
			for _, k := range f.Row().Errors {
				codes[k.Name] = true
			}
			if c.code == "" {
				assert.Empty(t, codes)
			} else {
				assert.Contains(t, codes, c.code)
			}
		})
	}
	assert.Equal(t, len(es), s.Files.Total)
	assert.Equal(t, s.Audit.Permutations-s.Audit.UniqueRecords, s.Audit.ExactAliases)
	assert.Equal(t, 4, s.Files.Failed)
	assert.Equal(t, 1, s.Files.Ignored)
	require.NotEmpty(t, s.Next)
	assert.Equal(t, s.Stages.Unique.Unsupported, s.Next[len(s.Next)-1].Cumulative, "all steps together unlock everything")
	for _, r := range s.Reasons {
		assert.NotEmpty(t, r.Title, r.Code)
		assert.NotEqual(t, "qualify.bug", r.Code)
	}
}

// The result is one of the content: jobs, order of entries and the cache do not show.
func TestDeterministic(t *testing.T) {
	m := bundled(t)
	_, want, _ := runAll(t, m, m.entries(), qualify.Options{Jobs: 1})
	es := m.entries()
	slices.Reverse(es)
	_, got, _ := runAll(t, m, append(es, es[0]), qualify.Options{Jobs: 8})
	assert.Equal(t, string(want), string(got))

	c := &mapCache{m: map[string][]byte{}}
	_, cold, _ := runAll(t, m, m.entries(), qualify.Options{Cache: c})
	assert.Equal(t, string(want), string(cold))
	assert.Zero(t, c.hits)
	_, warm, _ := runAll(t, m, m.entries(), qualify.Options{Cache: c})
	assert.Equal(t, string(want), string(warm))
	assert.Equal(t, len(m), c.hits)
	for name, opt := range map[string]qualify.Options{
		"options": {Cache: c, Compile: compile.Options{Views: map[string]string{"*": "auto"}}},
		"build":   {Cache: c, Build: "another"},
		"scope":   {Cache: c, DefaultOnly: true},
	} {
		c.hits = 0
		runAll(t, m, m.entries(), opt)
		assert.Zero(t, c.hits, name)
	}
}

type mapCache struct {
	mu   sync.Mutex
	m    map[string][]byte
	hits int
}

func (c *mapCache) Get(k string) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b, ok := c.m[k]
	if ok {
		c.hits++
	}
	return b, ok
}

func (c *mapCache) Put(k string, v []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.m[k] = bytes.Clone(v)
}

// A run that is stopped has cached what it finished, and goes on from there.
func TestResume(t *testing.T) {
	m := bundled(t)
	c := &mapCache{m: map[string][]byte{}}
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	err := qualify.Run(ctx, m, m.entries(), qualify.Options{Cache: c, Jobs: 1}, func(*qualify.File) error {
		if n++; n == 5 {
			cancel()
		}
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
	require.GreaterOrEqual(t, len(c.m), 5)
	done := len(c.m)
	runAll(t, m, m.entries(), qualify.Options{Cache: c})
	assert.Equal(t, done, c.hits)
}

func TestShardsMerge(t *testing.T) {
	m := bundled(t)
	_, want, _ := runAll(t, m, m.entries(), qualify.Options{})
	for _, n := range []int{3, 20} {
		var names []string
		var readers []io.Reader
		total := 0
		for k := 1; k <= n; k++ {
			shard := qualify.Shard{K: k, N: n}
			es := shard.Of(m.entries())
			total += len(es)
			var buf bytes.Buffer
			var opt qualify.Options
			w, err := qualify.NewWriter(&buf, qualify.NewHead(&opt, false, shard))
			require.NoError(t, err)
			require.NoError(t, qualify.Run(context.Background(), m, es, opt, w.Add))
			_, err = w.Close()
			require.NoError(t, err)
			names, readers = append(names, shard.String()), append(readers, &buf)
		}
		assert.Equal(t, len(m), total)
		var got bytes.Buffer
		w, err := qualify.NewWriter(&got, qualify.NewHead(&qualify.Options{}, false, qualify.Shard{}))
		require.NoError(t, err)
		require.NoError(t, qualify.Merge(names, readers, w.Add))
		_, err = w.Close()
		require.NoError(t, err)
		require.Equal(t, string(want), got.String(), "%d shards", n)
	}
}

func TestMergeRefuses(t *testing.T) {
	m := memory{"a.dxbc": bundled(t)["hlsl/texture-gather-2d.dxbc"]}
	_, full, _ := runAll(t, m, m.entries(), qualify.Options{Version: "1"})
	_, other, _ := runAll(t, m, m.entries(), qualify.Options{Version: "2"})
	for _, c := range []struct {
		name    string
		reports []string
		want    string
	}{
		{"versions", []string{string(full), string(other)}, "fxlens 1"},
		{"cut off", []string{string(full[:len(full)/2])}, "EOF"},
		{"another schema", []string{`{"schema":"x/9","files":[],"summary":{}}`}, "x/9"},
		{"no JSON", []string{"hello"}, "invalid character"},
		{"disagreement", []string{string(full), strings.Replace(string(full), `"qualified"`, `"unsupported"`, 1)}, "disagree about a.dxbc"},
		{"bad reference", []string{strings.Replace(string(full), `"unit":0`, `"unit":7`, 1)}, "unit 7 of 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var names []string
			var readers []io.Reader
			for i, r := range c.reports {
				names, readers = append(names, fmt.Sprint(i)), append(readers, strings.NewReader(r))
			}
			err := qualify.Merge(names, readers, func(*qualify.File) error { return nil })
			require.ErrorIs(t, err, qualify.ErrReport)
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestShardBalance(t *testing.T) {
	var es []qualify.Entry
	for i := range 1000 {
		es = append(es, qualify.Entry{Path: fmt.Sprintf("f%04d", i), Size: int64(i*i%977) * 1000})
	}
	var least, most int64 = 1 << 62, 0
	for k := 1; k <= 7; k++ {
		var sum int64
		for _, e := range (qualify.Shard{K: k, N: 7}).Of(es) {
			sum += e.Size
		}
		least, most = min(least, sum), max(most, sum)
	}
	assert.Less(t, float64(most)/float64(least), 1.01)
	for text, ok := range map[string]bool{"1/3": true, "3/3": true, "/3": true, "env/3": true, "0/3": false, "4/3": false, "3": false, "a/3": false, "1/0": false} {
		s, err := qualify.ParseShard(text, "2")
		assert.Equal(t, ok, err == nil, text)
		if text == "/3" {
			assert.Equal(t, qualify.Shard{K: 3, N: 3}, s)
		}
	}
	_, err := qualify.ParseShard("/3", "")
	assert.ErrorContains(t, err, "JOB_COMPLETION_INDEX")
}

// Equal passes of different effects are one unit, and equal bodies' digests are not.
func TestUnitsJoinByContent(t *testing.T) {
	m := bundled(t)
	e, err := effect.Parse(m["effects/edge/flags.sm_hi"])
	require.NoError(t, err)
	model, err := e.Model()
	require.NoError(t, err)
	model.Axes = append(model.Axes[:0:0], model.Axes...)
	for i := range model.Axes {
		model.Axes[i].Description += " and text that moves the string table"
	}
	b, err := effect.Build(model)
	require.NoError(t, err)
	m = memory{"a.sm_hi": m["effects/edge/flags.sm_hi"], "b.sm_hi": b}
	fs, _, s := runAll(t, m, m.entries(), qualify.Options{})
	require.Len(t, fs, 2)
	assert.Equal(t, fs[0].Units, fs[1].Units)
	assert.Equal(t, len(fs[0].Units), s.Passes.Unique.Total)
	assert.Equal(t, 2*e.PermutationCount(), s.Permutations.Total)
}

func TestCompare(t *testing.T) {
	base := func() *qualify.Row {
		return &qualify.Row{Path: "x/a.sm_hi", SHA256: "1", Digest: "d", Stages: qualify.Tally{Total: 2, Qualified: 2},
			Modules: []qualify.Module{{At: "body0#Main/0/vs", WGSL: "aa", Layout: "l"}, {At: "body0#Main/0/ps", WGSL: "", Layout: "l"}}, Package: "p"}
	}
	for _, c := range []struct {
		name       string
		change     func(*qualify.Row)
		kind       string
		regression bool
	}{
		{"status", func(r *qualify.Row) { r.Status = qualify.Unsupported }, "status", true},
		{"selected", func(r *qualify.Row) { r.Selected = qualify.Unsupported }, "status", true},
		{"coverage", func(r *qualify.Row) { r.Stages.Qualified = 1 }, "coverage", true},
		{"wgsl", func(r *qualify.Row) { r.Modules[0].WGSL = "bb" }, "wgsl", true},
		{"layout", func(r *qualify.Row) { r.Modules[0].Layout = "m" }, "layout", true},
		{"package", func(r *qualify.Row) { r.Package = "q" }, "package", true},
		{"no package", func(r *qualify.Row) { r.Package = "" }, "package", true},
		{"warning", func(r *qualify.Row) { r.Warnings = []qualify.Kind{{Name: "w", Count: 1}} }, "diagnostics", true},
		{"source", func(r *qualify.Row) { r.SHA256, r.Modules[0].WGSL = "2", "bb" }, "source", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			now := base()
			now.Digest = "e"
			c.change(now)
			got := qualify.Compare([]*qualify.Row{base()}, []*qualify.Row{now}, nil)
			require.Len(t, got.Changes, 1)
			assert.Equal(t, c.kind, got.Changes[0].Kind)
			assert.Equal(t, c.regression, got.Changes[0].Regression)
			assert.Equal(t, c.regression, got.Regressions == 1)
			allow := []qualify.Allow{{Path: "x/*", Kind: c.kind, Reason: "known"}, {Path: "y/**", Kind: "*", Reason: "old"}}
			got = qualify.Compare([]*qualify.Row{base()}, []*qualify.Row{now}, allow)
			assert.Zero(t, got.Regressions)
			assert.Contains(t, got.Unused, allow[1])
		})
	}
	newly := base()
	newly.Digest, newly.Modules[1].WGSL = "e", "cc"
	assert.Empty(t, qualify.Compare([]*qualify.Row{base()}, []*qualify.Row{newly}, nil).Changes, "what was not emitted may be emitted")
	got := qualify.Compare([]*qualify.Row{base()}, []*qualify.Row{{Path: "new"}}, nil)
	assert.Equal(t, 1, got.Regressions, "a file is gone")
	assert.Len(t, got.Changes, 2)
}

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"a/*.x", "a/b.x", true}, {"a/*.x", "a/b/c.x", false}, {"a/**", "a/b/c.x", true}, {"**/c.x", "a/b/c.x", true},
		{"**b*.x", "a/b/c.x", false}, {"**/b/*.x", "a/b/c.x", true}, {"?/b", "a/b", true}, {"?b", "/b", false},
		{"*", "", true}, {"", "", true}, {"", "a", false}, {"a*b*c", "aXbYc", true}, {"a*b*c", "aXbYd", false}, {"**x**y", "axbxcy", true},
	} {
		assert.Equal(t, c.want, qualify.Glob(c.pattern, c.path), "%s on %s", c.pattern, c.path)
	}
}

func TestMatrix(t *testing.T) {
	m := bundled(t)
	fs, _, _ := runAll(t, m, m.entries(), qualify.Options{})
	a, b := find(t, fs, "effects/ui/sprite2d.sm_hi"), find(t, fs, "corpus/dx12/sprite2d.sm_hi")
	x, err := qualify.NewMatrix(a, b)
	require.NoError(t, err)
	assert.Equal(t, "qualified", x.Status)
	assert.True(t, x.AxesMatch)
	assert.True(t, x.TopologyMatch)
	assert.Equal(t, x.Pairs.Total, x.Pairs.BothWhole)
	assert.Less(t, x.Pairs.SameWGSL, x.Pairs.BothWhole, "two shader models give other WGSL somewhere")
	sum := 0
	for _, v := range x.Variants {
		sum += v.Occurrences
	}
	assert.Equal(t, x.Pairs.Total, sum)

	self, err := qualify.NewMatrix(a, a)
	require.NoError(t, err)
	assert.Equal(t, self.Pairs.Total, self.Pairs.SameWGSL)

	other, err := qualify.NewMatrix(a, find(t, fs, "effects/particles/clear.sm_hi"))
	require.NoError(t, err)
	assert.Equal(t, "failed", other.Status)
	assert.False(t, other.AxesMatch)
	assert.NotZero(t, other.TopologyMismatches)

	_, err = qualify.NewMatrix(a, find(t, fs, "hlsl/cs-doubles.dxbc"))
	assert.ErrorIs(t, err, qualify.ErrNoEffect)
}

func TestPages(t *testing.T) {
	m := bundled(t)
	m["evil\x1b[2J<script>|`.dxbc"] = []byte("nothing")
	fs, doc, s := runAll(t, m, m.entries(), qualify.Options{})
	p := &qualify.Page{Summary: s}
	for _, f := range fs {
		p.Rows = append(p.Rows, f.Row())
	}
	var md, html bytes.Buffer
	require.NoError(t, p.WriteMarkdown(&md))
	require.NoError(t, p.WriteHTML(&html))
	for name, text := range map[string]string{"json": string(doc), "markdown": md.String(), "html": html.String()} {
		assert.NotContains(t, text, "\x1b", name)
	}
	assert.NotContains(t, html.String(), "<script>|")
	assert.NotContains(t, md.String(), "<script>")
	for _, want := range []string{"What to add next", "does not prove", "exact aliases", "wgsl.double"} {
		assert.Contains(t, md.String(), want)
		assert.Contains(t, html.String(), want)
	}
	assert.NotRegexp(t, `(src|href)="`, html.String(), "one page that needs no other file")
}

// synthetic is n programs that differ in their content by their path.
type synthetic struct{ effect []byte }

func (s synthetic) Read(_ context.Context, e qualify.Entry, o compile.Options) ([]byte, compile.Options, error) {
	f, err := effect.Parse(s.effect)
	if err != nil {
		return nil, o, err
	}
	m, err := f.Model()
	if err != nil {
		return nil, o, err
	}
	m.Axes = slices.Clone(m.Axes)
	m.Axes[0].Description = e.Path
	b, err := effect.Build(m)
	return b, o, err
}

// Memory does not grow with the corpus: what is live after ten times the files is about
// the same. The names of files and the digests of distinct passes are what is kept.
func BenchmarkSynthetic(b *testing.B) {
	data, err := os.ReadFile(filepath.Join(corpus.Root(b), "testdata", "effects", "ui", "sprite2d.sm_hi"))
	require.NoError(b, err)
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var es []qualify.Entry
			for i := range n {
				es = append(es, qualify.Entry{Path: fmt.Sprintf("dir%02d/effect%05d.sm_hi", i%100, i), Size: int64(len(data))})
			}
			runs := 0
			for b.Loop() {
				runs++
				var peak uint64
				k := 0
				w, err := qualify.NewWriter(io.Discard, qualify.Head{})
				require.NoError(b, err)
				require.NoError(b, qualify.Run(context.Background(), synthetic{data}, es, qualify.Options{}, func(f *qualify.File) error {
					if k++; k%(n/10) == 0 {
						runtime.GC()
						var ms runtime.MemStats
						runtime.ReadMemStats(&ms)
						peak = max(peak, ms.HeapAlloc)
					}
					return w.Add(f)
				}))
				_, err = w.Close()
				require.NoError(b, err)
				b.ReportMetric(float64(peak)/(1<<20), "live-MB")
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(runs)/float64(n), "ms/file")
		})
	}
}
