package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"fxlens/cmd/fxlens/judge"
	"fxlens/core/files"
	"fxlens/core/gpu"
	"fxlens/core/interp"
	"fxlens/core/interp/debug"
	"fxlens/core/interp/job"
	"fxlens/core/ir"
	"fxlens/core/session"
	"fxlens/core/trial"
	"fxlens/views"
)

// runFlags are the flags of run.
type runFlags struct {
	job   string
	step  bool
	who   int // the invocation that --step follows
	save  string
	seed  uint64
	sets  int
	ulp   int64
	abs   float64
	noGPU bool
	judge string
}

// runDoc is the JSON of run.
type runDoc struct {
	Schema string     `json:"schema"` // fxlens.run/1
	Link   string     `json:"link"`
	OK     bool       `json:"ok"`  // nothing differs
	GPU    bool       `json:"gpu"` // the WGSL was run too
	Trials []runTrial `json:"trials"`
}

// runTrial is one stage on one set of inputs.
type runTrial struct {
	Link   string `json:"link"`
	Inputs string `json:"inputs"` // a generated set, or the name of a job
	Seed   uint64 `json:"seed,omitempty"`
	// SSA and WGSL are "equal", "different" or "not run".
	SSA     string `json:"ssa"`
	WGSL    string `json:"wgsl"`
	Why     string `json:"why,omitempty"` // something was not run
	Words   int    `json:"words"`         // compared with the WGSL, or else with the SSA
	LeftOut int    `json:"leftOut"`       // words that D3D or WGSL leave open
	// Different is the first output word that differs, Against what it differs in.
	Different *trial.Difference `json:"different,omitempty"`
	Against   string            `json:"against,omitempty"` // ssa, wgsl
	Parting   *partingDoc       `json:"parting,omitempty"`
	Events    []interp.Event    `json:"events"`
	Steps     []stepDoc         `json:"steps,omitempty"` // of --step

	trial *trial.Trial
	want  *trial.Expected
}

// partingDoc says where DXBC and SSA part.
type partingDoc struct {
	Phase       string      `json:"phase"`
	Instruction int         `json:"instruction"`
	Op          string      `json:"op"`
	Invocation  int         `json:"invocation"`
	Lane        string      `json:"lane"`
	DXBC        uint32      `json:"dxbc"`
	SSA         uint32      `json:"ssa"`
	Value       *ir.ValueID `json:"value,omitempty"`
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run FILE[LINK]",
		Short: "execute stages as DXBC, SSA and WGSL, and compare",
		Long: `run executes every stage that the link selects three times over the same inputs: the
DXBC by the Direct3D 11 specification, the SSA form, and the emitted WGSL under Google's
Dawn on a software driver. It prints the first output that differs, with both values and
the instruction where DXBC and SSA part. A difference makes the exit code 1.

Inputs are generated from signatures and reflection (--sets, --seed), or read from a job
file (--inputs); --save writes the generated ones as a job file, with the stage's bytecode
beside it. Without --ulp or --abs a float may be as far away as the errors that WGSL allows
its implementations can bring it, which run measures. What D3D or WGSL leave undefined is
counted and left out.

--step prints every instruction that one invocation executes and the register lanes that
it changes, on the first set of inputs, and compares nothing with the WGSL: a stage that
is not translated is stepped too. A word that is no float shows as an integer.

The WGSL needs the judge of fxlens' sources (node, testdata/tools); --no-gpu compares DXBC
and SSA alone.`,
		Args:              exactly(1, "name one file"),
		ValidArgsFunction: a.completeLink,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.job != "" && (cmd.Flags().Changed("seed") || cmd.Flags().Changed("sets") || f.save != "") {
				return usagef("--inputs brings its own inputs: leave out --seed, --sets and --save")
			}
			if f.step {
				if cmd.Flags().Changed("sets") || f.save != "" {
					return usagef("--step follows one run: leave out --sets and --save")
				}
				f.sets, f.noGPU = 1, true
			}
			if f.who < 0 || f.who > 0 && !f.step {
				return usagef("--invocation is the one that --step follows, from 0 on")
			}
			if f.sets < 1 || f.sets > 1000 {
				return usagef("--sets is 1 to 1000")
			}
			if f.ulp < 0 || !(f.abs >= 0) {
				return usagef("a tolerance is not negative")
			}
			s, t, err := a.at(args[0])
			if err != nil {
				return err
			}
			var tol *trial.Tolerance
			if cmd.Flags().Changed("ulp") || cmd.Flags().Changed("abs") {
				tol = &trial.Tolerance{ULP: f.ulp, Abs: f.abs}
			}
			return a.runStages(cmd.Context(), s, t, &f, tol)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.job, "inputs", "", "inputs of this job `file`")
	fl.BoolVar(&f.step, "step", false, "print every instruction that is executed, and what it changes")
	fl.IntVar(&f.who, "invocation", 0, "vertex, pixel or thread that --step follows, by `number`")
	fl.StringVar(&f.save, "save", "", "write the generated inputs to this job `file`")
	fl.Uint64Var(&f.seed, "seed", 1, "seed of the generated inputs")
	fl.IntVar(&f.sets, "sets", 2, "sets of generated inputs: small values, boundary values, out of bounds, then with the next seed")
	fl.Int64Var(&f.ulp, "ulp", 0, "units in the last place that floats may be apart")
	fl.Float64Var(&f.abs, "abs", 0, "distance that floats may have")
	fl.BoolVar(&f.noGPU, "no-gpu", false, "do not run the WGSL")
	fl.StringVar(&f.judge, "judge", "", "`folder` with exec.mjs and its node_modules")
	a.compileFlags.add(cmd)
	return cmd
}

func (a *app) runStages(ctx context.Context, s *session.Session, t session.Target, f *runFlags, tol *trial.Tolerance) error {
	// What the caller named comes first: a missing judge must not hide a missing file.
	given, err := readJobs(f.job)
	if err != nil {
		return err
	}
	refs, err := stages(s, t)
	if err != nil {
		return err
	}
	var j *judge.Judge
	if !f.noGPU {
		if j, err = judge.Find(f.judge); err == nil {
			err = judge.Driver()
		}
		if err != nil {
			return fmt.Errorf("%w; --no-gpu compares DXBC and SSA alone", err)
		}
	}
	doc := &runDoc{Schema: "fxlens.run/1", Link: linkOf(s, t), OK: true, GPU: j != nil, Trials: []runTrial{}}
	saved := &savedJobs{path: f.save, programs: map[string][]byte{}}
	refused := false
	for i := range refs {
		r := &refs[i]
		pass, err := compilePass(ctx, s, r.perm, r.pass)
		if err != nil {
			return err
		}
		st := pass.Stages[r.index]
		if why := trial.NotExecuted(st); why != "" {
			refused = true
			doc.Trials = append(doc.Trials, runTrial{Link: r.link(s), SSA: notRun, WGSL: notRun, Why: why, Events: []interp.Event{}})
			continue
		}
		stage, err := trial.StageOf(r.link(s), pass, st)
		if errors.Is(err, interp.ErrUnsupported) {
			refused = true
			doc.Trials = append(doc.Trials, runTrial{Link: r.link(s), SSA: notRun, WGSL: notRun, Why: err.Error(), Events: []interp.Event{}})
			continue
		}
		if err != nil {
			return err
		}
		// What is stepped is the DXBC, which needs no translation.
		refused = refused || stage.Module == nil && !f.step
		ts, err := trials(ctx, stage, r, given, saved, f)
		if err != nil {
			return fmt.Errorf("%s: %w", r.link(s), err)
		}
		for k := range ts {
			ts[k].Link = r.link(s)
			if ts[k].trial == nil {
				refused = refused || f.step
				continue
			}
			ts[k].trial.Tol = tol
			if ts[k].want != nil {
				if err := a.againstSSA(ctx, s, r, stage, &ts[k]); err != nil {
					return fmt.Errorf("%s: %w", r.link(s), err)
				}
			}
			if f.step {
				var all bool
				if ts[k].Steps, all, err = steps(ctx, stage, ts[k].trial, f.who); err != nil {
					return fmt.Errorf("%s: %w", r.link(s), err)
				}
				if !all {
					refused = true
					ts[k].Why = fmt.Sprintf("the program goes on behind these %s; in the inspector (R) it can be stepped from a breakpoint on", plural(len(ts[k].Steps), "instruction", "instructions"))
				}
			}
		}
		doc.Trials = append(doc.Trials, ts...)
	}
	if err := saved.write(); err != nil {
		return err
	}
	if j != nil {
		if err := againstWGSL(ctx, j, doc.Trials); err != nil {
			return err
		}
	}
	for i := range doc.Trials {
		doc.OK = doc.OK && doc.Trials[i].SSA != "different" && doc.Trials[i].WGSL != "different"
	}
	if a.json {
		if err := a.printJSON(doc); err != nil {
			return err
		}
	} else {
		for i := range doc.Trials {
			a.print("%s", text(doc.Trials[i].text()))
		}
	}
	if !doc.OK || refused {
		return errRefused
	}
	return nil
}

// jobFile is a job file that was read; open reads what it names.
type jobFile struct {
	jobs []*job.Job
	open func(string) ([]byte, error)
}

func readJobs(path string) (f jobFile, err error) {
	if path != "" {
		f.jobs, f.open, err = files.Jobs(path)
	}
	return f, err
}

// setOf is generated set n: the kinds in turn, the seed one higher after each round.
func setOf(n int, f *runFlags) (trial.Set, uint64) {
	return trial.Sets[n%len(trial.Sets)], f.seed + uint64(n/len(trial.Sets))
}

// savedJobs collects what --save writes: jobs, and the programs that they name.
type savedJobs struct {
	path     string // empty: nothing is saved
	text     strings.Builder
	programs map[string][]byte
}

// program gives the program of a stage a file name beside the jobs.
func (s *savedJobs) program(r *stageRef) string {
	if s.path == "" {
		return ""
	}
	base := strings.TrimSuffix(filepath.Base(s.path), filepath.Ext(s.path))
	name := fmt.Sprintf("%s.%s.dxbc", base, r.stage)
	for n := 2; s.programs[name] != nil; n++ {
		name = fmt.Sprintf("%s.%d.%s.dxbc", base, n, r.stage)
	}
	s.programs[name] = r.input.Program
	return name
}

func (s *savedJobs) write() error {
	if s.path == "" {
		return nil
	}
	for name, b := range s.programs {
		if err := files.Write(filepath.Join(filepath.Dir(s.path), name), b, true); err != nil {
			return err
		}
	}
	return files.Write(s.path, []byte(s.text.String()), true)
}

// notRun says of a form that nothing was compared with it.
const notRun = "not run"

// trials makes the trials of a stage: of the jobs, or generated.
func trials(ctx context.Context, stage *trial.Stage, r *stageRef, given jobFile, saved *savedJobs, f *runFlags) ([]runTrial, error) {
	var out []runTrial
	add := func(rt runTrial, make func() (*trial.Trial, *trial.Expected, error)) error {
		var err error
		rt.SSA, rt.WGSL, rt.Events = notRun, notRun, []interp.Event{}
		rt.trial, rt.want, err = make()
		var un *trial.ErrUnavailable
		switch {
		case f.step && rt.trial != nil && (errors.Is(err, trial.ErrEndless) || errors.Is(err, interp.ErrSteps)):
			// It can be stepped, as far as that goes.
		case errors.As(err, &un):
			rt.Why, rt.trial = un.Reason, nil
		case errors.Is(err, interp.ErrUnsupported):
			rt.Why, rt.trial = err.Error(), nil
		case errors.Is(err, interp.ErrSteps):
			rt.Why, rt.trial = "more than "+plural(trial.MaxSteps, "step", "steps"), nil
		case err != nil:
			return err
		}
		out = append(out, rt)
		return nil
	}
	if given.jobs != nil {
		for _, j := range given.jobs {
			if !j.Runs(r.stage) {
				continue
			}
			err := add(runTrial{Inputs: j.Name}, func() (*trial.Trial, *trial.Expected, error) {
				t, err := stage.FromJob(ctx, j, given.open)
				if err != nil {
					return nil, nil, err
				}
				e, err := t.Expect(ctx)
				return t, e, err
			})
			if err != nil {
				return nil, &session.OpenError{Name: f.job, Reason: fmt.Sprintf("job %s: %v", j.Name, err), Err: err}
			}
		}
		if len(out) == 0 {
			out = append(out, runTrial{SSA: notRun, WGSL: notRun, Why: "no job is for this stage", Events: []interp.Event{}})
		}
		return out, nil
	}
	program := saved.program(r)
	for n := range f.sets {
		set, seed := setOf(n, f)
		err := add(runTrial{Inputs: set.String(), Seed: seed}, func() (*trial.Trial, *trial.Expected, error) {
			return stage.Inputs(ctx, set, seed)
		})
		if err == nil && saved.path != "" {
			rt := &out[len(out)-1]
			if rt.trial == nil {
				return nil, fmt.Errorf("inputs %s cannot be saved: %s", set, rt.Why)
			}
			var text string
			text, err = rt.trial.Text(program, nil)
			saved.text.WriteString(text)
		}
		if err != nil {
			return nil, fmt.Errorf("inputs %s: %w", set, err)
		}
	}
	return out, nil
}

// againstSSA compares DXBC and SSA and finds where they part.
func (a *app) againstSSA(ctx context.Context, s *session.Session, r *stageRef, stage *trial.Stage, rt *runTrial) error {
	rt.Events = append(rt.Events, rt.want.Report().Events...)
	if rt.Why = stage.Refused; stage.Func == nil {
		return nil
	}
	d, words, err := rt.trial.Function(ctx, stage.Func, rt.want)
	if err != nil {
		return err
	}
	rt.SSA, rt.Words = "equal", words
	if d == nil {
		return nil
	}
	rt.SSA, rt.Different, rt.Against = "different", d, "ssa"
	phases, err := s.Phases(ctx, r.perm, r.pass, r.index)
	if err != nil {
		return err
	}
	var forms []debug.Form
	for _, p := range phases {
		forms = append(forms, debug.Form{Phase: p.Name, Func: p.Func})
	}
	var who []int
	if d.Invocation >= 0 {
		who = []int{d.Invocation}
	}
	part, err := debug.Pin(ctx, stage.Prog, forms, rt.trial.Input(), debug.Options{MaxSteps: trial.MaxSteps}, who...)
	if err != nil && !debug.Bounded(err) {
		return err
	}
	if part != nil {
		rt.Parting = &partingDoc{Phase: part.Phase, Instruction: part.Instr, Op: part.Op.String(), Invocation: part.Invocation, Lane: part.Lane.String(), DXBC: part.DXBC, SSA: part.IR}
		if part.Value != ir.NoValue {
			rt.Parting.Value = &part.Value
		}
	}
	return nil
}

// stepDoc is one executed instruction of an invocation.
type stepDoc struct {
	Instruction int       `json:"instruction"` // index into the program's instructions
	Text        string    `json:"text"`
	Active      bool      `json:"active"` // the invocation takes part
	Changes     []laneDoc `json:"changes"`
}

// laneDoc is a register lane after an instruction that changed it.
type laneDoc struct {
	Lane string `json:"lane"`
	Word uint32 `json:"word"`
}

// maxStepLines bounds what --step prints: a loop that is longer is for the Run screen.
const maxStepLines = 100_000

// steps executes a program for one invocation, from its beginning to its end, or as far as
// the bounds of lines and steps allow: all is false then.
func steps(ctx context.Context, stage *trial.Stage, t *trial.Trial, who int) (out []stepDoc, all bool, err error) {
	d, err := debug.New(ctx, stage.Prog, t.Input(), debug.Options{MaxSteps: trial.MaxSteps})
	if err != nil {
		return nil, false, err
	}
	if who >= d.Invocations() {
		return nil, false, usagef("--invocation %d: the run has the invocations 0 to %d", who, d.Invocations()-1)
	}
	if err := d.SetFocus(ctx, who); err != nil {
		return nil, false, err
	}
	code := views.NewDXBC(stage.Shader.Program, nil)
	lanes := stage.Prog.Lanes()
	read := func() []uint32 {
		out := make([]uint32, len(lanes))
		for i, l := range lanes {
			out[i], _ = d.Lane(l)
		}
		return out
	}
	before := read()
	for !d.Done() {
		if len(out) == maxStepLines {
			return out, false, nil
		}
		at := d.Next()
		s := stepDoc{Instruction: at, Text: strings.TrimSpace(code.Text(code.Row(int32(at)))), Active: d.Active(), Changes: []laneDoc{}}
		pos := d.Pos()
		if _, err := d.Into(ctx); errors.Is(err, interp.ErrSteps) {
			return out, false, nil
		} else if err != nil {
			return nil, false, err
		}
		now := read()
		for i, l := range lanes {
			if now[i] != before[i] {
				s.Changes = append(s.Changes, laneDoc{l.String(), now[i]})
			}
		}
		before = now
		out = append(out, s)
		if d.Pos() == pos { // nothing is left for the invocation
			break
		}
	}
	return out, true, nil
}

// againstWGSL runs the modules of all trials and compares.
func againstWGSL(ctx context.Context, j *judge.Judge, ts []runTrial) error {
	var jobs []gpu.Job
	var at []int
	for i := range ts {
		rt := &ts[i]
		if rt.trial == nil {
			continue
		}
		g, err := rt.trial.Job(fmt.Sprintf("%d %s %s", i, rt.Link, rt.Inputs))
		var un *trial.ErrUnavailable
		if errors.As(err, &un) {
			rt.Why = un.Reason
			continue
		}
		if err != nil {
			return err
		}
		jobs, at = append(jobs, g), append(at, i)
	}
	outcomes, err := j.Run(ctx, jobs)
	if err != nil {
		return err
	}
	for k, o := range outcomes {
		rt := &ts[at[k]]
		res := rt.trial.Compare(rt.want, o)
		switch {
		case o.Skipped != "":
			rt.Why = "the driver lacks " + o.Skipped
			continue
		case res.Error != "":
			rt.WGSL, rt.Why = "different", res.Error
			continue
		}
		rt.WGSL, rt.Words, rt.LeftOut = "equal", res.Cells, res.Skipped
		if res.Diff == nil {
			continue
		}
		rt.WGSL = "different"
		if rt.Different == nil {
			rt.Different, rt.Against = res.Diff, "wgsl"
		}
	}
	return nil
}

// text is a trial as lines.
func (rt *runTrial) text() string {
	var b strings.Builder
	name := rt.Inputs
	if rt.Seed != 0 {
		name += fmt.Sprintf(" (seed %d)", rt.Seed)
	}
	fmt.Fprintf(&b, "%s: ", strings.TrimRight(rt.Link+" "+name, " "))
	switch {
	case rt.SSA == notRun && rt.Steps != nil:
		b.WriteString("DXBC alone: " + rt.Why)
	case rt.SSA == notRun:
		b.WriteString("not run: " + rt.Why)
	case rt.SSA == "equal" && rt.WGSL == "equal":
		fmt.Fprintf(&b, "DXBC, SSA and WGSL agree on %s", plural(rt.Words, "word", "words"))
	case rt.SSA == "equal" && rt.WGSL == notRun:
		fmt.Fprintf(&b, "DXBC and SSA agree on %s", plural(rt.Words, "word", "words"))
		if rt.Why != "" {
			b.WriteString("; WGSL is not run: " + rt.Why)
		}
	case rt.Different == nil:
		b.WriteString("WGSL fails: " + strings.TrimSpace(rt.Why))
	default:
		fmt.Fprintf(&b, "DXBC and %s differ: %s", map[string]string{"ssa": "SSA", "wgsl": "WGSL"}[rt.Against], rt.Different)
	}
	if rt.LeftOut > 0 {
		fmt.Fprintf(&b, "; %d left open by D3D or WGSL", rt.LeftOut)
	}
	b.WriteByte('\n')
	if p := rt.Parting; p != nil {
		fmt.Fprintf(&b, "  they part at instruction %d (%s), invocation %d: %s is 0x%08x in DXBC and 0x%08x in SSA after phase %s\n", p.Instruction, p.Op, p.Invocation, p.Lane, p.DXBC, p.SSA, p.Phase)
	} else if rt.Against == "wgsl" {
		b.WriteString("  DXBC and SSA agree: the emission or the driver is apart\n")
	}
	for _, x := range rt.Steps {
		fmt.Fprintf(&b, "  @%d %s\n", x.Instruction, x.Text)
		for _, l := range x.Changes {
			fmt.Fprintf(&b, "      %s = %s\n", l.Lane, views.Guess(l.Word))
		}
	}
	seen := map[interp.EventKind]bool{}
	for _, e := range rt.Events {
		if !seen[e.Kind] {
			seen[e.Kind] = true
			fmt.Fprintf(&b, "  %s at instruction %d, invocation %d: %s\n", e.Kind, e.Instr, e.Invocation, e.Text)
		}
	}
	return b.String()
}
