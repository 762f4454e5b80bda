// Package bigeffect makes an effect of 65,536 permutations, the most that the format
// allows, for tests of the permutation graph and of the screen. Nothing in it comes from
// an engine: programs are assembled, the effect is built.
package bigeffect

import (
	"fmt"
	"strings"

	"fxlens/core/dxbc"
	"fxlens/core/effect"
)

// Axes and options: eight axes of four options.
const (
	axes         = 8
	options      = 4
	Permutations = 1 << 16
)

// Kind says how many bodies the effect has.
type Kind int

// The kinds.
const (
	// Shared has 1,024 bodies: axes A0 to A3 change the program of Main/0, A4 its render
	// states, A5 to A7 nothing. Depth/0 depends on A1 and A2, Picking/0 on nothing. Where
	// A3 is A3_TYPED, Main/0 loads from the typed buffer t12, which has no format.
	Shared Kind = iota
	// Distinct has a body for every permutation: A5 to A7 change the render states too.
	Distinct
)

const head = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_structured u0, 4
%sdcl_input vThreadID.x
dcl_temps 2
dcl_thread_group 64, 1, 1
`

// program is a compute program that differs by n.
func program(n int, typed bool) ([]byte, error) {
	decl, load := "", ""
	if typed {
		decl = "dcl_resource_buffer (float,float,float,float) t12\n"
		load = "ld_indexable(buffer)(float,float,float,float) r1.x, vThreadID.xxxx, t12.xyzw\nftou r1.x, r1.x\niadd r0.x, r0.x, r1.x\n"
	}
	text := fmt.Sprintf(head, decl) + fmt.Sprintf("imad r0.x, vThreadID.x, l(%d), l(7)\n", n+1)
	if n%2 == 1 {
		text += "countbits r0.x, r0.x\n"
	}
	return dxbc.Assemble(text+load+"store_structured u0.x, vThreadID.x, l(0), r0.x\nret\n", nil)
}

// New makes the file.
func New(kind Kind) ([]byte, error) {
	m := &effect.Model{SourceHash: strings.Repeat("0", 32)}
	for a := range axes {
		name := fmt.Sprintf("A%d", a)
		ax := effect.Axis{Name: name, Description: "axis " + name, Default: a % options}
		for o := range options {
			ax.Options = append(ax.Options, name+"_"+[...]string{"ZERO", "ONE", "TWO", "THREE"}[o])
		}
		m.Axes = append(m.Axes, ax)
	}
	m.Axes[3].Options[3] = "A3_TYPED"
	programs := map[int][]byte{}
	stage := func(n int, typed bool) (effect.Stage, error) {
		b, ok := programs[n]
		if !ok {
			var err error
			if b, err = program(n, typed); err != nil {
				return effect.Stage{}, err
			}
			programs[n] = b
		}
		s := effect.Stage{Type: effect.Compute, Program: b, ThreadGroup: [3]uint32{64, 1, 1}}
		s.UAVs = []effect.UAV{{Name: "Result", Register: 0, Elements: 1}}
		s.DefaultsOffset = effect.NoData
		return s, nil
	}
	const full = 1 << (2 * axes)
	bodies := map[int]*effect.Body{}
	for p := range full {
		key := p & 0x3ff
		if kind == Distinct {
			key = p
		}
		b := bodies[key]
		if b == nil {
			main, err := stage(p&0xff, p>>6&3 == 3)
			if err != nil {
				return nil, err
			}
			depth, err := stage(0x1000+p>>2&0xf, false)
			if err != nil {
				return nil, err
			}
			pick, err := stage(0x2000, false)
			if err != nil {
				return nil, err
			}
			states := []effect.RenderState{{State: 7, Value: uint32(key>>8&3) + 1}, {State: 14, Value: uint32(key >> 10)}}
			b = &effect.Body{Techniques: []effect.Technique{
				{Name: "Main", Passes: []effect.Pass{{Stages: []effect.Stage{main}, States: states}}},
				{Name: "Depth", Passes: []effect.Pass{{Stages: []effect.Stage{depth}}}},
				{Name: "Picking", Passes: []effect.Pass{{Stages: []effect.Stage{pick}}}},
			}}
			bodies[key] = b
		}
		m.Bodies = append(m.Bodies, b)
	}
	return effect.Build(m)
}
