package tui

import (
	"fmt"
	"path/filepath"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/compile"
	"fxlens/core/files"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
	"fxlens/views"
)

// packageScreen shows what would be written for the choice of scope, profile and format:
// chunk by chunk with sizes, the coverage of passes and bodies, what sharing saves and
// what the validator says. The package is built for it, so that the numbers are those
// of the file.
type packageScreen struct {
	line, top int
	body      rect
	lines     []views.Line   // what is shown, laid out anew when the plan changes
	rows      []packageRow   // what each line stands for
	stored    *cewgpu.Report // of the opened package
}

// packageRow is what a line can be asked for.
type packageRow struct {
	pass int // index into the passes, or -1
}

func packageActions() []action {
	on := func(f func(s *packageScreen, m *Model) tea.Cmd) func(m *Model) tea.Cmd {
		return func(m *Model) tea.Cmd {
			s, _ := m.screens[inPackage].(*packageScreen)
			return f(s, m)
		}
	}
	choose := func(key string) func(m *Model) tea.Cmd {
		return func(m *Model) tea.Cmd { return m.packageChoose(key) }
	}
	return []action{
		{ID: "package", Keys: []string{"f4", "K"}, In: inEvery, Group: "Screens", Help: "the Package screen: what would be written, chunk by chunk; of an opened package what it has", Why: (*Model).whyNoPackageScreen, Do: func(m *Model) tea.Cmd {
			return m.goScreen(inPackage, func() screen { return &packageScreen{} })
		}},
		{ID: "package-pass", Keys: []string{"e"}, In: inPackage, Group: "Package", Help: "export the selected pass", Bar: "export pass", Why: (*Model).whyNoExport, Do: func(m *Model) tea.Cmd { return m.exportScoped(m.passScope()) }},
		{ID: "package-all", Keys: []string{"E"}, In: inPackage, Group: "Package", Help: "export the whole effect, every body", Bar: "whole effect", Why: (*Model).whyNoExport, Do: func(m *Model) tea.Cmd { return m.exportScoped(scopeAll) }},
		{ID: "package-marked", Keys: []string{"x"}, In: inPackage, Group: "Package", Help: "export what is marked, one package each", Bar: "marked", Why: (*Model).whyNoMarked, Do: func(m *Model) tea.Cmd { return m.exportScoped(scopeMarked) }},
		{ID: "package-write", Keys: []string{"enter"}, In: inPackage, Group: "Package", Help: "export what is shown; on a pass: select it; an opened package: convert it", Bar: "write", Why: (*Model).whyNoWrite, Do: on((*packageScreen).enter)},
		{ID: "package-scope", Keys: []string{"s"}, In: inPackage, Group: "Package", Help: "what is packaged: the permutation, the pass, what is marked, the whole effect", Bar: "scope", Why: (*Model).whyNoExport, Do: choose("s")},
		{ID: "package-profile", Keys: []string{"p"}, In: inPackage, Group: "Package", Help: "profile: strict or extended", Bar: "profile", Why: (*Model).whyNoExport, Do: choose("p")},
		{ID: "package-format", Keys: []string{"f"}, In: inPackage, Group: "Package", Help: "format: CEWGPU or Carbon; of an opened package: convert it to the other one", Bar: "format", Why: (*Model).whyNoWrite, Do: func(m *Model) tea.Cmd {
			if m.isPackage() {
				return m.openConvert()
			}
			return m.packageChoose("f")
		}},
		{ID: "package-order", Keys: []string{"t"}, In: inPackage, Group: "Package", Help: "order of the techniques: by code point, or as the root collation (ICU)", Why: (*Model).whyNoExport, Do: choose("t")},
		{ID: "package-mark", Keys: []string{" "}, In: inPackage, Group: "Package", Help: "mark the pass under the cursor for export, or take the mark away", Bar: "mark", Why: (*Model).whyNoPackagePass, Do: on((*packageScreen).mark)},
		{ID: "package-mark-whole", Keys: []string{"*"}, In: inPackage, Group: "Package", Help: "mark the selected permutation for export, or take the mark away", Why: (*Model).whyNoExport, Do: func(m *Model) tea.Cmd {
			m.toggleMark(exportMark{perm: m.sel.perm, whole: true})
			return m.wantPlan()
		}},
		{ID: "package-refused", Keys: []string{"!"}, In: inPackage, Group: "Package", Help: "go to the first refusal in the scope", Why: (*Model).whyNoRefused, Do: (*Model).exportReasons},
		{ID: "package-open", Keys: []string{"o"}, In: inPackage, Group: "Package", Help: "open the package that was written last", Bar: "open", Why: (*Model).whyNoWritten, Do: func(m *Model) tea.Cmd { return m.openFile(m.written) }},
	}
}

// passScope is the scope of one pass, or the permutation where it has but one.
func (m *Model) passScope() exportScope {
	if len(m.passes) < 2 {
		return scopePerm
	}
	return scopePass
}

// packageChoose is a key of the dialog on the screen.
func (m *Model) packageChoose(key string) tea.Cmd {
	m.exportChoice = m.exportChoice.filled()
	m.export = newExporter()
	return m.exportPathKey(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(key)}, key)
}

func (m *Model) whyNoMarked() string {
	if why := m.whyNoExport(); why != "" {
		return why
	}
	return m.whyNoScope(scopeMarked)
}

func (m *Model) whyNoRefused() string {
	if len(m.refusedIn()) == 0 {
		return "nothing in the scope is refused, as far as is known"
	}
	return ""
}

func (m *Model) whyNoWritten() string {
	if m.written == "" {
		return "nothing was written in this visit"
	}
	return ""
}

func (m *Model) whyNoPackagePass() string {
	s, ok := m.screens[inPackage].(*packageScreen)
	if !ok || s.row().pass < 0 {
		return "the cursor is on no pass"
	}
	return ""
}

func (s *packageScreen) where() where { return inPackage }
func (s *packageScreen) name() string { return "Package" }

func (s *packageScreen) show(m *Model) tea.Cmd {
	s.lines, m.exportChoice = nil, m.exportChoice.ofOpen()
	if m.isPackage() {
		return nil
	}
	return m.wantPlan()
}

func (s *packageScreen) stop() {}

func (s *packageScreen) row() packageRow {
	if s.line >= 0 && s.line < len(s.rows) {
		return s.rows[s.line]
	}
	return packageRow{pass: -1}
}

func (s *packageScreen) mark(m *Model) tea.Cmd {
	m.toggleMark(exportMark{perm: m.sel.perm, ref: m.passes[s.row().pass]})
	return m.wantPlan()
}

// enter selects the pass under the cursor, or opens the dialog.
func (s *packageScreen) enter(m *Model) tea.Cmd {
	if m.isPackage() {
		return m.openConvert()
	}
	if i := s.row().pass; i >= 0 {
		m.record()
		return tea.Batch(m.setStage(i, -1), m.wantPlan())
	}
	return m.openExport()
}

// layout makes the lines of what would be written.
func (s *packageScreen) layout(m *Model, cols int) {
	s.lines, s.rows = nil, nil
	add := func(ls ...views.Line) {
		for _, l := range ls {
			s.lines, s.rows = append(s.lines, l), append(s.rows, packageRow{pass: -1})
		}
	}
	head := func(text string) { add(views.Blank(), views.Say(views.RoleTitle, text)) }
	if m.isPackage() {
		s.layoutStored(m, cols, add, head)
		return
	}
	add(m.choiceLines(cols, true)...)
	p := &m.plan
	if len(p.items) == 1 {
		add(label("to", "", views.RoleLink, tail(views.Text(p.items[0].path), cols-10)))
	}
	if !p.ready {
		add(views.Blank())
		add(m.planLines(cols)...)
		s.passes(m, add, head)
		return
	}
	if len(p.items) != 1 {
		head("Packages")
		add(m.planLines(cols)...)
		return
	}
	it := &p.items[0]
	if it.out == nil {
		head("Nothing can be written")
		add(errorLines(it.err, cols)...)
		s.passes(m, add, head)
		return
	}
	r := it.out.Report
	add(label("size", "", views.RoleText, fmt.Sprintf("%d bytes (%s)   SHA-256 %s", len(it.out.Data), files.Size(int64(len(it.out.Data))), views.Clip(it.sum(), max(cols-50, 8)))))
	if it.old != nil {
		add(itemPlan(it, cols)[2:3]...)
	}
	head(chunkTitle(it))
	add(chunkLines(r.Chunks, cols)...)
	s.passes(m, add, head)
	s.coverage(r, cols, add, head)
	head("Validation")
	if len(r.Findings) == 0 {
		add(views.Say(views.RoleOK, "✓ read back by the strict reader, no findings"))
	}
	for i := range r.Findings {
		d := r.Findings[i].Diag()
		add(views.Detail(&d, i, len(r.Findings), cols)...)
	}
	if it.out.Format == session.Carbon {
		head("What the container cannot say, kept in " + views.Clip(filepath.Base(it.side()), 60))
		for i := range it.out.Lost {
			add(views.Say(views.RoleDim, views.Clip(it.out.Lost[i].String(), cols)))
		}
	}
}

func chunkTitle(it *exportItem) string {
	if it.out.Format == session.Carbon {
		return "Chunks of the package that the container is made of"
	}
	return "Chunks"
}

// passes lists the passes of the permutation with what becomes of each.
func (s *packageScreen) passes(m *Model, add func(...views.Line), head func(string)) {
	c := m.exportChoice.filled()
	if c.scope == scopeMarked {
		return
	}
	head("Passes of the selected permutation")
	for i, ref := range m.passes {
		g, role, text := "…", views.RoleDim, "not looked at yet"
		k, _ := m.key(m.sel.perm, i)
		if v := m.cache[k]; v != nil && v.pass != nil {
			g, role = views.StatusGlyph(true, v.pass.Status)
			text = v.pass.Status.String()
			if v.pass.Status == compile.Translated {
				n := 0
				for _, st := range v.pass.Stages {
					if st.Module != nil {
						n += len(st.Module.Code)
					}
				}
				text = fmt.Sprintf("%s, %d bytes of WGSL", plural(len(v.pass.Stages), "stage"), n)
				if c.scope == scopePass && i != m.sel.node {
					role, text = views.RoleDim, text+"; not in the scope"
				}
			}
		}
		mark := "  "
		if slices.Contains(m.picks, exportMark{perm: m.sel.perm, ref: ref}) {
			mark = "* "
		}
		add(views.Line{Ref: views.NoRef, Spans: []views.Span{sp(views.RoleKey, mark), sp(role, g+" "), sp(views.RoleName, views.Pad(views.Clip(ref.String(), 30), 30)), sp(role, "  "+text)}})
		s.rows[len(s.rows)-1].pass = i
	}
}

// chunkLines is a row for each chunk with a bar of its share.
func chunkLines(chunks []cewgpu.ChunkSize, cols int) []views.Line {
	total, most := 0, 1
	for _, c := range chunks {
		total += c.Size
		most = max(most, c.Size)
	}
	room := min(max(cols-34, 0), 60)
	var out []views.Line
	for _, c := range chunks {
		out = append(out, views.Line{Ref: views.NoRef, Spans: []views.Span{
			sp(views.RoleName, views.Pad(views.Clip(c.Tag, 8), 8)), sp(views.RoleLiteral, fmt.Sprintf("%10d", c.Size)), sp(views.RoleDim, fmt.Sprintf(" %6s  ", percent(c.Size, total))),
			sp(views.RoleNote, bar(c.Size, most, room))}})
	}
	return out
}

// bar is a horizontal bar of n of most in cols cells; what is there at all has a cell.
func bar(n, most, cols int) string {
	k := int(int64(n) * int64(cols) / int64(max(most, 1)))
	if n > 0 {
		k = max(k, 1)
	}
	var b []byte
	for range min(k, cols) {
		b = append(b, "█"...)
	}
	return string(b)
}

func percent(n, of int) string {
	if of <= 0 {
		return "0%"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(n)/float64(of))
}

// bodyLines is the coverage: how many bodies have modules, and why the others have not.
func bodyLines(r *cewgpu.Report, cols int) []views.Line {
	n, perms, all := 0, 0, 0
	for _, b := range r.Bodies {
		all += b.Permutations
		if b.Translated {
			n++
			perms += b.Permutations
		}
	}
	role, g := views.RoleOK, "✓"
	if n < len(r.Bodies) {
		role, g = views.RoleWarning, "▲"
	}
	out := []views.Line{views.Say(role, fmt.Sprintf("%s %d of %d bodies have modules, for %d of %d permutations", g, n, len(r.Bodies), perms, all))}
	for _, b := range r.Bodies {
		if !b.Translated {
			out = append(out, views.Say(views.RoleWarning, views.Clip(fmt.Sprintf("✗ %s, %s: %s", views.Text(b.Key), plural(b.Permutations, "permutation"), views.Text(b.Reason)), cols)))
		}
	}
	return out
}

func (s *packageScreen) compose(m *Model, c *canvas, body rect) {
	s.body = body
	s.layout(m, body.w-3)
	s.settle()
	for y := range body.h {
		i := s.top + y
		if i >= len(s.lines) {
			c.put(body.x, body.y+y, body.w, nil, 0, blank)
			continue
		}
		mark, e := "  ", views.EmphNone
		if i == s.line {
			mark, e = "> ", views.EmphRow
		}
		spans := append([]views.Span{{Role: views.RoleKey, Emph: e, Text: mark}}, s.lines[i].Spans...)
		for k := range spans {
			spans[k].Emph = e
		}
		c.put(body.x, body.y+y, body.w, spans, 0, views.Span{Role: views.RoleText, Emph: e})
	}
}

func (s *packageScreen) settle() {
	s.line = min(max(s.line, 0), max(len(s.lines)-1, 0))
	s.top = min(max(s.top, s.line-s.body.h+1, 0), s.line)
	if n := len(s.lines); s.top > max(n-s.body.h, 0) {
		s.top = max(n-s.body.h, 0)
	}
}

func (s *packageScreen) panel(m *Model, cols int) (string, []views.Line) {
	if i := s.row().pass; i >= 0 && i < len(m.passes) {
		var out []views.Line
		k, _ := m.key(m.sel.perm, i)
		if v := m.cache[k]; v != nil && v.pass != nil {
			for _, d := range m.sess.Diags(m.sel.perm, m.passes[i], v.pass) {
				g, role := views.SeverityGlyph(d.Sev)
				out = append(out, views.Say(role, views.Clip(g+" "+string(d.Code)+"  "+views.Text(d.Text), cols)))
			}
		}
		if len(out) == 0 {
			out = append(out, views.Say(views.RoleDim, "no diagnostics"))
		}
		return "pass " + views.Clip(m.passes[i].String(), 40), out
	}
	if m.isPackage() {
		text := "This is what the opened package has."
		if m.sess.Converts() != "" {
			text += " f converts it to the other container."
		}
		return "package", []views.Line{views.Say(views.RoleDim, text)}
	}
	lines := m.refusedLine(cols)
	if len(lines) == 0 {
		lines = []views.Line{views.Say(views.RoleDim, "Enter writes what is shown; e the pass, E the whole effect, x what is marked.")}
	}
	return "package", lines
}

func (s *packageScreen) place(m *Model) string {
	if p := m.plan.items; len(p) == 1 && !m.isPackage() {
		return filepath.Base(p[0].path)
	}
	return m.fileName()
}

func (s *packageScreen) status(m *Model) []views.Span {
	var out []views.Span
	add := func(format string, args ...any) {
		out = append(out, sp(views.RoleStatus, fmt.Sprintf(format, args...)+"  "))
	}
	if m.plan.job.on {
		add("building %d of %d passes%s  esc stops", m.plan.step.done, m.plan.step.total, m.plan.rate())
	}
	if n := len(m.allMarks()); n > 0 {
		add("* %d marked", n)
	}
	return out
}

func (s *packageScreen) page(*Model) int { return max(s.body.h-1, 1) }

func (s *packageScreen) move(_ *Model, n int) {
	s.line += n
	s.settle()
}

func (s *packageScreen) click(_ *Model, _, y int) tea.Cmd {
	s.line = s.top + y - s.body.y
	s.settle()
	return nil
}

func (s *packageScreen) escape(m *Model) bool {
	if m.plan.job.on {
		m.plan.job.stop()
		m.plan.of = planKey{}
		m.say("stopped; s, p or f build again")
		return true
	}
	return false
}

func (s *packageScreen) update(*Model, screenMsg) tea.Cmd { return nil }

func (s *packageScreen) spot() any { return s.line }

func (s *packageScreen) goSpot(_ *Model, at any) { s.line, _ = at.(int); s.lines = nil }
