package qualify

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"maps"
	"runtime/debug"
	"slices"
	"sync"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/effect"
)

var (
	codeBug = diag.Register(diag.Info{
		Code: "qualify.bug", Title: "the compiler has a bug",
		Rule:   "no input may make the compiler panic; a panic is turned into this diagnostic, and the stage fails",
		Remedy: "run `fxlens wgsl` on the place named here and send the report that it writes",
	})
	codeLibrary = diag.Register(diag.Info{
		Code: "qualify.library", Title: "a ray tracing library",
		Rule:   "WebGPU has no ray tracing pipelines",
		Remedy: "none: trace in a compute pass",
	})
)

// built is a unit with the facts about its programs.
type built struct {
	unit     *Unit
	programs []*Program // by stage; nil for libraries
}

// maxUnits bounds the units that a run remembers, so that memory stays flat; one takes
// a few kB.
const maxUnits = 4096

// memo remembers units by content across files.
type memo struct {
	mu      sync.Mutex
	entries map[[32]byte]*memoEntry
	order   [][32]byte
}

type memoEntry struct {
	done chan struct{}
	b    *built
	err  error
}

func (m *memo) begin(k [32]byte) (e *memoEntry, mine bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.entries[k]; e != nil {
		return e, false
	}
	if m.entries == nil {
		m.entries = map[[32]byte]*memoEntry{}
	}
	if len(m.order) >= maxUnits {
		delete(m.entries, m.order[0])
		m.order = append(m.order[:0], m.order[1:]...)
	}
	e = &memoEntry{done: make(chan struct{})}
	m.entries[k] = e
	m.order = append(m.order, k)
	return e, true
}

// digest writes numbers and texts without ambiguity.
type digest struct{ hash.Hash }

func (h digest) number(n uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	h.Write(b[:])
}

func (h digest) text(s string) {
	h.number(uint64(len(s)))
	h.Write([]byte(s))
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// programs hashes each program of a file once: stages of hundreds of bodies share them.
type programs struct {
	sums map[*byte][32]byte
}

func (p *programs) sum(b []byte) [32]byte {
	if len(b) == 0 {
		return sha256.Sum256(nil)
	}
	if s, ok := p.sums[&b[0]]; ok {
		return s
	}
	if p.sums == nil {
		p.sums = map[*byte][32]byte{}
	}
	s := sha256.Sum256(b)
	p.sums[&b[0]] = s
	return s
}

// unit compiles a pass, or returns what is remembered of an equal one.
func (r *runner) unit(ctx context.Context, key [32]byte, in *compile.PassInput, opt *compile.Options, ps *programs) (*built, error) {
	for {
		e, mine := r.memo.begin(key)
		if mine {
			select {
			case <-ctx.Done():
				e.err = ctx.Err()
			case r.slots <- struct{}{}:
				e.b, e.err = compileUnit(ctx, key, in, opt, ps)
				<-r.slots
			}
			if e.err != nil {
				r.memo.forget(key)
			}
			close(e.done)
			return e.b, e.err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-e.done:
		}
		if e.err == nil || ctx.Err() != nil {
			return e.b, e.err
		}
	}
}

func (m *memo) forget(k [32]byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.entries, k)
	if i := slices.Index(m.order, k); i >= 0 {
		m.order = slices.Delete(m.order, i, i+1)
	}
}

// statusOf is the status of a compiled stage.
var statusOf = map[compile.Status]Status{
	compile.Translated: Qualified, compile.Refused: Unsupported, compile.NoCounterpart: Unsupported, compile.Undecodable: Failed,
}

func compileUnit(ctx context.Context, key [32]byte, in *compile.PassInput, opt *compile.Options, ps *programs) (b *built, err error) {
	defer func() {
		if v := recover(); v != nil {
			u := &Unit{Key: hex.EncodeToString(key[:]), Status: Failed}
			for i := range in.Stages {
				sum := ps.known(in.Stages[i].Program)
				u.Stages = append(u.Stages, Stage{Stage: in.Stages[i].Kind.String(), Program: hex.EncodeToString(sum[:]), Status: Failed})
			}
			u.Diagnostics = []Diag{newDiag(diag.New(diag.Error, codeBug, diag.Loc{}, "%v at %s", v, topOf(debug.Stack())), "")}
			b, err = &built{unit: u}, nil
		}
	}()
	b = &built{unit: &Unit{Key: hex.EncodeToString(key[:]), Stages: make([]Stage, len(in.Stages))}}
	u := b.unit
	// A compiler of its own: what a run must remember is the result's facts, not the
	// modules and functions.
	p, err := new(compile.Compiler).Pass(ctx, in, opt)
	var bug *compile.BugError
	if err != nil && !errors.As(err, &bug) {
		return nil, err
	}
	parts := make([]Status, len(in.Stages))
	for i := range in.Stages {
		st := &u.Stages[i]
		sum := ps.known(in.Stages[i].Program)
		st.Stage, st.Program, st.Status = in.Stages[i].Kind.String(), hex.EncodeToString(sum[:]), Failed
		facts := &Program{SHA256: st.Program, Size: len(in.Stages[i].Program)}
		if p != nil {
			done := p.Stages[i]
			st.Status = statusOf[done.Status]
			describe(facts, done.Shader)
			if m := done.Module; m != nil {
				code := sha256.Sum256([]byte(m.Code))
				st.WGSL, st.WGSLBytes = hex.EncodeToString(code[:]), len(m.Code)
				st.Features, st.Language, st.Limits = m.Requires.Features, m.Requires.Language, m.Requires.Limits
			}
		}
		parts[i] = st.Status
		b.programs = append(b.programs, facts)
	}
	u.Status = together(parts)
	if p == nil {
		u.Diagnostics = []Diag{newDiag(diag.New(diag.Error, codeBug, diag.Loc{}, "%v", bug.Value), "")}
		return b, nil
	}
	if p.Status != compile.Translated && u.Status == Qualified {
		u.Status = Unsupported // the pass as a whole was refused
	}
	for _, d := range p.Diags {
		u.Diagnostics = append(u.Diagnostics, newDiag(d, ""))
	}
	for _, s := range p.Stages {
		for _, d := range s.Diags {
			u.Diagnostics = append(u.Diagnostics, newDiag(d, s.Kind.String()))
		}
	}
	if p.Plan != nil {
		u.plan(p)
	}
	return b, nil
}

// known is sum without writing to the map, for concurrent use after it.
func (p *programs) known(b []byte) [32]byte {
	if len(b) > 0 {
		if s, ok := p.sums[&b[0]]; ok {
			return s
		}
	}
	return sha256.Sum256(b)
}

func newDiag(d diag.Diag, stage string) Diag {
	out := Diag{Code: string(d.Code), Severity: d.Sev.String(), Stage: d.At.Stage, Message: d.Text}
	if out.Stage == "" {
		out.Stage = stage
	}
	if i := d.At.Index(); i >= 0 {
		out.Instr = &i
	} else if o := d.At.ByteOffset(); o >= 0 {
		out.Offset = &o
	}
	if d.Sev == diag.Error && d.Remedy != "none" {
		out.Remedy = d.Remedy
	}
	return out
}

func (u *Unit) plan(p *compile.Pass) {
	for i := range p.Plan.Bindings {
		b := &p.Plan.Bindings[i]
		out := Binding{
			Identity: b.Identity, Kind: b.Kind.String(), Register: b.Register, Space: b.Space, Group: b.Group, Binding: b.Binding,
			Name: b.Name, Type: b.Type, Format: b.Format, FormatFrom: b.FormatFrom, Visibility: []string{},
		}
		for _, v := range b.Visibility {
			out.Visibility = append(out.Visibility, v.String())
		}
		u.Bindings = append(u.Bindings, out)
	}
	u.Transforms = len(p.Plan.Transforms)
	// The whole plan, so that a change of anything in it shows.
	doc, err := json.Marshal(struct{ Bindings, Transforms any }{p.Plan.Bindings, p.Plan.Transforms})
	if err == nil { // plans are plain values: it does not fail
		sum := sha256.Sum256(doc)
		u.Layout = hex.EncodeToString(sum[:])
	}
}

// describe fills in what a decoded program says by itself.
func describe(f *Program, s *dxbc.Shader) {
	if s == nil {
		return
	}
	p := s.Program
	f.Profile = p.Profile()
	type place struct {
		reg dxbc.RegType
		id  uint32
	}
	dims := map[place]string{}
	type use struct{ op, dim string }
	counts := map[use]int{}
	for i := range p.Instrs {
		in := &p.Instrs[i]
		if in.Op.Has(dxbc.FlagDecl) {
			if r, ok := declared(in); ok {
				f.Resources = append(f.Resources, r)
				id, _, _ := in.Range()
				dims[place{in.Operands[0].Reg, id}] = r.Dim
			}
			continue
		}
		if in.Custom != nil {
			continue
		}
		f.Instructions++
		u := use{op: in.Op.String()}
		for j := range in.Operands {
			o := &in.Operands[j]
			if (o.Reg == dxbc.RegResource || o.Reg == dxbc.RegUAV) && o.NumIndex > 0 {
				u.dim = dims[place{o.Reg, o.Index(0).Imm}]
				break
			}
		}
		counts[u]++
	}
	for u, n := range counts {
		f.Opcodes = append(f.Opcodes, OpCount{u.op, u.dim, n})
	}
	slices.SortFunc(f.Opcodes, func(a, b OpCount) int {
		return cmp.Or(cmp.Compare(a.Op, b.Op), cmp.Compare(a.Dim, b.Dim))
	})
}

var classOf = map[dxbc.RegType]string{dxbc.RegConstantBuffer: "b", dxbc.RegSampler: "s", dxbc.RegResource: "t", dxbc.RegUAV: "u"}

// declared returns the resource that a declaration declares.
func declared(in *dxbc.Instr) (Resource, bool) {
	if in.Decl == nil || len(in.Operands) == 0 {
		return Resource{}, false
	}
	class, ok := classOf[in.Operands[0].Reg]
	if !ok {
		return Resource{}, false
	}
	_, lower, upper := in.Range()
	r := Resource{
		Class: class, Register: lower, Last: upper, Space: in.Decl.Space, Kind: in.Op.String(),
		Stride: in.Decl.Stride, Size: in.Decl.Size,
	}
	switch in.Op {
	case dxbc.OpDclResourceRaw, dxbc.OpDclUavRaw:
		r.Dim = "raw_buffer"
	case dxbc.OpDclResourceStructured, dxbc.OpDclUavStructured:
		r.Dim = "structured_buffer"
	default:
		if class == "t" || class == "u" {
			r.Dim = in.Decl.Dim.String()
		}
	}
	return r, true
}

// library is the unit of a ray tracing library.
func library(l *effect.Library, ps *programs, opt [32]byte) ([32]byte, *built) {
	sum := ps.sum(l.Program)
	h := digest{sha256.New()}
	h.text("fxlens.library/1")
	h.Write(opt[:])
	h.Write(sum[:])
	h.text(l.HitGroupName)
	for _, e := range l.Exports {
		h.number(uint64(e.Type))
		h.text(e.Name)
	}
	key := [32]byte(h.Sum(nil))
	d := diag.New(diag.Error, codeLibrary, diag.Loc{}, "a ray tracing library with %d exports has no counterpart in WebGPU", len(l.Exports))
	return key, &built{
		unit: &Unit{
			Key: hex.EncodeToString(key[:]), Status: Unsupported,
			Stages:      []Stage{{Stage: "lib", Program: hex.EncodeToString(sum[:]), Status: Unsupported}},
			Diagnostics: []Diag{newDiag(d, "lib")},
		},
		programs: []*Program{{SHA256: hex.EncodeToString(sum[:]), Size: len(l.Program)}},
	}
}
