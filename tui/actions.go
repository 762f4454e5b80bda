package tui

import (
	"slices"
	"strings"
	"sync"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/session"
	"fxlens/views"
)

// context is a set of places where an action's keys work.
type where uint16

const (
	inAxes where = 1 << iota
	inTree
	inCode
	inGraph
	inPackage
	inCorpus
	inSwitches
	inRun
	inDiff
	inText

	inAll    = inAxes | inTree | inCode // the Inspect screen
	inScreen = inGraph | inPackage | inCorpus | inSwitches | inRun | inDiff | inText
	inEvery  = inAll | inScreen
)

// places are the single places, in the order of the documentation.
var places = []where{inAxes, inTree, inCode, inGraph, inPackage, inCorpus, inSwitches, inRun, inDiff, inText}

var whereNames = map[where]string{inAxes: "axes", inTree: "tree", inCode: "listing", inAll: "inspect", inAxes | inTree: "left side", inTree | inCode: "tree, listing",
	inAll | inPackage: "inspect, package", inEvery: "anywhere", inScreen: "other screens",
	inGraph: "graph", inPackage: "package", inCorpus: "corpus", inSwitches: "switches", inRun: "run", inDiff: "diff", inText: "text"}

// action is one thing that the user can do. The table of actions is the source of keys,
// key bar, help, palette and cheat sheet.
type action struct {
	ID    string
	Keys  []string // as bubbletea names them
	In    where
	Group string
	Help  string
	Bar   string                 // short form in the key bar; empty: not there
	Tap   string                 // the key as the bar shows it; empty: the first one
	Why   func(m *Model) string  // "" or why the action is disabled; nil: never
	Do    func(m *Model) tea.Cmd // changes state only; work goes into the command
}

// done makes an action's function of one that has no command.
func done(f func(m *Model)) func(m *Model) tea.Cmd {
	return func(m *Model) tea.Cmd { f(m); return nil }
}

// The groups, in the order of the help.
var groups = []string{"Move", "Screens", "Panes", "Select", "Follow", "Find", "Take away", "Graph", "Diff", "Package", "Corpus", "Run", "Switches", "Text", "Program"}

// actions returns the table. It is a function so that its rows may refer to each other
// through the model.
func actions() []action {
	return slices.Concat(inspectActions(), comfortActions(), presetActions(), screenActions())
}

// inspectActions are those of the Inspect screen and those of all screens.
func inspectActions() []action {
	return []action{
		{ID: "up", Keys: []string{"up", "k"}, In: inEvery, Group: "Move", Help: "one line up", Do: done(func(m *Model) { m.move(-1) })},
		{ID: "down", Keys: []string{"down", "j"}, In: inEvery, Group: "Move", Help: "one line down", Do: done(func(m *Model) { m.move(1) })},
		{ID: "page-up", Keys: []string{"pgup", "ctrl+b"}, In: inEvery, Group: "Move", Help: "one page up", Do: done(func(m *Model) { m.move(-m.page()) })},
		{ID: "page-down", Keys: []string{"pgdown", "ctrl+f"}, In: inEvery, Group: "Move", Help: "one page down", Do: done(func(m *Model) { m.move(m.page()) })},
		{ID: "page-on", Keys: []string{" "}, In: inTree | inCode, Group: "Move", Help: "one page down", Do: done(func(m *Model) { m.move(m.page()) })},
		{ID: "half-up", Keys: []string{"ctrl+u"}, In: inEvery, Group: "Move", Help: "half a page up", Do: done(func(m *Model) { m.move(-m.page() / 2) })},
		{ID: "half-down", Keys: []string{"ctrl+d"}, In: inEvery, Group: "Move", Help: "half a page down", Do: done(func(m *Model) { m.move(m.page() / 2) })},
		{ID: "top", Keys: []string{"home", "g"}, In: inEvery, Group: "Move", Help: "first line", Do: done((*Model).moveToStart)},
		{ID: "bottom", Keys: []string{"end", "G"}, In: inEvery, Group: "Move", Help: "last line", Do: done((*Model).moveToEnd)},
		{ID: "token-left", Keys: []string{"left", "h"}, In: inCode, Group: "Move", Help: "token to the left; lights up where it occurs", Do: done(func(m *Model) { m.step(-1) })},
		{ID: "token-right", Keys: []string{"right", "l"}, In: inCode, Group: "Move", Help: "token to the right; lights up where it occurs", Bar: "token", Tap: "← →", Do: done(func(m *Model) { m.step(1) })},
		{ID: "scroll-left", Keys: []string{"shift+left", "H", "<"}, In: inCode, Group: "Move", Help: "scroll to the left", Why: (*Model).whyNoScroll, Do: done(func(m *Model) { m.sideways(-8) })},
		{ID: "scroll-right", Keys: []string{"shift+right", "L", ">"}, In: inCode, Group: "Move", Help: "scroll to the right", Why: (*Model).whyNoScroll, Do: done(func(m *Model) { m.sideways(8) })},

		{ID: "next-pane", Keys: []string{"tab"}, In: inAll, Group: "Panes", Help: "next pane", Bar: "pane", Do: done(func(m *Model) { m.nextPane(1) })},
		{ID: "previous-pane", Keys: []string{"shift+tab"}, In: inAll, Group: "Panes", Help: "previous pane", Do: done(func(m *Model) { m.nextPane(-1) })},
		{ID: "axes", Keys: []string{"a"}, In: inAll, Group: "Panes", Help: "go to the axes", Bar: "axes", Do: done(func(m *Model) { m.goSlot(slotAxes) })},
		{ID: "tree", Keys: []string{"t"}, In: inAll, Group: "Panes", Help: "go to the tree of techniques, passes and stages", Bar: "tree", Do: done(func(m *Model) { m.goSlot(slotTree) })},
		{ID: "form-dxbc", Keys: []string{"1"}, In: inAll, Group: "Panes", Help: "show DXBC in this pane", Bar: "forms", Tap: "1-9", Do: func(m *Model) tea.Cmd { return m.setForm(formDXBC) }},
		{ID: "form-ssa", Keys: []string{"2"}, In: inAll, Group: "Panes", Help: "show SSA in this pane", Do: func(m *Model) tea.Cmd { return m.setForm(formSSA) }},
		{ID: "form-wgsl", Keys: []string{"3"}, In: inAll, Group: "Panes", Help: "show WGSL in this pane", Do: func(m *Model) tea.Cmd { return m.setForm(formWGSL) }},
		{ID: "form-bindings", Keys: []string{"4"}, In: inAll, Group: "Panes", Help: "show the bindings in this pane", Do: func(m *Model) tea.Cmd { return m.setForm(formBindings) }},
		{ID: "form-interleaved", Keys: []string{"5"}, In: inAll, Group: "Panes", Help: "show DXBC interleaved with its WGSL in this pane", Do: func(m *Model) tea.Cmd { return m.setForm(formMixed) }},
		{ID: "form-signatures", Keys: []string{"6"}, In: inAll, Group: "Panes", Help: "show signatures and linkage in this pane", Do: func(m *Model) tea.Cmd { return m.setForm(formSignatures) }},
		{ID: "form-diagnostics", Keys: []string{"7", "D"}, In: inAll, Group: "Panes", Help: "list the diagnostics in this pane", Do: func(m *Model) tea.Cmd { return m.setForm(formDiags) }},
		{ID: "form-changes", Keys: []string{"8"}, In: inAll, Group: "Panes", Help: "show what the last option changed; again: in another form", Do: (*Model).showChanges},
		{ID: "form-constants", Keys: []string{"9"}, In: inAll, Group: "Panes", Help: "show the resource table and the layout of constant buffers in this pane", Do: func(m *Model) tea.Cmd { return m.setForm(formConstants) }},
		{ID: "form-stat", Keys: []string{"#"}, In: inAll, Group: "Panes", Help: "show STAT beside what the program has in this pane", Do: func(m *Model) tea.Cmd { return m.setForm(formStat) }},
		{ID: "raw", Keys: []string{"b"}, In: inAll, Group: "Panes", Help: "byte offsets beside DXBC; again: raw words too; again: neither", Why: (*Model).whyNoRaw, Do: done((*Model).toggleRaw)},
		{ID: "phase-previous", Keys: []string{"{"}, In: inAll, Group: "Panes", Help: "SSA after the phase before", Why: (*Model).whyNoPhases, Do: func(m *Model) tea.Cmd { return m.stepPhase(-1) }},
		{ID: "phase-next", Keys: []string{"}"}, In: inAll, Group: "Panes", Help: "SSA after the phase behind", Why: (*Model).whyNoPhases, Do: func(m *Model) tea.Cmd { return m.stepPhase(1) }},
		{ID: "zoom", Keys: []string{"z"}, In: inAll, Group: "Panes", Help: "give this pane the whole screen, and back", Bar: "zoom", Why: (*Model).whyNoZoom, Do: done((*Model).toggleZoom)},
		{ID: "arrange", Keys: []string{"|"}, In: inAll, Group: "Panes", Help: "listings side by side or one above the other; grid or columns", Why: (*Model).whyOnePane, Do: done(func(m *Model) { m.other = !m.other; m.relayout() })},
		{ID: "wrap", Keys: []string{"w"}, In: inAll, Group: "Panes", Help: "wrap long lines, or scroll sideways", Do: done(func(m *Model) { m.wrap = !m.wrap; m.relayout() })},

		{ID: "option-choose", Keys: []string{"enter", " "}, In: inAxes, Group: "Select", Help: "choose the option under the cursor", Bar: "choose", Why: (*Model).whyNoAxes, Do: (*Model).chooseHere},
		{ID: "option-left", Keys: []string{"left", "h"}, In: inAxes, Group: "Select", Help: "previous option of this axis", Why: (*Model).whyNoAxes, Do: func(m *Model) tea.Cmd { return m.turn(-1) }},
		{ID: "option-right", Keys: []string{"right", "l"}, In: inAxes, Group: "Select", Help: "next option of this axis", Bar: "option", Tap: "← →", Why: (*Model).whyNoAxes, Do: func(m *Model) tea.Cmd { return m.turn(1) }},
		{ID: "option-previous", Keys: []string{"-"}, In: inAll, Group: "Select", Help: "previous option of the axis that the axes' cursor is on", Why: (*Model).whyNoAxes, Do: func(m *Model) tea.Cmd { return m.turn(-1) }},
		{ID: "option-next", Keys: []string{"+", "="}, In: inAll, Group: "Select", Help: "next option of the axis that the axes' cursor is on", Why: (*Model).whyNoAxes, Do: func(m *Model) tea.Cmd { return m.turn(1) }},
		{ID: "defaults", Keys: []string{"0"}, In: inAll, Group: "Select", Help: "all axes to their defaults", Why: (*Model).whyDefaults, Do: (*Model).defaults},
		{ID: "tree-open", Keys: []string{"enter"}, In: inTree, Group: "Select", Help: "select this stage and go to its code", Bar: "open", Do: (*Model).openHere},
		{ID: "tree-fold", Keys: []string{"left", "h"}, In: inTree, Group: "Select", Help: "fold the technique", Do: done(func(m *Model) { m.fold(true) })},
		{ID: "tree-unfold", Keys: []string{"right", "l"}, In: inTree, Group: "Select", Help: "unfold the technique", Do: done(func(m *Model) { m.fold(false) })},
		{ID: "next-stage", Keys: []string{"s"}, In: inAll, Group: "Select", Help: "next stage of the pass", Bar: "stage", Why: (*Model).whyOneStage, Do: func(m *Model) tea.Cmd { return m.nextStage(1) }},
		{ID: "previous-stage", Keys: []string{"S"}, In: inAll, Group: "Select", Help: "previous stage of the pass", Why: (*Model).whyOneStage, Do: func(m *Model) tea.Cmd { return m.nextStage(-1) }},
		{ID: "next-pass", Keys: []string{"p"}, In: inAll, Group: "Select", Help: "next pass", Bar: "pass", Why: (*Model).whyOnePass, Do: func(m *Model) tea.Cmd { return m.nextPass(1) }},
		{ID: "previous-pass", Keys: []string{"P"}, In: inAll, Group: "Select", Help: "previous pass", Why: (*Model).whyOnePass, Do: func(m *Model) tea.Cmd { return m.nextPass(-1) }},

		{ID: "follow", Keys: []string{"enter"}, In: inCode, Group: "Follow", Help: "to the counterpart in the next form; from a diagnostic to its instruction", Bar: "follow", Why: (*Model).whyNoCounterpart, Do: (*Model).follow},
		{ID: "definition", Keys: []string{"d"}, In: inCode, Group: "Follow", Help: "where the register or value under the cursor is written", Why: (*Model).whyNoDef, Do: (*Model).goDef},
		{ID: "use", Keys: []string{"u"}, In: inCode, Group: "Follow", Help: "next place that has the register or value under the cursor", Why: (*Model).whyNoUse, Do: (*Model).goUse},
		{ID: "next-diagnostic", Keys: []string{"]"}, In: inAll, Group: "Follow", Help: "next diagnostic of the permutation", Bar: "diagnostic", Tap: "[ ]", Why: (*Model).whyNoDiags, Do: func(m *Model) tea.Cmd { return m.walk(1) }},
		{ID: "previous-diagnostic", Keys: []string{"["}, In: inAll, Group: "Follow", Help: "previous diagnostic of the permutation", Why: (*Model).whyNoDiags, Do: func(m *Model) tea.Cmd { return m.walk(-1) }},
		{ID: "reasons", Keys: []string{"!"}, In: inAll, Group: "Follow", Help: "why stages are refused, over all permutations; what blocks the most first", Bar: "reasons", Why: (*Model).whyNoReasons, Do: (*Model).openReasons},
		{ID: "remedy", Keys: []string{"r"}, In: inAll, Group: "Follow", Help: "set what the diagnostic's remedy names: a view format, a class, a limit", Bar: "remedy", Why: (*Model).whyNoRemedy, Do: (*Model).openRemedy},
		{ID: "undo", Keys: []string{"ctrl+z", "backspace"}, In: inEvery, Group: "Follow", Help: "take the last setting back", Why: (*Model).whyNoUndo, Do: (*Model).undoSetting},
		{ID: "nearest", Keys: []string{"~"}, In: inAll, Group: "Follow", Help: "the nearest permutation in which this pass translates, with what differs", Why: (*Model).whyNoNearest, Do: (*Model).goNearest},
		{ID: "back", Keys: []string{"ctrl+o", "alt+left", "("}, In: inEvery, Group: "Follow", Help: "back to where you were", Why: func(m *Model) string {
			if len(m.hist.back) == 0 {
				return "there is nothing to go back to"
			}
			return ""
		}, Do: (*Model).goBack},
		{ID: "forward", Keys: []string{"alt+right", ")"}, In: inEvery, Group: "Follow", Help: "forward again", Why: func(m *Model) string {
			if len(m.hist.forward) == 0 {
				return "you did not go back"
			}
			return ""
		}, Do: (*Model).goForward},

		{ID: "search", Keys: []string{"/"}, In: inAll, Group: "Find", Help: "search in this pane; capitals make it case-sensitive", Bar: "search", Do: done((*Model).openSearch)},
		{ID: "next-hit", Keys: []string{"n"}, In: inAll, Group: "Find", Help: "next hit; in Changes, without a search, the next change", Why: (*Model).whyNoHits, Do: func(m *Model) tea.Cmd { return m.hit(1) }},
		{ID: "previous-hit", Keys: []string{"N"}, In: inAll, Group: "Find", Help: "previous hit or change", Why: (*Model).whyNoHits, Do: func(m *Model) tea.Cmd { return m.hit(-1) }},
		{ID: "open", Keys: []string{"o"}, In: inAll, Group: "Find", Help: "go to a pass, stage, option, binding or diagnostic by name", Bar: "open", Why: (*Model).whyNoSession, Do: done((*Model).openFinder)},
		{ID: "palette", Keys: []string{":", "ctrl+p"}, In: inEvery, Group: "Find", Help: "run an action by name", Bar: "actions", Do: done((*Model).openPalette)},

		{ID: "yank-line", Keys: []string{"y"}, In: inAll, Group: "Take away", Help: "copy this line, or the selected lines", Do: (*Model).yankHere},
		{ID: "yank-link", Keys: []string{"Y"}, In: inAll, Group: "Take away", Help: "copy the link to this place", Why: (*Model).whyNoSession, Do: func(m *Model) tea.Cmd { return m.yank(m.link(), "link") }},
		{ID: "yank-excerpt", Keys: []string{"ctrl+y"}, In: inAll, Group: "Take away", Help: "copy a report of the diagnostic: link, reason, instructions around, declarations, digests", Why: (*Model).whyNoExcerpt, Do: (*Model).yankExcerpt},
		{ID: "export", Keys: []string{"e"}, In: inAll, Group: "Take away", Help: "write the selection as a package", Bar: "export", Why: (*Model).whyNoExport, Do: (*Model).openExport},
		{ID: "export-again", Keys: []string{"ctrl+s"}, In: inAll | inPackage, Group: "Take away", Help: "write the same choice of scope, profile and format again", Why: (*Model).whyNoExport, Do: (*Model).exportAgain},
		{ID: "mark-pass", Keys: []string{"*"}, In: inAll, Group: "Take away", Help: "mark this pass of this permutation for export, or take the mark away", Why: (*Model).whyNoExport, Do: done((*Model).markPass)},
		{ID: "file-before", Keys: []string{"O"}, In: inEvery, Group: "Screens", Help: "back to the file that this one was opened from", Why: (*Model).whyNoVisit, Do: (*Model).fileBefore},

		{ID: "picture", Keys: []string{"X"}, In: inEvery, Group: "Take away", Help: "write the screen as a picture (SVG)", Why: (*Model).whyNoSession, Do: (*Model).shoot},

		{ID: "help", Keys: []string{"?", "f1"}, In: inEvery, Group: "Program", Help: "all keys; type to filter", Bar: "help", Do: done((*Model).openHelp)},
		{ID: "theme", Keys: []string{"T"}, In: inEvery, Group: "Program", Help: "choose a theme; each shows at once", Do: (*Model).openThemes},
		{ID: "mouse", Keys: []string{"m"}, In: inEvery, Group: "Program", Help: "mouse for fxlens, or for selecting text in the terminal", Do: (*Model).toggleMouse},
		{ID: "cancel", Keys: []string{"esc"}, In: inEvery, Group: "Program", Help: "stop what runs, leave zoom, clear the search", Do: done((*Model).escape)},
		{ID: "redraw", Keys: []string{"ctrl+l"}, In: inEvery, Group: "Program", Help: "draw the screen anew", Do: func(*Model) tea.Cmd { return tea.ClearScreen }},
		{ID: "quit", Keys: []string{"q", "ctrl+c"}, In: inEvery, Group: "Program", Help: "leave", Bar: "quit", Do: func(m *Model) tea.Cmd { return m.quit() }},
	}
}

// table is the actions and what each key does in each place.
type keymap struct {
	all []action
}

// defaultKeys returns the table as the program has it. It is made when first asked for:
// the commands without a screen do without.
var defaultKeys = sync.OnceValue(func() *keymap { return &keymap{all: actions()} })

// find returns the action of a key in a place, or nil. There are two hundred rows, and
// they are looked through once a key press.
func (k *keymap) find(in where, key string) *action {
	for i := range k.all {
		if a := &k.all[i]; a.In&in != 0 && slices.Contains(a.Keys, key) {
			return a
		}
	}
	return nil
}

// keyText is a key as people read it.
func keyText(k string) string {
	switch k {
	case " ":
		return "space"
	case "up":
		return "↑"
	case "down":
		return "↓"
	case "left":
		return "←"
	case "right":
		return "→"
	case "pgdown":
		return "pgdn"
	}
	switch mod, key, _ := strings.Cut(k, "+"); {
	case mod != "shift" && mod != "alt":
	case key == "left":
		return mod + "+←"
	case key == "right":
		return mod + "+→"
	}
	return k
}

// keysText lists an action's keys.
func keysText(a *action) string {
	var s []string
	for _, k := range a.Keys {
		s = append(s, keyText(k))
	}
	return strings.Join(s, " ")
}

// context is where the keyboard is.
func (m *Model) context() where {
	if m.screen != nil {
		return m.screen.where()
	}
	switch m.focus {
	case slotAxes:
		return inAxes
	case slotTree:
		return inTree
	}
	return inCode
}

// run does an action, or says why it cannot.
func (m *Model) run(a *action) tea.Cmd {
	m.logAction(a.ID)
	if a.Why != nil {
		if why := a.Why(m); why != "" {
			m.fail("%s: %s", a.ID, why)
			return nil
		}
	}
	m.dirty = true // whatever it changes has to be seen; what is equal is not sent again
	return a.Do(m)
}

// logAction keeps the last actions for the crash report.
func (m *Model) logAction(id string) {
	m.log = append(m.log, id)
	if len(m.log) > 100 {
		m.log = m.log[len(m.log)-100:]
	}
}

// CheatSheet is the table of keys as Markdown, for the documentation.
func CheatSheet() string {
	var b strings.Builder
	for _, g := range groups {
		b.WriteString("### " + g + "\n\n| keys | where | what |\n| --- | --- | --- |\n")
		for i := range defaultKeys().all {
			a := &defaultKeys().all[i]
			if a.Group != g {
				continue
			}
			var ks []string
			for _, k := range a.Keys {
				ks = append(ks, "`"+strings.ReplaceAll(keyText(k), "|", "\\|")+"`")
			}
			b.WriteString("| " + strings.Join(ks, " ") + " | " + whereNames[a.In] + " | " + a.Help + " |\n")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Reasons why an action is disabled.

func (m *Model) whyNoSession() string {
	if m.sess == nil {
		return "no file is open"
	}
	return ""
}

func (m *Model) whyNoAxes() string {
	if m.sess == nil || m.sess.Effect == nil || len(m.sess.Effect.Axes) == 0 {
		return "the file has no axes"
	}
	return ""
}

func (m *Model) whyDefaults() string {
	if why := m.whyNoAxes(); why != "" {
		return why
	}
	if m.sel.perm == m.sess.DefaultPermutation() {
		return "all axes have their defaults already"
	}
	return ""
}

func (m *Model) whyOneStage() string {
	if ref, ok := m.ref(); ok {
		if in, err := m.sess.Input(m.sel.perm, ref); err == nil && len(in.Stages) > 1 {
			return ""
		}
	}
	return "there is no other stage in this pass"
}

func (m *Model) whyOnePass() string {
	if len(m.passes) > 1 {
		return ""
	}
	return "there is no other pass"
}

func (m *Model) whyNoScroll() string {
	if m.wrap {
		return "long lines are wrapped; press w first"
	}
	return ""
}

func (m *Model) whyNoZoom() string {
	if m.arr.shape == shapeOne && m.zoom < 0 {
		return "one pane has the whole screen already; make the terminal larger for more"
	}
	return ""
}

func (m *Model) whyOnePane() string {
	if m.arr.shape == shapeOne || m.zoom >= 0 {
		return "only one pane is shown"
	}
	return ""
}

func (m *Model) whyNoDiags() string {
	if len(m.diags) == 0 {
		return "there are no diagnostics in this permutation"
	}
	return ""
}

func (m *Model) whyNoHits() string {
	if m.search.query == "" && !(code(m.focus) && m.slots[m.focus].form == formChanges) {
		return "nothing is searched for; press / first"
	}
	return ""
}

func (m *Model) whyNoExport() string {
	switch {
	case m.sess == nil:
		return "no file is open"
	case m.sess.Kind == session.PackageFile:
		return "the file is a package already"
	case m.sess.Effect == nil:
		return "only a compiled effect makes a package; this is a bare program"
	case len(m.passes) == 0:
		return "the permutation has no passes"
	}
	return ""
}

// token returns the position of the cursor in the focused listing and what it is on.
func (m *Model) token() (views.Listing, *position, views.Focus) {
	l, p := m.listing(m.focus), m.slots[m.focus].at()
	return l, p, l.Focus(p.line, p.tok)
}

func (m *Model) whyNoDef() string {
	_, p, f := m.token()
	switch {
	case m.slots[m.focus].form == formDiags || m.slots[m.focus].form == formSignatures || m.slots[m.focus].form == formChanges:
		return "this pane shows no code"
	case p.tok == 0 && f.Occur < 0 && len(f.Values) == 0:
		return "the cursor is on no register or value; move it with ← →"
	}
	return ""
}

func (m *Model) whyNoUse() string {
	_, p, f := m.token()
	if p.tok == 0 || f.Occur < 0 && f.Lanes.Reg == "" {
		return "the cursor is on no register or value; move it with ← →"
	}
	return ""
}

func (m *Model) whyNoCounterpart() string {
	_, _, f := m.token()
	if m.slots[m.focus].form == formDiags && len(m.diags) > 0 {
		return ""
	}
	if f.Empty() {
		return "this line belongs to no instruction"
	}
	return ""
}
