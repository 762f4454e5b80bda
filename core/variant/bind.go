package variant

import (
	"errors"
	"fmt"

	"fxlens/core/wgsl/syntax"
)

// Bound is what a pass binds at one place of a variant's interface.
type Bound struct {
	Placed
	Given    bool
	Fallback string // the default that stands in; empty: none does
	// Transient is the size in bytes of the transient buffer that stands in, the least that
	// the binding's type has; 0: none does.
	Transient uint64
}

// BindFrame is what a pass of a frame graph binds when it has some of the bindings, by
// name; names that the shader does not bind are left alone, so that an owner passes what
// it has. What is missing takes its default: a fallback, or a transient buffer of the
// least size with undefined content, which a variant that reads the binding refuses. It
// fails with everything that has no default or may not take it.
func (s *Shader) BindFrame(given ...string) ([]Bound, error) { return s.bind(given, true) }

// BindByHand is what a pass that binds by hand has. Fallbacks stand in; a transient
// default does not apply, since there is no frame whose buffer it could be, and the error
// says so.
func (s *Shader) BindByHand(given ...string) ([]Bound, error) { return s.bind(given, false) }

func (s *Shader) bind(given []string, frame bool) ([]Bound, error) {
	have := make(map[string]bool, len(given))
	for _, n := range given {
		have[n] = true
	}
	var out []Bound
	var bad []error
	for _, p := range s.resources.All() {
		b := Bound{Placed: p, Given: have[p.Name]}
		switch {
		case b.Given:
		case p.Default.Transient && !frame:
			bad = append(bad, fmt.Errorf("shader %q: binding %q is bound by hand, and its transient default is one of a frame graph; bind a buffer", s.label, p.Name))
		case p.Default.Transient:
			err := s.CheckTransient(p.Name)
			if err == nil {
				b.Transient, err = s.BufferSize(p.Name)
			}
			if err != nil {
				bad = append(bad, err)
			}
		case p.Default.Fallback != "":
			b.Fallback = p.Default.Fallback
		default:
			bad = append(bad, fmt.Errorf("shader %q: nothing is bound to %q, which has no default", s.label, p.Name))
		}
		out = append(out, b)
	}
	if len(bad) > 0 {
		return nil, errors.Join(bad...)
	}
	return out, nil
}

// Module is the variant's text, checked; of an original that of the all-defaults variant.
// It is checked once. It fails as Source does, and where the text is not valid WGSL with
// syntax.Errors, whose places are those of the whole text.
func (s *Shader) Module() (*syntax.Module, error) {
	if err := s.compile(); err != nil {
		return nil, err
	}
	s.check.Do(func() {
		var errs syntax.Errors
		s.module, errs = syntax.Validate(s.linked.Text)
		if errs.Fatal() {
			s.module, s.invalid = nil, fmt.Errorf("shader %q is not valid WGSL: %w", s.label, errs)
		}
	})
	return s.module, s.invalid
}

// BufferSize is the least size in bytes that a buffer of the interface has: that of its
// type, with one element of a runtime-sized array. It fails as Module does, and on what is
// no buffer.
func (s *Shader) BufferSize(name string) (uint64, error) {
	m, err := s.Module()
	if err != nil {
		return 0, err
	}
	for _, b := range m.Bindings {
		if b.Name == name && b.Size > 0 {
			return b.Size, nil
		}
	}
	return 0, fmt.Errorf("shader %q binds no buffer %q", s.label, name)
}
