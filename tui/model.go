package tui

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/session"
	"fxlens/core/variant"
	"fxlens/themes"
	"fxlens/views"
)

// Model is the root model, and the only one.
type Model struct {
	ctx     context.Context
	opt     Options
	term    terminal
	theme   *themes.Theme
	painter *painter

	w, h      int
	other     bool // the other arrangement of the listings
	zoom      int  // slot that has the body, or -1
	focus     int  // slot with the keyboard
	arr       arrangement
	panelRows int // lines that the panel was asked to show, or 0
	slots     [slotCode + maxCode]slot

	sess    *session.Session
	openErr error
	start   *session.Link // place to go to once the session is there

	sel      selected
	memo     memo
	closed   map[int]bool // techniques folded in the tree
	passes   []session.PassRef
	view     *passView // what the panes show; stays until its successor is there
	stale    bool      // the selection has moved on and view is not it yet
	links    *views.Links
	lit      views.Selection // what the cursor lights up in every pane
	diags    []diag.Diag     // of all passes of the permutation that are known, in tree order
	origins  []origin        // of each of them
	oddities                 // what is odd in the file as a whole
	diagAt   int             // where ] and [ are, or -1

	cache   map[unitKey]*passView
	order   []unitKey // of cache, oldest first
	job     job       // the compile that the selection waits for
	survey  job       // marks of the other passes, then the neighbours
	phases  phases
	cmp     comparison
	seeking job // of a definition or use
	search  search
	hist    history
	comfort
	over         *overlay
	screen       screen           // what lies over the panes; nil: Inspect
	screens      map[where]screen // those that were shown, with their state
	export       *exporter
	settings     settings
	plan         plan // of what the export would write
	exportChoice exportChoice
	recalled     exportMemory // what exportChoice was at the start
	recallDone   bool
	picks        []exportMark // marked for export
	written      string       // the file that was exported last
	visits       []visit      // files that others were opened from, the last one at the end
	opening      job
	reasons      reasons
	fresh        bool  // the shown stage is another: its listings start anew
	want         *spot // where to put the cursor when the view arrives

	status  string // message until the next key
	isError bool
	slow    bool // the job runs for more than 200 ms

	mouse bool
	wrap  bool
	raw   rawMode
	drop  torn

	tabs     []tab
	showDiag bool // the panel shows diagnostic diagAt

	tick  func(d time.Duration, f func(time.Time) tea.Msg) tea.Cmd // tea.Tick; tests have no clock
	dirty bool
	frame string
	cv    canvas
	log   []string // last actions, for the crash report
}

// selected is what the left side selects.
type selected struct {
	perm   int
	choice []int
	node   int // index into passes
	stage  int // index into the pass's stages
}

// unitKey names a pass of a body: permutations that share the body share it.
// The same pass with other options of the compiler is another one: see settings.
type unitKey struct{ body, tech, pass, epoch int }

// job is one piece of work that a newer one replaces.
type job struct {
	gen    int
	cancel context.CancelFunc
	on     bool
}

// next ends the job and starts the one that follows.
func (j *job) next(ctx context.Context) (context.Context, int) {
	if j.cancel != nil {
		j.cancel()
	}
	c, cancel := context.WithCancel(ctx)
	*j = job{gen: j.gen + 1, cancel: cancel, on: true}
	return c, j.gen
}

func (j *job) stop() {
	if j.cancel != nil {
		j.cancel()
	}
	j.cancel, j.on = nil, false
	j.gen++
}

// newModel makes the model; s may be nil, then opt.Open provides it.
func newModel(ctx context.Context, s *session.Session, opt Options, term terminal) (*Model, error) {
	name := opt.Theme
	if name == "" {
		name = term.theme
	}
	th, err := loadTheme(name, opt)
	if err != nil {
		return nil, err
	}
	m := &Model{ctx: ctx, opt: opt, term: term, zoom: -1, focus: slotCode, diagAt: -1,
		fresh: true, cache: make(map[unitKey]*passView), mouse: !opt.NoMouse, lit: views.NoSelection, links: views.NewLinks(nil, nil, 0)}
	m.tick = tea.Tick
	m.folds, m.keys, m.cfg = clearFolds(), defaultKeys(), &config{}
	m.cmp = comparison{with: -1, base: formWGSL}
	m.setTheme(th)
	for i, f := range []form{formDXBC, formWGSL, formSSA, formBindings} {
		m.slots[slotCode+i].form = f
	}
	m.start = opt.At
	if s != nil {
		m.setSession(s)
	}
	m.dirty = true
	return m, nil
}

func (m *Model) setTheme(t *themes.Theme) {
	m.theme = t
	m.painter = newPainter(t, m.term.profile, m.term.ascii, false)
	m.dirty = true
}

// setSession takes an opened file and selects the start: the link's place or the
// permutation of all defaults, first pass, last stage (a pixel stage says most).
func (m *Model) setSession(s *session.Session) {
	m.forget()
	m.sess = s
	m.sel = selected{perm: s.DefaultPermutation(), node: -1}
	m.loadPerm()
	if !m.restored {
		m.restored = true
		m.recallExport()
		if st := m.readState(); st != nil {
			m.restoreState(st, m.start == nil)
		}
	}
	if l := m.start; l != nil {
		m.start = nil
		if err := m.goLink(*l); err != nil {
			m.fail("%v", err)
		}
	}
	if m.sel.node < 0 {
		m.sel.node = m.firstPass()
		m.sel.stage = -1 // the last one, once the pass is known
	}
	m.dirty = true
}

// forget drops everything that belongs to the file that is closed, but the way to it.
func (m *Model) forget() {
	m.forgetScreens()
	for _, j := range []*job{&m.job, &m.survey, &m.seeking, &m.search.job, &m.phases.job, &m.cmp.job} {
		j.stop()
	}
	m.openErr, m.over, m.export, m.want = nil, nil, nil, nil
	for _, j := range []*job{&m.plan.job, &m.settings.gain.job, &m.reasons.job} {
		j.stop()
	}
	m.settings = settings{gain: gain{job: m.settings.gain.job}}
	m.reasons = reasons{job: m.reasons.job}
	m.plan, m.picks = plan{job: m.plan.job}, nil
	m.memo, m.closed, m.passes = memo{}, nil, nil
	m.view, m.stale, m.slow, m.fresh = nil, false, false, true
	m.links, m.lit = views.NewLinks(nil, nil, 0), views.NoSelection
	m.diags, m.origins, m.diagAt, m.showDiag = nil, nil, -1, false
	m.oddities = oddities{}
	m.cache, m.order = make(map[unitKey]*passView), nil
	m.phases, m.search = phases{job: m.phases.job}, search{job: m.search.job}
	m.cmp = comparison{with: -1, base: m.cmp.base, job: m.cmp.job}
	for i := range m.slots {
		m.slots[i].pos = [numForms]position{}
	}
}

// firstPass is the first pass that has stages, or 0.
func (m *Model) firstPass() int {
	for i, r := range m.passes {
		if in, err := m.sess.Input(m.sel.perm, r); err == nil && len(in.Stages) > 0 {
			return i
		}
	}
	return 0
}

// loadPerm reads the passes of the selected permutation.
func (m *Model) loadPerm() {
	m.memo = memo{}
	if m.sess.Effect != nil {
		m.sel.choice = m.sess.Effect.Choice(m.sel.perm)
	}
	var err error
	if m.passes, err = m.sess.Passes(m.sel.perm); err != nil {
		m.passes = nil
		if m.sess.Package == nil || m.sess.Effect != nil {
			m.fail("%v", err)
		}
	}
}

// goLink selects what a link names inside the session.
func (m *Model) goLink(l session.Link) error {
	t, err := m.sess.Resolve(l)
	if err != nil {
		return err
	}
	m.sel.perm = t.Perm
	m.loadPerm()
	m.sel.node, m.sel.stage = m.firstPass(), -1
	if l.HasTechnique() && len(t.Passes) > 0 {
		if i := slices.Index(m.passes, t.Passes[0]); i >= 0 {
			m.sel.node = i
		}
	}
	if t.Stage != "" && m.sel.node < len(m.passes) {
		if in, err := m.sess.Input(m.sel.perm, m.passes[m.sel.node]); err == nil {
			m.sel.stage = session.StageIndex(in, t.Stage)
		}
	}
	if t.Instr >= 0 {
		m.want = &spot{instr: int32(t.Instr)}
	}
	return nil
}

// key is the cache key of pass node of the permutation.
func (m *Model) key(perm, node int) (unitKey, bool) {
	if m.sess == nil || node < 0 || node >= len(m.passes) {
		return unitKey{}, false
	}
	r := m.passes[node]
	k := unitKey{tech: r.TechIndex, pass: r.Pass, epoch: m.settings.epoch}
	if m.sess.Effect != nil {
		k.body = m.sess.Effect.BodyOf(perm)
	}
	return k, true
}

// Init starts the first work.
func (m *Model) Init() tea.Cmd {
	switch {
	case m.sess != nil:
		return tea.Batch(m.reselect(), m.loadBookmarks(), m.watchCmd())
	case m.opt.Graph != nil:
		return tea.Batch(m.goScreen(inSwitches, func() screen { return &switchesScreen{src: m.opt.Graph, set: variant.Empty} }), m.watchCmd())
	case m.opt.Corpus != nil:
		return m.goScreen(inCorpus, func() screen { return newCorpusScreen(m.opt.Corpus) })
	}
	return m.openCmd()
}

// say puts a message on the status line until the next key.
func (m *Model) say(format string, args ...any) {
	m.status, m.isError, m.dirty = fmt.Sprintf(format, args...), false, true
}

// fail puts an error there.
func (m *Model) fail(format string, args ...any) {
	m.say(format, args...)
	m.isError = true
}

// stageNow returns the compiled stage that the panes show, or nil.
func (m *Model) stageNow() *stageView {
	if m.view == nil || len(m.view.stages) == 0 {
		return nil
	}
	return m.view.stages[min(max(m.shownStage(), 0), len(m.view.stages)-1)]
}

// shownStage is the stage index inside the view; while nothing is chosen, the last one
// that has code.
func (m *Model) shownStage() int {
	if m.view == nil {
		return -1
	}
	if m.sel.stage < 0 || m.sel.stage >= len(m.view.stages) {
		return len(m.view.stages) - 1
	}
	return m.sel.stage
}

// ref returns the selected pass, if there is one.
func (m *Model) ref() (session.PassRef, bool) {
	if m.sel.node < 0 || m.sel.node >= len(m.passes) {
		return session.PassRef{}, false
	}
	return m.passes[m.sel.node], true
}

// nodes returns the tree with what is known of every pass.
func (m *Model) nodes() []views.PassNode {
	var out []views.PassNode
	if m.sess == nil {
		return nil
	}
	for i, r := range m.passes {
		n := views.PassNode{Technique: r.Technique, TechIndex: r.TechIndex, Pass: r.Pass}
		k, _ := m.key(m.sel.perm, i)
		if v := m.cache[k]; v != nil {
			n.Known, n.Err, n.Status = true, v.err, compile.Refused
			if v.pass != nil {
				n.Status = v.pass.Status
			}
			n.Stages = v.nodes
		} else if in, err := m.sess.Input(m.sel.perm, r); err == nil {
			for _, st := range in.Stages {
				n.Stages = append(n.Stages, views.StageNode{Kind: st.Kind})
			}
		} else {
			n.Known, n.Err = true, err.Error()
		}
		out = append(out, n)
	}
	if m.sess.Effect != nil {
		out = m.withEmpty(out)
	}
	return out
}

// withEmpty adds the techniques without passes.
func (m *Model) withEmpty(nodes []views.PassNode) []views.PassNode {
	body, err := m.sess.Effect.Body(m.sel.perm)
	if err != nil {
		return nodes
	}
	for t := range body.Techniques {
		if len(body.Techniques[t].Passes) > 0 {
			continue
		}
		n := views.PassNode{Technique: body.Techniques[t].Name, TechIndex: t, Pass: -1}
		at, _ := slices.BinarySearchFunc(nodes, t, func(n views.PassNode, t int) int { return n.TechIndex - t })
		nodes = slices.Insert(nodes, at, n)
	}
	return nodes
}
