package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/qualify"
	"fxlens/core/session"
	"fxlens/views"
)

// folder is a corpus on the disk, qualified for real.
type folder struct{ root string }

func (d folder) Read(_ context.Context, e qualify.Entry, base compile.Options) ([]byte, compile.Options, error) {
	b, err := os.ReadFile(filepath.Join(d.root, e.Path))
	return b, base, err
}

func (d folder) corpus(paths ...string) *Corpus {
	return &Corpus{
		Name: "effects",
		Run: func(ctx context.Context, file func(*qualify.File, qualify.Progress) error) ([]error, error) {
			var entries []qualify.Entry
			for _, p := range paths {
				info, err := os.Stat(filepath.Join(d.root, p))
				if err != nil {
					return nil, err
				}
				entries = append(entries, qualify.Entry{Path: p, Size: info.Size()})
			}
			var p qualify.Progress
			err := qualify.Run(ctx, d, entries, qualify.Options{Progress: func(n qualify.Progress) { p = n }}, func(f *qualify.File) error { return file(f, p) })
			return nil, err
		},
		Open: func(_ context.Context, path string) (*session.Session, error) {
			b, err := os.ReadFile(filepath.Join(d.root, path))
			if err != nil {
				return nil, err
			}
			return session.Open(path, b, compile.Options{})
		},
	}
}

// fixedCorpus is made of results that no compiler changes.
func fixedCorpus(n int) *Corpus {
	results := make([]*qualify.File, n)
	for i := range results {
		f := &qualify.File{Path: fmt.Sprintf("shaders/folder-with-a-long-name/effect%05d.sm_hi", i), SHA256: strings.Repeat("0", 64), Size: int64(1000 + 37*i%5000),
			Kind: "effect", Effect: &qualify.Effect{Version: 15, Permutations: 1 + i%96}}
		instr := 17
		u := &qualify.Unit{Key: fmt.Sprint(i), Stages: []qualify.Stage{{Stage: "vs", WGSLBytes: 900}, {Stage: "ps", WGSLBytes: 2000}}}
		switch i % 5 {
		case 1:
			u.Status, u.Stages[1].Status, f.Status = qualify.Partial, qualify.Unsupported, qualify.Partial
			u.Diagnostics = []qualify.Diag{{Code: "wgsl.test-missing", Severity: "error", Stage: "ps", Instr: &instr, Message: "the resource t1 has no format", Remedy: "name one"}}
		case 2:
			u.Status, u.Stages[0].Status, f.Status = qualify.Unsupported, qualify.Unsupported, qualify.Unsupported
			u.Diagnostics = []qualify.Diag{{Code: "wgsl.test-double", Severity: "error", Stage: "vs", Instr: &instr, Message: "double arithmetic"},
				{Code: "wgsl.test-missing", Severity: "error", Stage: "ps", Message: "the resource t1 has no format"}}
		}
		f.Units = []*qualify.Unit{u}
		f.Bodies = []qualify.Body{{Key: "body0", Permutations: []int{0}, Status: f.Status, Passes: []qualify.BodyPass{{Technique: "Main"}}}}
		results[i] = f
	}
	return &Corpus{Name: "shaders", Run: func(ctx context.Context, file func(*qualify.File, qualify.Progress) error) ([]error, error) {
		p := qualify.Progress{TotalFiles: n}
		for _, f := range results {
			p.Files++
			p.Counts[f.Status]++
			if err := file(f, p); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}}
}

func corpusRig(t testing.TB, c *Corpus, w, h int) (*rig, *corpusScreen) {
	t.Helper()
	r := newRig(t, nil, w, h, func(o *Options) { o.Corpus = c })
	s, ok := r.m.screen.(*corpusScreen)
	require.True(t, ok, "a folder starts with its table")
	return r, s
}

func TestCorpusToTheFailingInstructionAndBack(t *testing.T) {
	root := "../testdata/effects"
	for _, z := range [][2]int{{80, 24}, {120, 40}, {220, 60}} {
		t.Run(fmt.Sprint(z), func(t *testing.T) {
			r, s := corpusRig(t, folder{root}.corpus("booster/trail.sm_hi", "ui/sprite2d.sm_hi"), z[0], z[1])
			r.exact()
			require.Len(t, s.rows, 2)
			assert.Contains(t, r.screen(), "✓ 1 qualified")
			assert.Contains(t, r.screen(), "▲ 1 partial")

			r.keys("]")
			row, _ := s.table.Row(s.at.line)
			require.NotNil(t, row)
			require.NotEmpty(t, row.Reasons)
			l, err := session.ParseLink(row.Reasons[0].Link)
			require.NoError(t, err)
			r.keys("enter")
			require.Nil(t, r.m.screen)
			assert.Equal(t, "booster/trail.sm_hi", r.m.sess.Name)
			r.exact()
			ref, ok := r.m.ref()
			require.True(t, ok)
			assert.Equal(t, l.Technique, ref.Technique)
			if l.Instr >= 0 {
				assert.Contains(t, r.m.link(), fmt.Sprintf("@%d", l.Instr), "the cursor is on the failing instruction")
			}

			r.keys("p", "ctrl+o", "ctrl+o")
			assert.Same(t, screen(s), r.m.screen, "back returns to the table")
			again, _ := s.table.Row(s.at.line)
			assert.Same(t, row, again)
			r.keys("esc")
			assert.Nil(t, r.m.screen, "the opened file is below")
			r.keys("C", "j", "enter")
			assert.Equal(t, "ui/sprite2d.sm_hi", r.m.sess.Name, "another file takes its place")
			r.exact()
		})
	}
}

func TestCorpusTable(t *testing.T) {
	r, s := corpusRig(t, fixedCorpus(50), 120, 40)
	require.Len(t, s.rows, 50)
	assert.False(t, s.job.on)
	first := func() *views.CorpusRow { row, _ := s.table.Row(0); return row }

	r.keys("G")
	last, _ := s.table.Row(s.at.line)
	assert.Equal(t, s.rows[49], last)
	r.keys("s")
	assert.Equal(t, qualify.Unsupported, first().Status, "the worst first")
	now, _ := s.table.Row(s.at.line)
	assert.Same(t, last, now, "the cursor stays on its file")

	r.keys("/", "unsup", "enter")
	assert.Equal(t, 10, s.table.Len())
	assert.Contains(t, r.screen(), "10 of 50 files")
	r.keys("/", " !double", "esc")
	assert.Equal(t, 10, s.table.Len(), "esc in the prompt takes the change back")
	r.keys("esc")
	assert.Equal(t, 50, s.table.Len(), "esc clears the filter")

	r.keys("r")
	row, reason := s.table.Row(0)
	assert.Nil(t, row)
	assert.Equal(t, "wgsl.test-missing", reason, "the reason with most files first")
	assert.Equal(t, 50+10+3, s.table.Len(), "a file stands under each of its reasons, and there are three headings")
	r.keys("r", "tab")
	assert.Contains(t, r.screen(), "▸ What to add next")
	require.NotEmpty(t, s.steps())
	r.keys("enter")
	assert.Equal(t, s.steps()[0].Code, s.filter, "enter shows the files that the step is about")
	for i := range s.table.Len() {
		row, _ := s.table.Row(i)
		assert.True(t, row.Status != qualify.Qualified)
	}
	r.exact()
}

func TestCorpusFrames(t *testing.T) {
	for _, z := range [][2]int{{80, 24}, {120, 40}, {220, 60}} {
		for _, c := range []struct {
			name string
			keys []string
		}{
			{"table", []string{"j"}},
			{"grouped", []string{"r", "j", "j"}},
			{"ranking", []string{"tab"}},
			{"nothing", []string{"/", "no-such-file", "enter"}},
		} {
			t.Run(fmt.Sprintf("%s-%dx%d", c.name, z[0], z[1]), func(t *testing.T) {
				r, _ := corpusRig(t, fixedCorpus(30), z[0], z[1])
				r.keys(c.keys...)
				r.exact()
				golden.RequireEqual(t, []byte(r.screen()))
			})
		}
	}
}

// Esc ends a run; what came stays, and ctrl+r begins anew.
func TestCorpusStops(t *testing.T) {
	full := fixedCorpus(3)
	first := true
	ended := make(chan struct{})
	c := &Corpus{Name: "slow", Run: func(ctx context.Context, file func(*qualify.File, qualify.Progress) error) ([]error, error) {
		if !first {
			return full.Run(ctx, file)
		}
		first = false
		time.Sleep(batchEvery) // so that the first file fills a batch
		_, err := full.Run(ctx, file)
		if err == nil {
			<-ctx.Done()
			err = ctx.Err()
		}
		close(ended)
		return nil, err
	}}
	r := newRig(t, nil, 80, 24)
	r.m.opt.Corpus = c
	r.hold = true
	r.do(r.m.goScreen(inCorpus, func() screen { return newCorpusScreen(c) }))
	s := r.m.screen.(*corpusScreen)
	require.True(t, s.job.on)
	_, next := r.m.Update(r.held[0]())
	require.NotNil(t, next, "it waits for more")
	assert.Len(t, s.rows, 1)
	r.keys("esc")
	<-ended
	assert.False(t, s.job.on)
	assert.Nil(t, next(), "nothing comes behind the end")
	assert.Len(t, s.rows, 1, "what came stays")
	assert.Contains(t, r.screen(), "stopped")
	r.release()
	r.send(tea.KeyMsg{Type: tea.KeyCtrlR})
	assert.Len(t, s.rows, 3)
}

func TestCorpusSaysWhatFails(t *testing.T) {
	c := &Corpus{Name: "gone", Run: func(context.Context, func(*qualify.File, qualify.Progress) error) ([]error, error) {
		return []error{errors.New("list x: permission denied")}, errors.New("list gone: no such folder")
	}, Open: func(context.Context, string) (*session.Session, error) {
		return nil, errors.New("read y: it went away")
	}}
	r, s := corpusRig(t, c, 80, 24)
	assert.Contains(t, r.screen(), "list gone: no such folder")
	s.rows = []*views.CorpusRow{{Path: "y\x1b[31m\u202e", Kind: "effect"}}
	s.rebuild()
	r.m.dirty = true
	r.exact()
	assert.NotContains(t, r.m.View(), "y\x1b[31m")
	r.keys("enter")
	assert.Contains(t, r.screen(), "✗ read y: it went away")
	assert.Same(t, screen(s), r.m.screen)
}

func BenchmarkCorpusKey(b *testing.B) {
	r, _ := corpusRig(b, fixedCorpus(10_000), 220, 60)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		r.keys([]string{"j", "pgdown", "k", "G", "g"}[i%5])
		_ = r.m.View()
	}
}

func BenchmarkCorpusRebuild(b *testing.B) {
	_, s := corpusRig(b, fixedCorpus(10_000), 220, 60)
	for i := 0; b.Loop(); i++ {
		s.sort = views.CorpusSort(i % views.NumCorpusSorts)
		s.rebuild()
	}
}
