package compile

import (
	"cmp"
	"slices"

	"fxlens/core/dxbc"
	"fxlens/core/effect"
	"fxlens/core/wgsl/layout"
)

// kindOf is the program kind of each stage type of an effect.
var kindOf = map[effect.StageType]dxbc.ProgramKind{
	effect.Vertex:   dxbc.Vertex,
	effect.Pixel:    dxbc.Pixel,
	effect.Compute:  dxbc.Compute,
	effect.Geometry: dxbc.Geometry,
	effect.Hull:     dxbc.Hull,
	effect.Domain:   dxbc.Domain,
}

// stageOrder is the order of stages in results: that of the pipeline.
var stageOrder = [...]dxbc.ProgramKind{dxbc.Vertex, dxbc.Hull, dxbc.Domain, dxbc.Geometry, dxbc.Pixel, dxbc.Compute}

// StageRank returns the place of a kind in the order vertex, hull, domain,
// geometry, pixel, compute, which is that of Pass.Stages.
func StageRank(k dxbc.ProgramKind) int { return slices.Index(stageOrder[:], k) }

// firstHandle is the first of the register numbers that stand for bindless sampler
// handles rather than registers (tr2-effect-format, section 3.7).
const firstHandle = 100

// EffectPass returns what the compiler needs of a pass of an effect. Programs are
// shared with the effect, not copied. An effect names the members of constant
// buffer 0, and textures, samplers and UAVs by the low byte of their register.
func EffectPass(p *effect.Pass) *PassInput {
	in := &PassInput{Stages: make([]StageInput, 0, len(p.Stages))}
	for i := range p.Stages {
		s := &p.Stages[i]
		kind, ok := kindOf[s.Type]
		if !ok {
			continue // cannot be: the reader refuses other types
		}
		in.Stages = append(in.Stages, StageInput{
			Kind:        kind,
			Program:     s.Program,
			ThreadGroup: s.ThreadGroup,
			Names:       effectNames(&s.StageData),
		})
	}
	for i := range p.Stages {
		if p.Stages[i].Type == effect.Pixel {
			in.Textures = namedTextures(&p.Stages[i])
		}
	}
	slices.SortStableFunc(in.Stages, func(a, b StageInput) int { return cmp.Compare(StageRank(a.Kind), StageRank(b.Kind)) })
	return in
}

// namedTextures lists a stage's textures with the register space that its
// signature gives them; a texture that the signature does not have keeps the
// stage number, which no program declares.
func namedTextures(s *effect.Stage) []layout.NamedTexture {
	out := make([]layout.NamedTexture, 0, len(s.Textures))
	for i := range s.Textures {
		t := &s.Textures[i]
		n := layout.NamedTexture{Name: t.Name, Register: uint32(t.Register), Space: uint32(s.Type), Type: int(t.Type), Elements: int(t.Elements), SRGB: t.IsSRGB}
		for _, r := range s.Registers {
			if r.Index == n.Register && r.Type >= 32 && r.Type < 64 {
				n.Space = uint32(r.Space)
				break
			}
		}
		out = append(out, n)
	}
	return out
}

func effectNames(d *effect.StageData) Names {
	n := Names{
		Textures: make(map[uint32]string, len(d.Textures)),
		Samplers: make(map[uint32]string, len(d.Samplers)),
		UAVs:     make(map[uint32]string, len(d.UAVs)),
	}
	for i := range d.Constants {
		c := &d.Constants[i]
		n.Constants = append(n.Constants, Constant{Name: c.Name, Offset: c.Offset, Size: c.Size})
	}
	// Two buffers at slot 0 can both be listed; their offsets start anew.
	slices.SortStableFunc(n.Constants, func(a, b Constant) int { return cmp.Compare(a.Offset, b.Offset) })
	for i := range d.Textures {
		n.Textures[uint32(d.Textures[i].Register)] = d.Textures[i].Name
	}
	for i := range d.Samplers {
		if r := d.Samplers[i].Register; r < firstHandle {
			n.Samplers[uint32(r)] = d.Samplers[i].Name
		}
	}
	for i := range d.UAVs {
		n.UAVs[uint32(d.UAVs[i].Register)] = d.UAVs[i].Name
	}
	return n
}
