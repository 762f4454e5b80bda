package tui

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/files"
	"fxlens/core/pack/cewgpu"
	"fxlens/themes/lexers"
	"fxlens/views"
)

// textSource is a text that is not ours: a chunk of the opened package, or a source or
// manifest that lies beside the opened file.
type textSource struct {
	name string // what is shown; its ending chooses the language
	size int64
	load func() ([]byte, error) // in a command
}

const (
	// maxTextFile bounds a text that is read, in bytes.
	maxTextFile = 16 << 20
	// maxTexts bounds how many are listed.
	maxTexts = 500
	// textPiece is how much is coloured between two looks at whether anybody waits.
	textPiece = 32 << 10
)

// textExts are the endings of texts that are listed.
var textExts = []string{".fx", ".hlsl", ".fxh", ".hlsli", ".wgsl", ".json", ".toml"}

func textActions() []action {
	on := func(f func(s *textScreen)) func(m *Model) tea.Cmd {
		return func(m *Model) tea.Cmd {
			if s, ok := m.screen.(*textScreen); ok {
				f(s)
			}
			return nil
		}
	}
	why := func(m *Model) string {
		if _, ok := m.screen.(*textScreen); !ok {
			return "no text is shown; press f12"
		}
		return ""
	}
	return []action{
		{ID: "texts", Keys: []string{"f12"}, In: inEvery, Group: "Screens", Help: "read a text: a JSON or WGSL chunk of the package, an HLSL, WGSL, JSON or TOML file beside the opened one", Why: (*Model).whyNoTexts, Do: (*Model).openTexts},
		{ID: "text-left", Keys: []string{"left", "h", "<"}, In: inText, Group: "Text", Help: "scroll to the left", Bar: "scroll", Tap: "← →", Why: why, Do: on(func(s *textScreen) { s.left = max(s.left-8, 0) })},
		{ID: "text-right", Keys: []string{"right", "l", ">"}, In: inText, Group: "Text", Help: "scroll to the right", Why: why, Do: on(func(s *textScreen) { s.left = min(s.left+8, maxTextLeft) })},
		{ID: "text-yank", Keys: []string{"y"}, In: inText, Group: "Text", Help: "copy this line", Bar: "copy", Why: why, Do: func(m *Model) tea.Cmd {
			s, ok := m.screen.(*textScreen)
			if !ok || s.line >= len(s.lines) {
				return nil
			}
			return m.yank(s.lines[s.line].Text(), "line")
		}},
	}
}

func (m *Model) whyNoTexts() string {
	switch {
	case m.sess == nil:
		return "no file is open"
	case m.sess.Package == nil && m.whyNoFolder() != "":
		return m.whyNoFolder()
	}
	return ""
}

// openTexts lists the texts in a command.
func (m *Model) openTexts() tea.Cmd {
	p, path := m.sess.Package, m.opt.Path
	if m.whyNoFolder() != "" {
		path = ""
	}
	return func() tea.Msg {
		all := append(chunkTexts(p), textsBeside(path)...)
		return applyMsg(func(m *Model) tea.Cmd {
			if m.over != nil {
				return nil
			}
			if len(all) == 0 {
				m.fail("no text lies beside the file: none that ends in %s", strings.Join(textExts, " "))
				return nil
			}
			items := make([]item, len(all))
			for i := range all {
				items[i] = item{text: views.Clip(all[i].name, 100), note: files.Size(all[i].size), apply: func(m *Model) tea.Cmd { return m.showText(&all[i]) }}
			}
			m.openList(overList, "Read a text", items)
			return nil
		})
	}
}

// chunkTexts lists the chunks of a package that are text, under the names that they have
// in a folder.
func chunkTexts(p *cewgpu.Package) []textSource {
	if p == nil {
		return nil
	}
	var out []textSource
	for i, c := range p.Chunks {
		name := cewgpu.FileName(i, c)
		switch filepath.Ext(name) {
		case ".json":
			out = append(out, textSource{name, int64(len(c.Data)), func() ([]byte, error) { return laidOut(c.Data), nil }})
		case ".wgsl":
			out = append(out, textSource{name, int64(len(c.Data)), func() ([]byte, error) { return c.Data, nil }})
		}
	}
	return out
}

// laidOut is JSON with a line for each value, where it was one line and the indentation
// makes it no more than a few times as long.
func laidOut(b []byte) []byte {
	depth, added, quoted, escaped := 0, 0, false, false
	for _, c := range bytes.TrimSpace(b) {
		if quoted { // brackets of a string nest nothing
			quoted = escaped || c != '"'
			escaped = !escaped && c == '\\'
			continue
		}
		switch c {
		case '"':
			quoted = true
		case '{', '[':
			depth++
			added += depth + 1
		case '}', ']':
			depth--
			added += depth + 1
		case ',':
			added += depth + 1
		case '\n':
			return b
		}
		if added > 8*len(b)+4096 {
			return b
		}
	}
	var out bytes.Buffer
	if err := json.Indent(&out, b, "", " "); err != nil {
		return b
	}
	return out.Bytes()
}

// textsBeside lists the texts in the folder of a file, those of its own name first.
func textsBeside(path string) []textSource {
	if path == "" {
		return nil
	}
	dir := filepath.Dir(path)
	es, err := os.ReadDir(dir)
	if err != nil {
		return nil // the file is open, its folder may not be: then nothing lies there
	}
	var out []textSource
	for _, e := range es {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || !slices.Contains(textExts, filepath.Ext(e.Name())) || len(out) == maxTexts {
			continue
		}
		full := filepath.Join(dir, e.Name())
		out = append(out, textSource{e.Name(), info.Size(), func() ([]byte, error) { return files.Read(full, maxTextFile) }})
	}
	stem := func(name string) string { s, _, _ := strings.Cut(filepath.Base(name), "."); return s }
	rank := func(t textSource) int {
		if stem(t.name) == stem(path) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(out, func(a, b textSource) int { return cmp.Compare(rank(a), rank(b)) })
	return out
}

// textScreen shows a text as chroma colours it. The lines come in pieces, each from a
// command, and can be read as they come.
type textScreen struct {
	of              *textSource
	lines           []views.Line
	line, top, left int
	job             job
	read, size      int
	err             string
	body            rect
}

// textMsg is a piece of a text.
type textMsg struct {
	gen        int
	lines      []views.Line
	read, size int
	err        error
	next       tea.Cmd // nil at the end
}

func (textMsg) screen() where { return inText }

// showText brings a text up.
func (m *Model) showText(t *textSource) tea.Cmd {
	cmd := m.goScreen(inText, func() screen { return &textScreen{} })
	s, ok := m.screen.(*textScreen)
	if !ok {
		return cmd
	}
	ctx, gen := s.job.next(m.ctx)
	*s = textScreen{of: t, job: s.job, body: s.body}
	m.dirty = true
	return tea.Batch(cmd, func() tea.Msg {
		b, err := t.load()
		if err != nil {
			return textMsg{gen: gen, err: err}
		}
		r, err := lexers.NewReader(lexers.Match(t.name), string(b))
		if err != nil {
			return textMsg{gen: gen, err: err}
		}
		return textStep(ctx, gen, r)()
	})
}

// textStep colours the next piece.
func textStep(ctx context.Context, gen int, r *lexers.Reader) tea.Cmd {
	return func() tea.Msg {
		if ctx.Err() != nil {
			return nil
		}
		lines, more := r.Next(textPiece)
		msg := textMsg{gen: gen, lines: lines}
		msg.read, msg.size = r.Read()
		if more {
			msg.next = textStep(ctx, gen, r)
		}
		return msg
	}
}

func (s *textScreen) where() where          { return inText }
func (s *textScreen) name() string          { return "Text" }
func (s *textScreen) show(*Model) tea.Cmd   { return nil }
func (s *textScreen) stop()                 { s.job.stop() }
func (s *textScreen) page(*Model) int       { return max(s.body.h-1, 1) }
func (s *textScreen) move(_ *Model, n int)  { s.line += n; s.settle() }
func (s *textScreen) spot() any             { return textSpot{s.of, s.line, s.top} }
func (s *textScreen) place(m *Model) string { return fmt.Sprintf("%d/%d", s.line+1, len(s.lines)) }

func (s *textScreen) update(m *Model, msg screenMsg) tea.Cmd {
	t, ok := msg.(textMsg)
	if !ok || t.gen != s.job.gen {
		return nil
	}
	m.dirty = true
	s.lines = append(s.lines, t.lines...)
	s.read, s.size = t.read, t.size
	if t.err != nil {
		s.err = t.err.Error()
	}
	if t.next == nil {
		s.job.on = false
	}
	return t.next
}

// textSpot is where the screen was; only in the text that it still shows.
type textSpot struct {
	of        *textSource
	line, top int
}

func (s *textScreen) goSpot(_ *Model, at any) {
	if p, ok := at.(textSpot); ok && p.of == s.of {
		s.line, s.top = p.line, p.top
	}
}

func (s *textScreen) escape(m *Model) bool {
	if !s.job.on {
		return false
	}
	s.job.stop()
	m.say("stopped; f12 reads the text again")
	return true
}

func (s *textScreen) click(_ *Model, _, y int) tea.Cmd {
	if y > s.body.y {
		s.line = s.top + y - s.body.y - 1
		s.settle()
	}
	return nil
}

func (s *textScreen) settle() {
	rows := max(s.body.h-1, 1)
	s.line = min(max(s.line, 0), max(len(s.lines)-1, 0))
	s.top = min(max(s.top, s.line-rows+1, 0), s.line)
}

func (s *textScreen) panel(_ *Model, cols int) (string, []views.Line) {
	if s.err != "" {
		return "text", []views.Line{views.Say(views.RoleRefused, views.Clip("✗ "+s.err, cols))}
	}
	if s.size > lexers.MaxText {
		return "text", []views.Line{views.Say(views.RoleDim, views.Clip(fmt.Sprintf("What lies behind the first %s is shown without colours.", files.Size(lexers.MaxText)), cols))}
	}
	return "text", []views.Line{views.Say(views.RoleDim, views.Clip("f12 chooses another text, I returns to the shader.", cols))}
}

func (s *textScreen) status(*Model) []views.Span {
	if s.job.on && s.size > 0 {
		return []views.Span{sp(views.RoleStatus, fmt.Sprintf("reading %s of %s  esc stops  ", files.Size(int64(s.read)), files.Size(int64(s.size))))}
	}
	return []views.Span{sp(views.RoleStatus, files.Size(int64(s.size))+"  ")}
}

func (s *textScreen) compose(m *Model, c *canvas, b rect) {
	s.body = b
	s.settle()
	title := ""
	if s.of != nil {
		title = s.of.name
	}
	composeTitle(c, b, title, true)
	const gutter = 9
	sel := views.NoSelection
	for y := range b.h - 1 {
		i := s.top + y
		if i >= len(s.lines) {
			c.put(b.x, b.y+1+y, b.w, nil, 0, blank)
			continue
		}
		l := s.lines[i]
		l.Spans = shownPart(l.Spans, s.left+b.w)
		if i == s.line {
			l = views.NewStatic([]views.Line{l}, nil).Lines(views.Window{Rows: 1, Cols: b.w}, sel.At(0, 0, true))[0]
		}
		m.composeLine(c, b, b.y+1+y, gutter, &l, 0, s.left)
	}
}

// maxTextLeft is how far a text scrolls sideways, in cells.
const maxTextLeft = 4096

// shownPart is the beginning of a line that can be seen in the first n cells, with its
// tabs as spaces. A minified text is one line, of which a frame must not look at all.
func shownPart(spans []views.Span, n int) []views.Span {
	out := make([]views.Span, 0, min(len(spans), n))
	for _, s := range spans {
		if n <= 0 {
			break
		}
		// A rune takes 4 bytes at most, and those without a width of their own are not many.
		if most := 8*n + 64; len(s.Text) > most {
			s.Text = strings.ToValidUTF8(s.Text[:most], "")
		}
		s.Text = strings.ReplaceAll(s.Text, "\t", "    ")
		n -= views.Width(views.Text(s.Text))
		out = append(out, s)
	}
	return out
}
