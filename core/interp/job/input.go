package job

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fxlens/core/interp"
)

// The statement "input I v# DATA" is ours: four words that register v# of vertex or pixel
// I has, in the place of what vb or vary lines give it. Vertices are numbered in drawing
// order, instance by instance, and pixels in drawing order, four to a quad, helpers
// included. "stage=vs" makes it concern the vertex program of a draw. Other executors of
// the language skip what they do not know and would run the job without it.

// Input is a register of one vertex or pixel, in the place of what the job's other
// statements make of it.
type Input struct {
	Invocation int
	Register   uint32 // v#
	Words      [4]uint32
}

// place is the register that an input statement sets.
func (l *Line) place() (invocation int, reg uint32, err error) {
	invocation, err = strconv.Atoi(l.word(1))
	if err != nil || invocation < 0 {
		return 0, 0, failf(l.No, "input %q is not the number of a vertex or pixel", l.word(1))
	}
	n, err := strconv.ParseUint(strings.TrimPrefix(l.word(2), "v"), 10, 16)
	if err != nil || !strings.HasPrefix(l.word(2), "v") {
		return 0, 0, failf(l.No, "input of %q: name a register, such as v0", l.word(2))
	}
	return invocation, uint32(n), nil
}

// stageOf is the stage whose inputs an input statement sets.
func (l *Line) stageOf(job string) string {
	def := job
	if job == "draw" {
		def = "ps"
	}
	return l.text("stage", def)
}

// input is a parsed input statement.
type input struct {
	Input
	line int
}

// inputs reads the input statements of a stage.
func (r *runner) inputs(stage string) ([]input, error) {
	var out []input
	for i := range r.job.Lines {
		l := &r.job.Lines[i]
		if l.Words[0] != "input" || l.stageOf(r.job.Stage()) != stage {
			continue
		}
		in := input{line: l.No}
		var err error
		if in.Invocation, in.Register, err = l.place(); err != nil {
			return nil, err
		}
		d, err := l.data(r.opt.Open)
		if err != nil {
			return nil, err
		}
		if len(d) != 16 {
			return nil, failf(l.No, "input has %d bytes: a register has four words", len(d))
		}
		for k := range in.Words {
			in.Words[k] = binary.LittleEndian.Uint32(d[4*k:])
		}
		out = append(out, in)
	}
	return out, nil
}

// apply sets the inputs of the invocations from first on in a batch.
func apply(list []input, b *interp.Batch, first int) error {
	for _, in := range list {
		i := in.Invocation - first
		if i < 0 || i >= b.N {
			continue
		}
		rows := b.In[in.Register]
		if rows == nil {
			return failf(in.line, "the program has no input v%d", in.Register)
		}
		rows[i] = in.Words
	}
	return nil
}

// within fails on an input of an invocation that there is not.
func within(list []input, n int) error {
	for _, in := range list {
		if in.Invocation >= n {
			return failf(in.line, "input of invocation %d: the last one is %d", in.Invocation, n-1)
		}
	}
	return nil
}

// amend lets the input statements of a stage change the batches of a draw; the function
// it returns says at the end whether they all concerned something.
func (r *runner) amend() (done func() error, err error) {
	list, err := r.inputs("ps")
	if err != nil || len(list) == 0 {
		return func() error { return nil }, err
	}
	n := 0
	r.draw.Amend = func(b *interp.Batch) error {
		first := n
		n += b.N
		return apply(list, b, first)
	}
	return func() error { return within(list, n) }, nil
}

// Changes say what [Job.Text] writes in the place of what the job has.
type Changes struct {
	Stage     string                 // vs, ps or cs: what Constants and Inputs concern
	Programs  map[string]string      // names of program files by stage
	Constants map[interp.Slot][]byte // whole contents of constant buffers
	Inputs    []Input
}

// Text writes the job again in its language, with changes: the files that it names for
// data are taken into it. What it expects is left out where something changes, since
// other results are right then. open reads the files that the job names.
func (j *Job) Text(c Changes, open func(string) ([]byte, error)) (string, error) {
	changed := len(c.Constants)+len(c.Inputs) > 0
	draw := j.Stage() == "draw"
	type at struct {
		invocation int
		reg        uint32
	}
	replaced := map[at]bool{}
	for _, in := range c.Inputs {
		replaced[at{in.Invocation, in.Register}] = true
	}
	var b strings.Builder
	fmt.Fprintf(&b, "job %s\n", j.Name)
	for i := range j.Lines {
		l := &j.Lines[i]
		switch l.Words[0] {
		case "expect":
			if changed {
				continue
			}
		case "dxbc":
			if name := c.Programs[l.word(1)]; name != "" {
				fmt.Fprintf(&b, "dxbc %s %s\n", l.word(1), name)
				continue
			}
		case "cb":
			// In a draw the buffer may be that of the other stage too, which keeps it.
			if _, s, err := slot(l, l.word(1)); err == nil && c.Constants[s] != nil && !draw {
				continue
			}
		case "input":
			if n, reg, err := l.place(); err == nil && l.stageOf(j.Stage()) == c.Stage && replaced[at{n, reg}] {
				continue
			}
		}
		if err := l.write(&b, open); err != nil {
			return "", err
		}
	}
	slots := make([]interp.Slot, 0, len(c.Constants))
	for s := range c.Constants {
		slots = append(slots, s)
	}
	slices.SortFunc(slots, func(a, b interp.Slot) int {
		return cmp.Or(cmp.Compare(a.Space, b.Space), cmp.Compare(a.Register, b.Register))
	})
	stage := ""
	if draw {
		stage = " stage=" + c.Stage
	}
	for _, s := range slots {
		fmt.Fprintf(&b, "cb %s%s hex:%x\n", SlotText(s), stage, c.Constants[s])
	}
	for _, in := range c.Inputs {
		var d []byte
		for _, w := range in.Words {
			d = put32(d, w)
		}
		fmt.Fprintf(&b, "input %d v%d%s hex:%x\n", in.Invocation, in.Register, stage, d)
	}
	return b.String(), nil
}

// SlotText is a slot as the language writes it.
func SlotText(s interp.Slot) string {
	if s.Space != 0 {
		return fmt.Sprintf("%d,space%d", s.Register, s.Space)
	}
	return strconv.FormatUint(uint64(s.Register), 10)
}

// write writes a line, with the files of its data taken in.
func (l *Line) write(b *strings.Builder, open func(string) ([]byte, error)) error {
	for i, w := range l.Words {
		if i > 0 {
			b.WriteByte(' ')
		}
		name, isFile := strings.CutPrefix(w, "file:")
		if !isFile || strings.Contains(w, "=") {
			b.WriteString(w)
			continue
		}
		d, err := open(name)
		if err != nil {
			return fmt.Errorf("line %d: %w", l.No, err)
		}
		b.WriteString("hex:" + hex.EncodeToString(d))
	}
	b.WriteByte('\n')
	return nil
}
