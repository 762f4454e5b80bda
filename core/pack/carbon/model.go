package carbon

import (
	"fmt"
	"slices"

	"fxlens/core/effect"
)

func each[T, U any](in []T, f func(*T) U) []U {
	if len(in) == 0 {
		return nil
	}
	out := make([]U, len(in))
	for i := range in {
		out[i] = f(&in[i])
	}
	return out
}

// draft is a container in the making: the bodies of an effect without programs,
// which add fills in.
type draft struct {
	model  *effect.Model
	bodies []*effect.Body // distinct ones
	source []*effect.Body // with the source's programs, parallel
	blocks map[*effect.Body]map[[2]int][]byte
	unsaid []unsaid
}

// unsaid is a pass that a container cannot say.
type unsaid struct {
	body, technique, pass int
	problems              []problem
}

// newDraft makes a draft of the distinct bodies of an effect. of says which of them
// each permutation has.
func newDraft(axes []effect.Axis, bodies []*effect.Body, of []int) *draft {
	d := &draft{model: &effect.Model{CompilerVersion: CompilerVersion, SourceHash: ZeroHash, Axes: axes, Bodies: make([]*effect.Body, len(of))},
		source: bodies, blocks: map[*effect.Body]map[[2]int][]byte{}}
	for _, b := range bodies {
		c := &effect.Body{Groups: b.Groups, Techniques: slices.Clone(b.Techniques)}
		for t := range c.Techniques {
			tech := &c.Techniques[t]
			tech.Libraries = nil
			tech.Passes = slices.Clone(tech.Passes)
			for p := range tech.Passes {
				tech.Passes[p].Stages = slices.Clone(tech.Passes[p].Stages)
				for s := range tech.Passes[p].Stages {
					tech.Passes[p].Stages[s].Program = nil
				}
			}
		}
		d.bodies = append(d.bodies, c)
		d.blocks[c] = map[[2]int][]byte{}
	}
	for p, i := range of {
		d.model.Bodies[p] = d.bodies[i]
	}
	return d
}

// add puts a translated pass into a body. What the container cannot say is kept in
// unsaid, and then the pass stays empty.
func (d *draft) add(body, technique, pass int, t *Pass) bool {
	b := d.bodies[body]
	stages := b.Techniques[technique].Passes[pass].Stages
	problems := t.checkShaders(stages)
	block, more := t.block()
	problems = append(problems, more...)
	var data []byte
	if len(problems) == 0 {
		var err error
		if data, err = block.Encode(); err != nil {
			problems = append(problems, problem{path: "block", text: err.Error()})
		}
	}
	if len(problems) > 0 {
		d.unsaid = append(d.unsaid, unsaid{body, technique, pass, problems})
		return false
	}
	for i := range stages {
		word := webStages[stages[i].Type]
		for j := range t.Shaders {
			if t.Shaders[j].Stage == word {
				stages[i].Program = []byte(t.Shaders[j].Code)
			}
		}
	}
	d.blocks[b][[2]int{technique, pass}] = data
	return true
}

// write makes the bytes and reads them back.
func (d *draft) write(hash bool) (*File, error) {
	block := func(b *effect.Body, technique, pass int) []byte { return d.blocks[b][[2]int{technique, pass}] }
	data, err := Write(d.model, block)
	if err != nil {
		return nil, err
	}
	if hash {
		copy(data[8:], contentHash(data))
	}
	f, err := Open(data)
	if err != nil {
		return nil, fmt.Errorf("writing a container: what was written does not read back: %w", err)
	}
	return f, nil
}
