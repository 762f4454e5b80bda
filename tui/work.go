package tui

import (
	"context"
	"errors"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/ir"
	"fxlens/core/session"
	"fxlens/core/wgsl/layout"
	"fxlens/views"
)

// passView is a compiled pass made ready for the panes. It is built in a command and
// never changed afterwards.
type passView struct {
	pass   *compile.Pass
	err    string // why there is no pass
	stages []*stageView
	nodes  []views.StageNode
	plan   *views.Static // bindings
}

// stageView is one stage in all its forms.
type stageView struct {
	stage *compile.Stage
	dxbc  *views.DXBC // nil when undecodable
	links *views.Links
	forms [numForms]views.Listing
	raw   [numRaw]*views.Tokens // of dxbc, by mode; nil for the bare listing and when undecodable
	flow  func() *dxbc.Flow     // of the program, made when first asked for; nil when undecodable
}

// Messages of the commands. gen tells a late answer.
type (
	openedMsg struct {
		s   *session.Session
		err error
	}
	compiledMsg struct {
		gen  int
		key  unitKey
		view *passView
		err  error
	}
	surveyedMsg struct {
		gen  int
		key  unitKey
		view *passView
		rest []unit
	}
	slowMsg struct{ gen int }
)

// unit is a pass to look at in the background.
type unit struct {
	perm int
	ref  session.PassRef
	key  unitKey
}

func (m *Model) openCmd() tea.Cmd {
	open, ctx := m.opt.Open, m.ctx
	return func() tea.Msg {
		if open == nil {
			return openedMsg{err: errors.New("no file to open; give one as argument")}
		}
		s, err := open(ctx)
		return openedMsg{s, err}
	}
}

// reselect brings the panes to the selection: at once where its pass is known, by a
// command elsewhere. The old view stays on the screen meanwhile.
func (m *Model) reselect() tea.Cmd {
	m.dirty = true
	k, ok := m.key(m.sel.perm, m.sel.node)
	if !ok {
		m.view, m.stale = nil, false
		return nil
	}
	m.collectDiags()
	if v := m.cache[k]; v != nil {
		m.job.stop()
		m.stale = false
		m.show(v)
		return tea.Batch(m.wanted(), m.surveyCmd(), m.findCmd())
	}
	m.stale, m.slow = true, false
	ctx, gen := m.job.next(m.ctx)
	m.survey.stop()
	s, perm, ref := m.sess, m.sel.perm, m.passes[m.sel.node]
	run := func() tea.Msg {
		v, err := compilePass(ctx, s, perm, ref)
		return compiledMsg{gen, k, v, err}
	}
	return tea.Batch(run, m.tick(200*time.Millisecond, func(time.Time) tea.Msg { return slowMsg{gen} }))
}

// compilePass compiles a pass and indexes every form of its stages. A bug in the
// compiler becomes a view with a message; only the end of ctx is an error.
func compilePass(ctx context.Context, s *session.Session, perm int, ref session.PassRef) (*passView, error) {
	p, err := s.Compile(ctx, perm, ref)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return &passView{err: err.Error()}, nil
	}
	v := newPassView(p)
	v.withEffect(s, perm, ref)
	return v, nil
}

func newPassView(p *compile.Pass) *passView {
	v := &passView{pass: p}
	if p.Plan != nil {
		var all []ir.Premise
		for _, st := range p.Stages {
			all = append(all, st.Premises...)
		}
		v.plan = views.BindingsAndPremises(p.Plan, all)
	}
	for i, st := range p.Stages {
		v.stages = append(v.stages, newStageView(p, i))
		n := views.StageNode{Kind: st.Kind, Known: true, Status: st.Status}
		if st.Shader != nil && st.Shader.Program != nil {
			n.Instrs = len(st.Shader.Program.Instrs)
		}
		for _, d := range st.Diags {
			switch d.Sev {
			case diag.Error:
				n.Errors++
			case diag.Warning:
				n.Warnings++
			}
		}
		v.nodes = append(v.nodes, n)
	}
	return v
}

var layoutStage = map[dxbc.ProgramKind]layout.Stage{dxbc.Vertex: layout.Vertex, dxbc.Pixel: layout.Fragment, dxbc.Compute: layout.Compute}

func newStageView(p *compile.Pass, i int) *stageView {
	st := p.Stages[i]
	v := &stageView{stage: st}
	plan := p.Plan
	if _, ok := layoutStage[st.Kind]; !ok {
		plan = nil // the stage is not in it
	}
	v.links = views.NewLinks(st.Func, plan, layoutStage[st.Kind])
	reasons := reasonLines(st, p)
	if st.Shader != nil && st.Shader.Program != nil {
		v.dxbc = views.NewDXBC(st.Shader.Program, st.Diags)
		v.flow = sync.OnceValue(st.Shader.Program.Flow)
		v.forms[formDXBC] = v.dxbc
	} else if st.Module != nil {
		v.forms[formDXBC] = noProgram()
	} else {
		v.forms[formDXBC] = views.NewStatic(append([]views.Line{views.Say(views.RoleRefused, "✗ the program cannot be decoded"), views.Blank()}, reasons...), nil)
	}
	if st.Func != nil {
		v.forms[formSSA] = views.NewSSA(st.Func, st.Diags)
	} else if st.Module != nil {
		v.forms[formSSA] = noProgram()
	} else {
		v.forms[formSSA] = views.NewStatic(append([]views.Line{views.Say(views.RoleRefused, "✗ no SSA: the stage was refused before it was built"), views.Blank()}, reasons...), nil)
	}
	if st.Module != nil {
		module := st.Module
		if st.Func == nil { // of a package
			module = packaged(module)
		}
		w := views.NewWGSL(module)
		v.forms[formWGSL] = w
		if v.dxbc != nil {
			v.forms[formMixed] = views.NewMixed(v.dxbc, w)
		}
	} else {
		v.forms[formWGSL] = views.Stopped(st.Status.String(), reasons)
	}
	if v.forms[formMixed] == nil {
		v.forms[formMixed] = v.forms[formDXBC]
	}
	switch {
	case p.Plan != nil:
		v.forms[formBindings] = views.BindingsAndPremises(p.Plan, st.Premises)
	case st.Func != nil:
		head := []views.Line{views.Say(views.RoleWarning, "▲ no binding plan: the pass was refused before it was made; the stage declares"), views.Blank()}
		v.forms[formBindings] = views.NewStatic(append(head, views.Resources(st.Func)...), nil)
	default:
		v.forms[formBindings] = views.NewStatic(append([]views.Line{views.Say(views.RoleWarning, "▲ no binding plan: the pass was refused before it was made"), views.Blank()}, reasons...), nil)
	}
	v.forms[formSignatures] = views.Signatures(p, i)
	v.withTables()
	return v
}

// noProgram says why a translated stage has neither listing nor SSA.
func noProgram() *views.Static {
	return views.NewStatic([]views.Line{views.Say(views.RoleDim, "The package has the module of this stage and no source program."),
		views.Say(views.RoleDim, "Open the effect that it was made of to see the program.")}, nil)
}

// reasonLines lists what stopped a stage, each with its remedy.
func reasonLines(st *compile.Stage, p *compile.Pass) []views.Line {
	var out []views.Line
	n := 0
	for _, ds := range [][]diag.Diag{st.Diags, p.Diags} {
		for i := range ds {
			if ds[i].Sev == diag.Error {
				n++
			}
		}
	}
	k := 0
	for _, ds := range [][]diag.Diag{st.Diags, p.Diags} {
		for i := range ds {
			if ds[i].Sev != diag.Error {
				continue
			}
			if k > 0 {
				out = append(out, views.Blank())
			}
			// 76 cells: readable in the narrowest screen; wider panes lose nothing.
			d := ds[i]
			if d.At.Stage == "" {
				d.At.Stage = st.Kind.String()
			}
			ls := views.Detail(&d, k, n, 76)
			for j := range ls {
				ls[j].Ref.Instr = int32(ds[i].At.Index())
			}
			out = append(out, ls...)
			k++
		}
	}
	if k == 0 && st.Status != compile.Translated {
		out = append(out, views.Say(views.RoleDim, "The compiler gave no reason."))
	}
	return out
}

// maxCache bounds the passes that are kept ready; the compiler's own cache is behind it.
const maxCache = 1024

func (m *Model) remember(k unitKey, v *passView) {
	m.memo = memo{}
	if m.cache[k] == nil {
		m.order = append(m.order, k)
		if len(m.order) > maxCache {
			delete(m.cache, m.order[0])
			m.order = m.order[1:]
		}
	}
	m.cache[k] = v
}

// surveyCmd looks at the other passes of the permutation, one after the other, and then
// at the selected pass in the permutations one option away, so that changing an option
// finds its result ready. Every step is a command of its own: the next selection ends it.
func (m *Model) surveyCmd() tea.Cmd {
	var todo []unit
	seen := make(map[unitKey]bool)
	add := func(perm int, ref session.PassRef, k unitKey) {
		if m.cache[k] == nil && !seen[k] {
			seen[k] = true
			todo = append(todo, unit{perm, ref, k})
		}
	}
	for i, r := range m.passes {
		k, _ := m.key(m.sel.perm, i)
		add(m.sel.perm, r, k)
	}
	if ref, ok := m.ref(); ok && m.sess.Effect != nil {
		const most = 64
		for _, perm := range neighbours(m.sess, m.sel.choice, most) {
			k := unitKey{m.sess.Effect.BodyOf(perm), ref.TechIndex, ref.Pass, m.settings.epoch}
			add(perm, ref, k)
		}
	}
	ctx, gen := m.survey.next(m.ctx)
	if len(todo) == 0 {
		m.survey.on = false
		return nil
	}
	return surveyStep(ctx, gen, m.sess, todo)
}

func surveyStep(ctx context.Context, gen int, s *session.Session, todo []unit) tea.Cmd {
	return func() tea.Msg {
		u := todo[0]
		v, err := compilePass(ctx, s, u.perm, u.ref)
		if err != nil {
			return nil // cancelled
		}
		return surveyedMsg{gen, u.key, v, todo[1:]}
	}
}

// neighbours returns the permutations that differ from choice in one axis, at most n.
func neighbours(s *session.Session, choice []int, n int) []int {
	var out []int
	c := append([]int(nil), choice...)
	for a := range c {
		was := c[a]
		for o := range s.Effect.Axes[a].Options {
			if o == was {
				continue
			}
			c[a] = o
			if perm, err := s.Effect.Index(c); err == nil {
				out = append(out, perm)
			}
			if len(out) == n {
				return out
			}
		}
		c[a] = was
	}
	return out
}

// show puts a view on the panes, keeping the cursor on the same instruction and row.
func (m *Model) show(v *passView) {
	m.view = v
	if st := m.stageNow(); st != nil {
		m.links = st.links
	} else {
		m.links = views.NewLinks(nil, nil, 0)
	}
	if m.later != nil {
		m.slots, m.later, m.fresh = *m.later, nil, false
	}
	if m.fresh {
		m.fresh = false
		m.startCode()
	}
	for i := slotCode; i < len(m.slots); i++ {
		m.clamp(i)
	}
	m.repin()
	if p := m.want; p != nil {
		m.want = nil
		m.restore(p)
	}
	m.relight()
	m.collectDiags()
	m.dirty = true
}

// origin is where a diagnostic comes from: pass and stage, -1 where it has none.
type origin struct{ node, stage int }

// oddities are the findings of the file as a whole. To find those of an effect all its
// bodies are read: that waits until the first pass is on the screen.
type oddities struct {
	asked    bool
	findings []diag.Diag
}

// findCmd asks for them, once a file.
func (m *Model) findCmd() tea.Cmd {
	if m.oddities.asked || m.sess == nil {
		return nil
	}
	m.oddities.asked = true
	s := m.sess
	return func() tea.Msg {
		found := s.Findings()
		return applyMsg(func(m *Model) tea.Cmd {
			if m.sess != nil && m.sess.SHA256 == s.SHA256 {
				m.oddities.findings, m.dirty = found, true
				m.collectDiags()
			}
			return nil
		})
	}
}

// collectDiags gathers the diagnostics of the file and of the permutation's passes that
// are known: errors first, then warnings and notes, each in tree order.
func (m *Model) collectDiags() {
	var at *diag.Diag // what the cursor is on stays so, wherever it comes to stand
	if m.diagAt >= 0 && m.diagAt < len(m.diags) {
		at = &m.diags[m.diagAt]
	}
	m.diags, m.origins = nil, nil
	m.memo.diags = nil
	if m.sess == nil {
		return
	}
	var all []diag.Diag
	var from []origin
	for _, d := range m.oddities.findings {
		all, from = append(all, d), append(from, origin{-1, -1})
	}
	for i, r := range m.passes {
		k, _ := m.key(m.sel.perm, i)
		v := m.cache[k]
		if v == nil || v.pass == nil {
			continue
		}
		for _, d := range m.sess.Diags(m.sel.perm, r, v.pass) {
			stage := -1
			for s := range v.stages {
				if v.stages[s].stage.Kind.String() == d.At.Stage {
					stage = s
				}
			}
			all, from = append(all, d), append(from, origin{i, stage})
		}
	}
	for sev := diag.Error; ; sev-- {
		for i := range all {
			if all[i].Sev == sev {
				m.diags, m.origins = append(m.diags, all[i]), append(m.origins, from[i])
			}
		}
		if sev == diag.Note {
			break
		}
	}
	if at != nil {
		m.diagAt = m.indexOf(at)
	}
}
