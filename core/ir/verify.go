package ir

import (
	"errors"
	"fmt"
)

// Verify checks the invariants that doc.go states: every operand is visible
// where it is read, lanes and operand counts fit, regions end with one
// terminator, and arguments match parameters. It returns all violations joined.
func Verify(f *Function) error {
	v := &verifier{f: f, defined: make([]bool, len(f.Values))}
	if len(f.Regions) == 0 {
		return errors.New("function has no body")
	}
	v.region(0, nil)
	return errors.Join(v.errs...)
}

type verifier struct {
	f       *Function
	errs    []error
	defined []bool // values visible at the point being checked
}

func (v *verifier) errorf(format string, args ...any) {
	if len(v.errs) < 20 {
		v.errs = append(v.errs, fmt.Errorf(format, args...))
	}
}

func (v *verifier) arg(a *Arg, where string, want int) {
	if want >= 0 && int(a.N) != want {
		v.errorf("%s has %d lanes, want %d", where, a.N, want)
	}
	if a.N > 4 {
		v.errorf("%s has %d lanes", where, a.N)
		return
	}
	for k := range a.Lanes[:a.N] {
		l := a.Lanes[k]
		if l.V < 0 || int(l.V) >= len(v.f.Values) {
			v.errorf("%s reads value %d of %d", where, l.V, len(v.f.Values))
			continue
		}
		val := &v.f.Values[l.V]
		if l.L >= val.N {
			v.errorf("%s reads lane %d of v%d, which has %d", where, l.L, l.V, val.N)
		}
		if val.Node != NoNode && !v.defined[l.V] {
			v.errorf("%s reads v%d (%s), which is not visible there", where, l.V, val.Op)
		}
	}
}

// region checks a region; enclosing holds the constructs around it, innermost last.
func (v *verifier) region(r RegionID, enclosing []NodeID) {
	f := v.f
	var defs []ValueID
	define := func(id ValueID) {
		if v.defined[id] {
			v.errorf("v%d is defined twice", id)
		}
		v.defined[id] = true
		defs = append(defs, id)
	}
	nodes := f.Regions[r].Nodes
	if len(nodes) == 0 {
		v.errorf("region %d is empty", r)
	}
	for i, n := range nodes {
		nd := &f.Nodes[n]
		if nd.Parent != r {
			v.errorf("n%d is in region %d but names region %d", n, r, nd.Parent)
		}
		terminator := nd.Kind >= NodeYield
		if last := i == len(nodes)-1; terminator != last {
			v.errorf("n%d in region %d: a region ends with its only terminator", n, r)
		}
		where := fmt.Sprintf("n%d", n)
		switch nd.Kind {
		case NodeValue:
			v.value(n)
			define(nd.Value)
		case NodeIf, NodeLoop, NodeSwitch:
			if nd.Construct == noConstruct {
				v.errorf("%s shares its regions with nodes that have none", where)
				continue
			}
			if nd.Kind != NodeLoop {
				v.arg(&nd.Cond, where+" condition", 1)
			}
			if nd.Kind == NodeIf && len(nd.Regions) != 2 || nd.Kind == NodeLoop && len(nd.Regions) != 1 || nd.Kind == NodeSwitch && len(nd.Labels) != len(nd.Regions) {
				v.errorf("%s has %d regions", where, len(nd.Regions))
			}
			if nd.Kind == NodeLoop {
				if len(nd.Inits) != len(nd.Header) {
					v.errorf("%s has %d header parameters and %d initial values", where, len(nd.Header), len(nd.Inits))
				}
				for j := range nd.Inits {
					v.arg(&nd.Inits[j], where+" initial value", int(f.Values[nd.Header[j]].N))
				}
				for _, h := range nd.Header {
					v.param(h, n)
					define(h)
				}
			}
			inner := append(enclosing[:len(enclosing):len(enclosing)], n)
			for _, c := range nd.Regions {
				if f.Regions[c].Parent != n {
					v.errorf("region %d is in n%d but names n%d", c, n, f.Regions[c].Parent)
				}
				v.region(c, inner)
			}
			for _, p := range nd.Params {
				v.param(p, n)
				define(p)
			}
		case NodeYield:
			if len(enclosing) == 0 || enclosing[len(enclosing)-1] != nd.Target || f.Nodes[nd.Target].Kind != NodeIf {
				v.errorf("%s yields to n%d, not to its if", where, nd.Target)
				continue
			}
			v.args(nd, f.Nodes[nd.Target].Params, where)
		case NodeBreak, NodeContinue:
			ok := false
			for j := len(enclosing) - 1; j >= 0; j-- {
				k := f.Nodes[enclosing[j]].Kind
				if k == NodeLoop || k == NodeSwitch && nd.Kind == NodeBreak {
					ok = enclosing[j] == nd.Target
					break
				}
			}
			if !ok {
				v.errorf("%s does not jump to the innermost construct", where)
				continue
			}
			if nd.Kind == NodeBreak {
				v.args(nd, f.Nodes[nd.Target].Params, where)
			} else {
				v.args(nd, f.Nodes[nd.Target].Header, where)
			}
		case NodeReturn:
			if len(nd.Args) != len(f.Outputs) {
				v.errorf("%s returns %d outputs of %d", where, len(nd.Args), len(f.Outputs))
			}
			for j := range nd.Args {
				v.arg(&nd.Args[j], where, -1)
			}
		}
	}
	for _, d := range defs {
		// Header parameters stay visible behind their loop, in its region.
		v.defined[d] = false
	}
}

func (v *verifier) args(nd *Node, params []ValueID, where string) {
	if len(nd.Args) != len(params) {
		v.errorf("%s passes %d arguments to %d parameters", where, len(nd.Args), len(params))
		return
	}
	for i := range nd.Args {
		v.arg(&nd.Args[i], where, int(v.f.Values[params[i]].N))
	}
}

func (v *verifier) param(p ValueID, n NodeID) {
	val := &v.f.Values[p]
	if val.Op != OpParam || val.Node != n || val.N == 0 {
		v.errorf("v%d is no parameter of n%d", p, n)
	}
}

func (v *verifier) value(n NodeID) {
	nd := &v.f.Nodes[n]
	if nd.Value < 0 || int(nd.Value) >= len(v.f.Values) {
		v.errorf("n%d holds value %d", n, nd.Value)
		return
	}
	val := &v.f.Values[nd.Value]
	where := fmt.Sprintf("v%d (%s)", nd.Value, val.Op)
	info := val.Op.Info()
	if val.Node != n {
		v.errorf("%s is held by n%d but names n%d", where, n, val.Node)
	}
	if len(val.Args) != len(info.Args) {
		v.errorf("%s has %d operands, want %d", where, len(val.Args), len(info.Args))
	}
	if val.N > 4 || val.N == 0 && !val.Op.Is(FlagEffect) {
		v.errorf("%s has %d lanes", where, val.N)
	}
	for i := range val.Args {
		want := -1
		if val.Op.Is(FlagLanewise) {
			want = int(val.N)
		}
		v.arg(&val.Args[i], fmt.Sprintf("%s operand %d", where, i), want)
	}
}
