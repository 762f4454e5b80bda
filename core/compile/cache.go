package compile

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
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

// keyOf digests everything that the result depends on.
func keyOf(in *PassInput, opt *Options) key {
	h := digest{sha256.New()}
	h.number(uint64(len(in.Stages)))
	for i := range in.Stages {
		s := &in.Stages[i]
		h.number(uint64(s.Kind))
		h.text(string(s.Program))
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
	if opt.Transforms {
		h.text(in.LayoutKey)
		for _, t := range in.Textures {
			h.text(t.Name)
			h.number(uint64(t.Register)<<32 | uint64(t.Space))
			h.number(uint64(t.Type)<<32 | uint64(t.Elements))
			if t.SRGB {
				h.number(1)
			}
		}
	}
	h.options(&opt.Options)
	for _, m := range []map[string]string{opt.Views, opt.Classes} {
		h.number(uint64(len(m)))
		for _, k := range sortedKeys(m) {
			h.text(k)
			h.text(m[k])
		}
	}
	var k key
	h.Sum(k[:0])
	return k
}

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

func (h digest) options(o *wgsl.Options) {
	var flags uint64
	for i, b := range []bool{o.Strict, o.Limits} {
		if b {
			flags |= 1 << i
		}
	}
	h.number(flags<<8 | uint64(o.Numeric))
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
