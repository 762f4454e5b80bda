package tui

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"path/filepath"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/files"
	"fxlens/core/ir"
	"fxlens/core/session"
	"fxlens/themes"
	"fxlens/views"
)

// ask opens a prompt on the key bar that does something with its text on enter.
func (m *Model) ask(label, value string, accept func(m *Model, text string) tea.Cmd) {
	m.openPrompt(label, value, func(*Model, string) tea.Cmd { return nil }, func(*Model) tea.Cmd { return nil })
	m.over.accept = accept
}

// openYank lists what can be copied from here.
func (m *Model) openYank() {
	i := m.focus
	l, p := m.listing(i), m.slots[i].at()
	copyOf := func(key, what, text, why string) item {
		it := item{key: key, text: what, note: clipNote(text), why: why, apply: func(m *Model) tea.Cmd { return m.yank(text, what) }}
		if why == "" && strings.TrimSpace(text) == "" {
			it.why = "there is nothing there"
		}
		return it
	}
	items := []item{copyOf("line", "this line", l.Text(p.line), "")}
	if text, n, ok := m.chosenText(); ok {
		it := copyOf("selection", "the selected "+plural(n, "line"), text, "")
		it.apply = func(m *Model) tea.Cmd { m.dropRange(); return m.yank(text, plural(n, "line")) }
		items = append(items, it)
	} else {
		items = append(items, copyOf("selection", "the selected lines", "", "no lines are selected; v begins"))
	}
	if code(i) && foldable(m.slots[i].form) {
		whole, inner := views.Unfolded(l), p.line
		if x, ok := l.(*views.Folded); ok {
			inner = x.Inner(p.line)
		}
		if head, end, ok := views.Region(whole, inner); ok {
			items = append(items, copyOf("block", fmt.Sprintf("the region around the cursor, %s", plural(end-head, "line")), linesText(whole, head, end-1), ""))
		} else {
			items = append(items, copyOf("block", "the region around the cursor", "", "nothing is nested here"))
		}
	}
	if code(i) {
		whole := views.Unfolded(l)
		items = append(items, item{key: "pane", text: fmt.Sprintf("the whole listing, %s", plural(whole.Len(), "line")),
			apply: func(m *Model) tea.Cmd {
				return func() tea.Msg { // long listings take their time
					text := linesText(whole, 0, whole.Len()-1)
					return applyMsg(func(m *Model) tea.Cmd { return m.yank(text, "listing") })
				}
			}})
	}
	why := m.whyNoSession()
	link, thing, cmd := "", "", ""
	if why == "" {
		link, thing = m.link(), string(m.thing())
		cmd = m.command()
	}
	items = append(items,
		copyOf("link", "the link to this place", link, why),
		copyOf("json", "what the cursor is on, as JSON", thing, why),
		copyOf("command", "the command that prints this pane", cmd, why),
		item{key: "report", text: "a report of the diagnostic here", why: m.whyNoExcerpt(), apply: (*Model).yankExcerpt})
	m.openList(overList, "Copy", items)
}

// clipNote is the beginning of a text on one line.
func clipNote(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return views.Clip(s, 40)
}

// formCommands are the subcommands that print a form.
var formCommands = map[form]string{formDXBC: "disasm", formSSA: "ssa", formWGSL: "wgsl", formBindings: "bindings"}

// command is the command line that prints what the focused pane shows.
func (m *Model) command() string {
	ref, ok := m.ref()
	if !ok {
		return "fxlens inspect " + quoteShell(m.sess.Name)
	}
	sub, known := formCommands[m.slots[m.codeSlot()].form]
	if !known {
		return "fxlens inspect " + quoteShell(m.sess.Name)
	}
	stage := m.stageName()
	if sub == "bindings" {
		stage = ""
	}
	s := "fxlens " + sub
	if v := m.phase(); v != nil && sub == "ssa" {
		s += " --phase " + v.name
	}
	return s + " " + quoteShell(m.sess.Link(m.sel.perm, ref, stage, -1).String())
}

// quoteShell quotes a word for a POSIX shell.
func quoteShell(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-/", r))
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// thingJSON is what the cursor is on, for the clipboard.
type thingJSON struct {
	Version     int      `json:"version"`
	Link        string   `json:"link"`
	SHA256      string   `json:"sha256"`
	Form        string   `json:"form"`
	Line        int      `json:"line"`
	Text        string   `json:"text"`
	Instruction *int32   `json:"instruction,omitempty"`
	Values      []int32  `json:"values,omitempty"`
	Register    string   `json:"register,omitempty"`
	Lanes       string   `json:"lanes,omitempty"`
	Diagnostics []string `json:"diagnostics,omitempty"`
}

// thing is what the cursor is on as JSON.
func (m *Model) thing() []byte {
	i := m.codeSlot()
	l, p := m.listing(i), m.slots[i].at()
	f := l.Focus(p.line, p.tok)
	t := thingJSON{Version: 1, Link: m.link(), SHA256: hex.EncodeToString(m.sess.SHA256[:]), Form: strings.ToLower(formNames[m.slots[i].form]),
		Line: p.line + 1, Text: l.Text(p.line), Register: f.Lanes.Reg}
	if f.Lanes.Mask != 0 {
		t.Lanes = views.MaskText(f.Lanes.Mask)
	}
	if f.Instr >= 0 {
		t.Instruction = &f.Instr
		if k := m.diagOf(f.Instr); k >= 0 {
			t.Diagnostics = append(t.Diagnostics, string(m.diags[k].Code))
		}
	}
	vs := f.Values
	if f.Occur != ir.NoValue {
		vs = []ir.ValueID{f.Occur}
	}
	for _, v := range vs {
		t.Values = append(t.Values, int32(v))
	}
	b, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return nil // plain values always marshal
	}
	return b
}

// paneFormat is a form in which a pane is written.
type paneFormat struct {
	key, ext, what string
	most           int // lines, 0 for any number
	make           func(s *paneShot) []byte
}

// maxPicture is how many lines a picture has at most: more is not looked at as one.
const maxPicture = 2000

func paneFormats() []paneFormat {
	return []paneFormat{
		{"text", "txt", "plain text, as it is copied", 0, paneText},
		{"ansi", "ansi", "text with colours for a terminal (less -R)", 0, paneANSI},
		{"html", "html", "a page with the theme's colours", 0, paneHTML},
		{"svg", "svg", "a picture", maxPicture, paneSVG},
		{"json", "json", "lines with what they stand for", 0, paneJSON},
	}
}

// paneShot is everything that a pane's file needs; it is read in a command.
type paneShot struct {
	l       views.Listing
	title   string
	form    string
	link    string
	sha256  string
	theme   *themes.Theme
	painter *painter
	version string
	notes   map[int32]string // bookmarks by instruction; -1 is the stage as a whole
}

// noteOf returns the notes by line: each stands at the first line of its instruction.
func (s *paneShot) noteOf(ls []views.Line) map[int]string {
	if len(s.notes) == 0 {
		return nil
	}
	out, seen := map[int]string{}, map[int32]bool{}
	for i := range ls {
		at := ls[i].Ref.Instr
		if n, ok := s.notes[at]; ok && at >= 0 && !seen[at] {
			seen[at], out[i] = true, n
		}
	}
	return out
}

// noteMark stands before the note of a bookmark, as in the list of them.
const noteMark = "★ "

// lines returns the lines of the whole listing as the pane has them, without a cursor.
func (s *paneShot) lines() []views.Line { return s.linesBy("") }

// linesBy is lines with the roles of the lexer of a language, if one is named.
func (s *paneShot) linesBy(language string) []views.Line {
	ls := s.l.Lines(views.Window{Rows: s.l.Len(), Cols: 120}, nil)
	views.Bars(ls)
	if language != "" {
		relex(language, ls)
	}
	notes := s.noteOf(ls)
	for i := range ls {
		if ls[i].Gutter != "" {
			ls[i].Spans = append([]views.Span{sp(views.RoleLineNo, ls[i].Gutter+"  ")}, ls[i].Spans...)
		}
		if n, ok := notes[i]; ok {
			ls[i].Spans = append(ls[i].Spans, sp(views.RoleNote, "  "+noteMark+n))
		}
	}
	return ls
}

func paneText(s *paneShot) []byte {
	var b bytes.Buffer
	if n := s.notes[-1]; n != "" {
		b.WriteString(noteMark + views.Text(n) + "\n")
	}
	var notes map[int]string
	if len(s.notes) > 0 {
		notes = s.noteOf(s.l.Lines(views.Window{Rows: s.l.Len(), Cols: 120}, nil))
	}
	for i := range s.l.Len() {
		b.WriteString(views.Text(s.l.Text(i)))
		if n, ok := notes[i]; ok {
			b.WriteString("  " + noteMark + views.Text(n))
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func paneANSI(s *paneShot) []byte {
	var b bytes.Buffer
	if n := s.notes[-1]; n != "" {
		b.WriteString(s.painter.sgr[views.RoleNote][0] + noteMark + views.Text(n) + sgrReset + "\n")
	}
	for _, l := range s.lines() {
		for _, p := range merge(safeSpans(l.Spans)) {
			b.WriteString(s.painter.sgr[p.Role][p.Emph])
			b.WriteString(p.Text)
		}
		b.WriteString(sgrReset + "\n")
	}
	return b.Bytes()
}

// safeSpans makes every text safe to show.
func safeSpans(spans []views.Span) []views.Span {
	out := make([]views.Span, len(spans))
	for i, s := range spans {
		s.Text = views.Text(s.Text)
		out[i] = s
	}
	return out
}

// css is a style as a declaration.
func css(st themes.Style) string {
	s := ""
	if st.FG != nil {
		s += "color:" + st.FG.String() + ";"
	}
	if st.BG != nil {
		s += "background:" + st.BG.String() + ";"
	}
	for _, a := range []struct {
		a themes.Attr
		s string
	}{{themes.Bold, "font-weight:bold;"}, {themes.Italic, "font-style:italic;"}, {themes.Underline, "text-decoration:underline;"}} {
		if st.Attr&a.a != 0 {
			s += a.s
		}
	}
	return s
}

func paneHTML(s *paneShot) []byte {
	var b bytes.Buffer
	fg := "#ffffff"
	if s.theme.Light {
		fg = "#000000"
	}
	fmt.Fprintf(&b, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>%s</title>\n<style>\n", html.EscapeString(views.Text(s.title)))
	fmt.Fprintf(&b, "body{background:%s;color:%s}pre{font-family:ui-monospace,monospace;line-height:1.3}\n", s.theme.Background, fg)
	for r := views.Role(0); r < views.NumRoles; r++ {
		if c := css(s.theme.Style(r, 0)); c != "" {
			fmt.Fprintf(&b, ".r-%s{%s}\n", r, c)
		}
	}
	fmt.Fprintf(&b, "</style></head><body>\n<h1>%s</h1>\n<p>%s<br>SHA-256 %s</p>\n<pre>", html.EscapeString(views.Text(s.title)), html.EscapeString(views.Text(s.link)), s.sha256)
	if n := s.notes[-1]; n != "" {
		fmt.Fprintf(&b, `<span class="r-%s">%s</span>`+"\n", views.RoleNote, html.EscapeString(noteMark+views.Text(n)))
	}
	for i, l := range s.linesBy(pageLexers[s.form]) {
		fmt.Fprintf(&b, `<span id="L%d">`, i+1)
		for _, p := range merge(safeSpans(l.Spans)) {
			if strings.TrimSpace(p.Text) == "" {
				b.WriteString(p.Text)
				continue
			}
			fmt.Fprintf(&b, `<span class="r-%s">%s</span>`, p.Role, html.EscapeString(p.Text))
		}
		b.WriteString("</span>\n")
	}
	b.WriteString("</pre></body></html>\n")
	return b.Bytes()
}

func paneSVG(s *paneShot) []byte {
	ls := s.lines()
	w := 40
	for i := range ls {
		ls[i].Spans = safeSpans(ls[i].Spans)
		w = max(w, min(ls[i].Width()+2, 240))
	}
	var c canvas
	c.reset(w, len(ls))
	for y := range ls {
		c.put(1, y, w-1, ls[y].Spans, 0, blank)
	}
	return []byte(svg(&c, s.theme))
}

// paneLineJSON is a line of a pane as JSON.
type paneLineJSON struct {
	Text        string `json:"text"`
	Instruction *int32 `json:"instruction,omitempty"`
	Value       *int32 `json:"value,omitempty"`
	Note        string `json:"note,omitempty"` // of the bookmark here
}

func paneJSON(s *paneShot) []byte {
	out := struct {
		Version int            `json:"version"`
		Tool    string         `json:"tool"`
		Form    string         `json:"form"`
		Link    string         `json:"link"`
		SHA256  string         `json:"sha256"`
		Note    string         `json:"note,omitempty"`
		Lines   []paneLineJSON `json:"lines"`
	}{Version: 1, Note: s.notes[-1], Tool: "fxlens " + s.version, Form: s.form, Link: s.link, SHA256: s.sha256, Lines: []paneLineJSON{}}
	ls := s.l.Lines(views.Window{Rows: s.l.Len(), Cols: 120}, nil)
	notes := s.noteOf(ls)
	for i, l := range ls {
		j := paneLineJSON{Text: s.l.Text(i), Note: notes[i]}
		if l.Ref.Instr >= 0 {
			j.Instruction = &l.Ref.Instr
		}
		if l.Ref.Value >= 0 {
			v := int32(l.Ref.Value)
			j.Value = &v
		}
		out.Lines = append(out.Lines, j)
	}
	b, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return nil // plain values always marshal
	}
	return append(b, '\n')
}

// openPaneExport lists the forms in which the focused pane can be written.
func (m *Model) openPaneExport() {
	i := m.codeSlot()
	if !code(m.focus) {
		i = m.focus
	}
	l := views.Unfolded(m.listing(i))
	name := "pane"
	if code(i) {
		name = formNames[m.slots[i].form]
	}
	s := &paneShot{l: l, title: strings.TrimSpace(m.fileName() + "  " + m.paneTitle(i)), form: strings.ToLower(name), link: m.link(),
		sha256: hex.EncodeToString(m.sess.SHA256[:]), theme: m.theme, painter: m.painter, version: m.opt.Version}
	if code(i) && nested(m.slots[i].form) {
		s.notes = maps.Clone(m.notes())
	}
	var items []item
	for _, f := range paneFormats() {
		it := item{key: f.key, text: f.what, note: "." + f.ext, apply: func(m *Model) tea.Cmd {
			m.ask("write to ", m.paneName(s.form, f.ext), func(m *Model, path string) tea.Cmd { return m.writePane(s, f, path) })
			return nil
		}}
		if f.most > 0 && l.Len() > f.most {
			it.why = fmt.Sprintf("the listing has %d lines; a picture has %d at most", l.Len(), f.most)
		}
		items = append(items, it)
	}
	m.openList(overList, "Write the pane "+strings.ToUpper(name[:1])+name[1:]+", "+plural(l.Len(), "line"), items)
}

// paneName proposes a path for a pane.
func (m *Model) paneName(form, ext string) string {
	base := strings.TrimSuffix(m.exportName(), ".cewgpu")
	if ref, ok := m.ref(); ok && m.sess.Kind != session.ProgramFile {
		base += "." + strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
				return r
			}
			return '_'
		}, views.Clip(ref.String(), 40))
	}
	if st := m.stageName(); st != "" {
		base += "." + st
	}
	return base + "." + form + "." + ext
}

// writePane makes the file's content and writes it, asking first where a file lies there.
func (m *Model) writePane(s *paneShot, f paneFormat, path string) tea.Cmd {
	if path = strings.TrimSpace(path); path == "" {
		m.fail("the file name is empty; nothing was written")
		return nil
	}
	return func() tea.Msg { return m.place(path, f.make(s), f.key) }
}

// place writes data where nothing lies at path and asks otherwise; it runs in a command
// and reads nothing of the model.
func (*Model) place(path string, data []byte, what string) tea.Msg {
	old, err := look(path)
	if err == nil && old == nil {
		if err = files.Write(path, data, false); err == nil {
			return applyMsg(func(m *Model) tea.Cmd { m.say("wrote %s (%s)", path, files.Size(int64(len(data)))); return nil })
		}
	}
	return applyMsg(func(m *Model) tea.Cmd {
		switch {
		case err != nil:
			m.fail("nothing was written: %v", err)
		case old.sha256 == digest(data):
			m.say("%s holds exactly this already; nothing was written", filepath.Base(path))
		default:
			m.confirmReplace(path, data, what, old)
		}
		return nil
	})
}

// confirmReplace shows both files before one replaces the other.
func (m *Model) confirmReplace(path string, data []byte, what string, old *oldFile) {
	m.openList(overList, views.Clip(filepath.Base(path), 40)+" is there already", []item{
		{key: "old", text: fmt.Sprintf("%9d bytes  %s", old.size, old.sha256[:16]), head: true},
		{key: "new", text: fmt.Sprintf("%9d bytes  %s", len(data), digest(data)[:16]), head: true},
		{key: "leave", text: "leave everything as it is", apply: done(func(m *Model) { m.say("nothing was written") })},
		{key: "replace", text: "replace the old file", apply: func(m *Model) tea.Cmd {
			return func() tea.Msg {
				err := files.Write(path, data, true)
				return applyMsg(func(m *Model) tea.Cmd {
					if err != nil {
						m.fail("nothing was written: %v", err)
						return nil
					}
					m.say("replaced %s (%s)", path, files.Size(int64(len(data))))
					return nil
				})
			}
		}},
		{key: "other", text: "write under another name", apply: func(m *Model) tea.Cmd {
			m.ask("write to ", path, func(m *Model, p string) tea.Cmd { return func() tea.Msg { return m.place(p, data, what) } })
			return nil
		}},
	})
}
