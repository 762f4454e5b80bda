package tui

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/files"
	"fxlens/core/pack/carbon"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
	"fxlens/views"
)

// slowAfter is when work begins to say how far it is.
const slowAfter = 200 * time.Millisecond

func slowPlan(gen int) func(time.Time) tea.Msg {
	return func(time.Time) tea.Msg { return planSlowMsg{gen} }
}

// label is a row of a form: a title, a key, and a value.
func label(title, key string, r views.Role, value string) views.Line {
	return views.Line{Ref: views.NoRef, Spans: []views.Span{sp(views.RoleTitle, views.Pad(title, 8)), sp(views.RoleKey, views.Pad(key, 2)), sp(r, value)}}
}

// scopeText says what a choice packages.
func (m *Model) scopeText(c exportChoice) string {
	if paths := c.batch(); paths != nil {
		return "the default permutation of the marked files, one file each: " + plural(len(paths), "package")
	}
	switch c.scope {
	case scopePass:
		ref, _ := m.ref()
		return "pass " + views.Clip(ref.String(), 40) + " of the selected permutation"
	case scopeMarked:
		return "what is marked, one file each: " + plural(len(m.allMarks()), "package")
	case scopeAll:
		return fmt.Sprintf("the whole effect, every body of %d", len(m.sess.Effect.Bodies()))
	}
	if p := c.perm(m.sel.perm); p != m.sel.perm {
		return fmt.Sprintf("permutation %d with all its passes", p)
	}
	return "the selected permutation with " + passesText(len(m.passes))
}

func passesText(n int) string {
	if n == 1 {
		return "its one pass"
	}
	return fmt.Sprintf("all its %d passes", n)
}

var profileText = map[cewgpu.Profile]string{
	cewgpu.Strict:   "strict: what every reader of the format takes",
	cewgpu.Extended: "extended: with what strict cannot carry",
}

var formatText = map[session.Format]string{session.CEWGPU: "CEWGPU package", session.Carbon: "Carbon WebGPU container and its side file"}

var orderText = map[cewgpu.Order]string{cewgpu.CodePoint: "techniques by code point", cewgpu.Root: "techniques as the root collation sorts them (ICU)"}

// choiceLines are the rows of scope, profile, format and order.
func (m *Model) choiceLines(cols int, keyed bool) []views.Line {
	c := m.exportChoice.filled()
	if c.convert {
		return m.convertChoice(cols)
	}
	key := func(k string) string {
		if keyed && !(k == "s" && c.files != "") {
			return k
		}
		return ""
	}
	clip := func(s string) string { return views.Clip(s, cols-10) }
	return []views.Line{
		label("what", key("s"), views.RoleText, clip(m.scopeText(c))),
		label("profile", key("p"), views.RoleText, clip(profileText[c.profile])),
		label("format", key("f"), views.RoleText, clip(formatText[c.format])),
		label("order", key("t"), views.RoleText, clip(orderText[c.order])),
	}
}

// refusedLine names what of the choice cannot be translated.
func (m *Model) refusedLine(cols int) []views.Line {
	var names []string
	for _, i := range m.refusedIn() {
		names = append(names, views.Clip(m.passes[i].String(), 30))
	}
	if len(names) == 0 {
		return nil
	}
	return []views.Line{views.Say(views.RoleWarning, views.Clip("▲ not translated: "+strings.Join(names, ", "), cols-17)+"  (! goes there)")}
}

// planLines say what would be written: chunks and sizes, or why nothing.
func (m *Model) planLines(cols int) []views.Line {
	p := &m.plan
	if !p.ready {
		text := "building…"
		if p.slow && p.step.total > 0 {
			text = fmt.Sprintf("building… %d of %d passes%s", p.step.done, p.step.total, p.rate())
		}
		if n := len(p.items); n > 1 {
			text += fmt.Sprintf(", %d of %d packages", builtItems(p.items), n)
		}
		return []views.Line{views.Say(views.RoleDim, text)}
	}
	var out []views.Line
	for i := range p.items {
		it := &p.items[i]
		switch {
		case len(p.items) > 1:
			out = append(out, batchLine(it, cols))
		case it.out == nil:
			out = append(out, views.Say(views.RoleRefused, "✗ nothing can be written"))
			out = append(out, errorLines(it.err, cols)...)
		default:
			out = append(out, itemPlan(it, cols)...)
		}
	}
	return out
}

// rate is how fast passes are translated, once that can be told.
func (p *plan) rate() string {
	if d := time.Since(p.begun); d > slowAfter && p.step.done > 0 {
		return fmt.Sprintf(", %.0f/s", float64(p.step.done)/d.Seconds())
	}
	return ""
}

func builtItems(items []exportItem) int {
	n := 0
	for i := range items {
		if items[i].state != itemPlanned {
			n++
		}
	}
	return n
}

// batchLine is one file of several.
func batchLine(it *exportItem, cols int) views.Line {
	name := views.Clip(filepath.Base(it.path), max(cols-40, 20))
	switch {
	case it.out == nil:
		return views.Say(views.RoleRefused, views.Clip("✗ "+name+"  "+firstLine(it.err), cols))
	case it.state == itemSame:
		return views.Say(views.RoleDim, "= "+name+"  lies there already")
	case it.old != nil:
		return views.Say(views.RoleWarning, fmt.Sprintf("▲ %s  %d bytes, replaces another", name, len(it.out.Data)))
	}
	return views.Say(views.RoleText, fmt.Sprintf("+ %s  %d bytes", name, len(it.out.Data)))
}

func firstLine(err error) string {
	s, _, _ := strings.Cut(err.Error(), "\n")
	return views.Text(s)
}

// itemPlan is size, digest, chunks and what lies there of one file.
func itemPlan(it *exportItem, cols int) []views.Line {
	out := []views.Line{
		label("size", "", views.RoleText, fmt.Sprintf("%d bytes (%s)", len(it.out.Data), files.Size(int64(len(it.out.Data))))),
		label("SHA-256", "", views.RoleText, views.Clip(it.sum(), cols-10)),
	}
	var chunks []string
	for _, c := range it.out.Report.Chunks {
		chunks = append(chunks, fmt.Sprintf("%s %d", views.Text(c.Tag), c.Size))
	}
	if it.out.Format == session.CEWGPU {
		out = append(out, views.WrapWords(label("chunks", "", views.RoleText, strings.Join(chunks, ", ")), cols, 10)...)
	} else {
		out = append(out, label("side", "", views.RoleText, fmt.Sprintf("%d bytes keep what the container cannot say", len(it.out.Side))))
	}
	switch {
	case it.state == itemSame:
		out = append(out, label("old", "", views.RoleDim, "the file lies there already, byte for byte"))
	case it.old != nil:
		out = append(out, label("old", "▲", views.RoleWarning, views.Clip(fmt.Sprintf("%d bytes, SHA-256 %s", it.old.size, it.old.sha256), cols-10)))
	}
	if it.convert {
		return append(out, lostLines(it, cols)...)
	}
	return append(out, leftOut(it.out.Report, cols)...)
}

// composeExport draws the dialog.
func (m *Model) composeExport(c *canvas) {
	x := m.export
	r := m.overRect()
	hint := map[exportStage]string{
		exPath: "enter write   s p f t choose   n name   esc leave everything", exLooking: "building   esc stops it", exReplace: "y replace   n another name   esc leave everything as it is",
		exWriting: "writing   esc stops before the next file", exDone: "o open it   y copy the path   any other key closes", exFailed: "enter try again   esc close",
	}[x.stage]
	if x.stage == exPath && m.exportChoice.files != "" {
		hint = strings.Replace(hint, " s p f t ", " p f t ", 1)
	}
	if x.stage == exPath && m.exportChoice.convert {
		hint = strings.Replace(hint, "   s p f t choose", "", 1)
	}
	if x.editing {
		hint = "enter write   tab leave the name   esc leave everything"
	}
	cols := r.w - 4
	var lines []views.Line
	if x.stage != exDone && x.stage != exFailed {
		lines = append(lines, m.choiceLines(cols, x.stage == exPath && !x.editing)...)
	}
	lines = append(lines, m.fromLines(cols, x.stage != exDone)...)
	prompt := -1
	if len(m.plan.items) <= 1 {
		key := "n"
		if x.stage != exPath || x.editing {
			key = ""
		}
		if x.editing {
			prompt = len(lines)
		}
		lines = append(lines, label("to", key, views.RoleLink, tail(views.Text(x.path.Value()), cols-10)))
	} else {
		lines = append(lines, label("to", "", views.RoleLink, tail(filepath.Dir(m.plan.items[0].path), cols-10)))
	}
	lines = append(lines, views.Blank())
	fixed := len(lines)
	switch x.stage {
	case exPath, exLooking:
		lines = append(lines, m.refusedLine(cols)...)
		lines = append(lines, m.planLines(cols)...)
	case exReplace:
		lines = append(lines, replaceLines(x.items, cols)...)
	case exWriting:
		lines = append(lines, views.Say(views.RoleDim, fmt.Sprintf("writing… %d of %d", x.done, len(x.items))))
	default:
		lines = append(lines, x.lines...)
	}
	rows := r.h - 2
	if n := len(lines) + 2; n < r.h {
		r.h = n
		rows = n - 2
	}
	// What does not fit is scrolled below the rows that stay.
	if over := len(lines) - rows; over > 0 {
		x.top = min(x.top, over)
		lines = slices.Delete(lines, fixed, fixed+x.top)
		if x.top < over {
			lines[rows-1] = views.Say(views.RoleDim, fmt.Sprintf("↓ %s more", plural(len(lines)-rows+1, "line")))
		}
	} else {
		x.top = 0
	}
	box(c, r, "Export package", hint)
	for i := range min(rows, len(lines)) {
		c.put(r.x+2, r.y+1+i, cols, lines[i].Spans, 0, blank)
		if i == prompt {
			m.composePrompt(c, r.x+2, r.y+1+i, cols, "to        ", &x.path)
		}
	}
}

// fromLines say what is packaged: the file, and with options the permutation's.
func (m *Model) fromLines(cols int, options bool) []views.Line {
	if m.exportChoice.files != "" {
		return []views.Line{label("from", "", views.RoleText, views.Clip(m.opt.Corpus.Name, cols-10))}
	}
	perm := m.exportChoice.perm(m.sel.perm)
	out := []views.Line{label("from", "", views.RoleText, fmt.Sprintf("%s  permutation %d of %d", views.Clip(m.fileName(), 40), perm, m.sess.Permutations()))}
	if p := m.sess.Permutation(perm); p != "" && options {
		out = append(out, views.WrapWords(label("", "", views.RoleDim, strings.ReplaceAll(views.Clip(p, 3*cols), "&", " ")), cols, 10)...)
	}
	return out
}

// tail keeps the end of a path that is too long.
func tail(s string, cols int) string {
	w := views.Width(s)
	if w <= cols {
		return s
	}
	_, rest := views.Cut(s, w-cols+1)
	return "…" + rest
}

// replaceLines asks with both digests.
func replaceLines(items []exportItem, cols int) []views.Line {
	var out []views.Line
	for i := range items {
		it := &items[i]
		if !it.replaces() {
			continue
		}
		if len(items) > 1 {
			out = append(out, views.Say(views.RoleText, views.Clip(filepath.Base(it.path), cols)))
		}
		old := it.old
		if old == nil {
			old = it.oldSide
			out = append(out, views.Say(views.RoleWarning, "▲ another side file lies there"))
		}
		out = append(out, label("old", "", views.RoleText, views.Clip(fmt.Sprintf("%9d bytes  %s", old.size, old.sha256), cols-10)),
			label("new", "", views.RoleText, views.Clip(fmt.Sprintf("%9d bytes  %s", len(it.out.Data), it.sum()), cols-10)))
	}
	head := "▲ another file lies there. Replace it?"
	if len(items) > 1 {
		head = "▲ other files lie there. Replace them?"
	}
	return append([]views.Line{views.Say(views.RoleWarning, head)}, out...)
}

// itemLines says what became of a file.
func (m *Model) itemLines(it *exportItem, cols int, alone bool) []views.Line {
	var out []views.Line
	name := views.Clip(filepath.Base(it.path), 60)
	switch it.state {
	case itemFailed:
		if !alone {
			out = append(out, views.Say(views.RoleRefused, "✗ "+name))
		}
		return append(out, errorLines(it.err, cols)...)
	case itemSame:
		out = append(out, views.Say(views.RoleOK, "✓ the file holds exactly this package already; nothing was written"))
	case itemWritten:
		out = append(out, views.Say(views.RoleOK, "✓ written, read back and checked by the strict reader"))
	}
	if !alone {
		out[0] = views.Say(views.RoleOK, "✓ "+name+map[itemState]string{itemSame: "  is this already"}[it.state])
		return append(out, views.Say(views.RoleDim, fmt.Sprintf("  %d bytes  %s", len(it.out.Data), it.sum())))
	}
	out = append(out, doneLines(len(it.out.Data), it.sum())...)
	if side := it.side(); side != "" {
		out = append(out, views.Say(views.RoleText, fmt.Sprintf("side file %s keeps what the container cannot say (%d entries)", views.Clip(filepath.Base(side), 40), len(it.out.Lost))))
	}
	if it.convert {
		return append(out, lostLines(it, cols)...)
	}
	return append(out, leftOut(it.out.Report, cols)...)
}

// leftOut names the passes and bodies that a package has no modules of.
func leftOut(r *cewgpu.Report, cols int) []views.Line {
	var out []views.Line
	for _, p := range r.Passes {
		if p.Reason != "" {
			out = append(out, views.Say(views.RoleWarning, views.Clip("▲ pass "+views.Clip(p.Key, 40)+" is not in it: "+views.Text(p.Reason), cols)))
		}
	}
	for _, b := range r.Bodies {
		if !b.Translated {
			out = append(out, views.Say(views.RoleWarning, views.Clip(fmt.Sprintf("▲ %s (%s) is not in it: %s", views.Text(b.Key), plural(b.Permutations, "permutation"), views.Text(b.Reason)), cols)))
		}
	}
	return out
}

// errorLines shows why there is no package, every reason with its remedy.
func errorLines(err error, cols int) []views.Line {
	var be *cewgpu.BuildError
	var ce *carbon.ConvertError
	var out []views.Line
	switch {
	case errors.As(err, &be):
		for i := range be.Findings {
			d := be.Findings[i].Diag()
			out = append(out, views.Detail(&d, i, len(be.Findings), cols)...)
		}
	case errors.As(err, &ce):
		for i := range ce.Findings {
			out = append(out, views.Detail(&ce.Findings[i], i, len(ce.Findings), cols)...)
		}
	default:
		text := err.Error()
		if errors.Is(err, fs.ErrPermission) {
			text += "; choose a folder that you may write to"
		}
		out = append(out, views.WrapWords(views.Say(views.RoleText, views.Text(text)), cols, 0)...)
	}
	return out
}
