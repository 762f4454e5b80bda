package compile

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"sync"
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
	h := digest{sha256.New()}
	h.number(uint64(len(in.Stages)))
	for i := range in.Stages {
		s := &in.Stages[i]
		h.number(uint64(s.Kind))
		program := sum(s.Program)
		h.Write(program[:])
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
	h.Write(options[:])
	return [sha256.Size]byte(h.Sum(nil))
}

// Key identifies the options.
func (o *Options) Key() [sha256.Size]byte {
	h := digest{sha256.New()}
	h.text(fmt.Sprintf("%+v", o.Options)) // plain values: a new option cannot be forgotten
	h.flags(o.Transforms)
	for _, m := range []map[string]string{o.Views, o.Classes} {
		h.number(uint64(len(m)))
		for _, k := range sortedKeys(m) {
			h.text(k)
			h.text(m[k])
		}
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// digest writes numbers and texts without ambiguity.
type digest struct{ hash.Hash }

func (h digest) number(n uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	h.Write(b[:])
}

func (h digest) text(s string) {
	h.number(uint64(len(s)))
	h.Write([]byte(s))
}

func (h digest) flags(bs ...bool) {
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
