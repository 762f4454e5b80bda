package views

import (
	"slices"

	"fxlens/core/ir"
	"fxlens/core/wgsl/layout"
)

// NoInstr is the absent instruction.
const NoInstr int32 = -1

// Lanes names lanes of one DXBC register: what the cursor's operand reads or writes.
type Lanes struct {
	Reg  string // the register without components, as it prints: "r0", "cb0[4]"; empty for none
	Mask uint8  // bit 0 is x; 0 where the register has no components
}

// Meets reports whether two operands share a lane of the same register: r0.x does not
// meet r0.yz.
func (l Lanes) Meets(o Lanes) bool {
	return l.Reg != "" && l.Reg == o.Reg && (l.Mask&o.Mask != 0 || l.Mask == 0 || o.Mask == 0)
}

// ResRef names a resource declaration of the stage by its class and range; outside SM5.1
// the range is the register.
type ResRef struct {
	Known bool
	Class ir.Class
	Range uint32
}

// Focus is what a cursor stands on, in the compiler's terms.
type Focus struct {
	Instr   int32        // the instruction, or NoInstr
	Values  []ir.ValueID // the values, most telling first
	More    []int32      // further instructions of the line
	Lanes   Lanes        // the register lanes of the DXBC operand
	Occur   ir.ValueID   // the value of the token, lit wherever it occurs; ir.NoValue
	Dst     bool         // the lanes are a destination
	Res     ResRef       // the resource of the DXBC operand
	Binding int32        // index into the plan, or -1
}

// NoFocus stands on nothing.
var NoFocus = Focus{Instr: NoInstr, Occur: ir.NoValue, Binding: -1}

// Empty reports whether the focus names nothing at all.
func (f *Focus) Empty() bool {
	return f.Instr == NoInstr && len(f.Values) == 0 && len(f.More) == 0 && f.Lanes.Reg == "" &&
		f.Occur == ir.NoValue && f.Binding < 0
}

// Selection is everything that belongs to a focus, and how the asking pane shows it. A
// nil Selection selects nothing.
type Selection struct {
	Line    int  // the cursor's line in the listing that is asked, or -1
	Tok     int  // the cursor's token in that line, from 1; 0 is the whole line
	Focused bool // the listing has the keyboard

	Instrs  []int32      // instructions, ascending
	Values  []ir.ValueID // values, ascending
	Lanes   Lanes
	Occur   ir.ValueID
	Binding int32
	Query   string // search text
}

// NoSelection selects nothing.
var NoSelection = Selection{Line: -1, Occur: ir.NoValue, Binding: -1}

// At returns the selection as a pane with its cursor on line and token sees it.
func (s *Selection) At(line, tok int, focused bool) *Selection {
	c := NoSelection
	if s != nil {
		c = *s
	}
	c.Line, c.Tok, c.Focused = line, tok, focused
	return &c
}

// Has reports whether the instruction belongs to the selection.
func (s *Selection) Has(instr int32) bool {
	if s == nil || instr < 0 {
		return false
	}
	_, ok := slices.BinarySearch(s.Instrs, instr)
	return ok
}

// HasValue reports whether the value belongs to the selection.
func (s *Selection) HasValue(v ir.ValueID) bool {
	if s == nil || v < 0 {
		return false
	}
	_, ok := slices.BinarySearch(s.Values, v)
	return ok
}

// emph is the emphasis of a token by the weakest reasons: it is the cursor's, occurs, or
// belongs.
func (s *Selection) emph(line, tok int, occurs, belongs bool) Emph {
	switch {
	case s == nil:
		return EmphNone
	case tok > 0 && line == s.Line && tok == s.Tok && s.Focused:
		return EmphToken
	case occurs:
		return EmphOccur
	case belongs:
		return EmphTied
	}
	return EmphNone
}

// line gives l the marks and the ground of its line: cursor, linked or plain.
func (s *Selection) line(l *Line, n int, linked bool) {
	if s == nil {
		return
	}
	ground := EmphNone
	switch {
	case n == s.Line && s.Focused:
		l.Mark |= MarkCursor
		ground = EmphCursor
	case n == s.Line && linked:
		l.Mark |= MarkLinked
		ground = EmphLinked
	case n == s.Line:
		ground = EmphIdle
	case linked:
		l.Mark |= MarkLinked
		ground = EmphLinked
	}
	lay(l, ground)
}

// row gives l the marks of a list row: the cursor's, the idle cursor's or plain.
func (s *Selection) row(l *Line, n int) {
	if s == nil || n != s.Line {
		return
	}
	if s.Focused {
		l.Mark |= MarkCursor
		lay(l, EmphRow)
		return
	}
	lay(l, EmphIdle)
}

func lay(l *Line, e Emph) {
	for i := range l.Spans {
		if l.Spans[i].Emph < e {
			l.Spans[i].Emph = e
		}
	}
}

// Links joins the forms of one stage: which values an instruction became.
type Links struct {
	f     *ir.Function
	plan  *layout.Plan
	stage layout.Stage
	// first[i] to first[i+1] bound the values of instruction i in values.
	first  []int32
	values []ir.ValueID
	// uses[v] to uses[v+1] bound the values that read v in users.
	uses  []int32
	users []ir.ValueID
	live  []bool
}

// NewLinks indexes f, the function of a stage of a pass with a plan. A nil f has no
// links; plan may be nil.
func NewLinks(f *ir.Function, plan *layout.Plan, stage layout.Stage) *Links {
	k := &Links{f: f, plan: plan, stage: stage}
	if f == nil {
		return k
	}
	n := 0
	if f.Program != nil {
		n = len(f.Program.Instrs)
	}
	k.live = make([]bool, len(f.Values))
	mark := func(v ir.ValueID) {
		if v >= 0 && int(v) < len(k.live) {
			k.live[v] = true
		}
	}
	for _, r := range f.Regions {
		for _, id := range r.Nodes {
			if int(id) < 0 || int(id) >= len(f.Nodes) {
				continue
			}
			nd := &f.Nodes[id]
			if nd.Kind == ir.NodeValue {
				mark(nd.Value)
			}
			for _, v := range nd.Params {
				mark(v)
			}
			for _, v := range nd.Header {
				mark(v)
			}
		}
	}
	k.first = make([]int32, n+1)
	for v := range f.Values {
		if i := f.Values[v].Instr; k.live[v] && i >= 0 && int(i) < n {
			k.first[i+1]++
		}
	}
	for i := 0; i < n; i++ {
		k.first[i+1] += k.first[i]
	}
	k.values = make([]ir.ValueID, k.first[n])
	at := slices.Clone(k.first)
	for v := range f.Values {
		if i := f.Values[v].Instr; k.live[v] && i >= 0 && int(i) < n {
			k.values[at[i]] = ir.ValueID(v)
			at[i]++
		}
	}
	k.indexUses()
	return k
}

// indexUses fills uses and users.
func (k *Links) indexUses() {
	f := k.f
	k.uses = make([]int32, len(f.Values)+1)
	each := func(do func(used, user ir.ValueID)) {
		for v := range f.Values {
			if !k.live[v] {
				continue
			}
			for _, a := range f.Values[v].Args {
				for l := 0; l < int(a.N) && l < 4; l++ {
					if u := a.Lanes[l].V; u >= 0 && int(u) < len(f.Values) && (l == 0 || a.Lanes[l-1].V != u) {
						do(u, ir.ValueID(v))
					}
				}
			}
		}
	}
	each(func(u, _ ir.ValueID) { k.uses[u+1]++ })
	for i := range f.Values {
		k.uses[i+1] += k.uses[i]
	}
	k.users = make([]ir.ValueID, k.uses[len(f.Values)])
	at := slices.Clone(k.uses)
	each(func(u, v ir.ValueID) {
		k.users[at[u]] = v
		at[u]++
	})
}

// Func is the function that the links are of, or nil.
func (k *Links) Func() *ir.Function { return k.f }

// ValuesOf returns the live values of instruction i, ascending.
func (k *Links) ValuesOf(i int32) []ir.ValueID {
	if i < 0 || int(i)+1 >= len(k.first) {
		return nil
	}
	return k.values[k.first[i]:k.first[i+1]]
}

// UsersOf returns the live values that read v, ascending.
func (k *Links) UsersOf(v ir.ValueID) []ir.ValueID {
	if v < 0 || int(v)+1 >= len(k.uses) {
		return nil
	}
	return k.users[k.uses[v]:k.uses[v+1]]
}

// Select widens a focus to everything that belongs to it by the source map.
func (k *Links) Select(f Focus) Selection {
	s := NoSelection
	s.Lanes, s.Occur, s.Binding = f.Lanes, f.Occur, f.Binding
	if f.Instr >= 0 {
		s.Instrs = append(s.Instrs, f.Instr)
	}
	s.Instrs = append(s.Instrs, f.More...)
	s.Values = append(s.Values, f.Values...)
	if len(f.Values) == 0 {
		for _, i := range s.Instrs {
			s.Values = append(s.Values, k.ValuesOf(i)...)
		}
	} else if f.Instr < 0 && k.f != nil {
		for _, v := range f.Values {
			if int(v) < len(k.f.Values) && k.f.Values[v].Instr >= 0 {
				s.Instrs = append(s.Instrs, k.f.Values[v].Instr)
			}
		}
	}
	if s.Binding < 0 {
		s.Binding = k.bindingOf(f)
	} else {
		k.selectUses(&s)
	}
	slices.Sort(s.Instrs)
	s.Instrs = slices.Compact(s.Instrs)
	slices.Sort(s.Values)
	s.Values = slices.Compact(s.Values)
	return s
}

// bindingOf returns the index into the plan of the resource that a focus is on: the
// operand's own or, for a value or instruction that reads one resource, that one.
func (k *Links) bindingOf(f Focus) int32 {
	if k.f == nil || k.plan == nil {
		return -1
	}
	if f.Res.Known {
		for i := range k.f.Resources {
			if r := &k.f.Resources[i]; r.Class == f.Res.Class && r.RangeID == f.Res.Range {
				return k.slotOf(int32(i))
			}
		}
		return -1
	}
	values := f.Values
	if len(values) == 0 {
		values = k.ValuesOf(f.Instr)
	}
	for _, v := range values {
		if v >= 0 && int(v) < len(k.f.Values) && k.resourceOp(v) {
			if b := k.slotOf(k.f.Values[v].Res); b >= 0 {
				return b
			}
		}
	}
	return -1
}

// resourceOp reports whether Res of v indexes resources rather than arrays.
func (k *Links) resourceOp(v ir.ValueID) bool {
	op := k.f.Values[v].Op
	return op != ir.OpArrayLoad && op != ir.OpArrayStore
}

// slotOf returns the index into the plan of a resource of the function, or -1.
func (k *Links) slotOf(res int32) int32 {
	if res < 0 {
		return -1
	}
	for i := range k.plan.Bindings {
		if k.plan.Bindings[i].Resources[k.stage] == res {
			return int32(i)
		}
	}
	return -1
}

// selectUses adds what declares and uses the selection's binding.
func (k *Links) selectUses(s *Selection) {
	if k.f == nil || k.plan == nil || int(s.Binding) >= len(k.plan.Bindings) {
		return
	}
	res := k.plan.Bindings[s.Binding].Resources[k.stage]
	if res < 0 || int(res) >= len(k.f.Resources) {
		return
	}
	if i := k.f.Resources[res].Instr; i >= 0 {
		s.Instrs = append(s.Instrs, i)
	}
	for v := range k.f.Values {
		val := &k.f.Values[v]
		if k.live[v] && (val.Res == res && k.resourceOp(ir.ValueID(v)) || val.Samp == res && res >= 0) {
			s.Values = append(s.Values, ir.ValueID(v))
			if val.Instr >= 0 {
				s.Instrs = append(s.Instrs, val.Instr)
			}
			continue
		}
		if k.live[v] || val.Res != res || val.Op != ir.OpCBLoad {
			continue
		}
		// A row at a constant index is no node of its own: it stands in its readers.
		for _, u := range k.UsersOf(ir.ValueID(v)) {
			s.Values = append(s.Values, u)
			s.Instrs = append(s.Instrs, k.f.Values[u].Instr)
		}
		for _, n := range k.NodesOf(ir.ValueID(v)) {
			s.Instrs = append(s.Instrs, k.f.Nodes[n].Instr)
		}
	}
	s.Instrs = slices.DeleteFunc(s.Instrs, func(i int32) bool { return i < 0 })
}

// NodesOf returns the nodes that read v as a condition, an argument or a first value.
func (k *Links) NodesOf(v ir.ValueID) []ir.NodeID {
	if k.f == nil || v < 0 {
		return nil
	}
	reads := func(a *ir.Arg) bool {
		for l := range min(int(a.N), 4) {
			if a.Lanes[l].V == v {
				return true
			}
		}
		return false
	}
	var out []ir.NodeID
	for _, r := range k.f.Regions {
		for _, n := range r.Nodes {
			if int(n) < 0 || int(n) >= len(k.f.Nodes) || k.f.Nodes[n].Kind == ir.NodeValue {
				continue
			}
			nd := &k.f.Nodes[n]
			hit := reads(&nd.Cond)
			for _, args := range [][]ir.Arg{nd.Args, nd.Inits} {
				for i := range args {
					hit = hit || reads(&args[i])
				}
			}
			if hit {
				out = append(out, n)
			}
		}
	}
	return out
}

// Why says why an instruction has no value and no WGSL of its own, or "".
func (k *Links) Why(i int32) string {
	if k.f == nil || i < 0 || int(i) >= len(k.f.Fates) {
		return ""
	}
	return fateText[k.f.Fates[i]]
}

var fateText = map[ir.Fate]string{
	ir.FateDecl:        "a declaration",
	ir.FateMoved:       "a move: its lanes are those of its source",
	ir.FateFolded:      "folded into its users",
	ir.FateDead:        "dead: nothing reads its result",
	ir.FateUnreachable: "unreachable: behind a jump",
	ir.FateStructure:   "closes a block",
	ir.FateDropped:     "has no counterpart in WGSL; see the diagnostics",
}
