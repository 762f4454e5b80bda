package compile

import (
	"fmt"

	"fxlens/core/dxbc"
	"fxlens/core/effect"
	"fxlens/core/wgsl/layout"
)

// Proof is a view format that a program of the effect proves: D3D allows an
// atomic on a typed buffer only through a view of one 32-bit integer channel.
type Proof struct {
	Format   string // "R32_UINT" or "R32_SINT"
	Evidence string // where the atomic is: "Build/0/cs@17"
}

// BodyProofs looks through every pass of a body for typed buffers whose view
// format an atomic proves, by parameter name. A pass that binds the same
// parameter may rely on it. A contradiction proves nothing.
func BodyProofs(body *effect.Body) map[string]Proof {
	out := map[string]Proof{}
	for t := range body.Techniques {
		tech := &body.Techniques[t]
		for p := range tech.Passes {
			in := EffectPass(&tech.Passes[p])
			for i := range in.Stages {
				stageProofs(&in.Stages[i], fmt.Sprintf("%s/%d", tech.Name, p), out)
			}
		}
	}
	for name, p := range out {
		if p.Format == "" {
			delete(out, name)
		}
	}
	return out
}

func stageProofs(s *StageInput, where string, out map[string]Proof) {
	if len(s.Names.UAVs) == 0 {
		return
	}
	sh, err := dxbc.Open(s.Program)
	if err != nil {
		return
	}
	typed := map[uint32]string{} // range ID or register of a typed buffer -> format
	register := map[uint32]uint32{}
	for i := range sh.Program.Instrs {
		in := &sh.Program.Instrs[i]
		if in.Op == dxbc.OpDclUavTyped && in.Decl != nil && in.Decl.Dim == dxbc.DimBuffer {
			id, lower, _ := in.Range()
			typed[id], register[id] = layout.AtomicFormat(in.Decl.Return[0]), lower
			continue
		}
		if !in.Op.Has(dxbc.FlagAtomic) {
			continue
		}
		for d := range int(in.NumDst) {
			o := in.Dst(d)
			if o.Reg != dxbc.RegUAV || o.NumIndex == 0 {
				continue
			}
			format, ok := typed[o.Index(0).Imm]
			name := s.Names.UAVs[register[o.Index(0).Imm]]
			if !ok || name == "" {
				continue
			}
			p, known := out[name]
			switch {
			case !known:
				out[name] = Proof{format, fmt.Sprintf("%s/%s@%d", where, s.Kind, i)}
			case p.Format != format:
				out[name] = Proof{}
			}
		}
	}
}
