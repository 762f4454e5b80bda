package tui

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/compile"
	"fxlens/core/files"
	"fxlens/core/session"
	"fxlens/views"
)

// exportMark is a pass, or a whole permutation, that is marked for export.
type exportMark struct {
	perm  int
	ref   session.PassRef
	whole bool
}

// toggleMark marks, or takes the mark away.
func (m *Model) toggleMark(k exportMark) {
	if i := slices.Index(m.picks, k); i >= 0 {
		m.picks = slices.Delete(m.picks, i, i+1)
		m.say("mark taken away; %d marked", len(m.allMarks()))
	} else {
		m.picks = append(m.picks, k)
		m.say("marked for export; %d marked", len(m.allMarks()))
	}
	m.dirty = true
}

func (m *Model) markPass() {
	if ref, ok := m.ref(); ok {
		m.toggleMark(exportMark{perm: m.sel.perm, ref: ref})
	}
}

// allMarks are the marks and the permutations that the Graph screen has marked.
func (m *Model) allMarks() []exportMark {
	out := slices.Clone(m.picks)
	if g, ok := m.screens[inGraph].(*graphScreen); ok {
		for _, p := range g.marked {
			if k := (exportMark{perm: p, whole: true}); !slices.Contains(out, k) {
				out = append(out, k)
			}
		}
	}
	return out
}

// marksKey tells one set of marks from another.
func (m *Model) marksKey() string {
	if m.exportChoice.scope != scopeMarked {
		return ""
	}
	var b strings.Builder
	for _, k := range m.allMarks() {
		b.WriteString(strconv.Itoa(k.perm) + " " + strconv.Itoa(k.ref.TechIndex) + " " + strconv.Itoa(k.ref.Pass) + " " + strconv.FormatBool(k.whole) + "\n")
	}
	return b.String()
}

// visit is a file that was left for another, with where it was left.
type visit struct {
	sess     *session.Session
	path     string
	sidecar  string
	at       spot
	hist     history
	settings settings
	marks    []exportMark
	cache    map[unitKey]*passView
	order    []unitKey
}

// visitMsg is a file that was opened from this one.
type visitMsg struct {
	gen  int
	path string
	s    *session.Session
	err  error
}

// openFile opens another file; O returns to this one.
func (m *Model) openFile(path string) tea.Cmd {
	_, gen := m.opening.next(m.ctx)
	m.say("opening %s…", views.Clip(filepath.Base(path), 60))
	open := m.opt.OpenAlso
	if open == nil {
		open = openPlain
	}
	ctx := m.ctx
	return func() tea.Msg {
		s, err := open(ctx, path)
		return visitMsg{gen, path, s, err}
	}
}

// openPlain opens a file without options of the compiler.
func openPlain(_ context.Context, path string) (*session.Session, error) {
	b, err := files.Read(path, 0)
	if err != nil {
		return nil, err
	}
	return session.Open(path, b, compile.Options{})
}

func (m *Model) visited(msg visitMsg) tea.Cmd {
	if msg.gen != m.opening.gen {
		return nil
	}
	m.opening.on = false
	if msg.err != nil {
		m.fail("%v", msg.err)
		return nil
	}
	if m.sess == nil { // from a folder's table: back returns there
		back := m.here()
		m.opt.Path, m.opt.Sidecar = msg.path, ""
		m.setSession(msg.s)
		m.hist = history{back: []spot{back}}
		m.relayout()
		cmd := m.reselect()
		m.syncLeft()
		return cmd
	}
	v := visit{sess: m.sess, path: m.opt.Path, sidecar: m.opt.Sidecar, at: m.here(), hist: m.hist, settings: m.settings, marks: m.picks, cache: m.cache, order: m.order}
	m.visits = append(m.visits, v)
	m.opt.Path, m.opt.Sidecar = msg.path, ""
	m.setSession(msg.s)
	m.hist = history{}
	m.relayout()
	cmd := m.reselect()
	m.syncLeft()
	m.say("O goes back to %s", views.Clip(filepath.Base(v.path), 60))
	return cmd
}

func (m *Model) whyNoVisit() string {
	if len(m.visits) == 0 {
		return "this file was not opened from another"
	}
	return ""
}

// fileBefore returns to the file that this one was opened from, where it was left.
func (m *Model) fileBefore() tea.Cmd {
	v := m.visits[len(m.visits)-1]
	m.visits = m.visits[:len(m.visits)-1]
	m.setSession(v.sess)
	m.opt.Path, m.opt.Sidecar = v.path, v.sidecar
	m.hist, m.settings, m.picks, m.cache, m.order = v.hist, v.settings, v.marks, v.cache, v.order
	v.at.screen = 0 // screens begin anew with their file
	cmd := m.goPlace(v.at)
	m.relayout()
	return cmd
}
