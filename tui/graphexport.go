package tui

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/files"
	"fxlens/core/graph"
	"fxlens/views"
)

// outFile is a file that is ready in memory, with what lies at its path.
type outFile struct {
	path string
	data []byte
	old  *oldFile
	open func([]byte) error // the strict reader that it must pass, or nil
}

func (f *outFile) sum() string { return digest(f.data) }

// Messages of the graph's exports.
type (
	graphMade struct { // all files are ready, nothing is written
		gen   int
		files []outFile
		err   error
	}
	graphWritten struct {
		gen        int
		wrote, had int // files; those that held it already
		last       outFile
		err        error
	}
)

func (graphMade) screen() where    { return inGraph }
func (graphWritten) screen() where { return inGraph }

// openExport lists what can be written.
func (s *graphScreen) openExport(m *Model) tea.Cmd {
	var items []item
	base := strings.TrimSuffix(m.exportName(), ".cewgpu")
	base = strings.TrimSuffix(base, fmt.Sprintf(".%d", m.sel.perm))
	what := fmt.Sprintf("permutation %d as a package", s.perm)
	if len(s.marked) > 0 {
		what = fmt.Sprintf("%s, one package each", plural(len(m.allMarks()), "mark"))
	}
	items = append(items, item{key: "package", text: what, note: "the export dialog: profile, format, progress", apply: func(m *Model) tea.Cmd {
		if len(s.marked) > 0 {
			return m.exportScoped(scopeMarked) // with what is marked on other screens
		}
		m.exportChoice.scope = scopePerm
		return m.openExportOf(s.perm + 1)
	}})
	one := func(key, text, ext string, draw func(g *graph.Graph, r graph.Results) ([]byte, error)) {
		why := ""
		if !s.st.Graph.Linked() {
			why = "the bodies are still being read"
		}
		items = append(items, item{key: key, text: text, note: filepath.Base(base) + ext, why: why, apply: func(m *Model) tea.Cmd {
			return s.make(m, true, func(_ context.Context, g *graph.Graph, r graph.Results) ([]outFile, error) {
				b, err := draw(g, r)
				return []outFile{{path: base + ext, data: b}}, err
			})
		}})
	}
	name, lay, pass := s.sess.Name[strings.LastIndexAny(s.sess.Name, `/\`)+1:], s.lay, s.st.Pass
	one("DOT", "the graph for Graphviz: bodies, units, who shares what", ".graph.dot", func(g *graph.Graph, r graph.Results) ([]byte, error) { return []byte(g.DOT(name, r)), nil })
	one("SVG", "the table as a picture", ".graph.svg", func(g *graph.Graph, r graph.Results) ([]byte, error) { return []byte(g.SVG(name, &lay, r, pass)), nil })
	one("JSON", "all of the graph, as fxlens graph --json prints it", ".graph.json", func(g *graph.Graph, r graph.Results) ([]byte, error) {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		err := e.Encode(g.Document(s.sess, r))
		return b.Bytes(), err
	})
	m.openList(overList, "Write", items)
	return nil
}

// make prepares files in memory. With all, units whose results are not known yet are
// compiled first: what is written has every mark.
func (s *graphScreen) make(m *Model, all bool, f func(ctx context.Context, g *graph.Graph, r graph.Results) ([]outFile, error)) tea.Cmd {
	ctx, gen := s.export.next(m.ctx)
	g, sess, r := s.st.Graph, s.sess, append(graph.Results(nil), s.results...)
	return func() tea.Msg {
		var err error
		for u := range r {
			if all && err == nil && r[u] == nil {
				r[u], err = g.Compile(ctx, sess, u)
			}
		}
		if err != nil {
			return nil // stopped
		}
		out, err := f(ctx, g, r)
		for i := range out {
			if err == nil {
				out[i].old, err = look(out[i].path)
			}
		}
		if ctx.Err() != nil {
			return nil
		}
		return graphMade{gen, out, err}
	}
}

func (s *graphScreen) updateExport(m *Model, msg screenMsg) tea.Cmd {
	switch msg := msg.(type) {
	case graphMade:
		if msg.gen != s.export.gen {
			return nil
		}
		s.export.on = false
		if msg.err != nil {
			m.fail("nothing was written: %v", msg.err)
			return nil
		}
		return s.confirm(m, msg.files)
	case graphWritten:
		if msg.gen != s.export.gen {
			return nil
		}
		s.export.on = false
		switch {
		case msg.err != nil:
			m.fail("%d written, then: %v", msg.wrote, msg.err)
		case msg.wrote+msg.had == 1 && msg.had == 1:
			m.say("%s holds exactly this already", filepath.Base(msg.last.path))
		case msg.wrote+msg.had == 1:
			m.say("written: %s  %d bytes  sha256 %s", filepath.Base(msg.last.path), len(msg.last.data), msg.last.sum())
		case msg.had > 0:
			m.say("%d files written and read back, %d held the same already", msg.wrote, msg.had)
		default:
			m.say("%d files written and read back, in %s", msg.wrote, filepath.Dir(msg.last.path))
		}
	}
	return nil
}

// confirm shows what would be written, and what lies there already, before anything is.
func (s *graphScreen) confirm(m *Model, out []outFile) tea.Cmd {
	size, replaced := 0, 0
	var items []item
	for i := range out {
		f := &out[i]
		size += len(f.data)
		if f.old == nil || f.old.sha256 == f.sum() {
			continue
		}
		if replaced++; replaced > 8 {
			continue
		}
		items = append(items, item{head: true, text: "▲ " + views.Clip(filepath.Base(f.path), 60) + " is another file:"},
			item{head: true, text: fmt.Sprintf("  old %9d bytes  %s", f.old.size, f.old.sha256)},
			item{head: true, text: fmt.Sprintf("  new %9d bytes  %s", len(f.data), f.sum())})
	}
	if replaced > 8 {
		items = append(items, item{head: true, text: fmt.Sprintf("  and %d more", replaced-8)})
	}
	verb := "write"
	if replaced > 0 {
		verb = "replace"
		items = append(items, item{text: "leave everything as it is", apply: func(m *Model) tea.Cmd { m.say("nothing was written"); return nil }})
	}
	what := views.Clip(filepath.Base(out[0].path), 60)
	if len(out) > 1 {
		what = fmt.Sprintf("%d files", len(out))
	}
	dir := filepath.Dir(out[0].path)
	items = append(items, item{text: fmt.Sprintf("%s %s, %s, in %s", verb, what, files.Size(int64(size)), views.Clip(dir, 60)), apply: func(m *Model) tea.Cmd { return s.write(m, out) }})
	if replaced == 0 {
		items = append(items, item{text: "leave everything as it is", apply: func(m *Model) tea.Cmd { m.say("nothing was written"); return nil }})
	}
	m.openList(overList, "Write", items)
	return nil
}

// write writes the files and reads each back. What holds the same already stays.
func (s *graphScreen) write(m *Model, out []outFile) tea.Cmd {
	ctx, gen := s.export.next(m.ctx)
	return func() tea.Msg {
		msg := graphWritten{gen: gen}
		for _, f := range out {
			if ctx.Err() != nil {
				return msg
			}
			msg.last = f
			if f.old != nil && f.old.sha256 == f.sum() {
				msg.had++
				continue
			}
			if msg.err = writeBack(f.path, f.data, f.old, f.open); msg.err != nil {
				return msg
			}
			msg.wrote++
		}
		return msg
	}
}
