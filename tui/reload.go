package tui

import (
	"context"
	"crypto/sha256"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/files"
	"fxlens/core/session"
	"fxlens/views"
)

// previous is the file as it was before it changed on disk: side B of the Changes pane.
type previous struct {
	sess *session.Session
	view *passView // of the shown pass
}

// watchCmd begins to watch the opened file, its sidecar and the user's settings.
func (m *Model) watchCmd() tea.Cmd {
	if m.watching || m.cfg != nil && m.cfg.Watch != nil && !*m.cfg.Watch {
		return nil
	}
	var paths []string
	if m.opt.Path != "" && m.opt.Open != nil {
		paths, m.watched = append(paths, m.opt.Path), m.opt.Path
	}
	if m.opt.Graph != nil {
		paths = append(paths, m.opt.Graph.Paths...)
	}
	if m.opt.ConfigDir != "" {
		paths = append(paths, m.opt.ConfigDir+"/"+configName, m.opt.themesDir())
	}
	if len(paths) == 0 {
		return nil
	}
	m.watching = true
	ctx := m.ctx
	return func() tea.Msg {
		w, err := files.Watch(paths...)
		if err != nil {
			return applyMsg(func(m *Model) tea.Cmd { m.fail("%v", err); return nil })
		}
		context.AfterFunc(ctx, func() { _ = w.Close() })
		return applyMsg(func(*Model) tea.Cmd { return nextChange(ctx, w) })
	}
}

// nextChange waits for a change in a command of its own.
func nextChange(ctx context.Context, w *files.Watcher) tea.Cmd {
	return func() tea.Msg {
		path, err := w.Next(ctx)
		if err != nil {
			return nil // the end, or nothing that can be watched any more
		}
		return applyMsg(func(m *Model) tea.Cmd { return tea.Batch(m.changed(path), nextChange(ctx, w)) })
	}
}

// changed takes in a file that changed.
func (m *Model) changed(path string) tea.Cmd {
	switch {
	case path == m.opt.Path:
		return m.reload()
	case path == m.watched: // the file that another was opened from: not shown now
		return nil
	case m.opt.Graph != nil && m.opt.Graph.has(path):
		if s, ok := m.screens[inSwitches].(*switchesScreen); ok {
			return s.read(m)
		}
		return nil
	}
	return m.reloadConfig()
}

// reloadConfig reads settings and theme anew; with an error in them the old ones stay.
func (m *Model) reloadConfig() tea.Cmd {
	dir := m.opt.ConfigDir
	return func() tea.Msg {
		c, km, err := loadConfig(dir)
		return applyMsg(func(m *Model) tea.Cmd {
			if err != nil {
				m.fail("settings not changed: %v", err)
				return nil
			}
			if err := m.applyConfig(c, km); err != nil {
				m.fail("settings not changed: %v", err)
				return nil
			}
			if t, err := loadTheme(m.theme.Name, m.opt); err == nil { // its file may be what changed
				m.setTheme(t)
			} else {
				m.fail("theme not changed: %v", err)
				return nil
			}
			m.relayout()
			m.say("settings read anew")
			return nil
		})
	}
}

func (m *Model) whyNoReload() string {
	switch {
	case m.sess == nil && m.openErr == nil:
		return "the file is being opened"
	case m.opt.Open == nil && len(m.visits) == 0:
		return "the file came from a stream: there is nothing to read again"
	}
	return ""
}

// reload reads the file again in a command.
func (m *Model) reload() tea.Cmd {
	open, ctx := m.opt.Open, m.ctx
	if len(m.visits) > 0 { // another file than the program was started with
		also, path := m.opt.OpenAlso, m.opt.Path
		if also == nil {
			also = openPlain
		}
		open = func(ctx context.Context) (*session.Session, error) { return also(ctx, path) }
	}
	was := m.sess
	return func() tea.Msg {
		s, err := open(ctx)
		if err != nil {
			return applyMsg(func(m *Model) tea.Cmd {
				m.fail("the file changed and cannot be read; this is what it was: %v", err)
				return nil
			})
		}
		if was != nil && s.SHA256 == was.SHA256 {
			return applyMsg(func(m *Model) tea.Cmd { m.say("the file is the same as before"); return nil })
		}
		return applyMsg(func(m *Model) tea.Cmd { return m.reloaded(s) })
	}
}

// reloaded shows the new file at the same place, by names, and keeps the old one to
// compare with.
func (m *Model) reloaded(s *session.Session) tea.Cmd {
	if m.sess == nil { // it could not be read before
		m.openErr = nil
		m.setSession(s)
		m.relayout()
		cmd := m.reselect()
		m.syncLeft()
		return cmd
	}
	old, oldView := m.sess, m.view
	place := m.placeOf(m.sel.perm, m.sel.node, m.shownStage())
	var instr int32 = -1
	i := m.codeSlot()
	if oldView != nil {
		instr = m.listing(i).Focus(m.slots[i].at().line, 0).Instr
	}
	slots, focus, zoom := m.slots, m.focus, m.zoom
	all, same := countSame(old, s, m.sel.perm)
	m.job.stop()
	m.survey.stop()
	m.findall.job.stop()
	m.clearForReload()
	m.setSession(s)
	m.prev = previous{old, oldView}
	m.slots, m.focus, m.zoom = slots, focus, zoom
	m.laterSlots()
	if perm, node, stage, ok := place.find(m); ok {
		if perm != m.sel.perm {
			m.sel.perm = perm
			m.loadPerm()
		}
		m.sel.node, m.sel.stage = node, stage
		if instr >= 0 {
			m.want = &spot{instr: instr, slot: focus, soft: true}
		}
		m.cmp.with, m.cmp.base, m.cmp.of = withPrevious, formDXBC, changesKey{}
		if all == same {
			m.say("reloaded: the programs of this permutation are the same as before")
		} else {
			m.say("reloaded: %d of %d programs changed; 8 compares with what was there", all-same, all)
		}
	} else {
		m.fail("reloaded: %s of %s is not there any more", place.Pass, baseName(old.Name))
	}
	m.relayout()
	cmd := m.reselect()
	m.syncLeft()
	return cmd
}

// clearForReload drops what is about the old file's programs. Pins are found again by
// repin, history by its places.
func (m *Model) clearForReload() {
	m.cache, m.order = make(map[unitKey]*passView), nil
	m.folds = clearFolds()
	m.view, m.stale, m.diags, m.diagAt = nil, false, nil, -1
	m.slice.dir, m.slice.of = 0, nil
	m.phases.list, m.phases.of = nil, nil
	m.walked = walkList{}
	m.marks.of = nil
	m.search.job.stop()
	m.search = search{job: m.search.job}
	m.rang = lineRange{}
}

// countSame compares the programs of a permutation's stages in two files.
func countSame(old, s *session.Session, perm int) (all, same int) {
	sums := func(s *session.Session, perm int) map[string][32]byte {
		out := make(map[string][32]byte)
		passes, err := s.Passes(perm)
		if err != nil {
			return out
		}
		for _, r := range passes {
			in, err := s.Input(perm, r)
			if err != nil {
				continue
			}
			for i := range in.Stages {
				out[r.String()+"/"+in.Stages[i].Kind.String()] = sha256.Sum256(in.Stages[i].Program)
			}
		}
		return out
	}
	p := s.DefaultPermutation()
	if l, err := session.ParseLink("?" + old.Permutation(perm)); err == nil {
		if t, err := s.Resolve(l); err == nil {
			p = t.Perm
		}
	}
	a, b := sums(old, perm), sums(s, p)
	for k, x := range b {
		all++
		if y, ok := a[k]; ok && x == y {
			same++
		}
	}
	return all, same
}

// withPrevious stands for the file before it changed, in the place of a permutation.
const withPrevious = -2

// oldPass is the pass to compare with in the file as it was.
func (p *previous) oldPass(ctx context.Context, m savedPlace) (*passView, error) {
	perm := p.sess.DefaultPermutation()
	if l, err := session.ParseLink("?" + m.Perm); err == nil {
		if t, err := p.sess.Resolve(l); err == nil {
			perm = t.Perm
		}
	}
	passes, err := p.sess.Passes(perm)
	if err != nil {
		return nil, err
	}
	for _, r := range passes {
		if r.String() == m.Pass {
			return compilePass(ctx, p.sess, perm, r)
		}
	}
	return nil, fmt.Errorf("the file had no pass %s before", m.Pass)
}

// compareWithPrevious compares the shown stage with the same one of the file as it was.
func (m *Model) compareWithPrevious(ctx context.Context, gen int, key changesKey) tea.Cmd {
	prev, place, s := m.prev, m.placeOf(m.sel.perm, m.sel.node, m.shownStage()), m.sess
	ref, ok := m.ref()
	if prev.sess == nil || !ok {
		return nil
	}
	return func() tea.Msg {
		old, err := prev.oldPass(ctx, place)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			old = &passView{err: err.Error()}
		}
		l, title := compare(ctx, s, ref, old, key)
		if ctx.Err() != nil {
			return nil
		}
		return comparedMsg{gen, key, l, "before the file changed → now" + title}
	}
}

// restoreSoft puts the cursor on an instruction in the pane and form that are shown.
func (m *Model) restoreSoft(p *spot) {
	i := m.codeSlot()
	s := views.NoSelection
	s.Instrs = []int32{p.instr}
	pos := m.slots[i].at()
	if n := m.listing(i).Seek(&s, pos.line); n >= 0 {
		pos.line, pos.tok = n, 0
	}
	m.clamp(i)
	m.reveal(i)
	m.relight()
}
