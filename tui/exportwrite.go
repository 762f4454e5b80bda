package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/files"
	"fxlens/core/pack/carbon"
	"fxlens/core/session"
	"fxlens/views"
)

// exportLook looks at what lies at the paths now.
func (m *Model) exportLook() tea.Cmd {
	x := m.export
	_, gen := x.job.next(m.ctx)
	items := slices.Clone(m.plan.items)
	if len(items) == 1 {
		items[0].path = x.path.Value()
	}
	source := ""
	if m.sess != nil {
		source = m.sess.Name
	}
	return func() tea.Msg {
		for i := range items {
			it := &items[i]
			if it.out == nil {
				continue
			}
			it.err = nil
			from := source
			if it.file != "" {
				from = it.source
			}
			if it.look(); sameFile(it.path, from) {
				it.err, it.state = fmt.Errorf("%s is the opened file itself; name another", it.path), itemFailed
			}
		}
		return lookedMsg{gen, items}
	}
}

func (m *Model) exportLooked(msg lookedMsg) tea.Cmd {
	x := m.export
	if msg.gen != x.job.gen {
		return nil
	}
	x.items = msg.items
	x.lines, x.top = nil, 0
	ask, todo := false, false
	for i := range x.items {
		ask = ask || x.items[i].replaces()
		todo = todo || x.items[i].state == itemBuilt
	}
	switch {
	case ask:
		x.stage = exReplace
	case todo:
		return m.exportWrite()
	default:
		m.exportEnd()
	}
	return nil
}

// exportWrite writes what is to be written, reads it back strictly and reports. Esc ends
// it before the next file.
func (m *Model) exportWrite() tea.Cmd {
	x := m.export
	x.stage, x.done = exWriting, 0
	ctx, gen := x.job.next(m.ctx)
	items := slices.Clone(x.items)
	return start(context.WithoutCancel(ctx), gen, func(_ context.Context, see func(buildStep)) (buildStep, error) {
		for i := range items {
			if items[i].state != itemBuilt {
				continue
			}
			if ctx.Err() != nil {
				items[i].err, items[i].state = errors.New("not begun: you stopped it"), itemFailed
				continue
			}
			items[i].write()
			see(buildStep{done: i + 1, total: len(items)})
		}
		return buildStep{items: items}, nil
	}, func(r report[buildStep]) tea.Msg { return writtenMsg{r} })
}

// write puts the item's files in place. Of a container and its side file both are there
// in the end or neither is.
func (it *exportItem) write() {
	it.state = itemFailed
	side := it.side()
	if side != "" {
		if it.err = files.Write(side, it.out.Side, it.oldSide != nil); it.err != nil {
			return
		}
	}
	open := openPackage
	if it.out.Format == session.Carbon {
		open = func(b []byte) error {
			_, err := carbon.Open(b)
			return err
		}
	}
	if it.err = writeBack(it.path, it.out.Data, it.old, open); it.err != nil {
		if side != "" && it.oldSide == nil {
			_ = os.Remove(side)
		}
		return
	}
	it.state = itemWritten
}

func (m *Model) exportWritten(msg writtenMsg) tea.Cmd {
	x := m.export
	if msg.gen != x.job.gen {
		return nil
	}
	if !msg.done {
		x.done = msg.of.done
		return msg.next
	}
	x.items = msg.of.items
	m.exportEnd()
	return nil
}

// exportEnd lists what became of every file.
func (m *Model) exportEnd() {
	x := m.export
	for i := range m.plan.items { // what lies there is this now
		for k := range x.items {
			if it := &x.items[k]; it.path == m.plan.items[i].path && it.state == itemWritten {
				m.plan.items[i].state = itemSame
			}
		}
	}
	if p := m.writtenPath(); p != "" {
		m.written = p
		m.keepDir(p)
	}
	cols := m.overRect().w - 4
	bad := 0
	x.lines, x.top = nil, 0
	for i := range x.items {
		it := &x.items[i]
		if it.state == itemFailed {
			bad++
		}
		x.lines = append(x.lines, m.itemLines(it, cols, len(x.items) == 1)...)
	}
	x.stage = exDone
	if bad == len(x.items) {
		x.stage = exFailed
		x.lines = append([]views.Line{views.Say(views.RoleRefused, "✗ nothing was written")}, x.lines...)
	}
}
