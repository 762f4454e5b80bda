package wgsl_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/ir"
	"fxlens/core/wgsl"
	"fxlens/core/wgsl/layout"
	"fxlens/internal/judge"
)

// generator makes a random function in SSA form: integer arithmetic, every kind
// of construct with parameters, jumps out of any depth, stores in between.
type generator struct {
	r       *rand.Rand
	f       *ir.Function
	visible []ir.ValueID // integer values in scope
	bools   []ir.ValueID
	scopes  []ir.NodeID // enclosing loops and switches
	budget  int
	stores  uint32
}

func (g *generator) value(v ir.Value) ir.ValueID {
	v.Reg, v.Instr, v.Samp = -1, -1, -1
	if v.Op != ir.OpStoreRaw && v.Op != ir.OpArrayLoad && v.Op != ir.OpArrayStore {
		v.Res = -1
	}
	g.f.Values = append(g.f.Values, v)
	return ir.ValueID(len(g.f.Values) - 1)
}

func (g *generator) constant(x uint32) ir.ValueID {
	return g.value(ir.Value{Op: ir.OpConst, Kind: ir.U32, N: 1, Imm: [4]uint32{x}, Node: ir.NoNode})
}

func (g *generator) node(r ir.RegionID, n ir.Node) ir.NodeID {
	n.Instr = -1
	if n.Kind != ir.NodeBreak && n.Kind != ir.NodeContinue {
		n.Target = ir.NoNode
	}
	if n.Kind == ir.NodeYield {
		n.Target = g.f.Regions[r].Parent
	}
	if n.Kind != ir.NodeValue {
		n.Value = ir.NoValue
	}
	return g.f.Add(r, n)
}

func (g *generator) region(parent ir.NodeID) ir.RegionID {
	g.f.Regions = append(g.f.Regions, ir.Region{Parent: parent})
	return ir.RegionID(len(g.f.Regions) - 1)
}

func (g *generator) op(r ir.RegionID, v ir.Value) ir.ValueID {
	id := g.value(v)
	n := g.node(r, ir.Node{Kind: ir.NodeValue, Value: id})
	g.f.Values[id].Node = n
	return id
}

// pick is an operand of n lanes from what is in scope; now and then a constant.
func (g *generator) pick(n int) ir.Arg {
	a := ir.Arg{N: uint8(n)}
	if g.r.IntN(3) == 0 { // a whole value, so that copies can go away
		for range 4 {
			if v := g.visible[g.r.IntN(len(g.visible))]; int(g.f.Values[v].N) == n {
				return ir.ArgOf(v, n)
			}
		}
	}
	for i := range n {
		if g.r.IntN(4) == 0 {
			a.Lanes[i] = ir.Lane{V: g.constant(uint32(g.r.IntN(7)) * uint32(g.r.IntN(3)+1))}
			continue
		}
		v := g.visible[max(len(g.visible)-1-g.r.IntN(8), g.r.IntN(len(g.visible)))]
		a.Lanes[i] = ir.Lane{V: v, L: uint8(g.r.IntN(int(g.f.Values[v].N)))}
	}
	return a
}

func (g *generator) cond(r ir.RegionID) ir.Arg {
	ops := []ir.Op{ir.OpIEq, ir.OpINe, ir.OpULt, ir.OpUGe, ir.OpILt, ir.OpIGe}
	v := g.op(r, ir.Value{Op: ops[g.r.IntN(len(ops))], Kind: ir.Bool, N: 1, Args: []ir.Arg{g.pick(1), g.pick(1)}})
	if g.r.IntN(3) == 0 && len(g.bools) > 0 {
		v = g.op(r, ir.Value{Op: []ir.Op{ir.OpAnd, ir.OpOr, ir.OpXor}[g.r.IntN(3)], Kind: ir.Bool, N: 1,
			Args: []ir.Arg{ir.ArgOf(v, 1), ir.ArgOf(g.bools[g.r.IntN(len(g.bools))], 1)}})
	}
	g.bools = append(g.bools, v)
	return ir.ArgOf(v, 1)
}

func (g *generator) arith(r ir.RegionID) {
	n := 1 + g.r.IntN(3)
	kind := []ir.Kind{ir.U32, ir.I32}[g.r.IntN(2)]
	ops := []ir.Op{ir.OpIAdd, ir.OpISub, ir.OpIMul, ir.OpAnd, ir.OpXor, ir.OpOr, ir.OpUMin, ir.OpIMax, ir.OpINeg, ir.OpNot, ir.OpShl, ir.OpUShr, ir.OpIMad, ir.OpSelect, ir.OpUDiv}
	v := ir.Value{Op: ops[g.r.IntN(len(ops))], Kind: kind, N: uint8(n)}
	for i := range v.Op.Info().Args {
		if v.Op == ir.OpSelect && i == 0 {
			a := g.cond(r)
			b := ir.Arg{N: uint8(n)}
			for k := range n {
				b.Lanes[k] = a.Lanes[0]
			}
			v.Args = append(v.Args, b)
			continue
		}
		v.Args = append(v.Args, g.pick(n))
	}
	switch v.Op.Info().Result {
	case 'u':
		v.Kind = ir.U32
	case 'i':
		v.Kind = ir.I32
	}
	g.visible = append(g.visible, g.op(r, v))
}

func (g *generator) params(node ir.NodeID) []ir.ValueID {
	var out []ir.ValueID
	for range g.r.IntN(4) {
		out = append(out, g.value(ir.Value{Op: ir.OpParam, Kind: []ir.Kind{ir.U32, ir.I32}[g.r.IntN(2)], N: uint8(1 + g.r.IntN(2)), Node: node}))
	}
	return out
}

func (g *generator) args(ps []ir.ValueID) []ir.Arg {
	var out []ir.Arg
	for _, p := range ps {
		out = append(out, g.pick(int(g.f.Values[p].N)))
	}
	return out
}

// body fills r and ends it: by a jump now and then, else by end.
func (g *generator) body(r ir.RegionID, depth int, end func()) {
	mark, marked := len(g.visible), len(g.bools)
	defer func() { g.visible, g.bools = g.visible[:mark], g.bools[:marked] }()
	for range 1 + g.r.IntN(5) {
		if g.budget--; g.budget < 0 {
			break
		}
		switch x := g.r.IntN(12); {
		case x < 5 || depth > 4:
			g.arith(r)
		case x < 6:
			g.store(r)
		case x < 7:
			g.array(r)
		case x < 9:
			g.ifNode(r, depth)
		case x < 11:
			g.loop(r, depth)
		default:
			g.switchNode(r, depth)
		}
	}
	if len(g.scopes) > 0 && g.r.IntN(4) == 0 {
		t := g.scopes[len(g.scopes)-1]
		loop := ir.NoNode
		for _, s := range g.scopes {
			if g.f.Nodes[s].Kind == ir.NodeLoop {
				loop = s
			}
		}
		if loop != ir.NoNode && g.r.IntN(2) == 0 {
			g.again(r, loop)
		} else {
			g.node(r, ir.Node{Kind: ir.NodeBreak, Target: t, Args: g.args(g.f.Nodes[t].Params)})
		}
		return
	}
	if depth > 0 && g.r.IntN(25) == 0 {
		g.node(r, ir.Node{Kind: ir.NodeReturn})
		return
	}
	end()
}

func (g *generator) store(r ir.RegionID) {
	at := g.constant(g.stores % 64 * 4)
	g.stores++
	a := g.pick(1)
	g.op(r, ir.Value{Op: ir.OpStoreRaw, Res: 0, Args: []ir.Arg{ir.ArgOf(at, 1), a}, Imm: [4]uint32{0, 1, 2, 3}})
}

func (g *generator) array(r ir.RegionID) {
	i := g.op(r, ir.Value{Op: ir.OpAnd, Kind: ir.U32, N: 1, Args: []ir.Arg{g.pick(1), ir.ArgOf(g.constant(7), 1)}})
	if g.r.IntN(2) == 0 { // index 6 and 7 are outside
		g.op(r, ir.Value{Op: ir.OpArrayStore, Res: 0, Args: []ir.Arg{ir.ArgOf(i, 1), g.pick(2)}, Imm: [4]uint32{0, 3}})
		return
	}
	g.visible = append(g.visible, g.op(r, ir.Value{Op: ir.OpArrayLoad, Res: 0, Kind: ir.U32, N: 2, Args: []ir.Arg{ir.ArgOf(i, 1)}}))
}

func (g *generator) ifNode(r ir.RegionID, depth int) {
	id := g.node(r, ir.Node{Kind: ir.NodeIf, Construct: &ir.Construct{Cond: g.cond(r)}})
	g.f.Nodes[id].Params = g.params(id)
	for range 2 {
		sub := g.region(id)
		g.f.Nodes[id].Regions = append(g.f.Nodes[id].Regions, sub)
		g.body(sub, depth+1, func() {
			g.node(sub, ir.Node{Kind: ir.NodeYield, Args: g.args(g.f.Nodes[id].Params)})
		})
	}
	g.visible = append(g.visible, g.f.Nodes[id].Params...)
}

// loop makes a loop that a counter bounds: its first header parameter.
func (g *generator) loop(r ir.RegionID, depth int) {
	id := g.node(r, ir.Node{Kind: ir.NodeLoop})
	counter := g.value(ir.Value{Op: ir.OpParam, Kind: ir.U32, N: 1, Node: id})
	inits := []ir.Arg{ir.ArgOf(g.constant(0), 1)}
	header := append([]ir.ValueID{counter}, g.params(id)...)
	inits = append(inits, g.args(header[1:])...)
	n := &g.f.Nodes[id]
	n.Header, n.Inits = header, inits
	n.Params = g.params(id)
	body := g.region(id)
	g.f.Nodes[id].Regions = []ir.RegionID{body}
	g.scopes = append(g.scopes, id)
	mark, marked := len(g.visible), len(g.bools)
	g.visible = append(g.visible, header...)
	// the bound: if (counter >= limit) break
	limit := g.constant(uint32(1 + g.r.IntN(4)))
	if g.r.IntN(3) == 0 {
		g.arith(body)
	}
	c := g.op(body, ir.Value{Op: ir.OpUGe, Kind: ir.Bool, N: 1, Args: []ir.Arg{ir.ArgOf(counter, 1), ir.ArgOf(limit, 1)}})
	out := g.node(body, ir.Node{Kind: ir.NodeIf, Construct: &ir.Construct{Cond: ir.ArgOf(c, 1)}})
	then, els := g.region(out), g.region(out)
	g.f.Nodes[out].Regions = []ir.RegionID{then, els}
	g.node(then, ir.Node{Kind: ir.NodeBreak, Target: id, Args: g.args(g.f.Nodes[id].Params)})
	g.node(els, ir.Node{Kind: ir.NodeYield})
	g.body(body, depth+1, func() { g.again(body, id) })
	g.scopes = g.scopes[:len(g.scopes)-1]
	g.visible, g.bools = append(g.visible[:mark], header...), g.bools[:marked]
	g.visible = append(g.visible, g.f.Nodes[id].Params...)
}

// again is a continue of loop id, which steps the counter.
func (g *generator) again(r ir.RegionID, id ir.NodeID) {
	h := g.f.Nodes[id].Header
	next := g.op(r, ir.Value{Op: ir.OpIAdd, Kind: ir.U32, N: 1, Args: []ir.Arg{ir.ArgOf(h[0], 1), ir.ArgOf(g.constant(1), 1)}})
	g.visible = append(g.visible, next)
	g.node(r, ir.Node{Kind: ir.NodeContinue, Target: id, Args: append([]ir.Arg{ir.ArgOf(next, 1)}, g.args(h[1:])...)})
	g.visible = g.visible[:len(g.visible)-1]
}

func (g *generator) switchNode(r ir.RegionID, depth int) {
	id := g.node(r, ir.Node{Kind: ir.NodeSwitch, Construct: &ir.Construct{Cond: g.pick(1), Default: -1}})
	g.f.Nodes[id].Params = g.params(id)
	g.scopes = append(g.scopes, id)
	clauses := 1 + g.r.IntN(3)
	if g.r.IntN(2) == 0 {
		g.f.Nodes[id].Default = g.r.IntN(clauses)
	} else {
		g.f.Nodes[id].Inits = g.args(g.f.Nodes[id].Params)
	}
	for i := range clauses {
		labels := []uint32{uint32(2 * i)}
		if g.r.IntN(2) == 0 {
			labels = append(labels, uint32(2*i+1))
		}
		sub := g.region(id)
		g.f.Nodes[id].Labels = append(g.f.Nodes[id].Labels, labels)
		g.f.Nodes[id].Regions = append(g.f.Nodes[id].Regions, sub)
		g.body(sub, depth+1, func() {
			g.node(sub, ir.Node{Kind: ir.NodeBreak, Target: id, Args: g.args(g.f.Nodes[id].Params)})
		})
	}
	g.scopes = g.scopes[:len(g.scopes)-1]
	g.visible = append(g.visible, g.f.Nodes[id].Params...)
}

// random makes one function that ends by storing some of what it computed.
func random(seed uint64) *ir.Function {
	g := &generator{r: rand.New(rand.NewPCG(seed, 7)), budget: 60, f: &ir.Function{
		Kind: dxbc.Compute, ThreadGroup: [3]uint32{1, 1, 1},
		Shader: &dxbc.Shader{}, Program: &dxbc.Program{},
		Resources: []ir.Resource{{Class: ir.UAV, Dim: dxbc.DimRawBuffer, Count: 1, Used: true, Written: true, Instr: -1}},
		Arrays:    []ir.Array{{Len: 6, N: 2, Instr: -1}},
	}}
	g.region(ir.NoNode)
	g.visible = []ir.ValueID{g.constant(3), g.constant(5)}
	id := g.value(ir.Value{Op: ir.OpInput, Kind: ir.U32, N: 3, Imm: [4]uint32{0}, Node: ir.NoNode})
	g.f.Inputs = []ir.Elem{{Register: 0xffffffff, RegType: dxbc.RegThreadID, Mask: 7, Used: 7, CompType: 1, Instr: -1}}
	g.visible = append(g.visible, id)
	for range 6 {
		g.arith(0)
	}
	g.body(0, 0, func() {
		for range 16 {
			g.store(0)
		}
		g.node(0, ir.Node{Kind: ir.NodeReturn})
	})
	return g.f
}

// machine runs such a function the slow way.
type machine struct {
	f      *ir.Function
	vals   [][4]uint32
	memory [64]uint32
	array  [6][2]uint32
	steps  int
}

func (m *machine) read(a ir.Arg) []uint32 {
	out := make([]uint32, a.N)
	for i, l := range a.Lanes[:a.N] {
		out[i] = m.vals[l.V][l.L]
	}
	return out
}

func (m *machine) write(ps []ir.ValueID, args []ir.Arg) {
	vals := make([][]uint32, len(args))
	for i, a := range args {
		vals[i] = m.read(a)
	}
	for i, p := range ps {
		copy(m.vals[p][:], vals[i])
	}
}

// region runs r and returns the terminator that left it, or a jump further out.
func (m *machine) region(r ir.RegionID) *ir.Node {
	for _, id := range m.f.Regions[r].Nodes {
		m.steps++
		n := &m.f.Nodes[id]
		var left *ir.Node
		switch n.Kind {
		case ir.NodeValue:
			m.value(n.Value)
			continue
		case ir.NodeIf:
			sub := n.Regions[1]
			if m.read(n.Cond)[0] != 0 {
				sub = n.Regions[0]
			}
			if left = m.region(sub); left.Kind == ir.NodeYield {
				m.write(n.Params, left.Args)
				continue
			}
		case ir.NodeSwitch:
			x := m.read(n.Cond)[0]
			clause := n.Default
			for i, ls := range n.Labels {
				for _, l := range ls {
					if l == x {
						clause = i
					}
				}
			}
			if clause < 0 {
				m.write(n.Params, n.Inits)
				continue
			}
			left = m.region(n.Regions[clause])
		case ir.NodeLoop:
			m.write(n.Header, n.Inits)
			for {
				if left = m.region(n.Regions[0]); left.Kind != ir.NodeContinue || left.Target != id {
					break
				}
				m.write(n.Header, left.Args)
			}
		default:
			return n
		}
		if left.Kind == ir.NodeBreak && left.Target == id {
			m.write(n.Params, left.Args)
			continue
		}
		return left
	}
	panic("region without an end")
}

func (m *machine) value(id ir.ValueID) {
	v := &m.f.Values[id]
	switch v.Op {
	case ir.OpStoreRaw:
		m.memory[m.read(v.Args[0])[0]/4] = m.read(v.Args[1])[0]
		return
	case ir.OpArrayStore:
		if i := m.read(v.Args[0])[0]; i < 6 {
			copy(m.array[i][:], m.read(v.Args[1]))
		}
		return
	case ir.OpArrayLoad:
		m.vals[id] = [4]uint32{}
		if i := m.read(v.Args[0])[0]; i < 6 {
			copy(m.vals[id][:], m.array[i][:])
		}
		return
	}
	for l := range int(v.N) {
		args := make([]uint32, len(v.Args))
		for i, a := range v.Args {
			args[i] = m.read(a)[l]
		}
		x, ok := ir.EvalLane(v.Op, args)
		if !ok {
			panic(v.Op.String())
		}
		m.vals[id][l] = x
	}
}

func execute(f *ir.Function) ([64]uint32, int) {
	m := &machine{f: f, vals: make([][4]uint32, len(f.Values))}
	for i := range f.Values {
		if f.Values[i].Op == ir.OpConst {
			m.vals[i] = f.Values[i].Imm
		}
	}
	m.region(0)
	return m.memory, m.steps
}

// TestRandomPrograms executes random functions as WGSL and by the meaning of the
// IR: folding, the sharing of variables, the order of copies and the forms of
// control flow must not change a result.
func TestRandomPrograms(t *testing.T) {
	const programs = 120
	var jobs []judge.Job
	var want [][64]uint32
	var code []string
	for seed := range uint64(programs) {
		f := random(seed)
		require.NoErrorf(t, ir.Verify(f), "seed %d", seed)
		memory, steps := execute(f)
		if steps > 20000 {
			continue
		}
		plan, ds := layout.New([]layout.StageInput{{Stage: layout.Compute, Func: f}}, layout.Options{})
		require.NotNilf(t, plan, "%v", ds)
		m, ds := wgsl.Emit(f, plan, nil, wgsl.Options{})
		require.Falsef(t, diag.HasErrors(ds), "%v", ds)
		checkTokens(t, fmt.Sprint(seed), m)
		again, _ := wgsl.Emit(f, plan, nil, wgsl.Options{})
		require.Equal(t, m.Code, again.Code)
		jobs = append(jobs, judge.Job{
			ID:      fmt.Sprint("seed ", seed),
			Buffers: []judge.Buffer{{Name: "out", Size: 256, Read: true}},
			Passes: []judge.Pass{{
				Modules:  []judge.Module{{Stage: judge.Compute, EntryPoint: "main", Code: m.Code}},
				Bind:     []judge.Bind{{Group: plan.Bindings[0].Group, Binding: plan.Bindings[0].Binding, Resource: "out"}},
				Dispatch: []uint32{1, 1, 1},
			}},
		})
		want = append(want, memory)
		code = append(code, m.Code)
	}
	for i, o := range judge.Run(t, jobs) {
		if !assert.Truef(t, o.Ran && len(o.Messages) == 0, "%s\n%s", o, code[i]) {
			continue
		}
		if !assert.Equalf(t, want[i][:], judge.AsWords(o.Outputs["out"]), "%s\n%s", o.ID, code[i]) {
			return
		}
	}
}
