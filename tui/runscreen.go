package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/compile"
	"fxlens/core/interp"
	"fxlens/core/interp/debug"
	jobs "fxlens/core/interp/job"
	"fxlens/core/ir"
	"fxlens/core/trial"
	"fxlens/views"
)

// runPane is a part of the Run screen that has the keyboard.
type runPane uint8

const (
	runCode runPane = iota
	runRegs
	runConsts
	runValues
	runWatched
	numRunPanes = iota
)

// runScreen steps a stage on the CPU. Everything that runs the program is a command; the
// screen shows the snapshot that the last one left.
type runScreen struct {
	of    *stageView // the stage that is debugged
	pass  *compile.Pass
	stage *trial.Stage
	tr    *trial.Trial
	sess  *debug.Session
	lanes []interp.Lane
	group [3]uint32
	set   int // index into trial.Sets
	seed  uint64
	from  string // the job file that the inputs come from; empty: generated

	op    job // one at a time: a session is not for two
	slow  bool
	snap  *runSnap
	err   string // why there is no session
	pane  runPane
	line  int // the cursor in the code
	top   int
	row   int // the cursor in the registers or constants
	comp  int
	rtop  int
	wtop  int
	typ   views.WordType
	vtop  int               // first line of the values where they are not the pane with the keyboard
	rects [numRunPanes]rect // of what is shown, for clicks
}

// runSnap is the state after an operation.
type runSnap struct {
	pos         int64
	next        int
	done        bool
	active      bool
	discarded   bool
	focus, n    int
	words       []uint32 // of the lanes
	rowOf       []int    // of the lanes: index into rows
	breaks      map[int]bool
	watches     map[interp.Lane]bool
	undefined   int // events so far
	consts      []trial.Constants
	event       string
	rows, crows []views.RunRow
	values      []views.RunValue // of the SSA form, by value; nil where there are none
	noValues    string           // why
	watched     []views.RunWatch
	part        *debug.Parting // where DXBC and SSA part, once that was asked for
}

// Messages of the screen's commands.
type (
	runReady struct {
		gen   int
		stage *trial.Stage
		tr    *trial.Trial
		sess  *debug.Session
		snap  *runSnap
		from  string
		err   error

		endless bool // the program does not end with these inputs
	}
	runDone struct {
		gen  int
		snap *runSnap
		text string
		part *debug.Parting
		list []runItem // to choose from
		head string
		err  error
	}
	// runJobs has the jobs of a file that are for the stage, to choose from.
	runJobs struct {
		gen  int
		path string
		jobs []*jobs.Job
		open func(string) ([]byte, error)
	}
	runSlow struct{ gen int }
)

// runItem is a moment of the run in a list.
type runItem struct {
	text, note string
	pos        int64
}

func (runReady) screen() where { return inRun }
func (runDone) screen() where  { return inRun }
func (runSlow) screen() where  { return inRun }
func (runJobs) screen() where  { return inRun }

func runActions() []action {
	on := func(f func(s *runScreen, m *Model) tea.Cmd) func(m *Model) tea.Cmd {
		return func(m *Model) tea.Cmd {
			s, _ := m.screens[inRun].(*runScreen)
			return f(s, m)
		}
	}
	step := func(f func(*debug.Session, context.Context) (debug.Reason, error)) func(m *Model) tea.Cmd {
		return on(func(s *runScreen, m *Model) tea.Cmd { return s.step(m, f) })
	}
	why := (*Model).whyNoRun
	lane := (*Model).whyNoLane
	return []action{
		{ID: "run", Keys: []string{"f7", "R"}, In: inEvery, Group: "Screens", Help: "the Run screen: step the stage on the CPU", Why: (*Model).whyNoRunScreen, Do: func(m *Model) tea.Cmd {
			return m.goScreen(inRun, func() screen { return &runScreen{seed: 1} })
		}},
		{ID: "run-over", Keys: []string{"n", "f10"}, In: inRun, Group: "Run", Help: "one instruction; blocks and calls as a whole", Bar: "over", Why: why, Do: step((*debug.Session).Over)},
		{ID: "run-into", Keys: []string{"i", "f11", "enter"}, In: inRun, Group: "Run", Help: "one instruction, into blocks and calls", Bar: "into", Why: why, Do: step((*debug.Session).Into)},
		{ID: "run-out", Keys: []string{"o"}, In: inRun, Group: "Run", Help: "out of the innermost block or call", Why: why, Do: step((*debug.Session).Out)},
		{ID: "run-back", Keys: []string{"b"}, In: inRun, Group: "Run", Help: "one instruction back", Bar: "back", Why: why, Do: step((*debug.Session).Back)},
		{ID: "run-continue", Keys: []string{"c"}, In: inRun, Group: "Run", Help: "run to a breakpoint, a change of what is watched, or the end", Bar: "continue", Why: why, Do: step((*debug.Session).Continue)},
		{ID: "run-back-continue", Keys: []string{"B"}, In: inRun, Group: "Run", Help: "back to a breakpoint, or the beginning", Why: why, Do: step((*debug.Session).BackContinue)},
		{ID: "run-to-cursor", Keys: []string{"t"}, In: inRun, Group: "Run", Help: "run to the instruction under the cursor", Bar: "to cursor", Why: (*Model).whyNoRunLine, Do: on((*runScreen).toCursor)},
		{ID: "run-restart", Keys: []string{"0"}, In: inRun, Group: "Run", Help: "to the beginning, with the same inputs", Why: why, Do: on(func(s *runScreen, m *Model) tea.Cmd { return s.seek(m, 0) })},
		{ID: "run-breakpoint", Keys: []string{" ", "f9"}, In: inRun, Group: "Run", Help: "breakpoint at the instruction under the cursor, or none", Bar: "breakpoint", Why: (*Model).whyNoRunLine, Do: on((*runScreen).toggleBreak)},
		{ID: "run-watch", Keys: []string{"w"}, In: inRun, Group: "Run", Help: "watch the lane or SSA value under the cursor, and stop where it changes; or not", Bar: "watch", Why: (*Model).whyNoWatch, Do: on((*runScreen).toggleWatch)},
		{ID: "run-history", Keys: []string{"h"}, In: inRun, Group: "Run", Help: "the instructions that wrote the lane; enter goes there", Why: lane, Do: on((*runScreen).history)},
		{ID: "run-why", Keys: []string{"y"}, In: inRun, Group: "Run", Help: "why the lane is what it is: the writes that its value comes from", Bar: "why", Why: lane, Do: on((*runScreen).slice)},
		{ID: "run-parting", Keys: []string{"p"}, In: inRun, Group: "Run", Help: "to where DXBC and SSA compute different values, for this invocation or else any", Why: why, Do: on((*runScreen).parting)},
		{ID: "run-type", Keys: []string{"x"}, In: inRun, Group: "Run", Help: "read words as float, int, uint, hex", Bar: "type", Do: on(func(s *runScreen, _ *Model) tea.Cmd { s.typ = (s.typ + 1) % views.NumWordTypes; return nil })},
		{ID: "run-left", Keys: []string{"left"}, In: inRun, Group: "Run", Help: "component to the left", Do: on(func(s *runScreen, _ *Model) tea.Cmd { s.comp = max(s.comp-1, 0); return nil })},
		{ID: "run-right", Keys: []string{"right"}, In: inRun, Group: "Run", Help: "component to the right", Do: on(func(s *runScreen, _ *Model) tea.Cmd { s.comp = min(s.comp+1, 3); return nil })},
		{ID: "run-pane", Keys: []string{"tab"}, In: inRun, Group: "Run", Help: "code, registers, constants, SSA values, what is watched", Bar: "pane", Do: on(func(s *runScreen, _ *Model) tea.Cmd { s.go1(1); return nil })},
		{ID: "run-pane-back", Keys: []string{"shift+tab"}, In: inRun, Group: "Run", Help: "the panes the other way round", Do: on(func(s *runScreen, _ *Model) tea.Cmd { s.go1(numRunPanes - 1); return nil })},
		{ID: "run-next", Keys: []string{"."}, In: inRun, Group: "Run", Help: "follow the next vertex, pixel or thread", Why: why, Do: on(func(s *runScreen, m *Model) tea.Cmd { return s.follow(m, s.snap.focus+1) })},
		{ID: "run-previous", Keys: []string{","}, In: inRun, Group: "Run", Help: "follow the one before", Why: why, Do: on(func(s *runScreen, m *Model) tea.Cmd { return s.follow(m, s.snap.focus-1) })},
		{ID: "run-invocation", Keys: []string{"v"}, In: inRun, Group: "Run", Help: "choose the vertex, pixel or thread by number", Why: why, Do: on((*runScreen).askInvocation)},
		{ID: "run-group", Keys: []string{"d"}, In: inRun, Group: "Run", Help: "choose the group of the dispatch", Why: (*Model).whyNoGroup, Do: on((*runScreen).askGroup)},
		{ID: "run-edit", Keys: []string{"e"}, In: inRun, Group: "Run", Help: "set the input or constant under the cursor and run to here again", Bar: "edit", Why: (*Model).whyNoEdit, Do: on((*runScreen).askEdit)},
		{ID: "run-set", Keys: []string{"s"}, In: inRun, Group: "Run", Help: "other generated inputs: small, boundary, outside", Bar: "inputs", Do: on(func(s *runScreen, m *Model) tea.Cmd {
			s.set, s.from = (s.set+1)%len(trial.Sets), ""
			return s.begin(m)
		})},
		{ID: "run-seed", Keys: []string{"S"}, In: inRun, Group: "Run", Help: "the same kind of inputs from the next seed", Do: on(func(s *runScreen, m *Model) tea.Cmd {
			s.seed++
			s.from = ""
			return s.begin(m)
		})},
		{ID: "run-save", Keys: []string{"E"}, In: inRun, Group: "Run", Help: "write the inputs as a job file, with the stage's bytecode beside it", Why: why, Do: on((*runScreen).askSave)},
		{ID: "run-load", Keys: []string{"L"}, In: inRun, Group: "Run", Help: "take the inputs of a job file", Do: on((*runScreen).askLoad)},
	}
}

func (m *Model) whyNoRunScreen() string {
	st := m.stageNow()
	switch {
	case m.sess == nil:
		return "no file is open"
	case st == nil:
		return "the stage is not compiled yet"
	}
	return trial.NotExecuted(st.stage)
}

func (m *Model) whyNoRun() string {
	s, _ := m.screens[inRun].(*runScreen)
	switch {
	case s == nil || s.sess == nil:
		return "no program runs; s makes inputs for one"
	case s.op.on:
		return "the last step still runs; esc stops it"
	}
	return ""
}

func (m *Model) whyNoRunLine() string {
	if why := m.whyNoRun(); why != "" {
		return why
	}
	if s := m.screens[inRun].(*runScreen); s.instr() < 0 {
		return "the cursor is on no instruction"
	}
	return ""
}

func (m *Model) whyNoLane() string {
	if why := m.whyNoRun(); why != "" {
		return why
	}
	if s := m.screens[inRun].(*runScreen); s.lane() < 0 {
		return "the cursor is on no register lane; tab goes to the registers"
	}
	return ""
}

func (m *Model) whyNoWatch() string {
	if why := m.whyNoRun(); why != "" {
		return why
	}
	s := m.screens[inRun].(*runScreen)
	switch {
	case s.pane == runValues && s.value() == ir.NoValue:
		return "no value stands on this line"
	case s.pane != runValues && s.lane() < 0:
		return "the cursor is on no register lane or SSA value; tab goes there"
	}
	return ""
}

func (m *Model) whyNoEdit() string {
	if why := m.whyNoRun(); why != "" {
		return why
	}
	s := m.screens[inRun].(*runScreen)
	switch i := s.lane(); {
	case s.pane == runConsts && s.row < len(s.snap.crows):
		return ""
	case i < 0 || !views.IsInput(s.lanes[i]):
		return "only input registers (v#) and constants can be set; tab goes to them"
	}
	return ""
}

func (m *Model) whyNoGroup() string {
	if why := m.whyNoRun(); why != "" {
		return why
	}
	if s := m.screens[inRun].(*runScreen); s.stage.Prog.Group == [3]uint32{} {
		return "only a compute program has groups"
	}
	return ""
}

func (s *runScreen) where() where { return inRun }
func (s *runScreen) name() string { return "Run" }
func (s *runScreen) stop()        { s.op.stop() }

// show starts anew where another stage is selected.
func (s *runScreen) show(m *Model) tea.Cmd {
	st := m.stageNow()
	if st == nil || st == s.of {
		return nil
	}
	s.of, s.pass = st, m.view.pass
	s.set, s.seed, s.from, s.group = 0, 1, "", [3]uint32{}
	s.line, s.top, s.row, s.comp, s.rtop, s.pane = 0, 0, 0, 0, 0, runCode
	if f := st.dxbc; f != nil {
		s.line = max(f.Row(f.FirstInstr()), 0)
	}
	return s.begin(m)
}

// begin makes inputs and a session before the first instruction.
func (s *runScreen) begin(m *Model) tea.Cmd {
	st := s.of
	if st == nil || m.whyNoRunScreen() != "" {
		s.sess, s.snap, s.err = nil, nil, m.whyNoRunScreen()
		return nil
	}
	s.err = ""
	ctx, gen := s.op.next(m.ctx)
	set, seed, group := trial.Sets[s.set], s.seed, s.group
	build := s.source()
	return tea.Batch(func() tea.Msg {
		stage, err := build()
		if err != nil {
			return runReady{gen: gen, err: err}
		}
		t, _, err := stage.Inputs(ctx, set, seed)
		endless := errors.Is(err, trial.ErrEndless)
		if err != nil && !endless {
			return runReady{gen: gen, err: err}
		}
		r := newRun(ctx, gen, stage, t, group, "", nil)
		r.endless = endless
		return r
	}, s.later(m, gen))
}

// newRun starts a session on a trial; prepare, which may be nil, brings it to where it is
// first seen.
func newRun(ctx context.Context, gen int, stage *trial.Stage, t *trial.Trial, group [3]uint32, from string, prepare func(*debug.Session) error) runReady {
	in := t.Input()
	in.Group = group
	d, err := debug.New(ctx, stage.Prog, in, debug.Options{})
	if err == nil && stage.Func != nil {
		// Without the values the program can be stepped all the same.
		if aerr := d.Attach(ctx, stage.Func); ctx.Err() != nil {
			err = aerr
		}
	}
	if err == nil && prepare != nil {
		err = prepare(d)
	}
	if err != nil {
		return runReady{gen: gen, err: err}
	}
	return runReady{gen: gen, stage: stage, tr: t, sess: d, snap: snapshot(d, t, t.Lanes(), nil), from: from}
}

// later says so when an operation takes long.
func (s *runScreen) later(m *Model, gen int) tea.Cmd {
	s.slow = false
	return m.tick(200*time.Millisecond, func(time.Time) tea.Msg { return runSlow{gen} })
}

// snapshot reads what the screen shows; before is the state to mark changes against.
func snapshot(d *debug.Session, t *trial.Trial, lanes []interp.Lane, before *runSnap) *runSnap {
	n := &runSnap{pos: d.Pos(), next: d.Next(), done: d.Done(), active: d.Active(), discarded: d.Discarded(d.Focus()), focus: d.Focus(), n: d.Invocations(),
		words: make([]uint32, len(lanes)), breaks: map[int]bool{}, watches: map[interp.Lane]bool{}, consts: t.Constants()}
	for _, i := range d.Breakpoints() {
		n.breaks[i] = true
	}
	for _, l := range d.Watches() {
		n.watches[l] = true
	}
	r := d.Report()
	n.undefined = len(r.Events)
	if n.undefined > 0 {
		e := r.Events[n.undefined-1]
		n.event = fmt.Sprintf("@%d %s: %s", e.Instr, e.Kind, e.Text)
	}
	n.rows, n.rowOf = views.RunRows(lanes)
	for i, l := range lanes {
		n.words[i], _ = d.Lane(l)
		n.rows[n.rowOf[i]].Cells[l.Comp] = views.RunCell{Word: n.words[i], There: true, Watched: n.watches[l],
			Changed: before != nil && before.focus == n.focus && before.words[i] != n.words[i]}
	}
	n.readValues(d, before)
	for i, l := range lanes {
		if n.watches[l] {
			n.watched = append(n.watched, views.RunWatch{Name: l.String(), Word: n.words[i], There: true, Changed: n.rows[n.rowOf[i]].Cells[l.Comp].Changed})
		}
	}
	n.watchValues(d)
	for _, c := range n.consts {
		for off := 0; off+16 <= len(c.Data); off += 16 {
			r := views.RunRow{Name: fmt.Sprintf("cb%d[%d]", c.Slot.Register, off/16)}
			for k := range 4 {
				b := c.Data[off+4*k:]
				r.Cells[k] = views.RunCell{There: true, Word: uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24}
			}
			n.crows = append(n.crows, r)
		}
	}
	return n
}

// do runs an operation on the session as a command.
func (s *runScreen) do(m *Model, f func(ctx context.Context, d *debug.Session) (runDone, error)) tea.Cmd {
	if s.sess == nil || s.op.on {
		return nil
	}
	ctx, gen := s.op.next(m.ctx)
	d, t, lanes, before := s.sess, s.tr, s.lanes, s.snap
	return tea.Batch(func() tea.Msg {
		out, err := f(ctx, d)
		out.gen, out.err = gen, err
		out.snap = snapshot(d, t, lanes, before)
		out.snap.part = out.part
		return out
	}, s.later(m, gen))
}

func (s *runScreen) step(m *Model, f func(*debug.Session, context.Context) (debug.Reason, error)) tea.Cmd {
	return s.do(m, func(ctx context.Context, d *debug.Session) (runDone, error) {
		r, err := f(d, ctx)
		if err != nil || r == debug.Stepped {
			return runDone{}, err
		}
		return runDone{text: r.String()}, nil
	})
}

func (s *runScreen) seek(m *Model, pos int64) tea.Cmd {
	return s.do(m, func(ctx context.Context, d *debug.Session) (runDone, error) { return runDone{}, d.Seek(ctx, pos) })
}

// instr is the instruction under the cursor, or -1.
func (s *runScreen) instr() int {
	if s.of == nil || s.of.dxbc == nil {
		return -1
	}
	return int(s.of.dxbc.Ref(s.line).Instr)
}

// lane is the index of the lane under the cursor, or -1.
func (s *runScreen) lane() int {
	if s.snap == nil || s.pane != runRegs || s.row >= len(s.snap.rows) || !s.snap.rows[s.row].Cells[s.comp].There {
		return -1
	}
	for i, l := range s.lanes {
		if s.snap.rowOf[i] == s.row && int(l.Comp) == s.comp {
			return i
		}
	}
	return -1
}

func (s *runScreen) toCursor(m *Model) tea.Cmd {
	at := s.instr()
	return s.step(m, func(d *debug.Session, ctx context.Context) (debug.Reason, error) { return d.RunTo(ctx, at) })
}

func (s *runScreen) toggleBreak(m *Model) tea.Cmd {
	at := s.instr()
	return s.do(m, func(_ context.Context, d *debug.Session) (runDone, error) {
		on := true
		for _, b := range d.Breakpoints() {
			on = on && b != at
		}
		d.Break(at, on)
		return runDone{}, nil
	})
}

func (s *runScreen) toggleWatch(m *Model) tea.Cmd {
	if s.pane == runValues {
		return s.watchValue(m, s.value())
	}
	l := s.lanes[s.lane()]
	on := !s.snap.watches[l]
	return s.do(m, func(_ context.Context, d *debug.Session) (runDone, error) {
		text := l.String() + " is not watched any more"
		if on {
			text = "c stops where " + l.String() + " changes"
		}
		return runDone{text: text}, d.Watch(l, on)
	})
}

func (s *runScreen) history(m *Model) tea.Cmd {
	l, typ, p := s.lanes[s.lane()], s.typ, s.of.dxbc
	return s.do(m, func(ctx context.Context, d *debug.Session) (runDone, error) {
		ws, err := d.History(ctx, l)
		out := runDone{head: "Writes of " + l.String()}
		for _, w := range ws {
			out.list = append(out.list, runItem{fmt.Sprintf("@%-4d %s -> %s", w.Instr, typ.Format(w.Old), typ.Format(w.New)), strings.TrimSpace(p.Text(p.Row(int32(w.Instr)))), w.Pos})
		}
		if err == nil && len(ws) == 0 {
			out.text = "nothing has written " + l.String() + " yet"
		}
		return out, err
	})
}

func (s *runScreen) slice(m *Model) tea.Cmd {
	l, typ, p := s.lanes[s.lane()], s.typ, s.of.dxbc
	return s.do(m, func(ctx context.Context, d *debug.Session) (runDone, error) {
		cs, err := d.Slice(ctx, l)
		out := runDone{head: "Why " + l.String() + " is what it is"}
		for _, c := range cs {
			var from []string
			for _, f := range c.From {
				from = append(from, f.String())
			}
			text := fmt.Sprintf("%s%s = %s", strings.Repeat("  ", min(c.Depth, 12)), c.Lane, typ.Format(c.New))
			if len(from) > 0 {
				text += "  of " + strings.Join(from, " ")
			}
			out.list = append(out.list, runItem{text, fmt.Sprintf("@%d %s", c.Instr, strings.TrimSpace(p.Text(p.Row(int32(c.Instr))))), c.Pos})
		}
		if err == nil && len(cs) == 0 {
			out.text = "nothing has written " + l.String() + ": it is an input or undefined"
		}
		return out, err
	})
}

func (s *runScreen) parting(m *Model) tea.Cmd {
	f := s.of.stage.Func
	if f == nil {
		m.fail("there is no SSA to compare with: %s", s.stage.Refused)
		return nil
	}
	return s.do(m, func(ctx context.Context, d *debug.Session) (runDone, error) { return toParting(ctx, d, f) })
}

func (s *runScreen) follow(m *Model, n int) tea.Cmd {
	if n < 0 || n >= s.snap.n {
		m.fail("the run has the invocations 0 to %d", s.snap.n-1)
		return nil
	}
	return s.do(m, func(ctx context.Context, d *debug.Session) (runDone, error) { return runDone{}, d.SetFocus(ctx, n) })
}

func (s *runScreen) update(m *Model, msg screenMsg) tea.Cmd {
	switch msg := msg.(type) {
	case runSlow:
		s.slow = s.op.on && msg.gen == s.op.gen
	case runJobs:
		if msg.gen != s.op.gen {
			return nil
		}
		s.op.on, s.slow = false, false
		var items []item
		for _, j := range msg.jobs {
			items = append(items, item{text: j.Name, note: j.Stage(), apply: func(m *Model) tea.Cmd { return s.take(m, msg.path, j, msg.open) }})
		}
		m.openList(overList, "Jobs of "+msg.path, items)
	case runReady:
		if msg.gen != s.op.gen {
			return nil
		}
		s.op.on, s.slow = false, false
		if msg.err != nil {
			if s.sess == nil {
				s.err = msg.err.Error()
			}
			m.fail("%v", msg.err)
			return nil
		}
		s.stage, s.tr, s.sess, s.snap, s.from, s.err = msg.stage, msg.tr, msg.sess, msg.snap, msg.from, ""
		s.lanes = msg.tr.Lanes()
		s.toNext()
		if msg.endless {
			m.say("the program does not end with these inputs: step it, or c to a breakpoint; without one c ends at the step limit")
		}
	case runDone:
		if msg.gen != s.op.gen {
			return nil
		}
		moved := s.snap == nil || msg.snap.pos != s.snap.pos || msg.snap.next != s.snap.next
		s.op.on, s.slow = false, false
		s.snap = msg.snap
		switch {
		case msg.err != nil:
			m.fail("%v", msg.err)
		case msg.text != "":
			m.say("%s", msg.text)
		}
		if moved {
			s.toNext()
		}
		if len(msg.list) > 0 {
			var items []item
			for _, it := range msg.list {
				items = append(items, item{text: it.text, note: it.note, apply: func(m *Model) tea.Cmd { return s.seek(m, it.pos) }})
			}
			m.openList(overList, msg.head, items)
		}
	}
	return nil
}

// toNext puts the cursor on the next instruction.
func (s *runScreen) toNext() {
	if s.snap == nil || s.snap.next < 0 || s.of.dxbc == nil {
		return
	}
	if r := s.of.dxbc.Row(int32(s.snap.next)); r >= 0 {
		s.line = r
	}
	if r := s.valueRow(int32(s.snap.next), s.row); s.pane == runValues && r >= 0 {
		s.row = r
	}
}

func (s *runScreen) go1(n int) {
	s.pane = (s.pane + runPane(n)) % numRunPanes
	s.row, s.rtop = 0, 0
	if s.pane == runValues {
		s.toNext()
	}
}

func (s *runScreen) rowsNow() []views.RunRow {
	switch {
	case s.snap == nil:
		return nil
	case s.pane == runConsts:
		return s.snap.crows
	}
	return s.snap.rows
}

// rowCount is the number of rows of the pane with the keyboard, which is not the code.
func (s *runScreen) rowCount() int {
	switch {
	case s.snap == nil:
		return 0
	case s.pane == runValues:
		if v := s.ssa(); v != nil {
			return v.Len()
		}
		return 0
	case s.pane == runWatched:
		return len(s.snap.watched)
	}
	return len(s.rowsNow())
}

func (s *runScreen) page(*Model) int { return max(s.rects[s.pane].h-2, 1) }

func (s *runScreen) move(_ *Model, n int) {
	if s.pane == runCode {
		if s.of != nil && s.of.dxbc != nil {
			s.line = min(max(s.line+n, 0), s.of.dxbc.Len()-1)
		}
		return
	}
	s.row = min(max(s.row+n, 0), max(s.rowCount()-1, 0))
}

func (s *runScreen) click(_ *Model, x, y int) tea.Cmd {
	for p := range s.rects {
		r := s.rects[p]
		if !r.contains(x, y) || y == r.y {
			continue
		}
		if runPane(p) == runCode {
			s.pane = runCode
			s.line = s.top + y - r.y - 1
			s.move(nil, 0)
			return nil
		}
		if runPane(p) == runValues && s.pane != runValues {
			s.rtop = s.vtop
		}
		s.pane = runPane(p)
		s.row = s.rtop + y - r.y - 1
		s.comp = min(max((x-r.x-14)*4/max(r.w-14, 1), 0), 3)
		s.move(nil, 0)
		return nil
	}
	return nil
}

func (s *runScreen) escape(m *Model) bool {
	if s.op.on {
		s.op.stop()
		m.say("stopped")
		return true
	}
	return false
}

// runSpot is a comparable place: the stage's screen keeps the rest.
type runSpot struct {
	pane runPane
	line int
}

func (s *runScreen) spot() any { return runSpot{s.pane, s.line} }

func (s *runScreen) goSpot(_ *Model, at any) {
	p := at.(runSpot)
	s.pane, s.line = p.pane, p.line
}

func (s *runScreen) inputs() string {
	if s.from != "" {
		return "inputs of " + s.from
	}
	return fmt.Sprintf("%s inputs, seed %d", trial.Sets[s.set], s.seed)
}

func (s *runScreen) place(m *Model) string {
	if s.snap == nil {
		return m.linkShort()
	}
	what := map[bool]string{true: "thread", false: "invocation"}[s.stage != nil && s.stage.Prog.Group != [3]uint32{}]
	return fmt.Sprintf("%s %d of %d, %s", what, s.snap.focus, s.snap.n, s.inputs())
}

func (s *runScreen) status(*Model) []views.Span {
	var out []views.Span
	add := func(format string, a ...any) {
		out = append(out, sp(views.RoleStatus, fmt.Sprintf(format, a...)+"  "))
	}
	if s.slow {
		add("running… esc stops")
	}
	if n := s.snap; n != nil {
		switch {
		case n.done:
			add("ended")
		case n.discarded:
			add("discarded")
		case !n.active:
			add("this one waits")
		}
		if s.tr.Helper(n.focus) {
			add("helper pixel")
		}
		if n.undefined > 0 {
			add("▲ %d undefined", n.undefined)
		}
		add("step %d", n.pos)
	}
	return out
}

func (s *runScreen) panel(_ *Model, cols int) (string, []views.Line) {
	if s.snap == nil || s.of.dxbc == nil {
		return "", nil
	}
	var out []views.Line
	if s.snap.event != "" {
		out = append(out, views.WrapWords(views.Say(views.RoleWarning, "▲ "+views.Text(s.snap.event)), cols, 2)...)
	}
	if s.snap.part != nil {
		out = append(out, views.WrapWords(views.Say(views.RoleRefused, "≠ "+views.Text(s.snap.part.String())), cols, 2)...)
	}
	out = append(out, s.readings(cols)...)
	at := s.snap.next
	if s.pane == runCode {
		at = s.instr()
	}
	if at >= 0 {
		out = append(out, views.InstrDetail(s.of.dxbc, s.of.links, s.of.dxbc.Row(int32(at)), 0, cols)...)
	}
	return "instruction", out
}
