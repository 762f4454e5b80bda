package views

import (
	"fmt"
	"strconv"

	"fxlens/core/dxbc"
)

// countedOtherwise are the words that [dxbc.Program.Count] counts and that compilers
// count by several rules: a difference there says nothing about the file.
var countedOtherwise = map[string]bool{"tex_load": true, "texture_stores": true}

// Stat is the table of a shader's STAT words beside what is counted in its program.
// Words that differ where the rule is known are marked.
func Stat(sh *dxbc.Shader) *Static {
	switch {
	case sh == nil:
		return Message(span(RoleDim, "The container cannot be read: there is nothing to count."))
	case sh.Program == nil && sh.Stat == nil:
		return Message(span(RoleDim, "The container has neither a program nor statistics (STAT)."))
	}
	var stored, counted [37]uint32
	var known uint64
	words := 0
	if sh.Stat != nil {
		stored, words = sh.Stat.Values(), min(sh.Stat.Words, len(stored))
	}
	if sh.Program != nil {
		var c dxbc.Stat
		c, known = sh.Program.Count()
		counted = c.Values()
	}
	name := column{head: "word", role: RoleName, max: 24}
	have := column{head: "      STAT", role: RoleLiteral, max: 10}
	ours := column{head: "   counted", role: RoleLiteral, max: 10}
	note := column{head: "", role: RoleDim, max: 60}
	var refs []Ref
	var differ []int
	rules := 0
	for i, n := range dxbc.StatNames {
		s, c, say := "", "", ""
		if i < words {
			s = strconv.FormatUint(uint64(stored[i]), 10)
		} else if words > 0 {
			say = "not stored by this shader model"
		}
		isKnown := known>>i&1 != 0
		if isKnown || sh.Program != nil && countedOtherwise[n] {
			c = strconv.FormatUint(uint64(counted[i]), 10)
		}
		switch {
		case sh.Program != nil && c == "" && say == "":
			say = "no rule is known"
		case i >= words || sh.Program == nil:
		case stored[i] == counted[i]:
			rules++
			say = "same"
		case !isKnown:
			say = "compilers differ here"
		default:
			rules++
			say = fmt.Sprintf("differs by %+d", int64(stored[i])-int64(counted[i]))
			differ = append(differ, i)
		}
		name.cell, note.cell = append(name.cell, n), append(note.cell, say)
		have.cell, ours.cell = append(have.cell, padLeft(s, 10)), append(ours.cell, padLeft(c, 10))
		refs = append(refs, NoRef)
	}
	lines := table([]column{name, have, ours, note}, refs)
	for _, i := range differ {
		l := &lines[i+1]
		l.Mark |= MarkWarning
		l.Spans[len(l.Spans)-2].Role = RoleWarning
	}
	head := Say(RoleOK, fmt.Sprintf("✓ the %d words that can be compared are what the program has", rules))
	switch {
	case words == 0:
		head = Say(RoleWarning, "▲ STAT is stripped or unreadable: only what is counted")
	case sh.Program == nil:
		head = Say(RoleWarning, "▲ there is no program to count in: only what STAT says")
	case len(differ) == 1:
		head = Say(RoleWarning, fmt.Sprintf("▲ 1 of %d words that can be compared differs from the program", rules))
	case len(differ) > 1:
		head = Say(RoleWarning, fmt.Sprintf("▲ %d of %d words that can be compared differ from the program", len(differ), rules))
	}
	return NewStatic(append([]Line{head, Blank()}, lines...), nil)
}
