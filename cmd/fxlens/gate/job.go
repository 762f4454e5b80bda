package gate

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"fxlens/core/pack/carbon"
	"fxlens/core/pack/cewgpu"
)

// Pass is one pass of a package as the browser gets it: what WebGPU's functions take.
type Pass struct {
	Key    string   `json:"key"`    // "Main.pass0"
	Bodies []string `json:"bodies"` // keys of the bodies that have it

	Modules  []Module       `json:"modules"`
	Groups   []Group        `json:"groups"`
	Features []string       `json:"features"`
	Limits   map[string]int `json:"limits"`
	Vertex   *VertexBuffer  `json:"vertex,omitempty"`  // what a vertex module reads
	Targets  []string       `json:"targets,omitempty"` // formats of what a fragment module writes; empty texts are gaps
}

// Module is one shader module.
type Module struct {
	Key        string `json:"key"`
	Stage      string `json:"stage"` // vertex, fragment, compute
	EntryPoint string `json:"entryPoint"`
	Code       string `json:"code"`
}

// Group is a GPUBindGroupLayoutDescriptor.
type Group struct {
	Entries []Entry `json:"entries"`
}

// Entry is a GPUBindGroupLayoutEntry.
type Entry struct {
	Binding        int                    `json:"binding"`
	Visibility     int                    `json:"visibility"`
	Buffer         *cewgpu.BufferLayout   `json:"buffer,omitempty"`
	Texture        *cewgpu.TextureLayout  `json:"texture,omitempty"`
	Sampler        *cewgpu.SamplerLayout  `json:"sampler,omitempty"`
	StorageTexture *cewgpu.StorageTexture `json:"storageTexture,omitempty"`
}

// VertexBuffer is a GPUVertexBufferLayout.
type VertexBuffer struct {
	ArrayStride int         `json:"arrayStride"`
	Attributes  []Attribute `json:"attributes"`
}

// Attribute is a GPUVertexAttribute.
type Attribute struct {
	Format         string `json:"format"`
	Offset         int    `json:"offset"`
	ShaderLocation int    `json:"shaderLocation"`
}

// ErrNoPasses marks a package that has nothing for a browser by its kind.
var ErrNoPasses = errors.New("no modules with layouts")

// Passes returns the distinct passes of a package: those of the selected body and of
// every body that it has modules for. It fails with ErrNoPasses for a container of
// chunks that is no effect package.
func Passes(p *cewgpu.Package) ([]Pass, error) {
	if p.Kind != cewgpu.EffectPackage {
		return nil, fmt.Errorf("a generic container: %w", ErrNoPasses)
	}
	c := &collector{byContent: map[string]int{}}
	set, err := p.WGSL()
	if err != nil {
		return nil, err
	}
	body := ""
	if meta, err := p.Meta(); err == nil {
		if graph, err := p.Graph(); err == nil && meta.BodyIndex < len(graph.Variants) {
			body = graph.Variants[meta.BodyIndex].BodyKey
		}
	}
	if err := c.add(body, set.Shaders, set.Layouts); err != nil {
		return nil, err
	}
	bodies, err := p.BodySet()
	if err != nil && !errors.Is(err, cewgpu.ErrNoChunk) {
		return nil, err
	}
	return c.finish(bodies)
}

// ContainerPasses is Passes for a Carbon WebGPU container. Passes without a block for
// WebGPU have none; they are findings of its validation.
func ContainerPasses(f *carbon.File) ([]Pass, error) {
	c := &collector{byContent: map[string]int{}}
	for i := range f.Bodies {
		set, _ := f.WGSL(f.Bodies[i].Permutations[0])
		if err := c.add(f.Bodies[i].Key, set.Shaders, set.Layouts); err != nil {
			return nil, err
		}
	}
	return c.finish(nil)
}

// collector keeps passes that differ.
type collector struct {
	passes    []Pass
	byContent map[string]int
}

func (c *collector) finish(bodies *cewgpu.BodySet) ([]Pass, error) {
	if bodies != nil {
		units := map[string][]string{}
		for _, b := range bodies.Bodies {
			for _, p := range b.Passes {
				units[p.UnitKey] = append(units[p.UnitKey], b.BodyKey)
			}
		}
		for i := range bodies.PassUnits {
			u := &bodies.PassUnits[i]
			for _, b := range units[u.Key] {
				if err := c.add(b, u.Shaders, u.Layouts); err != nil {
					return nil, err
				}
			}
		}
	}
	return c.passes, nil
}

func (c *collector) add(body string, shaders []cewgpu.Shader, layouts []cewgpu.Layout) error {
	for i := range layouts {
		l := &layouts[i]
		p := Pass{Key: l.Key, Groups: []Group{}, Features: []string{}, Limits: map[string]int{}}
		for j := range shaders {
			if s := &shaders[j]; s.TechniqueName == l.TechniqueName && s.PassIndex == l.PassIndex {
				p.module(s)
			}
		}
		for _, g := range l.BindGroups {
			p.group(&g)
		}
		key, err := json.Marshal(p)
		if err != nil {
			return fmt.Errorf("pass %s: %w", l.Key, err)
		}
		at, ok := c.byContent[string(key)]
		if !ok {
			at = len(c.passes)
			c.byContent[string(key)] = at
			c.passes = append(c.passes, p)
		}
		if q := &c.passes[at]; body != "" && !slices.Contains(q.Bodies, body) {
			q.Bodies = append(q.Bodies, body)
		}
	}
	return nil
}

func (p *Pass) module(s *cewgpu.Shader) {
	p.Modules = append(p.Modules, Module{Key: s.Key, Stage: s.Stage, EntryPoint: s.EntryPoint, Code: s.Code})
	if r := s.Requires; r != nil {
		for _, f := range r.Features {
			if !slices.Contains(p.Features, f) {
				p.Features = append(p.Features, f)
			}
		}
		for k, v := range r.Limits {
			p.Limits[k] = max(p.Limits[k], v)
		}
	}
	in, out := interfaceOf(s.Code, s.EntryPoint)
	switch s.Stage {
	case "vertex":
		p.Vertex = vertexBuffer(in)
	case "fragment":
		p.Targets = targets(out)
	}
}

// visibilityBits are GPUShaderStage's.
var visibilityBits = map[string]int{"vertex": 1, "fragment": 2, "compute": 4}

func (p *Pass) group(g *cewgpu.BindGroup) {
	p.groups(g.Group)
	for i := range g.Bindings {
		p.bind(g.Group, &g.Bindings[i])
	}
}

// groups makes sure that there is a group n, within reason.
func (p *Pass) groups(n int) bool {
	for len(p.Groups) <= n && n < 64 {
		p.Groups = append(p.Groups, Group{Entries: []Entry{}})
	}
	return n >= 0 && n < len(p.Groups)
}

// bind adds a binding to group n.
func (p *Pass) bind(n int, b *cewgpu.Binding) {
	if !p.groups(n) {
		return
	}
	e := Entry{Binding: b.Binding, Buffer: b.Buffer, Texture: b.Texture, Sampler: b.Sampler, StorageTexture: b.StorageTexture}
	for _, w := range b.Visibility {
		e.Visibility |= visibilityBits[w]
	}
	p.Groups[n].Entries = append(p.Groups[n].Entries, e)
}

// vertexBuffer lays the inputs of a vertex module out in one buffer.
func vertexBuffer(in []io) *VertexBuffer {
	if len(in) == 0 {
		return nil
	}
	v := &VertexBuffer{}
	for _, a := range in {
		format := map[string]string{"f32": "float32", "i32": "sint32", "u32": "uint32", "f16": "float16"}[a.scalar]
		size := 4 * a.width
		switch {
		case a.scalar == "f16" && a.width == 1:
			size = 4 // float16 alone takes two bytes; the next one is aligned to four
		case a.scalar == "f16" && a.width == 3:
			a.width, size = 4, 8 // there is no float16x3
		case a.scalar == "f16":
			size = 2 * a.width
		}
		if a.width > 1 {
			format += fmt.Sprintf("x%d", a.width)
		}
		v.Attributes = append(v.Attributes, Attribute{Format: format, Offset: v.ArrayStride, ShaderLocation: a.location})
		v.ArrayStride += size
	}
	return v
}

// targets chooses a colour format for each output, such that the outputs are enough
// for its components and all of them fit WebGPU's bytes per sample.
func targets(out []io) []string {
	n := 0
	for _, o := range out {
		if o.location < 64 {
			n = max(n, o.location+1)
		}
	}
	t := make([]string, n)
	for _, o := range out {
		if o.location >= 64 {
			continue
		}
		prefix := [...]string{"r", "rg", "rg", "rgba"}[o.width-1]
		switch {
		case o.scalar == "i32":
			t[o.location] = prefix + "16sint"
		case o.scalar == "u32":
			t[o.location] = prefix + "16uint"
		case len(out) > 4:
			t[o.location] = "r8unorm"
		default:
			t[o.location] = prefix + "16float"
		}
		if len(out) > 4 && (o.scalar == "i32" || o.scalar == "u32") {
			t[o.location] = strings.TrimPrefix(t[o.location], prefix)
			t[o.location] = "r" + t[o.location]
		}
	}
	return t
}
