package tui

import (
	"strings"

	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/compile"
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

// exportReasons goes to the first refusal in the scope, from the dialog or from the
// Package screen.
func (m *Model) exportReasons() tea.Cmd {
	ref := m.refusedIn()
	if len(ref) == 0 {
		return nil
	}
	if m.exporting() {
		m.closeExport()
	}
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
