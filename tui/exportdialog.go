package tui

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/compile"
	"fxlens/core/files"
	"fxlens/core/pack/carbon"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
	"fxlens/views"
)

// exportScope says what is packaged.
type exportScope uint8

const (
	scopePerm   exportScope = iota // the selected permutation with all its passes
	scopePass                      // its selected pass
	scopeMarked                    // what is marked: one file for each
	scopeAll                       // every body of the effect
	numScopes   = iota
)

// exportChoice is what is remembered from one export to the next.
type exportChoice struct {
	scope   exportScope
	profile cewgpu.Profile
	format  session.Format
	order   cewgpu.Order // of techniques
	dir     string       // folder that the user named, absolute; empty: Options.ExportDir
	// other is the permutation that scopePerm means, counted from 1; 0 is the selected one.
	other int
	// files are those of the folder that are packaged instead of the open one, one package
	// each; see batch.
	files string
	// convert: the open file is a package, and its other container is written.
	convert bool
}

// perm is the permutation that is packaged.
func (c exportChoice) perm(selected int) int {
	if c.scope == scopePerm && c.other > 0 {
		return c.other - 1
	}
	return selected
}

func (c exportChoice) filled() exportChoice {
	if c.profile == "" {
		c.profile = cewgpu.Strict
	}
	if c.format == "" {
		c.format = session.CEWGPU
	}
	if c.order == "" {
		c.order = cewgpu.CodePoint
	}
	return c
}

// exportItem is one file that is planned, built and written.
type exportItem struct {
	perm    int
	passes  []session.PassRef // none: all
	convert bool              // the open file is a package: its other container
	file    string            // of the folder, which is opened for it; empty: the open one
	source  string            // name of that file once it was opened
	mode    cewgpu.Mode
	what    string
	path    string

	out     *session.Exported
	err     error    // why there is none, or why it was not written
	old     *oldFile // what lies at the path
	oldSide *oldFile // and at that of a container's side file
	state   itemState
}

type itemState uint8

const (
	itemPlanned itemState = iota
	itemBuilt
	itemSame    // the file holds it already
	itemWritten // and read back
	itemFailed
)

// sum is the SHA-256 of what was built.
func (it *exportItem) sum() string { return digest(it.out.Data) }

// side is where a container's side file goes, or empty.
func (it *exportItem) side() string {
	if it.out == nil || it.out.Format != session.Carbon {
		return ""
	}
	return it.path + session.SideSuffix
}

// same reports whether the folder holds all of the item already.
func (it *exportItem) same() bool {
	if it.old == nil || it.old.sha256 != it.sum() {
		return false
	}
	return it.side() == "" || it.oldSide != nil && it.oldSide.sha256 == digest(it.out.Side)
}

// replaces reports whether writing changes a file that is there.
func (it *exportItem) replaces() bool {
	return it.state == itemBuilt && (it.old != nil || it.oldSide != nil)
}

// plan is what would be written for a choice, built in the background.
type plan struct {
	of    planKey
	items []exportItem
	step  buildStep // how far the build is
	ready bool
	slow  bool
	begun time.Time
	job   job
}

// planKey tells whether a plan is of what is selected now.
type planKey struct {
	sess       *session.Session
	perm, node int
	choice     exportChoice
	marks      string
}

// buildStep is how far a build is: items that are there, and passes of the next one.
type buildStep struct {
	items       []exportItem
	done, total int
}

type (
	plannedMsg struct{ report[buildStep] }
	lookedMsg  struct {
		gen   int
		items []exportItem
	}
	writtenMsg  struct{ report[buildStep] }
	planSlowMsg struct{ gen int }
)

// choiceItems lists the files of a choice, without building them.
func (m *Model) choiceItems(c exportChoice) []exportItem {
	ext := "." + string(c.format)
	if c.format == session.Carbon {
		ext = ".carbonwebgpu"
	}
	if paths := c.batch(); paths != nil {
		return m.batchItems(paths, ext)
	}
	if c.convert {
		return []exportItem{m.convertItem()}
	}
	base := m.exportBase()
	perm := ""
	if m.sess.Permutations() > 1 {
		perm = fmt.Sprintf(".%d", c.perm(m.sel.perm))
	}
	ref, _ := m.ref()
	switch c.scope {
	case scopePass:
		return []exportItem{{perm: m.sel.perm, passes: []session.PassRef{ref}, mode: cewgpu.Selected, what: "pass " + ref.String(), path: base + perm + passName(ref) + ext}}
	case scopeAll:
		return []exportItem{{perm: m.sel.perm, mode: cewgpu.All, what: "the whole effect", path: base + ".all" + ext}}
	case scopeMarked:
		var out []exportItem
		for _, k := range m.allMarks() {
			it := exportItem{perm: k.perm, mode: cewgpu.Selected, what: fmt.Sprintf("permutation %d", k.perm), path: fmt.Sprintf("%s.%d%s", base, k.perm, ext)}
			if !k.whole {
				it.passes = []session.PassRef{k.ref}
				it.what += ", pass " + k.ref.String()
				it.path = fmt.Sprintf("%s.%d%s%s", base, k.perm, passName(k.ref), ext)
			}
			out = append(out, it)
		}
		return out
	}
	what := "the selected permutation"
	if c.perm(m.sel.perm) != m.sel.perm {
		what = fmt.Sprintf("permutation %d", c.perm(m.sel.perm))
	}
	return []exportItem{{perm: c.perm(m.sel.perm), mode: cewgpu.Selected, what: what, path: base + perm + ext}}
}

// passName is a pass in a file name: letters and digits of the technique, and the pass.
func passName(r session.PassRef) string {
	name := strings.Map(func(c rune) rune {
		if c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			return c
		}
		return '_'
	}, r.Technique)
	if len(name) > 64 {
		name = name[:64]
	}
	if r.Nth > 0 {
		name += fmt.Sprintf("-%d", r.Nth+1)
	}
	return fmt.Sprintf(".%s.%d", name, r.Pass)
}

// wantPlan builds what the choice would write, where that is not there already.
func (m *Model) wantPlan() tea.Cmd {
	p := &m.plan
	key := planKey{m.sess, m.sel.perm, m.sel.node, m.exportChoice.filled(), m.marksKey()}
	if key.choice.scope == scopePerm || key.choice.scope == scopeAll {
		key.node = 0
	}
	var open opener
	if key.choice.convert {
		key.perm, key.node, key.marks = 0, 0, ""
	}
	if key.choice.files != "" {
		key.sess, key.perm, key.node, key.marks = nil, 0, 0, ""
		open = m.opt.Corpus.Open
	}
	if p.of == key && (p.ready || p.job.on) {
		return nil
	}
	ctx, gen := p.job.next(m.ctx)
	*p = plan{of: key, job: p.job, items: m.choiceItems(key.choice), begun: time.Now()}
	items := slices.Clone(p.items)
	path := m.opt.Path
	s, version, format, profile, order := m.sess, m.opt.Version, key.choice.format, key.choice.profile, key.choice.order
	build := start(ctx, gen, func(ctx context.Context, see func(buildStep)) (buildStep, error) {
		for i := range items {
			it := &items[i]
			from, err := it.opened(ctx, s, open)
			if err != nil {
				it.err, it.state = err, itemFailed
				see(buildStep{items: slices.Clone(items)})
				continue
			}
			if it.convert {
				it.convertOf(ctx, from, path, version)
			} else {
				it.out, it.err = from.Export(ctx, format, session.PackageOptions{Perm: it.perm, Passes: it.passes, Mode: it.mode, Profile: profile, Order: order, Version: version,
					Progress: func(done, total int) { see(buildStep{slices.Clone(items), done, total}) }})
			}
			if ctx.Err() != nil {
				return buildStep{}, ctx.Err()
			}
			it.state = itemBuilt
			if it.err != nil {
				it.state = itemFailed
			} else {
				it.look()
			}
			see(buildStep{items: slices.Clone(items)})
		}
		return buildStep{items: items}, nil
	}, func(r report[buildStep]) tea.Msg { return plannedMsg{r} })
	return tea.Batch(build, m.tick(slowAfter, slowPlan(gen)))
}

// look notes what lies at the paths of a built item.
func (it *exportItem) look() {
	it.old, it.oldSide = nil, nil
	old, err := look(it.path)
	if err == nil && it.side() != "" {
		it.oldSide, err = look(it.side())
	}
	switch it.old = old; {
	case err != nil:
		it.err, it.state = err, itemFailed
	case it.same():
		it.state = itemSame
	default:
		it.state = itemBuilt
	}
}

func (m *Model) planned(msg plannedMsg) tea.Cmd {
	p := &m.plan
	if msg.gen != p.job.gen {
		return nil
	}
	m.dirty = true
	p.step = msg.of
	if msg.of.items != nil {
		p.items = msg.of.items
	}
	if !msg.done {
		return msg.next
	}
	p.job.on, p.ready = false, true
	if x := m.export; x != nil && x.stage == exLooking && m.exporting() {
		return m.exportLook()
	}
	return nil
}

// exportStage is how far an export is.
type exportStage uint8

const (
	exPath    exportStage = iota // choices and path can be changed
	exLooking                    // Enter was pressed: what is missing is built, and what lies there looked at
	exReplace                    // something else lies there: replace it?
	exWriting
	exDone
	exFailed
)

// exporter is the dialog that writes packages. Nothing is written before the user has
// seen the path, and nothing replaced before both digests were shown.
type exporter struct {
	stage   exportStage
	path    textinput.Model // of the only file
	editing bool            // the path has the keyboard
	items   []exportItem    // from Enter on
	job     job
	done    int          // files written so far
	lines   []views.Line // what happened
	top     int          // first line shown
}

func (m *Model) exporting() bool { return m.over != nil && m.over.kind == overExport }

func newExporter() *exporter {
	in := textinput.New()
	in.Prompt = ""
	in.CharLimit = 4096
	in.Focus()
	return &exporter{path: in}
}

// openExport shows what would be written and where.
func (m *Model) openExport() tea.Cmd { return m.openExportOf(0) }

// openExportOf is openExport for a permutation, counted from 1; 0 is the selected one.
func (m *Model) openExportOf(other int) tea.Cmd {
	m.exportChoice = m.exportChoice.ofOpen()
	m.exportChoice.other = other
	return m.openDialog()
}

// openDialog shows the dialog for what was chosen.
func (m *Model) openDialog() tea.Cmd {
	m.export = newExporter()
	m.over = newOverlay(overExport, "Export package", "")
	m.exportChoice = m.exportChoice.filled()
	if m.exportChoice.scope == scopeMarked && len(m.allMarks()) == 0 {
		m.exportChoice.scope = scopePerm
	}
	m.dirty = true
	return m.exportChosen()
}

// exportScoped is openExport with a scope.
func (m *Model) exportScoped(scope exportScope) tea.Cmd {
	m.exportChoice.scope = scope
	return m.openExport()
}

// exportAgain writes the last choice with one key.
func (m *Model) exportAgain() tea.Cmd {
	cmd := m.openExport()
	return tea.Batch(cmd, m.exportEnter())
}

// exportChosen follows a change of the choice.
func (m *Model) exportChosen() tea.Cmd {
	cmd := m.wantPlan()
	if x := m.export; len(m.plan.items) == 1 {
		x.path.SetValue(m.plan.items[0].path)
		x.path.CursorEnd()
	} else {
		x.editing = false
	}
	return cmd
}

// exportKey handles keys in the dialog. Esc at any moment leaves the folder as it was:
// writing itself is one rename.
func (m *Model) exportKey(k tea.KeyMsg) tea.Cmd {
	x := m.export
	name := keyName(k)
	if name == "esc" || name == "ctrl+c" {
		if x.stage == exWriting {
			x.job.cancel() // no further file is begun; that of the moment is one rename away
			return nil
		}
		m.closeExport()
		return nil
	}
	switch x.stage {
	case exPath:
		return m.exportPathKey(k, name)
	case exReplace:
		switch name {
		case "y", "Y":
			return m.exportWrite()
		case "n", "N", "enter":
			x.stage = exPath
		}
	case exDone, exFailed:
		switch name {
		case "y":
			m.over = nil
			return m.yank(m.writtenPath(), "path")
		case "o":
			if p := m.writtenPath(); p != "" {
				m.closeExport()
				return m.openFile(p)
			}
		case "down", "j":
			x.top = min(x.top+1, max(len(x.lines)-1, 0))
		case "up", "k":
			x.top = max(x.top-1, 0)
		case "!":
			return m.exportReasons()
		case "enter":
			if x.stage == exFailed {
				x.stage, x.lines, x.top = exPath, nil, 0
				return nil
			}
			m.over = nil
		default:
			if x.stage == exDone {
				m.over = nil
			}
		}
	}
	return nil
}

func (m *Model) closeExport() {
	m.export.job.stop()
	if m.screen == nil || m.screen.where() != inPackage {
		if !m.plan.ready {
			m.plan.job.stop()
			m.plan.of = planKey{}
		}
	}
	m.over = nil
}

// writtenPath is the first file that is there now, or empty.
func (m *Model) writtenPath() string {
	for i := range m.export.items {
		if it := &m.export.items[i]; it.state == itemWritten || it.state == itemSame {
			return it.path
		}
	}
	return ""
}

// exportPathKey handles keys while choices and path can be changed.
func (m *Model) exportPathKey(k tea.KeyMsg, name string) tea.Cmd {
	x, c := m.export, &m.exportChoice
	switch {
	case name == "enter":
		return m.exportEnter()
	case name == "tab":
		x.editing = !x.editing && len(m.plan.items) == 1
	case x.editing:
		if k.Type == tea.KeyRunes {
			k.Runes = []rune(strings.Map(func(r rune) rune {
				if r < ' ' {
					return -1
				}
				return r
			}, string(k.Runes)))
		}
		x.path, _ = x.path.Update(k)
	case name == "n":
		x.editing = len(m.plan.items) == 1
	case c.convert && strings.Contains("sSptf", name):
		return nil // there is nothing to choose
	case name == "s" || name == "S":
		if c.files != "" {
			return nil // the files were chosen before
		}
		n := exportScope(1)
		if name == "S" {
			n = numScopes - 1
		}
		for {
			c.scope = (c.scope + n) % numScopes
			if m.whyNoScope(c.scope) == "" {
				break
			}
		}
		return m.exportChosen()
	case name == "p":
		if c.profile == cewgpu.Strict {
			c.profile = cewgpu.Extended
		} else {
			c.profile = cewgpu.Strict
		}
		return m.exportChosen()
	case name == "t":
		if c.order == cewgpu.Root {
			c.order = cewgpu.CodePoint
		} else {
			c.order = cewgpu.Root
		}
		return m.exportChosen()
	case name == "f":
		if c.format == session.CEWGPU {
			c.format = session.Carbon
		} else {
			c.format = session.CEWGPU
		}
		return m.exportChosen()
	case name == "!":
		return m.exportReasons()
	case name == "down" || name == "j":
		x.top++
	case name == "up" || name == "k":
		x.top = max(x.top-1, 0)
	}
	return nil
}

// whyNoScope says why a scope cannot be chosen.
func (m *Model) whyNoScope(s exportScope) string {
	if s == scopeMarked && len(m.allMarks()) == 0 {
		return "nothing is marked"
	}
	if s == scopePerm { // always there
		return ""
	}
	if s == scopePass && len(m.passes) < 2 {
		return "there is one pass"
	}
	return ""
}

// exportReasons leaves the dialog for the first refusal in its scope.
func (m *Model) exportReasons() tea.Cmd {
	ref := m.refusedIn()
	if len(ref) == 0 {
		return nil
	}
	m.closeExport()
	m.record()
	if m.screen != nil {
		m.showScreen(nil)
	}
	for k := range m.diags {
		if m.origins[k].node == ref[0] {
			m.diagAt = k
			return m.goDiagHere()
		}
	}
	return m.setStage(ref[0], -1)
}

// exportEnter writes: as soon as the plan is built and nothing has to be asked.
func (m *Model) exportEnter() tea.Cmd {
	x := m.export
	if len(m.plan.items) == 1 && strings.TrimSpace(x.path.Value()) == "" {
		m.fail("name a file first")
		return nil
	}
	x.stage, x.editing = exLooking, false
	if !m.plan.ready {
		return nil // planned goes on
	}
	return m.exportLook()
}

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

// exportMsg takes the answers of the dialog's commands.
func (m *Model) exportMsg(msg tea.Msg) tea.Cmd {
	if m.export == nil || !m.exporting() {
		if w, ok := msg.(writtenMsg); ok && w.next != nil {
			return w.next
		}
		return nil
	}
	m.dirty = true
	switch msg := msg.(type) {
	case lookedMsg:
		return m.exportLooked(msg)
	case writtenMsg:
		return m.exportWritten(msg)
	}
	return nil
}

// refusedIn lists the passes of the permutation that the choice packages and that cannot
// be translated, as far as they are known.
func (m *Model) refusedIn() []int {
	var out []int
	if m.exportChoice.files != "" || m.exportChoice.convert || m.exportChoice.perm(m.sel.perm) != m.sel.perm {
		return nil // what is refused there is not known here
	}
	for i := range m.passes {
		if m.exportChoice.scope == scopePass && i != m.sel.node {
			continue
		}
		k, _ := m.key(m.sel.perm, i)
		if v := m.cache[k]; v != nil && v.pass != nil && v.pass.Status != compile.Translated {
			out = append(out, i)
		}
	}
	return out
}
