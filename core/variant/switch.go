package variant

import (
	"fmt"
	"slices"
	"sync/atomic"
)

// Switch is something that is decided by an integer: one of the members of an
// enumeration, or false and true. Its identity is the object, not the label.
type Switch struct {
	label   string
	members []Member
	boolean bool
	order   uint64 // of creation: the canonical order of sets
}

// Member is one value of a switch with its name.
type Member struct {
	Name  string
	Value int
}

var switches atomic.Uint64

// Enum makes a switch over the members of an enumeration, which may have gaps. The
// default is the member that equals 0; an enumeration without one is refused, and so are
// an empty label, equal values and equal or empty names.
func Enum(label string, members ...Member) (*Switch, error) {
	if label == "" {
		return nil, fmt.Errorf("a switch needs a label: sets and errors print it")
	}
	zero := false
	for i, m := range members {
		zero = zero || m.Value == 0
		if m.Name == "" {
			return nil, fmt.Errorf("switch %q: the member equal to %d has no name", label, m.Value)
		}
		for _, o := range members[:i] {
			if o.Value == m.Value {
				return nil, fmt.Errorf("switch %q: %s and %s are both %d", label, o.Name, m.Name, m.Value)
			}
			if o.Name == m.Name {
				return nil, fmt.Errorf("switch %q: there are two members %s", label, m.Name)
			}
		}
	}
	if !zero {
		return nil, fmt.Errorf("switch %q: no member equals 0, which is the default", label)
	}
	return &Switch{label: label, members: slices.Clone(members), order: switches.Add(1)}, nil
}

// Bool makes a switch of the values false (0, the default) and true (1). It fails on an
// empty label.
func Bool(label string) (*Switch, error) {
	s, err := Enum(label, Member{"false", 0}, Member{"true", 1})
	if err != nil {
		return nil, err
	}
	s.boolean = true
	return s, nil
}

// Label is what sets, variants and errors call the switch.
func (s *Switch) Label() string { return s.label }

// IsBool reports whether the switch was made by Bool.
func (s *Switch) IsBool() bool { return s.boolean }

// Members are the values with their names, in the order of declaration.
func (s *Switch) Members() []Member { return slices.Clone(s.members) }

// IsValue reports whether v is a value of the switch.
func (s *Switch) IsValue(v int) bool {
	return slices.ContainsFunc(s.members, func(m Member) bool { return m.Value == v })
}

// NameOf is the name of a value, or its number where it is none of the switch's.
func (s *Switch) NameOf(v int) string {
	for _, m := range s.members {
		if m.Value == v {
			return m.Name
		}
	}
	return fmt.Sprint(v)
}

// Parse finds a value by name.
func (s *Switch) Parse(name string) (v int, ok bool) {
	for _, m := range s.members {
		if m.Name == name {
			return m.Value, true
		}
	}
	return 0, false
}
