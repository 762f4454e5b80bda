package tui

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"fxlens/core/files"
	"fxlens/core/ir"
	"fxlens/core/session"
	"fxlens/views"
)

// savedVersion is the version of the state file; others are ignored.
const savedVersion = 1

// maxSaved is how many files are remembered.
const maxSaved = 400

// saved is what is remembered of a file between visits, by its digest.
type saved struct {
	Version int         `json:"version"`
	Tool    string      `json:"tool"`
	Name    string      `json:"name"` // for people who look into the folder
	Place   savedPlace  `json:"place"`
	Back    []savedSpot `json:"back,omitempty"`
	Forms   []uint8     `json:"forms"`
	Pos     [][]savedAt `json:"positions"`
	Focus   int         `json:"focus"`
	Zoom    int         `json:"zoom"`
	Other   bool        `json:"other"`
	Wrap    bool        `json:"wrap"`
	Raw     uint8       `json:"raw"`
	Layout  layoutState `json:"layout"`
	Pins    []savedPin  `json:"pins,omitempty"`
}

// savedPlace is a stage by names, so that it means the same whatever their order.
type savedPlace struct {
	Perm  string `json:"permutation"`
	Pass  string `json:"pass"`
	Stage string `json:"stage"`
}

type savedAt struct{ Line, Tok, Top, Left int }

type savedSpot struct {
	savedPlace
	Slot int     `json:"slot"`
	Form uint8   `json:"form"`
	Raw  uint8   `json:"raw"`
	At   savedAt `json:"at"`
	Text string  `json:"text"`
}

type savedPin struct {
	savedPlace
	Mark    uint8        `json:"mark"`
	What    string       `json:"what"`
	Instrs  []int32      `json:"instrs"`
	Values  []ir.ValueID `json:"values"`
	Reg     string       `json:"register"`
	Mask    uint8        `json:"mask"`
	Occur   ir.ValueID   `json:"occur"`
	Binding int32        `json:"binding"`
}

// statePath is the file of a session's state, or "".
func (m *Model) statePath() string {
	if m.opt.StateDir == "" || m.sess == nil || m.sess.Kind == session.PackageFile {
		return ""
	}
	return filepath.Join(m.opt.StateDir, m.stateName())
}

func (m *Model) stateName() string { return fmt.Sprintf("%x.json", m.sess.SHA256[:16]) }

// placeOf names a stage.
func (m *Model) placeOf(perm, node, stage int) savedPlace {
	p := savedPlace{Perm: m.sess.Permutation(perm)}
	passes, err := m.sess.Passes(perm)
	if err != nil || node < 0 || node >= len(passes) {
		return p
	}
	p.Pass = passes[node].String()
	if in, err := m.sess.Input(perm, passes[node]); err == nil && stage >= 0 && stage < len(in.Stages) {
		p.Stage = in.Stages[stage].Kind.String()
	}
	return p
}

// find is the inverse of placeOf.
func (p savedPlace) find(m *Model) (perm, node, stage int, ok bool) {
	perm, node, stage = m.sess.DefaultPermutation(), -1, -1
	if m.sess.Effect != nil {
		l, err := session.ParseLink("?" + p.Perm)
		if err != nil {
			return 0, 0, 0, false
		}
		t, err := m.sess.Resolve(l)
		if err != nil {
			return 0, 0, 0, false
		}
		perm = t.Perm
	}
	passes, err := m.sess.Passes(perm)
	if err != nil {
		return 0, 0, 0, false
	}
	for i, r := range passes {
		if r.String() != p.Pass {
			continue
		}
		node = i
		if in, err := m.sess.Input(perm, r); err == nil {
			stage = session.StageIndex(in, p.Stage)
		}
	}
	return perm, node, stage, node >= 0
}

func at(p position) savedAt { return savedAt{p.line, p.tok, p.top, p.left} }

func (a savedAt) position() position {
	return position{line: max(a.Line, 0), tok: max(a.Tok, 0), top: max(a.Top, 0), left: max(a.Left, 0)}
}

// state is what Run writes when the user leaves.
func (m *Model) state() *saved {
	s := &saved{Version: savedVersion, Tool: m.opt.Version, Name: filepath.Base(m.sess.Name), Focus: m.focus, Zoom: m.zoom,
		Other: m.other, Wrap: m.wrap, Raw: uint8(m.raw), Layout: m.layout}
	s.Place = m.placeOf(m.sel.perm, m.sel.node, m.shownStage())
	for i := slotCode; i < len(m.slots); i++ {
		s.Forms = append(s.Forms, uint8(m.slots[i].form))
		var at4 []savedAt
		for f := range m.slots[i].pos {
			p := m.slots[i].pos[f]
			if x := m.foldOf(form(f)); x != nil { // folds are not kept
				p.line, p.top = x.Inner(p.line), x.Inner(p.top)
			}
			at4 = append(at4, at(p))
		}
		s.Pos = append(s.Pos, at4)
	}
	const most = 50
	for _, h := range m.hist.back[max(len(m.hist.back)-most, 0):] {
		if h.full && h.screen == 0 {
			s.Back = append(s.Back, savedSpot{m.placeOf(h.perm, h.node, h.stage), h.slot, uint8(h.form), uint8(h.raw), at(h.pos), h.text})
		}
	}
	for i := range m.pins.list {
		p := &m.pins.list[i]
		if perm := m.permOf(p.unit.body); perm >= 0 {
			s.Pins = append(s.Pins, savedPin{m.placeOf(perm, m.nodeOf(perm, p.unit), p.stage), p.mark, p.what, p.sel.Instrs, p.sel.Values,
				p.sel.Lanes.Reg, p.sel.Lanes.Mask, p.sel.Occur, p.sel.Binding})
		}
	}
	return s
}

// foldOf is the closed regions of a form of the shown stage, or nil.
func (m *Model) foldOf(f form) *views.Folded {
	st := m.stageNow()
	if st == nil || int(f) >= numForms {
		return nil
	}
	return m.folds[m.foldKeyOf(st, f)]
}

// permOf is a permutation that has a body: the selected one where it does, or -1.
func (m *Model) permOf(body int) int {
	e := m.sess.Effect
	switch {
	case e == nil:
		return 0
	case e.BodyOf(m.sel.perm) == body:
		return m.sel.perm
	case body >= 0 && body < len(e.Bodies()) && len(e.Bodies()[body].Permutations) > 0:
		return e.Bodies()[body].Permutations[0]
	}
	return -1
}

// nodeOf is the index of a pass of a permutation by its unit, or -1.
func (m *Model) nodeOf(perm int, k unitKey) int {
	passes, err := m.sess.Passes(perm)
	if err != nil {
		return -1
	}
	for i, r := range passes {
		if r.TechIndex == k.tech && r.Pass == k.pass {
			return i
		}
	}
	return -1
}

// saveState writes the state file. It is called when the program has ended.
func (m *Model) saveState() error {
	if m.statePath() == "" || m.view == nil {
		return nil
	}
	b, err := json.Marshal(m.state())
	if err != nil {
		return fmt.Errorf("remember the place: %w", err)
	}
	if err := files.WriteIn(m.opt.StateDir, m.stateName(), append(b, '\n')); err != nil {
		return err
	}
	files.Keep(m.opt.StateDir, "*.json", maxSaved)
	return nil
}

// readState returns what is remembered of the session's file, or nil. A state file that
// cannot be read is no reason not to open the file.
func (m *Model) readState() *saved {
	path := m.statePath()
	if path == "" || m.cfg != nil && m.cfg.Restore != nil && !*m.cfg.Restore {
		return nil
	}
	data, err := files.Read(path, 1<<20)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			m.fail("the last place is not known: %v", err)
		}
		return nil
	}
	var s saved
	if json.Unmarshal(data, &s) != nil || s.Version != savedVersion {
		return nil
	}
	return &s
}

// restoreState takes the panes up as they were. place says whether to go to the place as
// well: a link on the command line has precedence.
func (m *Model) restoreState(s *saved, place bool) {
	code := len(m.slots) - slotCode
	if len(s.Forms) != code || len(s.Pos) != code {
		return
	}
	for i := range code {
		if int(s.Forms[i]) < numForms {
			m.slots[slotCode+i].form = form(s.Forms[i])
		}
	}
	m.other, m.wrap, m.layout = s.Other, s.Wrap, s.Layout.sane()
	if int(s.Raw) < numRaw {
		m.raw = rawMode(s.Raw)
	}
	if !place {
		return
	}
	perm, node, stage, ok := s.Place.find(m)
	if !ok {
		return
	}
	if perm != m.sel.perm {
		m.sel.perm = perm
		m.loadPerm()
	}
	m.sel.node, m.sel.stage = node, stage
	for i := range code {
		for f := range min(len(s.Pos[i]), numForms) {
			m.slots[slotCode+i].pos[f] = s.Pos[i][f].position()
		}
	}
	m.laterSlots()
	if s.Focus >= 0 && s.Focus < len(m.slots) {
		m.focus = s.Focus
	}
	if s.Zoom >= 0 && s.Zoom < len(m.slots) {
		m.zoom = m.focus
	}
	for _, h := range s.Back {
		perm, node, stage, ok := h.find(m)
		if !ok || h.Slot < slotCode || h.Slot >= len(m.slots) || int(h.Form) >= numForms || int(h.Raw) >= numRaw {
			continue
		}
		m.hist.back = append(m.hist.back, spot{perm: perm, node: node, stage: stage, slot: h.Slot, form: form(h.Form), raw: rawMode(h.Raw),
			pos: h.At.position(), instr: -1, full: true, text: views.Clip(h.Text, 40)})
	}
	for _, p := range s.Pins {
		perm, node, stage, ok := p.find(m)
		if !ok || p.Mark < 1 || p.Mark > maxPins {
			continue
		}
		passes, err := m.sess.Passes(perm)
		if err != nil {
			continue
		}
		k := unitKey{tech: passes[node].TechIndex, pass: passes[node].Pass}
		if m.sess.Effect != nil {
			k.body = m.sess.Effect.BodyOf(perm)
		}
		sel := views.NoSelection
		sel.Instrs, sel.Values, sel.Occur, sel.Binding = p.Instrs, p.Values, p.Occur, p.Binding
		sel.Lanes = views.Lanes{Reg: p.Reg, Mask: p.Mask}
		q := pin{mark: p.Mark, what: views.Clip(p.What, 60), unit: k, stage: stage, sel: sel, instrs: views.NoSelection}
		q.instrs.Instrs = p.Instrs
		m.pins.list = append(m.pins.list, q)
	}
	m.say("back where you were; 0 and g lead to the start")
}
