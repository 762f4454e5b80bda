package tui

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
)

// batchSep stands between the paths of a batch; no path has it.
const batchSep = "\x00"

// batch returns the files that a choice means instead of the open one.
func (c exportChoice) batch() []string {
	if c.files == "" {
		return nil
	}
	return strings.Split(c.files, batchSep)
}

// openExportOfFiles is openExport for files of the folder, each with its default
// permutation. They need not be open.
func (m *Model) openExportOfFiles(paths []string) tea.Cmd {
	m.recallExport()
	m.exportChoice = m.exportChoice.ofOpen()
	m.exportChoice.files = strings.Join(paths, batchSep)
	m.plan.job.stop()
	m.plan.of = planKey{} // the files may be others by now
	return m.openDialog()
}

// batchItems is one item a file. Names come from the file's, and from its whole path
// where two would be written to one place.
func (m *Model) batchItems(paths []string, ext string) []exportItem {
	count := map[string]int{}
	name := func(p string) string { return strings.ToLower(exportStem(path.Base(slashed(p)))) }
	for _, p := range paths {
		count[name(p)]++
	}
	taken := map[string]bool{}
	out := make([]exportItem, len(paths))
	for i, p := range paths {
		stem := exportStem(path.Base(slashed(p)))
		if count[name(p)] > 1 {
			stem = exportStem(strings.ReplaceAll(strings.Trim(slashed(p), "/"), "/", "-"))
		}
		one := stem
		for n := 2; taken[strings.ToLower(one)]; n++ {
			one = fmt.Sprintf("%s-%d", stem, n)
		}
		taken[strings.ToLower(one)] = true
		out[i] = exportItem{file: p, mode: cewgpu.Selected, what: "the default permutation", path: m.inExportDir(one) + ext}
	}
	return out
}

func slashed(p string) string { return strings.ReplaceAll(p, `\`, "/") }

// opener opens a file of the folder.
type opener func(ctx context.Context, path string) (*session.Session, error)

// opened is the session that an item is made of: that of the file that is open, or the
// item's own, which lives no longer than its package takes to build.
func (it *exportItem) opened(ctx context.Context, s *session.Session, open opener) (*session.Session, error) {
	if it.file == "" {
		return s, nil
	}
	if open == nil {
		return nil, fmt.Errorf("%s: files of this folder cannot be opened", it.file)
	}
	s, err := open(ctx, it.file)
	if err != nil {
		return nil, err
	}
	it.perm, it.source = s.DefaultPermutation(), s.Name
	return s, nil
}

// marking of the table's files.

// toggle marks the file of the row, or takes the mark away, and goes to the next row.
func (s *corpusScreen) toggle(m *Model) tea.Cmd {
	r, _ := s.table.Row(s.at.line)
	if r == nil {
		return nil
	}
	if s.marked == nil {
		s.marked = map[string]bool{}
	}
	if s.marked[r.Path] {
		delete(s.marked, r.Path)
	} else {
		s.marked[r.Path] = true
	}
	s.move(m, 1)
	return nil
}

// toggleAll marks all files that the filter leaves; where they all are marked already, it
// takes their marks away.
func (s *corpusScreen) toggleAll(m *Model) tea.Cmd {
	if s.marked == nil {
		s.marked = map[string]bool{}
	}
	all := true
	for i := range s.table.Len() {
		if r, _ := s.table.Row(i); r != nil {
			all = all && s.marked[r.Path]
		}
	}
	for i := range s.table.Len() {
		if r, _ := s.table.Row(i); r == nil {
			continue
		} else if all {
			delete(s.marked, r.Path)
		} else {
			s.marked[r.Path] = true
		}
	}
	m.say("%s marked", plural(len(s.marked), "file"))
	return nil
}

// files are the marked files by path.
func (s *corpusScreen) files() []string {
	out := make([]string, 0, len(s.marked))
	for p := range s.marked {
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}

// prune drops the marks of files that are no longer there.
func (s *corpusScreen) prune() {
	there := make(map[string]bool, len(s.rows))
	for _, r := range s.rows {
		there[r.Path] = true
	}
	for p := range s.marked {
		if !there[p] {
			delete(s.marked, p)
		}
	}
}

func (m *Model) whyNoCorpusFile() string {
	if s, _ := m.screens[inCorpus].(*corpusScreen); s != nil && s.next {
		return "the list of what to add next has the keyboard; tab returns to the files"
	}
	return m.whyNoCorpusRow()
}

func (m *Model) whyNoCorpusMarks() string {
	s, _ := m.screens[inCorpus].(*corpusScreen)
	switch {
	case s == nil || len(s.marked) == 0:
		return "no file is marked; space marks one"
	case s.src.Open == nil:
		return "files of this folder cannot be opened"
	}
	return ""
}
