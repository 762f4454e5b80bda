package graph

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"unsafe"

	"fxlens/core/compile"
	"fxlens/core/effect"
	"fxlens/core/session"
)

// Link returns the graph with its passes and units. It reads every body once. It fails
// when ctx ends.
func (g *Graph) Link(ctx context.Context) (*Graph, error) {
	l := &linker{g: g, texts: map[text]int32{}, textIDs: map[string]int32{}, programs: map[text]int32{}, sums: map[[32]byte]int32{},
		stages: map[string]stageID{}, seen: map[string]int32{}, contents: map[string]int32{}, fulls: map[string]int32{}, proofs: map[string]map[string]compile.Proof{}}
	out := *g
	out.Passes, out.Units = nil, nil
	bodies := g.Bodies()
	type cell struct{ pass, content, full int32 }
	var cells []cell
	ends := make([]int, bodies) // of each body's cells
	index := map[passKey]int{}
	for b := range bodies {
		if b%256 == 0 && ctx.Err() != nil {
			return nil, fmt.Errorf("permutation graph: %w", ctx.Err())
		}
		body, err := g.e.UniqueBody(b)
		if err != nil {
			return nil, err // cannot be: Parse checked the bytes
		}
		seen := map[string]int{}
		for t := range body.Techniques {
			tech := &body.Techniques[t]
			for p := range tech.Passes {
				k := passKey{tech.Name, seen[tech.Name], p}
				n, ok := index[k]
				if !ok {
					n = len(out.Passes)
					index[k] = n
					ref := session.PassRef{Technique: tech.Name, TechIndex: t, Nth: k.nth, Pass: p}
					out.Passes = append(out.Passes, Pass{Name: ref.String(), Ref: ref})
				}
				content, full := l.pass(body, &tech.Passes[p])
				cells = append(cells, cell{int32(n), content, full})
			}
			seen[tech.Name]++
		}
		ends[b] = len(cells)
	}
	out.Contents = len(l.contents)
	out.unitOf = make([]int32, len(out.Passes)*bodies)
	out.fullOf = make([]int32, len(out.Passes)*bodies)
	for i := range out.unitOf {
		out.unitOf[i], out.fullOf[i] = -1, -1
	}
	type unitKey struct{ pass, content int32 }
	units := map[unitKey]int{}
	at := 0
	for b := range bodies {
		sharers := g.e.Bodies()[b].Permutations
		for ; at < ends[b]; at++ {
			c := cells[at]
			k := unitKey{c.pass, c.content}
			u, ok := units[k]
			if !ok {
				u = len(out.Units)
				units[k] = u
				p := &out.Passes[c.pass]
				out.Units = append(out.Units, Unit{Pass: int(c.pass), Letter: Letters(len(p.Units)), Content: int(c.content), Perm: sharers[0], Ref: refIn(g.e, b, p.Ref)})
				p.Units = append(p.Units, u)
			}
			out.Units[u].Permutations += len(sharers)
			out.Units[u].Bodies = append(out.Units[u].Bodies, b)
			out.unitOf[int(c.pass)*bodies+b] = int32(u)
			out.fullOf[int(c.pass)*bodies+b] = c.full
		}
	}
	for p := range out.Passes {
		if p%16 == 0 && ctx.Err() != nil {
			return nil, fmt.Errorf("permutation graph: %w", ctx.Err())
		}
		out.Passes[p].Absent = g.Permutations()
		for _, u := range out.Passes[p].Units {
			out.Passes[p].Absent -= out.Units[u].Permutations
		}
		out.Passes[p].Axes = out.influences(p)
	}
	return &out, nil
}

// passKey names a pass across bodies.
type passKey struct {
	name      string
	nth, pass int
}

// refIn is a pass's reference in another body, where the technique may stand elsewhere.
func refIn(e *effect.Effect, body int, ref session.PassRef) session.PassRef {
	b, err := e.UniqueBody(body)
	if err != nil {
		return ref
	}
	nth := 0
	for t := range b.Techniques {
		if b.Techniques[t].Name != ref.Technique {
			continue
		}
		if nth == ref.Nth {
			ref.TechIndex = t
			return ref
		}
		nth++
	}
	return ref
}

// influences says which axes matter to a pass.
func (g *Graph) influences(pass int) []Influence {
	out := make([]Influence, len(g.Axes))
	n := g.Bodies()
	units, fulls := g.unitOf[pass*n:(pass+1)*n], g.fullOf[pass*n:(pass+1)*n]
	for a := range g.Axes {
		options, stride := len(g.Axes[a].Options), g.stride[a]
		for p := range g.Permutations() {
			if p/stride%options == 0 {
				continue
			}
			// Equality is transitive: neighbours along the axis are enough.
			x, y := g.Body(p-stride), g.Body(p)
			switch {
			case x == y:
			case units[x] != units[y]:
				out[a] = Code
			case fulls[x] != fulls[y]:
				out[a] = max(out[a], States)
			}
			if out[a] == Code {
				break
			}
		}
	}
	return out
}

// text identifies bytes by their place: equal places need no comparison.
type text struct {
	at *byte
	n  int
}

// stageID are the identities of a stage: what translation sees, and all that it says.
type stageID struct{ content, full int32 }

// linker numbers what bodies share. All numbers count by first appearance.
type linker struct {
	g        *Graph
	texts    map[text]int32
	textIDs  map[string]int32
	programs map[text]int32
	sums     map[[32]byte]int32
	stages   map[string]stageID
	seen     map[string]int32                    // contents of stages
	contents map[string]int32                    // of passes
	fulls    map[string]int32                    // all that passes say
	proofs   map[string]map[string]compile.Proof // of bodies, by the stages that can prove something

	body      *effect.Body // whose proofs are known
	proven    map[string]compile.Proof
	key, rest []byte
}

func number(b []byte, ns ...uint64) []byte {
	for _, n := range ns {
		b = binary.AppendUvarint(b, n)
	}
	return b
}

func id[K comparable](m map[K]int32, k K) int32 {
	n, ok := m[k]
	if !ok {
		n = int32(len(m))
		m[k] = n
	}
	return n
}

// text numbers a string by content, and looks at the content of each place once.
func (l *linker) text(s string) uint64 {
	if s == "" {
		return 0
	}
	t := text{unsafe.StringData(s), len(s)}
	n, ok := l.texts[t]
	if !ok {
		n = id(l.textIDs, s) + 1
		l.texts[t] = n
	}
	return uint64(n)
}

// program numbers a program by content.
func (l *linker) program(b []byte) uint64 {
	if len(b) == 0 {
		return 0
	}
	t := text{&b[0], len(b)}
	n, ok := l.programs[t]
	if !ok {
		n = id(l.sums, sha256.Sum256(b)) + 1
		l.programs[t] = n
	}
	return uint64(n)
}

// pass numbers a pass twice: what its translation depends on, and all that it says.
func (l *linker) pass(body *effect.Body, p *effect.Pass) (content, full int32) {
	ids := make([]stageID, len(p.Stages))
	for i := range p.Stages {
		ids[i] = l.stage(&p.Stages[i])
	}
	// The order in the file says nothing: a pass has one stage of a type.
	order := make([]int, len(ids))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(p.Stages[a].Type) - int(p.Stages[b].Type) })
	key := number(l.key[:0], uint64(len(ids)))
	for _, i := range order {
		key = number(key, uint64(ids[i].content))
	}
	key = l.appendProofs(key, body, p)
	l.key = key
	content = id(l.contents, string(key))

	key = number(key, uint64(len(ids)))
	for _, i := range order {
		key = number(key, uint64(ids[i].full))
	}
	for _, s := range p.States {
		key = number(key, uint64(s.State), uint64(s.Value))
	}
	l.key = key
	return content, id(l.fulls, string(key))
}

// stage numbers a stage.
func (l *linker) stage(s *effect.Stage) stageID {
	key := number(l.rest[:0], uint64(s.Type), l.program(s.Program), uint64(s.ThreadGroup[0]), uint64(s.ThreadGroup[1]), uint64(s.ThreadGroup[2]), uint64(len(s.Constants)))
	for i := range s.Constants {
		c := &s.Constants[i]
		key = number(key, l.text(c.Name), uint64(c.Offset), uint64(c.Size))
	}
	key = number(key, uint64(len(s.Textures)))
	for i := range s.Textures {
		t := &s.Textures[i]
		key = number(key, uint64(t.Register), l.text(t.Name))
	}
	key = number(key, uint64(len(s.Samplers)))
	for i := range s.Samplers {
		key = number(key, uint64(s.Samplers[i].Register), l.text(s.Samplers[i].Name))
	}
	key = number(key, uint64(len(s.UAVs)))
	for i := range s.UAVs {
		u := &s.UAVs[i]
		key = number(key, uint64(u.Register), l.text(u.Name))
	}
	n := len(key)
	key = l.appendRest(key, s)
	l.rest = key
	if got, ok := l.stages[string(key)]; ok {
		return got
	}
	// A new stage: its content may be an old one.
	got := stageID{full: int32(len(l.stages))}
	got.content = id(l.seen, string(key[:n]))
	l.stages[string(key)] = got
	return got
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func appendState(b []byte, s *effect.SamplerState) []byte {
	return number(b, flag(s.Comparison), uint64(s.MinFilter), uint64(s.MagFilter), uint64(s.MipFilter), uint64(s.AddressU), uint64(s.AddressV), uint64(s.AddressW),
		uint64(s.MipLODBias), uint64(s.MaxAnisotropy), uint64(s.ComparisonFunc))
}

func (l *linker) appendAnnotations(b []byte, as []effect.Annotation) []byte {
	b = number(b, uint64(len(as)))
	for i := range as {
		a := &as[i]
		b = number(b, l.text(a.Name), uint64(a.Type), uint64(a.Raw), l.text(a.Text))
	}
	return b
}

// appendRest adds what a stage says and its translation does not depend on.
func (l *linker) appendRest(b []byte, s *effect.Stage) []byte {
	b = number(b, uint64(len(s.Inputs)))
	for _, in := range s.Inputs {
		b = append(b, byte(in.Usage), in.Register, in.Index, in.Mask, byte(in.Type), in.Dimension)
	}
	b = number(b, uint64(len(s.Registers)))
	for _, r := range s.Registers {
		b = number(b, uint64(r.Type), uint64(r.Index), uint64(r.Count), uint64(r.Space))
	}
	b = number(b, uint64(len(s.StaticSamplers)))
	for i := range s.StaticSamplers {
		t := &s.StaticSamplers[i]
		b = number(b, uint64(t.Index), uint64(t.Space), uint64(t.BorderColor), uint64(t.MinLOD), uint64(t.MaxLOD))
		b = appendState(b, &t.SamplerState)
	}
	for i := range s.Constants {
		c := &s.Constants[i]
		b = number(b, uint64(c.Type), uint64(c.Dimension), uint64(c.Elements), flag(c.IsSRGB), flag(c.IsAutoregister))
	}
	for i := range s.Textures {
		t := &s.Textures[i]
		b = number(b, uint64(t.Type), uint64(t.Elements), flag(t.IsSRGB), flag(t.IsAutoregister))
	}
	for i := range s.Samplers {
		t := &s.Samplers[i]
		b = appendState(b, &t.SamplerState)
		for _, c := range t.BorderColor {
			b = number(b, uint64(c))
		}
		b = number(b, uint64(t.MinLOD), uint64(t.MaxLOD), flag(t.IsDynamic))
	}
	for i := range s.UAVs {
		u := &s.UAVs[i]
		b = number(b, uint64(u.Type), uint64(u.Elements), flag(u.IsAutoregister))
	}
	b = number(b, l.program(s.Defaults))
	return l.appendAnnotations(b, s.Annotations)
}

// appendProofs adds the view formats that other passes of the body prove for parameters
// of this one: the translation depends on them.
func (l *linker) appendProofs(key []byte, body *effect.Body, p *effect.Pass) []byte {
	proofs := l.bodyProofs(body)
	if len(proofs) == 0 {
		return key
	}
	for _, name := range slices.Sorted(maps.Keys(proofs)) {
		uses := false
		for i := range p.Stages {
			s := &p.Stages[i]
			uses = uses || slices.ContainsFunc(s.Textures, func(t effect.Texture) bool { return t.Name == name }) ||
				slices.ContainsFunc(s.UAVs, func(u effect.UAV) bool { return u.Name == name })
		}
		if uses {
			key = number(key, l.text(name), l.text(proofs[name].Format), l.text(proofs[name].Evidence))
		}
	}
	return key
}

// bodyProofs searches bodies whose programs with UAVs are the same once.
func (l *linker) bodyProofs(body *effect.Body) map[string]compile.Proof {
	if l.body != body {
		l.body, l.proven = body, l.findProofs(body)
	}
	return l.proven
}

func (l *linker) findProofs(body *effect.Body) map[string]compile.Proof {
	var key []byte
	for t := range body.Techniques {
		for p := range body.Techniques[t].Passes {
			for i := range body.Techniques[t].Passes[p].Stages {
				s := &body.Techniques[t].Passes[p].Stages[i]
				if len(s.UAVs) > 0 {
					key = number(key, l.text(body.Techniques[t].Name), uint64(p), uint64(l.stage(s).content))
				}
			}
		}
	}
	if len(key) == 0 {
		return nil
	}
	got, ok := l.proofs[string(key)]
	if !ok {
		got = compile.BodyFacts(body).Proofs
		l.proofs[string(key)] = got
	}
	return got
}
