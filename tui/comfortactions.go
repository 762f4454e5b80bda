package tui

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"
)

// presetActions are the keys of the layouts.
func presetActions() []action {
	var out []action
	for i, p := range presets {
		out = append(out, action{ID: fmt.Sprintf("layout-%d", i+1), Keys: []string{fmt.Sprintf("alt+%d", i+1)}, In: inAll, Group: "Panes",
			Help: "layout: " + p.name, Do: func(m *Model) tea.Cmd { return m.usePreset(i) }})
	}
	return out
}

// comfortActions are those of pins, slices, folds, lists and what is taken away.
func comfortActions() []action {
	return []action{
		{ID: "fold", Keys: []string{"x"}, In: inCode, Group: "Move", Help: "close the region around the cursor, or open it", Bar: "fold", Why: (*Model).whyNoFold, Do: (*Model).toggleFold},
		{ID: "fold-all", Keys: []string{"Z"}, In: inCode, Group: "Move", Help: "close all nested regions, or open all", Why: (*Model).whyNoFold, Do: (*Model).toggleFolds},

		{ID: "form-cfg", Keys: []string{"W"}, In: inAll, Group: "Panes", Help: "show the control flow as boxes and edges in this pane", Why: (*Model).whyNoRaw, Do: func(m *Model) tea.Cmd { m.cfgLit = m.lit; return m.setForm(formCFG) }},
		{ID: "narrower", Keys: []string{"ctrl+left"}, In: inAll, Group: "Panes", Help: "make the left side, or the left listings, narrower", Why: (*Model).whyOnePane, Do: done(func(m *Model) { m.stretch(-1, 0) })},
		{ID: "wider", Keys: []string{"ctrl+right"}, In: inAll, Group: "Panes", Help: "make the left side, or the left listings, wider", Why: (*Model).whyOnePane, Do: done(func(m *Model) { m.stretch(1, 0) })},
		{ID: "lower", Keys: []string{"ctrl+up"}, In: inAll, Group: "Panes", Help: "make the upper listings lower", Why: (*Model).whyOnePane, Do: done(func(m *Model) { m.stretch(0, -1) })},
		{ID: "higher", Keys: []string{"ctrl+down"}, In: inAll, Group: "Panes", Help: "make the upper listings higher", Why: (*Model).whyOnePane, Do: done(func(m *Model) { m.stretch(0, 1) })},
		{ID: "layouts", Keys: []string{"A"}, In: inAll, Group: "Panes", Help: "choose how many listings there are and what they show; alt+1 to alt+9 at once", Do: done((*Model).openLayouts)},
		{ID: "phases", Keys: []string{"%"}, In: inAll, Group: "Panes", Help: "list the SSA phases and what each changed; hide those that change nothing", Why: (*Model).whyNoPhases, Do: (*Model).listPhases},
		{ID: "phase-diff", Keys: []string{"&"}, In: inAll, Group: "Panes", Help: "SSA: only what the phase changed, or the whole", Why: (*Model).whyNoPhases, Do: (*Model).togglePhaseDiff},
		{ID: "references", Keys: []string{"U"}, In: inCode, Group: "Follow", Help: "list what defines and uses the register or value under the cursor", Why: (*Model).whyNoRefs, Do: (*Model).openRefs},
		{ID: "slice", Keys: []string{"f"}, In: inCode, Group: "Follow", Help: "dim all but what feeds the value under the cursor; again: but what it feeds; again: nothing", Bar: "slice", Why: (*Model).whyNoSlice, Do: (*Model).turnSlice},
		{ID: "pin", Keys: []string{"'"}, In: inCode, Group: "Follow", Help: "keep what the cursor is on lit, with a digit; again: not any more", Bar: "pin", Why: (*Model).whyNoPin, Do: done((*Model).togglePin)},
		{ID: "pins", Keys: []string{"\""}, In: inAll, Group: "Follow", Help: "list the pins, go to one, or take all away", Why: (*Model).whyNoPins, Do: done((*Model).openPins)},
		{ID: "list-next", Keys: []string{"."}, In: inAll, Group: "Follow", Help: "next place of the last list, from any pane", Why: (*Model).whyNoWalk, Do: func(m *Model) tea.Cmd { return m.walkBy(1) }},
		{ID: "list-previous", Keys: []string{","}, In: inAll, Group: "Follow", Help: "previous place of the last list", Why: (*Model).whyNoWalk, Do: func(m *Model) tea.Cmd { return m.walkBy(-1) }},

		{ID: "history", Keys: []string{"J"}, In: inEvery, Group: "Follow", Help: "list the way that you went, and go anywhere on it", Why: (*Model).whyNoHistory, Do: done((*Model).openHistory)},
		{ID: "bookmark", Keys: []string{"B"}, In: inAll, Group: "Follow", Help: "keep this place with a note in the sidecar, change the note or take it away", Why: (*Model).whyNoBookmark, Do: done((*Model).editBookmark)},
		{ID: "bookmarks", Keys: []string{";"}, In: inAll, Group: "Follow", Help: "list the bookmarks; . and , go through them", Why: (*Model).whyNoBookmarks, Do: done((*Model).openBookmarks)},
		{ID: "open-file", Keys: []string{"i"}, In: inAll, Group: "Find", Help: "open another file of this folder by name; O comes back", Why: (*Model).whyNoFolder, Do: (*Model).openFolder},
		{ID: "find-all", Keys: []string{"F"}, In: inAll, Group: "Find", Help: "find text in all stages of all permutations; . and , go through what was found", Why: (*Model).whyNoPrograms, Do: done((*Model).openFindAll)},

		{ID: "select-lines", Keys: []string{"v"}, In: inCode, Group: "Take away", Help: "select lines from here to where the cursor goes", Why: (*Model).whyNoRange, Do: done((*Model).toggleRange)},
		{ID: "copy", Keys: []string{"c"}, In: inAll, Group: "Take away", Help: "copy the line, selection, region, listing, link, JSON or command", Bar: "copy", Do: done((*Model).openYank)},
		{ID: "export-pane", Keys: []string{"E"}, In: inAll, Group: "Take away", Help: "write this pane as text, ANSI, HTML, SVG or JSON", Why: (*Model).whyNoSession, Do: done((*Model).openPaneExport)},

		{ID: "reload", Keys: []string{"ctrl+r"}, In: inAll, Group: "Program", Help: "read the file again, at the same place; 8 compares", Why: (*Model).whyNoReload, Do: (*Model).reload},
	}
}

func (m *Model) whyNoPrograms() string {
	if why := m.whyNoSession(); why != "" {
		return why
	}
	if len(m.passes) == 0 {
		return "the file has no programs"
	}
	return ""
}
