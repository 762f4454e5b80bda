package compile

import (
	"fmt"
	"maps"

	"fxlens/core/dxbc"
	"fxlens/core/effect"
	"fxlens/core/wgsl/layout"
)

// Proof is a view format that a program of the effect proves: D3D allows an
// atomic on a typed buffer only through a view of one 32-bit integer channel,
// and a load from a typed UAV only through one 32-bit channel (layout.LoadFormat).
type Proof struct {
	Format   string // "R32_FLOAT", "R32_UINT" or "R32_SINT"
	Evidence string // what proves it: "an atomic at Build/0/cs@17"
}

// Facts are what a whole body says about parameters that a single pass binds:
// view formats that a program proves, and who writes what.
type Facts struct {
	Proofs map[string]Proof // by parameter name
	writes map[string][]passUse
}

// passUse is a pass that writes a parameter.
type passUse struct {
	technique, pass int
	name            string
}

// Companion is another pass of the body that writes a parameter which a pass
// reads: what the pass takes for granted of its order.
type Companion struct {
	Parameter string
	Pass      string // "Main/0"
	Earlier   bool   // an earlier pass of the same technique; else one of another technique
}

// maxCompanions bounds the writers listed of one parameter.
const maxCompanions = 16

// BodyFacts looks through every pass of a body. An atomic on a typed buffer, or a
// load from it as UAV, proves the format of its view, and a pass that binds the
// same parameter may rely on it; a contradiction proves nothing.
func BodyFacts(body *effect.Body) *Facts {
	f := &Facts{Proofs: map[string]Proof{}, writes: map[string][]passUse{}}
	for t := range body.Techniques {
		tech := &body.Techniques[t]
		for p := range tech.Passes {
			in := EffectPass(&tech.Passes[p])
			name := fmt.Sprintf("%s/%d", tech.Name, p)
			for i := range in.Stages {
				f.stage(&in.Stages[i], passUse{t, p, name})
			}
		}
	}
	maps.DeleteFunc(f.Proofs, func(_ string, p Proof) bool { return p.Format == "" })
	return f
}

// NeedsFacts reports whether a pass binds parameters that other passes may say
// something about.
func (in *PassInput) NeedsFacts() bool {
	for i := range in.Stages {
		if n := &in.Stages[i].Names; len(n.Textures) > 0 || len(n.UAVs) > 0 {
			return true
		}
	}
	return false
}

// Apply gives a pass of the body, by the places of its technique and in that,
// what the others say about it.
func (f *Facts) Apply(technique, pass int, in *PassInput) {
	in.Proofs = f.Proofs
	in.Companions = f.Companions(technique, pass, in)
}

// Companions lists the passes that write what the pass's programs bind: all
// earlier ones of its technique, then those of other techniques, parameter by
// parameter.
func (f *Facts) Companions(technique, pass int, in *PassInput) []Companion {
	bound := map[string]bool{}
	for i := range in.Stages {
		n := &in.Stages[i].Names
		for _, m := range []map[uint32]string{n.Textures, n.UAVs} {
			for _, name := range m {
				bound[name] = true
			}
		}
	}
	var out []Companion
	for _, name := range sortedKeys(bound) {
		n := 0
		for _, earlier := range []bool{true, false} {
			for _, w := range f.writes[name] {
				if earlier != (w.technique == technique) || earlier && w.pass >= pass || n == maxCompanions {
					continue
				}
				n++
				out = append(out, Companion{name, w.name, earlier})
			}
		}
	}
	return out
}

// stage adds what one program says.
func (f *Facts) stage(s *StageInput, where passUse) {
	if len(s.Names.UAVs) == 0 {
		return
	}
	sh, err := dxbc.Open(s.Program)
	if err != nil {
		return
	}
	typed := map[uint32]dxbc.ReturnType{} // range ID or register of a typed buffer -> what it is declared to return
	register := map[uint32]uint32{}       // range ID or register of a UAV -> register
	for i := range sh.Program.Instrs {
		in := &sh.Program.Instrs[i]
		switch in.Op {
		case dxbc.OpDclUavTyped, dxbc.OpDclUavRaw, dxbc.OpDclUavStructured:
			if in.Decl == nil {
				continue
			}
			id, lower, _ := in.Range()
			register[id] = lower
			if in.Op == dxbc.OpDclUavTyped && in.Decl.Dim == dxbc.DimBuffer {
				typed[id] = in.Decl.Return[0]
			}
			continue
		}
		if in.Op == dxbc.OpLdUavTyped || in.Op == dxbc.OpLdUavTypedS {
			// What RDEF says of the components is not asked: the engine strips it, and
			// Microsoft's compiler lets one component alone pass.
			for k := range in.NumSrc() {
				o := in.Src(k)
				if o.Reg != dxbc.RegUAV || o.NumIndex == 0 {
					continue
				}
				id := o.Index(0).Imm
				if t, ok := typed[id]; ok {
					f.proves(s.Names.UAVs[register[id]], layout.LoadFormat(sh, t, 0), "a load", where, s.Kind, i)
				}
			}
		}
		for d := range int(in.NumDst) {
			o := in.Dst(d)
			if o.Reg != dxbc.RegUAV || o.NumIndex == 0 {
				continue
			}
			id := o.Index(0).Imm
			r, ok := register[id]
			name := s.Names.UAVs[r]
			if !ok || name == "" {
				continue
			}
			f.wrote(name, where)
			if t, ok := typed[id]; ok && in.Op.Has(dxbc.FlagAtomic) {
				f.proves(name, layout.AtomicFormat(t), "an atomic", where, s.Kind, i)
			}
		}
	}
}

// proves adds a proof for a parameter, unless another one contradicts it.
func (f *Facts) proves(name, format, what string, where passUse, kind dxbc.ProgramKind, instr int) {
	if name == "" || format == "" {
		return
	}
	switch p, known := f.Proofs[name]; {
	case !known:
		f.Proofs[name] = Proof{format, fmt.Sprintf("%s at %s/%s@%d", what, where.name, kind, instr)}
	case p.Format != format:
		f.Proofs[name] = Proof{}
	}
}

func (f *Facts) wrote(name string, where passUse) {
	ws := f.writes[name]
	if n := len(ws); n == 0 || ws[n-1] != where {
		f.writes[name] = append(ws, where)
	}
}
