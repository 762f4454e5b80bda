package tui

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/files"
	"fxlens/core/session"
	"fxlens/views"
)

// bookmark is a place with a note, kept in the file's sidecar.
type bookmark struct {
	link string // inside the file, as deep links write it
	note string
}

// bookmarksTable is the table of the sidecar that holds them: link = note.
const bookmarksTable = "bookmarks"

// loadBookmarks reads those of the sidecar in a command.
func (m *Model) loadBookmarks() tea.Cmd {
	path := m.opt.Sidecar
	if m.sess == nil || path == "" {
		return nil
	}
	return func() tea.Msg {
		list, err := readBookmarks(path)
		return applyMsg(func(m *Model) tea.Cmd {
			if err != nil {
				m.fail("bookmarks: %v", err)
				return nil
			}
			m.marks.set(m, list)
			return nil
		})
	}
}

func readBookmarks(path string) ([]bookmark, error) {
	data, err := files.Read(path, 1<<20)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, os.ErrInvalid) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	side, err := session.ParseSidecar(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var out []bookmark
	for l, n := range side.Bookmarks {
		out = append(out, bookmark{l, n})
	}
	slices.SortFunc(out, func(a, b bookmark) int { return strings.Compare(a.link, b.link) })
	return out, nil
}

// marksState are the bookmarks of the file and, of the shown stage, those by instruction.
type marksState struct {
	list []bookmark
	of   *stageView
	perm int
	here map[int32]string
}

func (s *marksState) set(m *Model, list []bookmark) {
	s.list, s.of = list, nil
	m.dirty = true
}

// notes are the notes of the shown stage by instruction; -1 is the stage as a whole.
func (m *Model) notes() map[int32]string {
	st := m.stageNow()
	s := &m.marks
	if s.of == st && s.perm == m.sel.perm {
		return s.here
	}
	s.of, s.perm, s.here = st, m.sel.perm, nil
	ref, ok := m.ref()
	if st == nil || !ok {
		return nil
	}
	for _, b := range s.list {
		l, err := session.ParseLink(b.link)
		if err != nil {
			continue
		}
		t, err := m.sess.Resolve(l)
		if err != nil || len(t.Passes) == 0 || t.Passes[0] != ref || t.Stage != "" && t.Stage != m.stageName() || !m.samePass(t.Perm) {
			continue
		}
		if s.here == nil {
			s.here = make(map[int32]string)
		}
		s.here[int32(t.Instr)] = b.note
	}
	return s.here
}

// samePass reports whether another permutation shares the selected one's body.
func (m *Model) samePass(perm int) bool {
	return m.sess.Effect == nil || m.sess.Effect.BodyOf(perm) == m.sess.Effect.BodyOf(m.sel.perm)
}

func (m *Model) whyNoBookmark() string {
	switch {
	case m.sess == nil:
		return "no file is open"
	case m.stageNow() == nil:
		return "no stage is shown"
	case m.opt.Sidecar == "":
		return "there is no place for a sidecar beside this file"
	}
	return ""
}

// insideLink is the link to the cursor's place, without the file.
func (m *Model) insideLink() string {
	ref, _ := m.ref()
	i := m.codeSlot()
	f := m.listing(i).Focus(m.slots[i].at().line, 0)
	return m.sess.Link(m.sel.perm, ref, m.stageName(), int(f.Instr)).Inside()
}

// editBookmark asks for the note of the cursor's place; an empty one takes it away.
func (m *Model) editBookmark() {
	link := m.insideLink()
	old := ""
	for _, b := range m.marks.list {
		if b.link == link {
			old = b.note
		}
	}
	label := "note for this place: "
	if old != "" {
		label = "note (empty takes the bookmark away): "
	}
	m.ask(label, old, func(m *Model, text string) tea.Cmd {
		text = strings.TrimSpace(text)
		if text == "" && old == "" {
			text = "bookmark"
		}
		return m.putBookmark(link, text)
	})
}

// putBookmark writes one bookmark into the sidecar; everything else in it stays.
func (m *Model) putBookmark(link, note string) tea.Cmd {
	path, value := m.opt.Sidecar, &note
	if note == "" {
		value = nil
	}
	return func() tea.Msg {
		err := editSidecar(path, edit{table: bookmarksTable, key: link, value: value})
		var list []bookmark
		if err == nil {
			list, err = readBookmarks(path)
		}
		return applyMsg(func(m *Model) tea.Cmd {
			switch {
			case err != nil:
				m.fail("the bookmark was not kept: %v", err)
				return nil
			case note == "":
				m.say("the bookmark is gone from %s", baseName(path))
			default:
				m.say("★ kept in %s; ; lists the bookmarks", baseName(path))
			}
			m.marks.set(m, list)
			return nil
		})
	}
}

func baseName(path string) string {
	if i := strings.LastIndexAny(path, `/\`); i >= 0 {
		return path[i+1:]
	}
	return path
}

func (m *Model) whyNoBookmarks() string {
	if len(m.marks.list) == 0 {
		return "the file has no bookmarks; B sets one"
	}
	return ""
}

// openBookmarks lists them; . and , go through them afterwards.
func (m *Model) openBookmarks() {
	var items []item
	for _, b := range m.marks.list {
		it := item{key: "★", text: views.Clip(b.note, 80), note: views.Clip(shortInside(m, b.link), 50), apply: func(m *Model) tea.Cmd { return m.goInside(b.link) }}
		l, err := session.ParseLink(b.link)
		if err == nil {
			_, err = m.sess.Resolve(l)
		}
		if err != nil {
			it.why = err.Error()
		}
		items = append(items, it)
	}
	m.openList(overList, "Bookmarks", items)
	m.keepWalk("bookmarks", items)
}

// shortInside is a link without the options that are in force anyway.
func shortInside(m *Model, link string) string {
	if i := strings.IndexByte(link, '#'); i >= 0 && link[:i] == "?"+m.sess.Permutation(m.sel.perm) {
		return link[i:]
	}
	return link
}

// goInside goes to a link inside the open file.
func (m *Model) goInside(link string) tea.Cmd {
	l, err := session.ParseLink(link)
	if err != nil {
		m.fail("%v", err)
		return nil
	}
	m.record()
	m.showScreen(nil)
	if err := m.goLink(l); err != nil {
		m.fail("%v", err)
		return nil
	}
	m.diagAt = -1
	cmd := m.reselect()
	m.syncLeft()
	return cmd
}
