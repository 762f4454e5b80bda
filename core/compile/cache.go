package compile

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"sync"

	"fxlens/core/wgsl"
)

// key identifies a pass by content: the programs, the names that reach the
// output, and the options.
type key [sha256.Size]byte

// maxRemembered bounds the passes that a compiler keeps; the oldest goes first.
const maxRemembered = 4096

type state struct {
	mu      sync.Mutex
	entries map[key]*entry
	order   []key
}

type entry struct {
	done chan struct{} // closed when res and err are set
	res  *Pass
	err  error
}

// Key identifies a pass by everything that its result depends on: programs, the
// names that reach the output, what the rest of the effect says, and options. sum
// is the SHA-256 digest of a program, for callers that know it already; nil
// computes it.
func (in *PassInput) Key(opt *Options, sum func([]byte) [sha256.Size]byte) [sha256.Size]byte {
	if sum == nil {
		sum = func(b []byte) [sha256.Size]byte { return sha256.Sum256(b) }
	}
	h := digest{b: make([]byte, 0, 512)}
	h.number(uint64(len(in.Stages)))
	for i := range in.Stages {
		s := &in.Stages[i]
		h.number(uint64(s.Kind))
		program := sum(s.Program)
		h.b = append(h.b, program[:]...)
		for _, g := range s.ThreadGroup {
			h.number(uint64(g))
		}
		h.number(uint64(len(s.Names.Constants)))
		for _, c := range s.Names.Constants {
			h.text(c.Name)
			h.number(uint64(c.Offset)<<32 | uint64(c.Size))
		}
		for _, m := range []map[uint32]string{s.Names.Textures, s.Names.Samplers, s.Names.UAVs} {
			h.number(uint64(len(m)))
			for _, r := range sortedKeys(m) {
				h.number(uint64(r))
				h.text(m[r])
			}
		}
	}
	h.number(uint64(len(in.Proofs)))
	for _, k := range sortedKeys(in.Proofs) {
		h.text(k)
		h.text(in.Proofs[k].Format)
		h.text(in.Proofs[k].Evidence)
	}
	h.number(uint64(len(in.Companions)))
	for _, c := range in.Companions {
		h.text(c.Parameter)
		h.text(c.Pass)
		h.flags(c.Earlier)
	}
	if opt.Transforms {
		h.text(in.LayoutKey)
		h.number(uint64(len(in.Textures)))
		for _, t := range in.Textures {
			h.text(t.Name)
			h.number(uint64(t.Register)<<32 | uint64(t.Space))
			h.number(uint64(t.Type)<<32 | uint64(t.Elements))
			h.flags(t.SRGB)
		}
	}
	options := opt.Key()
	h.b = append(h.b, options[:]...)
	return sha256.Sum256(h.b)
}

// Key identifies the options.
func (o *Options) Key() [sha256.Size]byte {
	var h digest
	h.text(optionsText(o.Options))
	h.flags(o.Transforms)
	for _, m := range []map[string]string{o.Views, o.Classes} {
		h.number(uint64(len(m)))
		for _, k := range sortedKeys(m) {
			h.text(k)
			h.text(m[k])
		}
	}
	return sha256.Sum256(h.b)
}

// optionsTexts remembers the text of options: printing them costs more than
// hashing a program, and few are ever used.
var optionsTexts sync.Map

// optionsText has every option by name: a new one cannot be forgotten.
func optionsText(o wgsl.Options) string {
	if s, ok := optionsTexts.Load(o); ok {
		return s.(string)
	}
	s := fmt.Sprintf("%+v", o)
	optionsTexts.Store(o, s)
	return s
}

// digest collects numbers and texts without ambiguity, to be hashed.
type digest struct{ b []byte }

func (h *digest) number(n uint64) { h.b = binary.LittleEndian.AppendUint64(h.b, n) }

func (h *digest) text(s string) {
	h.number(uint64(len(s)))
	h.b = append(h.b, s...)
}

func (h *digest) flags(bs ...bool) {
	var n uint64
	for i, b := range bs {
		if b {
			n |= 1 << i
		}
	}
	h.number(n)
}

// begin returns the entry of k and whether the caller is the one to fill it.
func (s *state) begin(k key) (*entry, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, ok := s.entries[k]; ok {
		return e, false
	}
	if s.entries == nil {
		s.entries = map[key]*entry{}
	}
	if len(s.order) >= maxRemembered {
		delete(s.entries, s.order[0])
		s.order = append(s.order[:0:0], s.order[1:]...)
	}
	e := &entry{done: make(chan struct{})}
	s.entries[k] = e
	s.order = append(s.order, k)
	return e, true
}

// peek returns the entry of k, if there is one.
func (s *state) peek(k key) *entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.entries[k]
}

// forget takes an entry out again, so that a cancelled compile can be repeated.
func (s *state) forget(k key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.entries, k)
	for i := range s.order {
		if s.order[i] == k {
			s.order = append(s.order[:i:i], s.order[i+1:]...)
			return
		}
	}
}
