package graph

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/session"
)

// Result is what became of a unit.
type Result struct {
	Status   compile.Status
	Err      string // why nothing is known: a bug of ours
	Stages   []StageResult
	Errors   int
	Warnings int
	Codes    []diag.Code // of errors and warnings, each once, errors first
	Reason   string      // of the first error
}

// StageResult is what became of one stage of a unit.
type StageResult struct {
	Kind   dxbc.ProgramKind
	Status compile.Status
	Instrs int // declarations too
}

// Compile translates a unit. It fails only when ctx ends: a bug in the compiler is a
// result with Err.
func (g *Graph) Compile(ctx context.Context, s *session.Session, unit int) (*Result, error) {
	u := &g.Units[unit]
	p, err := s.Compile(ctx, u.Perm, u.Ref)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return &Result{Status: compile.Refused, Err: err.Error()}, nil
	}
	r := &Result{Status: p.Status}
	var warned []diag.Code
	note := func(ds []diag.Diag) {
		for i := range ds {
			d := &ds[i]
			switch d.Sev {
			case diag.Error:
				if r.Errors++; r.Errors == 1 {
					r.Reason = d.Text
				}
				r.Codes = appendNew(r.Codes, d.Code)
			case diag.Warning:
				r.Warnings++
				warned = appendNew(warned, d.Code)
			}
		}
	}
	for _, st := range p.Stages {
		sr := StageResult{Kind: st.Kind, Status: st.Status}
		if st.Shader != nil && st.Shader.Program != nil {
			sr.Instrs = len(st.Shader.Program.Instrs)
		}
		r.Stages = append(r.Stages, sr)
		note(st.Diags)
	}
	note(p.Diags)
	for _, c := range warned {
		r.Codes = appendNew(r.Codes, c)
	}
	return r, nil
}

func appendNew(list []diag.Code, c diag.Code) []diag.Code {
	for _, d := range list {
		if d == c {
			return list
		}
	}
	return append(list, c)
}

// Mark is the status of a permutation as one word: the worst of its passes.
type Mark uint8

// The marks, from best to worst.
const (
	Empty       Mark = iota // no pass
	Translated              // every pass is
	Pending                 // not all are known, and none of those that are is worse
	Missing                 // a pass has a stage that WebGPU does not have
	Refused                 // a pass is refused
	Undecodable             // a program is no valid DXBC
	Bug                     // the compiler failed
)

var markNames = [...]string{"empty", "translated", "pending", "not translatable", "refused", "undecodable", "bug"}

func (m Mark) String() string { return markNames[m] }

// MarshalText makes JSON print the word.
func (m Mark) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// MarkOf is the mark of one unit; nil is not known yet.
func MarkOf(r *Result) Mark {
	switch {
	case r == nil:
		return Pending
	case r.Err != "":
		return Bug
	}
	switch r.Status {
	case compile.Translated:
		return Translated
	case compile.NoCounterpart:
		return Missing
	case compile.Undecodable:
		return Undecodable
	}
	return Refused
}

// Results are the results of units by index; those that are not known are nil. Results
// of nil knows nothing.
type Results []*Result

// Of is the result of a unit, or nil.
func (r Results) Of(unit int) *Result {
	if unit < 0 || unit >= len(r) {
		return nil
	}
	return r[unit]
}

// Mark is the mark of a permutation: of one pass, or with pass -1 the worst of all.
func (g *Graph) Mark(r Results, perm, pass int) Mark {
	if !g.Linked() {
		return Pending
	}
	body := g.Body(perm)
	if pass >= 0 {
		if u := g.UnitOfBody(body, pass); u >= 0 {
			return MarkOf(r.Of(u))
		}
		return Empty
	}
	m := Empty
	for p := range g.Passes {
		if u := g.UnitOfBody(body, p); u >= 0 {
			m = max(m, MarkOf(r.Of(u)))
		}
	}
	return m
}

// Cost is how much programs are, all stages together: instruction slots, samples and
// loads, stores and atomics, and the temporaries of the stage that has most. The numbers
// are those of [dxbc.Program.Count].
type Cost struct {
	Instrs int `json:"instructions"`
	Reads  int `json:"reads"`
	Writes int `json:"writes"`
	Temps  int `json:"temps"`
}

func (c *Cost) add(d Cost) {
	c.Instrs, c.Reads, c.Writes, c.Temps = c.Instrs+d.Instrs, c.Reads+d.Reads, c.Writes+d.Writes, max(c.Temps, d.Temps)
}

// Facts are what the programs of a unit use, as far as they can be decoded.
type Facts struct {
	Cost  Cost
	ops   [4]uint64
	regs  map[string]bool // "t12"
	names map[string]bool // of parameters, as the effect has them, in lower case
}

// Uses reports whether a program has the instruction.
func (f *Facts) Uses(op dxbc.Op) bool { return f.ops[op/64]&(1<<(op%64)) != 0 }

// Binds reports whether a program declares the register: "t12", "cb3", "s0", "u1".
func (f *Facts) Binds(register string) bool { return f.regs[register] }

// Names reports whether part is in the name of a parameter; case does not count.
func (f *Facts) Names(part string) bool {
	part = strings.ToLower(part)
	for n := range f.names {
		if strings.Contains(n, part) {
			return true
		}
	}
	return false
}

// Finder reads facts and remembers them by program. It is safe for concurrent use.
type Finder struct {
	g *Graph
	s *session.Session

	mu       sync.Mutex
	programs map[*byte]*Facts
	units    []*Facts
}

// NewFinder makes a finder over a linked graph.
func NewFinder(g *Graph, s *session.Session) *Finder {
	return &Finder{g: g, s: s, programs: map[*byte]*Facts{}, units: make([]*Facts, len(g.Units))}
}

// Known is the facts of a unit if they were read already, or nil.
func (f *Finder) Known(unit int) *Facts {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.units[unit]
}

// Of reads the facts of a unit. What cannot be read has none.
func (f *Finder) Of(unit int) *Facts {
	if k := f.Known(unit); k != nil {
		return k
	}
	u := &f.g.Units[unit]
	out := &Facts{regs: map[string]bool{}, names: map[string]bool{}}
	in, err := f.s.Input(u.Perm, u.Ref)
	if err == nil {
		for i := range in.Stages {
			st := &in.Stages[i]
			p := f.program(st.Program)
			for k := range out.ops {
				out.ops[k] |= p.ops[k]
			}
			out.Cost.add(p.Cost)
			for r := range p.regs {
				out.regs[r] = true
			}
			for _, c := range st.Names.Constants {
				out.names[strings.ToLower(c.Name)] = true
			}
			for _, m := range []map[uint32]string{st.Names.Textures, st.Names.Samplers, st.Names.UAVs} {
				for _, n := range m {
					out.names[strings.ToLower(n)] = true
				}
			}
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.units[unit] = out
	return out
}

// classes are the registers that a filter can name, by the letters before the number.
var classes = map[dxbc.RegType]string{dxbc.RegResource: "t", dxbc.RegUAV: "u", dxbc.RegConstantBuffer: "cb", dxbc.RegSampler: "s"}

// CostOf is the cost of a permutation: of one pass, or with pass -1 of all.
func (f *Finder) CostOf(perm, pass int) (c Cost) {
	for p := range f.g.Passes {
		if pass >= 0 && p != pass {
			continue
		}
		if u := f.g.Unit(perm, p); u >= 0 {
			c.add(f.Of(u).Cost)
		}
	}
	return c
}

func (f *Finder) program(b []byte) *Facts {
	out := &Facts{regs: map[string]bool{}}
	if len(b) == 0 {
		return out
	}
	f.mu.Lock()
	known := f.programs[&b[0]]
	f.mu.Unlock()
	if known != nil {
		return known
	}
	sh, err := dxbc.Open(b)
	if err == nil && sh.Program != nil {
		n, _ := sh.Program.Count()
		out.Cost = Cost{Instrs: int(n.Instructions), Reads: int(n.TexNormal + n.TexComp + n.TexBias + n.TexGrad + n.TexLoad),
			Writes: int(n.TexStores + n.Interlocked), Temps: int(n.Temps)}
		for i := range sh.Program.Instrs {
			in := &sh.Program.Instrs[i]
			out.ops[in.Op/64] |= 1 << (in.Op % 64)
			if !in.Op.Has(dxbc.FlagDecl) || len(in.Operands) == 0 {
				continue
			}
			if c := classes[in.Operands[0].Reg]; c != "" {
				_, lower, upper := in.Range()
				const most = 64 // of an array of registers
				for r := uint64(lower); r <= uint64(upper) && r < uint64(lower)+most; r++ {
					out.regs[c+strconv.FormatUint(r, 10)] = true
				}
			}
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.programs[&b[0]] = out
	return out
}

// UnmarshalText reads the word back.
func (m *Mark) UnmarshalText(b []byte) error {
	i := slices.Index(markNames[:], string(b))
	if i < 0 {
		return fmt.Errorf("unknown mark %q", b)
	}
	*m = Mark(i)
	return nil
}
