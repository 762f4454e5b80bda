package variant

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Set is an immutable choice of values. A switch that it does not name is at its default.
// Sets are interned: two that agree on all switches are one object, in whatever order
// they were made, so that == compares them.
type Set struct {
	entries []entry // by the order of the switches; no defaults
	text    string
	next    atomic.Pointer[map[entry]*Set] // what With leads to, copied on write
}

type entry struct {
	sw    *Switch
	value int
}

// Empty is the set that has every switch at its default.
var Empty = &Set{}

// interned is the process-wide table. It grows by sets that are made, never by lookups.
var interned = struct {
	sync.Mutex
	sets map[string]*Set
}{sets: map[string]*Set{"": Empty}}

// With is the set with s at v. It is the same object where s has v already, and costs no
// allocation where the step was taken before. It fails where v is no value of s.
func (t *Set) With(s *Switch, v int) (*Set, error) {
	e := entry{s, v}
	if m := t.next.Load(); m != nil {
		if to := (*m)[e]; to != nil {
			return to, nil
		}
	}
	if !s.IsValue(v) {
		return nil, fmt.Errorf("switch %q has no value %d; it has %s", s.label, v, s.valuesText())
	}
	if t.Get(s) == v {
		return t, nil
	}
	entries := make([]entry, 0, len(t.entries)+1)
	for _, o := range t.entries {
		if o.sw != s {
			entries = append(entries, o)
		}
	}
	if v != 0 {
		i, _ := slices.BinarySearchFunc(entries, s.order, func(o entry, order uint64) int { return int(int64(o.sw.order) - int64(order)) })
		entries = slices.Insert(entries, i, e)
	}
	to := intern(entries)
	t.remember(e, to)
	return to, nil
}

func (s *Switch) valuesText() string {
	var names []string
	for _, m := range s.members {
		names = append(names, fmt.Sprintf("%s (%d)", m.Name, m.Value))
	}
	return strings.Join(names, ", ")
}

func intern(entries []entry) *Set {
	key := make([]byte, 0, 16*len(entries))
	for _, e := range entries {
		key = binary.LittleEndian.AppendUint64(key, e.sw.order)
		key = binary.LittleEndian.AppendUint64(key, uint64(e.value))
	}
	interned.Lock()
	defer interned.Unlock()
	if t := interned.sets[string(key)]; t != nil {
		return t
	}
	t := &Set{entries: entries}
	var parts []string
	for _, e := range entries {
		parts = append(parts, e.sw.label+"="+e.sw.NameOf(e.value))
	}
	t.text = strings.Join(parts, ", ")
	interned.sets[string(key)] = t
	return t
}

// remember adds a step to the ones that cost nothing.
func (t *Set) remember(e entry, to *Set) {
	for {
		old := t.next.Load()
		m := make(map[entry]*Set, 4)
		if old != nil {
			for k, v := range *old {
				m[k] = v
			}
		}
		m[e] = to
		if t.next.CompareAndSwap(old, &m) {
			return
		}
	}
}

// Get is the value of s: what the set says, or the default.
func (t *Set) Get(s *Switch) int {
	for i := range t.entries {
		if t.entries[i].sw == s {
			return t.entries[i].value
		}
	}
	return 0
}

// RestrictedTo is the set with only those switches; the same object where none goes.
func (t *Set) RestrictedTo(list []*Switch) *Set {
	keep := 0
	for _, e := range t.entries {
		if slices.Contains(list, e.sw) {
			keep++
		}
	}
	if keep == len(t.entries) {
		return t
	}
	if keep == 0 {
		return Empty
	}
	entries := make([]entry, 0, keep)
	for _, e := range t.entries {
		if slices.Contains(list, e.sw) {
			entries = append(entries, e)
		}
	}
	return intern(entries)
}

// Switches are those that are not at their defaults, in the order of their creation.
func (t *Set) Switches() []*Switch {
	out := make([]*Switch, len(t.entries))
	for i, e := range t.entries {
		out[i] = e.sw
	}
	return out
}

// String is "label=Member, label=Member" in the order in which the switches were made
// (our decision: it must not depend on how the set was made), and empty for Empty.
func (t *Set) String() string { return t.text }
