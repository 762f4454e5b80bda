package trial

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"fxlens/core/interp"
	"fxlens/core/interp/job"
	"fxlens/core/ir"
	"fxlens/core/wgsl/layout"
)

// Tolerance is how far floats may be apart: ULP units in the last place, or Abs.
// NaNs are equal to each other whatever their payload, and so are zeros. Integers are
// compared bit for bit.
type Tolerance struct {
	ULP int64
	Abs float64
}

func (t *Tolerance) holds(w cell, got uint32) bool {
	if w.bits == got {
		return true
	}
	if w.kind != 'f' && w.kind != 'w' || w.kind == 'w' && w.bits<<1 != 0 && got<<1 != 0 && (tiny(w.bits) || tiny(got)) {
		return false
	}
	a, b := float64(math.Float32frombits(w.bits)), float64(math.Float32frombits(got))
	if a != a || b != b {
		return a != a && b != b
	}
	return a == b || math.Abs(a-b) <= t.Abs || abs64(ordinal(w.bits)-ordinal(got)) <= t.ULP
}

// ordinal numbers floats in their order.
func ordinal(u uint32) int64 {
	if u>>31 != 0 {
		return -int64(u & 0x7FFFFFFF)
	}
	return int64(u)
}

// Difference is one word of an output.
type Difference struct {
	Output string `json:"output"`
	Index  int    `json:"index"` // of the word
	// Invocation is the vertex or pixel that wrote it, or -1 for memory.
	Invocation int    `json:"invocation"`
	DXBC       uint32 `json:"dxbc"`
	Other      uint32 `json:"other"`
	Float      bool   `json:"float"` // the words are floats
}

func (d *Difference) String() string {
	show := func(u uint32) string {
		if d.Float {
			return fmt.Sprintf("%g (0x%08x)", math.Float32frombits(u), u)
		}
		return fmt.Sprintf("%d (0x%08x)", int32(u), u)
	}
	s := fmt.Sprintf("%s[%d]", d.Output, d.Index)
	if d.Invocation >= 0 {
		s += fmt.Sprintf(" of invocation %d", d.Invocation)
	}
	return fmt.Sprintf("%s: %s and %s", s, show(d.DXBC), show(d.Other))
}

func (t *Trial) difference(name string, i, n int, w cell, got uint32) *Difference {
	d := &Difference{Output: name, Index: i, Invocation: -1, DXBC: w.bits, Other: got, Float: w.kind == 'f' || w.kind == 'w' && !tiny(w.bits)}
	if t.Stage.kind() != layout.Compute && !strings.Contains(name, ":") && t.n > 0 && n >= t.n {
		d.Invocation = t.invocationOf(i / (n / t.n))
	}
	return d
}

// Inputs makes the trial of a generated set and runs the interpreter on it: the inputs
// that `fxlens run` and the Run screen show under the set's name and seed. They go through
// the job language, so that what is saved is what ran; only where the language cannot say
// them they are those of [Stage.Trial], and [Trial.Text] says why. Where integers make
// loops too long it takes smaller ones. The error may be an [*ErrUnavailable]; with
// [ErrEndless] there is a trial all the same, which can be stepped.
func (s *Stage) Inputs(ctx context.Context, set Set, seed uint64) (*Trial, *Expected, error) {
	var last *Trial
	for _, calm := range []bool{false, true} {
		t, err := s.Trial(set, seed, calm)
		if err != nil {
			return nil, nil, err
		}
		if t, err = t.saved(ctx); err != nil {
			return nil, nil, err
		}
		e, err := t.Expect(ctx)
		if err == nil {
			return t, e, nil
		}
		if !errors.Is(err, interp.ErrSteps) {
			return nil, nil, err
		}
		last = t
	}
	return last, nil, ErrEndless
}

// ErrEndless is a program that does not end within [MaxSteps] with its inputs.
var ErrEndless error = &ErrUnavailable{"endless with these inputs"}

// saved is a generated trial as its job says it, or the trial itself where none does.
func (t *Trial) saved(ctx context.Context) (*Trial, error) {
	text, err := t.Text("program", nil)
	var un *ErrUnavailable
	if errors.As(err, &un) {
		return t, nil
	}
	if err != nil {
		return nil, err
	}
	js, err := job.Parse(text)
	if err != nil {
		return nil, err
	}
	again, err := t.Stage.FromJob(ctx, js[0], func(name string) ([]byte, error) {
		return nil, fmt.Errorf("the job names no file, and asks for %q", name)
	})
	if err != nil {
		return nil, err
	}
	if again.noJudge != "" && t.noJudge == "" {
		return t, nil
	}
	again.Set, again.Seed, again.calm, again.noJudge = t.Set, t.Seed, t.calm, t.noJudge
	return again, nil
}

// Report has what D3D leaves undefined in the run of the program.
func (e *Expected) Report() *interp.Report { return e.report }

// Function runs a function of the stage and compares it with the program: bit for
// bit, but for what D3D leaves undefined. It returns the first difference, or nil,
// and the number of words that were compared.
func (t *Trial) Function(ctx context.Context, f *ir.Function, e *Expected) (*Difference, int, error) {
	p, err := interp.CompileFunction(f)
	if err != nil {
		return nil, 0, err
	}
	got, _, err := t.run(ctx, p, interp.Options{MaxSteps: 4 * MaxSteps, NoRaces: true})
	if err != nil {
		return nil, 0, err
	}
	n := 0
	for _, name := range sortedKeys(map[string][]cell(e.base)) {
		want := e.base[name]
		for i, w := range want {
			if w.kind == '-' || w.tainted {
				continue
			}
			n++
			if g := got[name]; i >= len(g) {
				return nil, n, fmt.Errorf("%s has %d words instead of %d", name, len(g), len(want))
			} else if g[i].bits != w.bits && !nans(w.bits, g[i].bits) {
				return t.difference(name, i, len(want), w, g[i].bits), n, nil
			}
		}
	}
	return nil, n, nil
}

func nans(a, b uint32) bool {
	x, y := math.Float32frombits(a), math.Float32frombits(b)
	return x != x && y != y
}
