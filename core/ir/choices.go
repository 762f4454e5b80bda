package ir

import (
	"fmt"
	"math"
	"slices"

	"fxlens/core/diag"
	"fxlens/core/dxbc"
)

var codeChosenDerivatives = diag.Register(diag.Info{
	Code: "lower.chosen-derivatives", Title: "implicit level of a texture that a varying register chooses",
	Rule:   "a register that chooses a texture becomes a switch, in whose clauses derivatives are undefined where the register varies; they are taken before it and given to the sample, with a bias as a factor; comparisons, for which WGSL has no such form, and level queries sample every texture before the switch",
	Remedy: "none needed; a uniform index is cheaper where the range is compared with",
})

// choices takes derivatives out of the switches that stand for textures and
// samplers that a register chooses, where that register varies: control flow in
// their clauses is no longer uniform, although in Direct3D nothing diverges.
func choices(f *Function) {
	if f.Kind != dxbc.Pixel || !slices.ContainsFunc(f.Nodes, func(n Node) bool { return n.Kind == NodeSwitch && f.chooses(n.Instr) }) {
		return
	}
	c := &chooser{f: f, u: Uniformity(f)}
	c.region(0)
	if c.changed {
		deadCode(f)
	}
}

// chooses reports whether a switch that comes from an instruction is the choice
// of one of its resources, and the instruction takes a level from derivatives.
func (f *Function) chooses(instr int32) bool {
	if instr < 0 || int(instr) >= len(f.Program.Instrs) {
		return false
	}
	switch f.Program.Instrs[instr].Op {
	case dxbc.OpSample, dxbc.OpSampleB, dxbc.OpSampleC, dxbc.OpLod,
		dxbc.OpSampleClS, dxbc.OpSampleBClS, dxbc.OpSampleCClS:
		return true
	}
	return false
}

type chooser struct {
	f       *Function
	u       *UniformityInfo
	changed bool
	// Of the switch at hand:
	outer  NodeID
	before []NodeID // what goes before it
	parent RegionID
	moved  map[ValueID]ValueID // values of its clauses -> their copies before it
	known  map[string]ValueID  // operations before it
	grads  map[gradKey][2]ValueID
}

// gradKey is the coordinates and bias that derivatives were taken of.
type gradKey struct {
	at, bias Arg
}

func (c *chooser) region(r RegionID) {
	f := c.f
	for i := 0; i < len(f.Regions[r].Nodes); i++ {
		n := f.Regions[r].Nodes[i]
		nd := &f.Nodes[n]
		if nd.Kind == NodeSwitch && f.chooses(nd.Instr) && c.u.argVaries(&nd.Cond) {
			c.outer, c.parent, c.before = n, r, nil
			c.moved, c.known, c.grads = map[ValueID]ValueID{}, map[string]ValueID{}, map[gradKey][2]ValueID{}
			c.clauses(n)
			f.Regions[r].Nodes = slices.Insert(f.Regions[r].Nodes, i, c.before...)
			i += len(c.before)
			continue
		}
		for _, sub := range slices.Clone(nd.Regions) {
			c.region(sub)
		}
	}
}

// clauses goes through the clauses of a switch, and of choices inside them.
func (c *chooser) clauses(n NodeID) {
	f := c.f
	for _, r := range slices.Clone(f.Nodes[n].Regions) {
		for _, id := range slices.Clone(f.Regions[r].Nodes) {
			switch f.Nodes[id].Kind {
			case NodeSwitch:
				c.clauses(id)
			case NodeValue:
				c.sample(r, id)
			}
		}
	}
}

func (c *chooser) sample(r RegionID, n NodeID) {
	f := c.f
	id := f.Nodes[n].Value
	switch op := f.Values[id].Op; op {
	case OpSample, OpSampleBias:
		args := c.args(id)
		at, clamp := args[0], args[len(args)-1]
		at.N = min(at.N, uint8(gradLanes(f.Resources[f.Values[id].Res].Dim)))
		var bias Arg
		if op == OpSampleBias {
			bias = args[1]
		}
		d := c.gradients(at, bias, f.Values[id].Instr)
		v := &f.Values[id]
		v.Op = OpSampleGrad
		v.Args = []Arg{args[0], ArgOf(d[0], int(at.N)), ArgOf(d[1], int(at.N)), clamp}
		c.changed = true
	case OpSampleCmp, OpSampleLod:
		f.Values[id].Args = c.args(id)
		f.Regions[r].Nodes = slices.DeleteFunc(f.Regions[r].Nodes, func(x NodeID) bool { return x == n })
		f.Nodes[n].Parent = c.parent
		c.before = append(c.before, n)
		c.changed = true
	}
}

// gradients are the derivatives of the coordinates, once for all clauses. A bias
// adds to the level, which is the logarithm of their length.
func (c *chooser) gradients(at, bias Arg, instr int32) [2]ValueID {
	k := gradKey{at, bias}
	if d, ok := c.grads[k]; ok {
		return d
	}
	d := [2]ValueID{c.value(OpDerivX, at.N, instr, at), c.value(OpDerivY, at.N, instr, at)}
	if bias.N > 0 {
		scale := Arg{N: at.N}
		l := c.exp2(bias.Lanes[0], instr)
		for i := range scale.Lanes[:at.N] {
			scale.Lanes[i] = l
		}
		for i := range d {
			d[i] = c.value(OpFMul, at.N, instr, ArgOf(d[i], int(at.N)), scale)
		}
	}
	c.grads[k] = d
	return d
}

// exp2 is two to the power of a lane.
func (c *chooser) exp2(l Lane, instr int32) Lane {
	bits, ok := c.f.bits(l)
	if !ok {
		return Lane{V: c.value(OpFExp2, 1, instr, Scalar(l))}
	}
	x := math.Float32bits(float32(math.Exp2(float64(math.Float32frombits(bits)))))
	c.f.Values = append(c.f.Values, Value{Op: OpConst, N: 1, Reg: -1, Instr: -1, Imm: [4]uint32{x}, Res: -1, Samp: -1, Node: NoNode})
	return Lane{V: ValueID(len(c.f.Values) - 1)}
}

// value makes an operation before the switch.
func (c *chooser) value(op Op, n uint8, instr int32, args ...Arg) ValueID {
	return c.add(Value{Op: op, N: n, Reg: -1, Res: -1, Samp: -1, Instr: instr, Args: args})
}

// add enters an operation, or finds the equal one of another clause.
func (c *chooser) add(v Value) ValueID {
	k := fmt.Sprint(v.Op, v.N, v.Imm, v.Res, v.Offs, v.Args)
	if id, ok := c.known[k]; ok {
		return id
	}
	c.known[k] = ValueID(len(c.f.Values))
	id, node := ValueID(len(c.f.Values)), NodeID(len(c.f.Nodes))
	v.Node = node
	c.f.Values = append(c.f.Values, v)
	c.f.Nodes = append(c.f.Nodes, Node{Kind: NodeValue, Instr: v.Instr, Value: id, Parent: c.parent, Target: NoNode, Construct: noConstruct})
	c.before = append(c.before, node)
	return id
}

// args are the operands of a value with what the clauses compute (source
// modifiers) computed before the switch instead.
func (c *chooser) args(id ValueID) []Arg {
	out := slices.Clone(c.f.Values[id].Args)
	for i := range out {
		for k := range out[i].Lanes[:out[i].N] {
			out[i].Lanes[k].V = c.outside(out[i].Lanes[k].V)
		}
	}
	return out
}

func (c *chooser) outside(v ValueID) ValueID {
	n := c.f.Values[v].Node
	if n == NoNode || !c.f.Encloses(c.outer, n) {
		return v
	}
	if to, ok := c.moved[v]; ok {
		return to
	}
	args := c.args(v)
	own := c.f.Values[v]
	own.Args = args
	to := c.add(own)
	c.moved[v] = to
	return to
}

// ChosenDerivatives notes the samples whose level was taken before the choice of
// their texture.
func ChosenDerivatives(f *Function) []diag.Diag {
	var ds []diag.Diag
	noted := map[int32]bool{}
	f.Walk(func(n NodeID) {
		nd := &f.Nodes[n]
		if nd.Kind != NodeValue || !f.chooses(nd.Instr) || noted[nd.Instr] {
			return
		}
		switch v := &f.Values[nd.Value]; v.Op {
		case OpDerivX:
			noted[nd.Instr] = true
			ds = append(ds, diag.New(diag.Note, codeChosenDerivatives, diag.At(int(nd.Instr)), "the derivatives of the sample are taken before its texture is chosen"))
		case OpSampleCmp, OpSampleLod:
			in := f.Regions[nd.Parent].Parent
			if dynamicInstr(&f.Program.Instrs[nd.Instr]) && (in == NoNode || f.Nodes[in].Instr != nd.Instr) {
				noted[nd.Instr] = true
				ds = append(ds, diag.New(diag.Note, codeChosenDerivatives, diag.At(int(nd.Instr)), "every texture of the range is sampled before one is chosen"))
			}
		}
	})
	return ds
}

// dynamicInstr reports whether a register chooses a resource of an instruction.
func dynamicInstr(in *dxbc.Instr) bool {
	return slices.ContainsFunc(in.Operands, func(o dxbc.Operand) bool {
		return (o.Reg == dxbc.RegResource || o.Reg == dxbc.RegSampler) && o.NumIndex > 1 && o.Index(1).Rel != nil
	})
}
