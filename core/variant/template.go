package variant

import "sync"

// TemplatePass is a pass that builds a shader for each template (a material, say) and
// has siblings that build them for sets. Siblings share label, builder and attachments;
// the pipeline layout is that of the original, so that a sibling needs no pipeline of its
// own. A builder that ignores the set keeps working.
type TemplatePass[T comparable] struct {
	label       string
	build       func(template T, t *Set) (*Shader, error)
	attachments any
	original    *TemplatePass[T]
	set         *Set

	mu       sync.Mutex
	shaders  map[T]built
	siblings map[*Set]*TemplatePass[T]
}

type built struct {
	shader *Shader
	err    error
}

// NewTemplatePass makes a pass. build is called once for each template and sibling, from
// whoever asks first.
func NewTemplatePass[T comparable](label string, attachments any, build func(template T, t *Set) (*Shader, error)) *TemplatePass[T] {
	return &TemplatePass[T]{label: label, build: build, attachments: attachments, set: Empty}
}

// Label is the pass's name, the same for all siblings.
func (p *TemplatePass[T]) Label() string { return p.label }

// Attachments are those of the pass, the same for all siblings.
func (p *TemplatePass[T]) Attachments() any { return p.attachments }

// Layout is the pass whose pipeline layout this one uses: the original.
func (p *TemplatePass[T]) Layout() *TemplatePass[T] {
	if p.original != nil {
		return p.original
	}
	return p
}

// Variant is the sibling for a set, made once; the original for Empty.
func (p *TemplatePass[T]) Variant(t *Set) *TemplatePass[T] {
	o := p.Layout()
	if t == Empty {
		return o
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if s := o.siblings[t]; s != nil {
		return s
	}
	if o.siblings == nil {
		o.siblings = map[*Set]*TemplatePass[T]{}
	}
	s := &TemplatePass[T]{label: o.label, build: o.build, attachments: o.attachments, original: o, set: t}
	o.siblings[t] = s
	return s
}

// Shader is what the pass draws a template with: what its builder made, for the pass's
// set.
func (p *TemplatePass[T]) Shader(template T) (*Shader, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if b, ok := p.shaders[template]; ok {
		return b.shader, b.err
	}
	s, err := p.build(template, p.set)
	if err == nil {
		s, err = s.Variant(p.set)
	}
	if p.shaders == nil {
		p.shaders = map[T]built{}
	}
	p.shaders[template] = built{s, err}
	return s, err
}

// SwitchesOf are the switches of the shader that the original builds for a template.
func (p *TemplatePass[T]) SwitchesOf(template T) ([]*Switch, error) {
	s, err := p.Layout().Shader(template)
	if err != nil {
		return nil, err
	}
	return s.Switches(), nil
}
