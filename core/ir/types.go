package ir

import (
	"sync"

	"fxlens/core/dxbc"
)

// inferKinds gives every value one kind. Operations with a fixed kind have it;
// loads, constants, selects, parameters, logic and sign-agnostic integer
// operations take the kind that most of what produces and reads them has, so
// that few reads need a bitcast. Constants fit any kind and do not vote.
func inferKinds(f *Function) {
	t := typers.Get().(*typer)
	*t = typer{f: f, votes: zeroed(t.votes, len(f.Values)), array: zeroed(t.array, len(f.Arrays)), fl: f.flow()}
	defer t.release()
	for i := range f.Values {
		v := &f.Values[i]
		switch r := v.Op.Info().Result; r {
		case 'f':
			v.Kind = F32
		case 'i':
			v.Kind = I32
		case 'u':
			v.Kind = U32
		case 'b':
			v.Kind = Bool
		case 'r':
			v.Kind = f.resultKind(v)
		}
		if t.flexible(ValueID(i)) {
			v.Kind = Bits
		}
	}
	for i := range f.Arrays {
		f.Arrays[i].Kind = Bits
	}
	// Each round a value takes the majority of its neighbours; a few rounds carry
	// a kind through chains of movers.
	for range 6 {
		if !t.round() {
			break
		}
	}
	for i := range f.Values {
		v := &f.Values[i]
		if v.Kind == Bits && v.Op != OpConst && v.Op != OpUndef && v.N > 0 {
			v.Kind = U32
			switch v.Op {
			case OpCBLoad:
				v.Kind = F32
			case OpINeg, OpISub:
				v.Kind = I32
			}
		}
	}
	for i := range f.Arrays {
		if f.Arrays[i].Kind == Bits {
			f.Arrays[i].Kind = F32
		}
	}
	for i := range f.Values {
		v := &f.Values[i]
		switch v.Op {
		case OpArrayLoad:
			v.Kind = f.Arrays[v.Res].Kind
		case OpCBLoad:
			v.Kind = F32 // buffers are declared as rows of floats
		}
	}
}

// typers keeps the memory of what is done.
var typers = sync.Pool{New: func() any { return new(typer) }}

func (t *typer) release() {
	t.f = nil
	t.fl.release()
	if len(t.votes) <= 1<<16 {
		typers.Put(t)
	}
}

type typer struct {
	f     *Function
	votes [][5]int32
	array [][5]int32
	fl    flows
}

// flexible reports whether the value's kind is chosen by vote.
func (t *typer) flexible(id ValueID) bool {
	v := &t.f.Values[id]
	if v.Kind == Bool {
		return false
	}
	switch v.Op {
	case OpConst, OpUndef:
		return false
	}
	switch v.Op.Info().Result {
	case 'x', 'w', 'n', 'm':
		return v.N > 0
	}
	return false
}

// integer reports whether only I32 and U32 are possible.
func integer(op Op) bool {
	r := op.Info().Result
	return r == 'n' || r == 'm'
}

func (t *typer) round() bool {
	f := t.f
	clear(t.votes)
	clear(t.array)
	vote := func(l Lane, k Kind, w int32) {
		if l.V >= 0 && k != Bits {
			t.votes[l.V][k] += w
		}
	}
	kindOf := func(l Lane) Kind {
		if l.V < 0 || f.Values[l.V].Op == OpConst || f.Values[l.V].Op == OpUndef {
			return Bits
		}
		return f.Values[l.V].Kind
	}
	both := func(a *Arg, p ValueID) {
		for k := range a.Lanes[:a.N] {
			vote(a.Lanes[k], f.Values[p].Kind, 1)
			if kd := kindOf(a.Lanes[k]); kd != Bits && kd != Bool {
				t.votes[p][kd]++
			}
		}
	}
	f.Walk(func(n NodeID) {
		nd := &f.Nodes[n]
		if nd.Kind != NodeValue {
			for i, h := range nd.Header {
				both(&nd.Inits[i], h)
				for _, c := range t.fl.conts.of(n) {
					both(&f.Nodes[c].Args[i], h)
				}
			}
			for i, p := range nd.Params {
				for _, e := range t.fl.exits.of(n) {
					both(&f.Nodes[e].Args[i], p)
				}
			}
			if nd.Kind == NodeSwitch {
				vote(nd.Cond.Lanes[0], U32, 1)
			}
			if nd.Kind == NodeReturn {
				for i := range nd.Args {
					k := f.Outputs[i].Kind()
					for j := range nd.Args[i].Lanes[:nd.Args[i].N] {
						vote(nd.Args[i].Lanes[j], k, 1)
					}
				}
			}
			return
		}
		v := &f.Values[nd.Value]
		info := v.Op.Info()
		for i := range v.Args {
			a := &v.Args[i]
			for k := range a.Lanes[:a.N] {
				l := a.Lanes[k]
				switch info.Args[i] {
				case 'f':
					vote(l, F32, 1)
				case 'i':
					vote(l, I32, 1)
				case 'u':
					vote(l, U32, 1)
				case 'r':
					vote(l, f.storeKind(v), 1)
				case 'x':
					vote(l, v.Kind, 1)
					if kd := kindOf(l); kd != Bits && kd != Bool {
						t.votes[nd.Value][kd]++
					}
				case 'n', 'm':
					if v.Kind == I32 || v.Kind == U32 {
						vote(l, v.Kind, 1)
					} else if v.Kind == Bits {
						vote(l, U32, 0)
					}
					kd := kindOf(l)
					if info.Result == 'b' {
						break
					}
					if kd == I32 || kd == U32 {
						t.votes[nd.Value][kd]++
					}
				case 'w':
					if v.Op == OpArrayStore {
						t.voteArray(v.Res, kindOf(l))
						vote(l, f.Arrays[v.Res].Kind, 1)
					}
				}
			}
			// A comparison of integers without sign wants its operands alike.
			if info.Args[i] == 'n' && info.Result == 'b' {
				other := &v.Args[1-i]
				for k := range a.Lanes[:a.N] {
					if kd := kindOf(other.Lanes[k]); kd == I32 || kd == U32 {
						vote(a.Lanes[k], kd, 1)
					} else {
						vote(a.Lanes[k], U32, 0)
					}
				}
			}
		}
	})
	for i := range f.Values {
		if v := &f.Values[i]; v.Op == OpArrayLoad {
			for k := F32; k <= U32; k++ {
				t.array[v.Res][k] += t.votes[i][k]
			}
		}
	}
	changed := false
	for i := range f.Values {
		v := &f.Values[i]
		if !t.flexible(ValueID(i)) {
			continue
		}
		// An even vote leaves the kind as it is: two neighbours that follow each
		// other would change places for ever.
		best, most := v.Kind, t.votes[i][v.Kind]
		for _, k := range [...]Kind{F32, U32, I32} {
			if integer(v.Op) && k == F32 {
				continue
			}
			if n := t.votes[i][k]; n > most {
				best, most = k, n
			}
		}
		if best != Bits && best != v.Kind {
			v.Kind = best
			changed = true
		}
	}
	for i := range f.Arrays {
		best := Bits
		var most int32
		for _, k := range [...]Kind{F32, U32, I32} {
			if n := t.array[i][k]; n > most {
				best, most = k, n
			}
		}
		if best != Bits && best != f.Arrays[i].Kind {
			f.Arrays[i].Kind = best
			changed = true
		}
	}
	return changed
}

func (t *typer) voteArray(i int32, k Kind) {
	if k == F32 || k == I32 || k == U32 {
		t.array[i][k]++
	}
}

// Kind is the kind of the element's components: what the signature declares.
func (e *Elem) Kind() Kind {
	switch e.CompType {
	case 1:
		return U32
	case 2:
		return I32
	}
	return F32
}

// resultKind is the declared kind of what v reads.
func (f *Function) resultKind(v *Value) Kind {
	if v.Op == OpInput {
		return f.Inputs[v.Imm[0]].Kind()
	}
	if v.Op == OpResInfo {
		if v.Imm[0] == 2 {
			return U32
		}
		return F32
	}
	if v.Res >= 0 {
		return f.Resources[v.Res].Kind()
	}
	return F32
}

// storeKind is the kind that a typed store wants its texel in.
func (f *Function) storeKind(v *Value) Kind {
	if v.Op == OpStoreTyped {
		return f.Resources[v.Res].Kind()
	}
	return f.resultKind(v)
}

// Kind is the kind of the texels of a texture or typed buffer.
func (r *Resource) Kind() Kind {
	switch r.Return[0] {
	case dxbc.RetSint:
		return I32
	case dxbc.RetUint:
		return U32
	case dxbc.RetMixed:
		return F32 // a tbuffer: rows of bits
	}
	return F32
}
