package trial

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"fxlens/core/dxbc"
	"fxlens/core/gpu"
	"fxlens/core/interp"
	"fxlens/core/interp/debug"
	"fxlens/core/wgsl/layout"
)

// cell is one 32-bit word of an output.
type cell struct {
	bits    uint32
	kind    byte    // f, i, u, or w where the type is not known
	quantum float32 // smallest step of the format that it was stored in
	tainted bool
}

// values has the outputs of a run by name, in the judge's names where it has them.
type values map[string][]cell

// jitters is the number of perturbed runs.
const jitters = 6

// Outcome is a trial's comparison.
type Outcome struct {
	Trial    *Trial
	Cells    int // words compared
	Skipped  int // words left out because WGSL may compute them otherwise
	Diffs    int // words that differ
	First    string
	Diff     *Difference // the first one
	Unstable int         // words where the perturbed runs are far apart
	Report   *interp.Report
	Error    string // the judge's, when the trial did not run
}

// Expected is what the interpreter makes of a trial.
type Expected struct {
	base   values
	moved  []values
	report *interp.Report
}

// MaxSteps bounds one run of a trial: what takes longer would also keep the
// judge busy.
const MaxSteps = 4_000_000

// Expect runs the interpreter.
func (t *Trial) Expect(ctx context.Context) (*Expected, error) {
	var shared []*interp.Memory
	base, rep, err := t.run(ctx, t.Stage.Prog, interp.Options{MaxSteps: MaxSteps, Track: true, Shared: &shared})
	if err != nil {
		return nil, err
	}
	for _, ev := range rep.Events {
		if ev.Kind == interp.EventRace { // again, now that the raced words are known
			if base, rep, err = t.run(ctx, t.Stage.Prog, interp.Options{MaxSteps: MaxSteps, Track: true, Shared: &shared}); err != nil {
				return nil, err
			}
			break
		}
	}
	e := &Expected{base: base, report: rep}
	for k := range jitters {
		v, _, err := t.run(ctx, t.Stage.Prog, interp.Options{MaxSteps: 2 * MaxSteps, NoRaces: true, Jitter: uint64(k+1) * 77777})
		if errors.Is(err, interp.ErrSteps) {
			continue
		}
		if err != nil {
			return nil, err
		}
		e.moved = append(e.moved, v)
	}
	return e, nil
}

func (t *Trial) run(ctx context.Context, prog *interp.Program, opt interp.Options) (values, *interp.Report, error) {
	env, err := t.env()
	if err != nil {
		return nil, nil, err
	}
	for slot, v := range env.UAVs {
		if v.Mem != nil {
			v.Mem.Raced = t.raced[slot]
		}
		if v.Tex != nil {
			v.Tex.Raced = t.racedTexels[slot]
		}
	}
	out := values{}
	s := t.Stage
	var rep *interp.Report
	if s.kind() == layout.Compute {
		rep, err = interp.Dispatch(ctx, prog, env, t.Groups, opt)
		if err != nil {
			return nil, rep, err
		}
	} else {
		b := t.batch()
		rep, err = prog.Run(ctx, env, b, opt)
		if err != nil {
			return nil, rep, err
		}
		t.stageOutputs(b, out)
	}
	for _, b := range t.buffers {
		slot := interp.Slot{Register: b.res.Register, Space: b.res.Space}
		v := env.UAVs[slot]
		if v == nil || v.Mem == nil || b.kind == layout.UAVCounter && v.Counter == nil {
			continue // a job leaves it unbound
		}
		if b.kind == layout.StorageResource && opt.Track && v.Mem.Raced != nil {
			if t.raced == nil {
				t.raced = map[interp.Slot][]bool{}
			}
			t.raced[slot] = v.Mem.Raced
		}
		switch b.kind {
		case layout.StorageResource:
			out[b.name] = bufferCells(v.Mem.Data, b.fmt, v.Mem.Tainted)
		case layout.UAVCounter:
			out[b.name] = []cell{{bits: *v.Counter, kind: 'u'}}
		}
	}
	for _, x := range t.textures {
		if !x.uav {
			continue
		}
		slot := interp.Slot{Register: x.res.Register, Space: x.res.Space}
		v := env.UAVs[slot]
		if v == nil || v.Tex == nil {
			continue
		}
		tex := v.Tex
		if opt.Track && tex.Raced != nil {
			if t.racedTexels == nil {
				t.racedTexels = map[interp.Slot]map[interp.TexelPlace]bool{}
			}
			t.racedTexels[slot] = tex.Raced
		}
		var cells []cell
		for i, img := range tex.Data {
			for at := 0; at+x.format.Bytes <= len(img); at += x.format.Bytes {
				cells = appendTexel(cells, x.format, img[at:], tex.Tainted[interp.TexelPlace{Image: i, Byte: at}])
			}
		}
		out[x.name] = cells
	}
	return out, rep, nil
}

func quantum(f *interp.Format) float32 {
	switch {
	case strings.Contains(f.Name, "8"):
		return 1.0 / 127
	case strings.HasPrefix(f.Name, "R10"):
		return 1.0 / 3
	case strings.HasPrefix(f.Name, "R11"):
		return 1.0 / 16
	case strings.Contains(f.Name, "16"):
		return 1.0 / 512
	}
	return 0
}

func appendTexel(cells []cell, f *interp.Format, b []byte, tainted bool) []cell {
	kind := byte('f')
	switch f.Type {
	case dxbc.RetUint:
		kind = 'u'
	case dxbc.RetSint:
		kind = 'i'
	}
	v := f.Decode(b)
	for _, w := range v {
		cells = append(cells, cell{bits: w, kind: kind, quantum: quantum(f), tainted: tainted})
	}
	return cells
}

func bufferCells(data []byte, f *interp.Format, tainted []bool) []cell {
	var cells []cell
	taint := func(at int) bool { return at/4 < len(tainted) && tainted[at/4] }
	if f != nil {
		for at := 0; at+f.Bytes <= len(data); at += f.Bytes {
			t := false
			for k := 0; k < f.Bytes; k += 4 {
				t = t || taint(at+k)
			}
			cells = appendTexel(cells, f, data[at:], t)
		}
		return cells
	}
	for at := 0; at+4 <= len(data); at += 4 {
		cells = append(cells, cell{bits: binary.LittleEndian.Uint32(data[at:]), kind: 'w', tainted: taint(at)})
	}
	return cells
}

// stageOutputs lays the outputs of a vertex or pixel program out as the judge does.
func (t *Trial) stageOutputs(b *interp.Batch, out values) {
	for _, io := range t.Stage.io {
		name := outputName(io.Location, io.Builtin)
		n, scalar := width(io.Type)
		if io.Type == "" {
			n, scalar = 1, "f32"
			if name == "position" {
				n = 4
			}
		}
		kind := scalar[0]
		per := n
		if t.Stage.kind() == layout.Fragment {
			per = 4
		}
		if name != "clip_distances" {
			out.set(name, t.n*per-1, cell{kind: '-'})
		}
		for i := range t.n {
			at := t.cellIndex(i)
			for k, c := range components(io.Mask) {
				var w uint32
				marked := b.Tainted != nil && b.Tainted[i]
				mark := func(regs ...dxbc.RegType) {
					for _, r := range regs {
						if m := b.OutTainted[^uint32(r)]; m != nil && m[i] != 0 {
							marked = true
						}
					}
				}
				switch {
				case io.Register != dxbc.NoRegister:
					if rows := b.Out[io.Register]; rows != nil {
						w = rows[i][c]
					}
					if m := b.OutTainted[io.Register]; m != nil && m[i]>>c&1 != 0 {
						marked = true
					}
				case strings.HasPrefix(name, "frag_depth"):
					w = b.Depth[i]
					mark(dxbc.RegOutputDepth, dxbc.RegOutputDepthGE, dxbc.RegOutputDepthLE)
				case name == "sample_mask":
					w, kind = b.Mask[i], 'u'
					mark(dxbc.RegOutputCoverageMask)
				}
				if name == "clip_distances" {
					out.set(name, at*t.clipCount()+t.clipIndex(io.Register, c), cell{bits: w, kind: 'f', tainted: marked})
					continue
				}
				out.set(name, at*per+io.Component+k, cell{bits: w, kind: kind, tainted: marked})
			}
		}
	}
	if t.Stage.kind() == layout.Fragment {
		for i := range t.n {
			w := cell{bits: 1, kind: 'u', tainted: b.Tainted != nil && b.Tainted[i]}
			if b.Discarded[i] {
				w.bits = 0
			}
			out.set("alive", t.cellIndex(i), w)
		}
	}
}

// cellIndex is the place of an invocation in the judge's output.
func (t *Trial) cellIndex(i int) int {
	if t.Stage.kind() == layout.Fragment {
		x, y := pixel(i)
		return y*pixelsX + x
	}
	return i
}

// invocationOf is the inverse of cellIndex.
func (t *Trial) invocationOf(cell int) int {
	if t.Stage.kind() == layout.Fragment {
		return lane(cell%pixelsX, cell/pixelsX)
	}
	return cell
}

// batch is the inputs of a vertex or pixel program.
func (t *Trial) batch() *interp.Batch {
	return &interp.Batch{N: t.n, In: t.in, Coverage: t.special[dxbc.RegInputCoverage], PrimitiveID: t.special[dxbc.RegPrimitiveID], Helper: t.helper}
}

// Input is what a debugger or another executor runs the stage on.
func (t *Trial) Input() debug.Input {
	return debug.Input{Env: t.env, Groups: t.Groups, Batch: t.batch()}
}

func (v values) set(name string, at int, c cell) {
	for len(v[name]) <= at {
		v[name] = append(v[name], cell{kind: '-'})
	}
	v[name][at] = c
}

func outputName(location *int, builtin string) string {
	if location != nil {
		return "location" + strconv.Itoa(*location)
	}
	b, _, _ := strings.Cut(builtin, ",")
	return strings.TrimSpace(b)
}

// clipIndex numbers the clip distances of a vertex program.
func (t *Trial) clipIndex(reg uint32, comp int) int {
	n := 0
	for i := range t.Stage.decl.Outputs {
		e := &t.Stage.decl.Outputs[i]
		if e.SysValue != 2 {
			continue
		}
		for c := range 4 {
			if e.Mask>>c&1 == 0 {
				continue
			}
			if e.Register == reg && c == comp {
				return n
			}
			n++
		}
	}
	return n
}

func (t *Trial) clipCount() int {
	n := 0
	for i := range t.Stage.decl.Outputs {
		if e := &t.Stage.decl.Outputs[i]; e.SysValue == 2 {
			for c := range 4 {
				n += int(e.Mask >> c & 1)
			}
		}
	}
	return max(n, 1)
}

// actual lays the judge's outputs out as values.
func (t *Trial) actual(o gpu.Outcome, shape values, io *fragmentIO) (values, error) {
	out := values{}
	for name, want := range shape {
		data, ok := o.Outputs[name]
		switch {
		case t.Stage.kind() == layout.Fragment && (name == "alive" || strings.HasPrefix(name, "location") || !strings.Contains(name, ":")):
			all := o.Outputs["fx:out"]
			slot := 0
			if name != "alive" {
				for k, p := range io.outs {
					if p == name {
						slot = 4 + 4*k
					}
				}
				if slot == 0 {
					return nil, fmt.Errorf("the module has no output %s", name)
				}
			}
			for p := range t.n {
				for k := range len(want) / t.n {
					out.set(name, p*(len(want)/t.n)+k, cell{bits: binary.LittleEndian.Uint32(all[4*(p*io.outSize+slot+k):])})
				}
			}
			continue
		case !ok:
			data, ok = o.Outputs["pass0."+name]
			if !ok {
				return nil, fmt.Errorf("the judge gave no %s", name)
			}
			for k := 0; k+4 <= len(data); k += 4 {
				out[name] = append(out[name], cell{bits: binary.LittleEndian.Uint32(data[k:])})
			}
			continue
		}
		f := (*interp.Format)(nil)
		for _, b := range t.buffers {
			if b.name == name {
				f = b.fmt
			}
		}
		for _, x := range t.textures {
			if x.name == name {
				f = x.format
			}
		}
		out[name] = bufferCells(data, f, nil)
	}
	return out, nil
}

// Compare compares the judge's outcome with what is expected.
func (t *Trial) Compare(e *Expected, o gpu.Outcome) *Outcome {
	res := &Outcome{Trial: t, Report: e.report}
	if !o.Ran {
		res.Error = o.String()
		return res
	}
	var io *fragmentIO
	if t.Stage.kind() == layout.Fragment {
		_, io, _ = wrap(t.Stage.Module.Code, t.Stage.Module.EntryPoint, 0)
	}
	got, err := t.actual(o, e.base, io)
	if err != nil {
		res.Error = err.Error()
		return res
	}
	for _, name := range sortedKeys(map[string][]cell(e.base)) {
		want := e.base[name]
		if len(got[name]) < len(want) {
			res.Error = fmt.Sprintf("%s: %d words, %d expected", name, len(got[name]), len(want))
			return res
		}
		for i, w := range want {
			if w.kind == '-' || t.helper != nil && t.Stage.kind() == layout.Fragment && !strings.Contains(name, ":") && t.helper[t.invocationOf(i/(len(want)/t.n))] {
				continue
			}
			if t.Stage.kind() == layout.Fragment && name != "alive" && !strings.Contains(name, ":") {
				// A discarded pixel has no outputs.
				per := len(want) / t.n
				if a := e.base["alive"][i/per]; a.bits == 0 || a.tainted || got["alive"][i/per].bits == 0 {
					continue
				}
			}
			if w.tainted {
				res.Skipped++
				continue
			}
			var moved []uint32
			for _, m := range e.moved {
				if i < len(m[name]) {
					moved = append(moved, m[name][i].bits)
				}
			}
			res.Cells++
			ok, limit := false, 0.0
			if t.Tol != nil {
				ok = t.Tol.holds(w, got[name][i].bits)
			} else {
				ok, limit = close(w, got[name][i].bits, moved)
			}
			if limit > 0.05 {
				res.Unstable++
			}
			if !ok {
				if res.Diffs == 0 {
					res.Diff = t.difference(name, i, len(want), w, got[name][i].bits)
					res.First = fmt.Sprintf("%s[%d]: DXBC %s, WGSL %s, perturbed %s", name, i, show(w.bits), show(got[name][i].bits), showAll(moved))
				}
				res.Diffs++
			}
		}
	}
	return res
}

func show(u uint32) string { return fmt.Sprintf("%g (0x%08x)", math.Float32frombits(u), u) }

func showAll(us []uint32) string {
	var parts []string
	for _, u := range us {
		parts = append(parts, fmt.Sprintf("%g", math.Float32frombits(u)))
	}
	return strings.Join(parts, " ")
}

// close reports whether a value is what was expected: bit for bit, or as far away
// as eight times the spread of the perturbed runs. limit is the relative distance
// that was allowed.
func close(w cell, got uint32, moved []uint32) (ok bool, limit float64) {
	if w.bits == got || w.bits<<1 == 0 && got<<1 == 0 { // WGSL may lose the sign of zero
		return true, 0
	}
	if w.kind == 'f' || w.kind == 'w' {
		a, b := float64(math.Float32frombits(w.bits)), float64(math.Float32frombits(got))
		if w.kind == 'w' && (tiny(w.bits) || tiny(got)) {
			// integers, or zero against a float
		} else if a == b || a != a && b != b {
			return true, 0
		} else {
			spread := 0.0
			for _, m := range moved {
				if d := math.Abs(float64(math.Float32frombits(m)) - a); d == d {
					spread = max(spread, d)
				} else {
					spread = math.Inf(1)
				}
			}
			tol := 8*spread + math.Abs(a)*2.5e-7 + 1e-30 + float64(w.quantum)*max(math.Abs(a), 1)
			if w.quantum == 0 && spread == 0 {
				tol = math.Abs(a) * 2.5e-7
			}
			if math.Abs(a-b) <= tol {
				return true, tol / max(math.Abs(a), 1e-3)
			}
			if w.kind == 'f' {
				return false, tol / max(math.Abs(a), 1e-3)
			}
		}
	}
	// Integers, and zero against a float in untyped memory.
	spread := int64(0)
	zero := false
	for _, m := range moved {
		spread = max(spread, abs64(int64(int32(m))-int64(int32(w.bits))))
		zero = zero || m == got
	}
	// Untyped words that move by more than two exponents are bits of an approximate
	// float that an integer instruction took: they jump, so that no distance bounds them.
	if w.kind == 'w' && spread > 1<<24 {
		return true, float64(spread)
	}
	if zero || spread > 0 && abs64(int64(int32(got))-int64(int32(w.bits))) <= 8*spread {
		return true, float64(spread)
	}
	if w.kind == 'w' && (w.bits&0x7FFFFFFF == 0) != (got&0x7FFFFFFF == 0) && len(moved) > 0 {
		a, b := float64(math.Float32frombits(w.bits)), float64(math.Float32frombits(got))
		s := 0.0
		for _, m := range moved {
			s = max(s, math.Abs(float64(math.Float32frombits(m))-a))
		}
		return math.Abs(a-b) <= 8*s, s
	}
	return false, 0
}

func tiny(u uint32) bool { return u&0x7F800000 == 0 }

func abs64(x int64) int64 {
	if x < 0 {
		return -x
	}
	return x
}
