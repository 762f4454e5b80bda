package tui

import (
	"fxlens/core/dxbc"
	"fxlens/core/effect"
	"fxlens/core/session"
	"fxlens/views"
)

// rawMode is how much of the encoding the DXBC form shows.
type rawMode uint8

const (
	rawNone    rawMode = iota
	rawOffsets         // byte offsets beside the instructions
	rawWords           // and the words that encode them below
	numRaw     = iota
)

// dxbcForm is the DXBC listing of a stage as the mode has it.
func (st *stageView) dxbcForm(mode rawMode) views.Listing {
	if st.dxbc == nil || mode == rawNone {
		return st.forms[formDXBC]
	}
	return st.raw[mode]
}

// whyNoRaw is why there is nothing that raw words could be shown of.
func (m *Model) whyNoRaw() string {
	if st := m.stageNow(); st == nil || st.dxbc == nil {
		return "the stage has no program that can be decoded"
	}
	return ""
}

// toggleRaw goes from the bare listing to offsets, to raw words, and back. From another
// form it shows DXBC first.
func (m *Model) toggleRaw() {
	m.setRaw((m.raw + 1) % numRaw)
	i := m.slotWith(formDXBC)
	if m.slots[i].form != formDXBC {
		m.setForm(formDXBC)
	}
	switch m.raw {
	case rawOffsets:
		m.say("byte offsets in the program; again: raw words")
	case rawWords:
		m.say("raw words below every instruction; again: neither")
	default:
		m.say("offsets and raw words are hidden")
	}
}

// setRaw changes the mode; every cursor in a DXBC listing stays on its line.
func (m *Model) setRaw(mode rawMode) {
	if mode == m.raw {
		return
	}
	was := m.raw
	m.raw, m.dirty = mode, true
	st := m.stageNow()
	if st == nil || st.dxbc == nil {
		return
	}
	old, new := st.raw[was], st.raw[mode]
	for i := slotCode; i < len(m.slots); i++ {
		p := &m.slots[i].pos[formDXBC]
		above := p.line - p.top
		line := p.line
		if old != nil {
			if line = old.Bare(p.line); line != p.line && old.Row(line) != p.line {
				p.tok = 0 // the cursor was on words
			}
		}
		if new != nil {
			line = new.Row(line)
		}
		p.line, p.top = max(line, 0), max(line-above, 0)
		m.clamp(i)
		m.reveal(i)
	}
	if code(m.search.slot) && m.search.form == formDXBC {
		m.search.job.stop()
		m.search = search{} // its hits count lines of the other listing
	}
	m.moved()
}

// withTables adds to a stage the forms that are tables of its container, and the
// listings of the raw modes.
func (st *stageView) withTables() {
	if st.dxbc != nil {
		st.raw[rawOffsets] = views.NewTokens(st.dxbc, false)
		st.raw[rawWords] = views.NewTokens(st.dxbc, true)
	}
	st.forms[formConstants] = views.Constants(st.stage.Shader, nil)
	st.forms[formStat] = views.Stat(st.stage.Shader)
}

var effectStages = map[dxbc.ProgramKind]effect.StageType{
	dxbc.Vertex: effect.Vertex, dxbc.Pixel: effect.Pixel, dxbc.Compute: effect.Compute,
	dxbc.Geometry: effect.Geometry, dxbc.Hull: effect.Hull, dxbc.Domain: effect.Domain,
}

// withEffect lets the effect name the constants of stages whose reflection is stripped.
// It is part of making the view: nothing changes it afterwards.
func (v *passView) withEffect(s *session.Session, perm int, ref session.PassRef) {
	if s.Effect == nil {
		return
	}
	body, err := s.Effect.Body(perm)
	if err != nil || ref.TechIndex < 0 || ref.TechIndex >= len(body.Techniques) {
		return
	}
	passes := body.Techniques[ref.TechIndex].Passes
	if ref.Pass < 0 || ref.Pass >= len(passes) {
		return
	}
	for _, st := range v.stages {
		if kind, ok := effectStages[st.stage.Kind]; ok && (st.stage.Shader == nil || st.stage.Shader.RDEF == nil) {
			st.forms[formConstants] = views.Constants(st.stage.Shader, passes[ref.Pass].Stage(kind))
		}
	}
}
