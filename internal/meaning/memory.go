package meaning

import (
	"fmt"
	"math"
	mb "math/bits"
	"slices"
)

// params is cbuffer Params of compute-memory.hlsl.
func params(n [4]uint32, a [4]float32) []uint32 {
	out := append(n[:], floats(a[:]...)...)
	return append(out, 3, 0xfffffffb, 7, 9) // int4 k
}

// constants are those of the programs that read integers alone, or a = (2, 0.5, -4, 0.25).
func constants(v ...uint32) []uint32 {
	var x [4]uint32
	copy(x[:], v)
	return params(x, [4]float32{2, 0.5, -4, 0.25})
}

// record is struct Record: a key, three floats, two integers.
func record(key uint32, x, y, z float32, tail ...int32) []uint32 {
	return append(append([]uint32{key}, floats(x, y, z)...), uint32(tail[0]), uint32(tail[1]))
}

func recordsOf(n int, f func(i uint32) []uint32) []uint32 {
	var out []uint32
	for i := range uint32(n) {
		out = append(out, f(i)...)
	}
	return out
}

// sampleRecords have distinct keys and small dyadic floats.
func sampleRecords(n int) []uint32 {
	return recordsOf(n, func(i uint32) []uint32 {
		return record(i*7+3, float32(i)*0.5, float32(i)-8, 0.25*float32(i), int32(i)-40, int32(i*i))
	})
}

// perClass are the old values that so many adds of step to a word of value init return.
func perClass(init, step uint32, n int) []uint32 {
	return ramp(n, func(i uint32) uint32 { return init + i*step })
}

const untouched = 0xabad1dea

var memoryPrograms = []Program{
	{
		Source: "compute-memory.hlsl", Entry: "ids",
		Inputs: []Input{
			input(Small, "", [3]uint32{2, 2, 2}, func() things { return things{"u0": fill(520, untouched)} }),
			input(Boundary, "", [3]uint32{2, 2, 2}, func() things { return things{"u0": fill(511, untouched)} }),
			input(Outside, "", [3]uint32{1, 1, 3}, func() things { return things{"u0": fill(9*64+5-64, untouched)} }),
			input(Outside, "five words", [3]uint32{2, 1, 1}, func() things { return things{"u0": fill(5, untouched)} }),
		},
		Run: func(w *World) {
			out := w.words("u0")
			w.each(8, 4, 2, func(t Thread) {
				out.store((t.G[0]+t.G[1]*2+t.G[2]*4)*64+t.I, t.D[0]+t.D[1]*100+t.D[2]*10000+t.T[0]*1000000)
			})
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "structured_words",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"b0": constants(1), "t4": noise(1, 100), "u0": fill(64, untouched)} }),
			input(Boundary, "", g1(2), func() things { return things{"b0": constants(72), "t4": noise(2, 200), "u0": fill(127, untouched)} }),
			input(Outside, "", g1(2), func() things {
				return things{"b0": constants(0xffffffe0), "t4": noise(3, 70), "u0": fill(90, untouched)}
			}),
			input(Outside, "far", g1(1), func() things { return things{"b0": constants(0x7fffffff), "t4": noise(4, 3), "u0": fill(1, untouched)} }),
		},
		Run: func(w *World) {
			in, out := w.words("t4"), w.words("u0")
			w.each(64, 1, 1, func(t Thread) {
				out.store(t.D[0], in.load(t.D[0])*3+in.load(t.D[0]+w.cb("b0", 0)))
			})
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "structured_records",
		Inputs: []Input{
			// n.y is 0 or behind all threads: otherwise two threads write one tail.
			input(Small, "", g1(1), func() things {
				return things{"b0": constants(2, 0), "t2": sampleRecords(70), "u1": fill(64*6, untouched)}
			}),
			input(Boundary, "", g1(1), func() things {
				return things{"b0": constants(7, 64), "t2": sampleRecords(71), "u1": fill(127*6, untouched)}
			}),
			input(Outside, "half a record", g1(2), func() things {
				return things{"b0": constants(0xfffffff8, 0x80000000), "t2": sampleRecords(71)[:70*6+4], "u1": fill(99*6+5, untouched)}
			}),
		},
		Run: func(w *World) {
			in, out, ax := w.records("t2", 6), w.records("u1", 6), w.cbf("b0", 4)
			w.each(64, 1, 1, func(t Thread) {
				r := in.record(t.D[0] + w.cb("b0", 0))
				out.setRecord(t.D[0], []uint32{r[0] + t.D[0], mul(r[3], ax), mul(r[2], ax), mul(r[1], ax), -r[4], -r[5]})
				out.set(t.D[0]+w.cb("b0", 1), 5, 7)
			})
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "structured_read_write",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"u0": noise(5, 600), "u1": sampleRecords(65)} }),
			input(Boundary, "", g1(2), func() things { return things{"u0": noise(6, 127*7+3), "u1": sampleRecords(128)} }),
			input(Outside, "", g1(2), func() things { return things{"u0": noise(7, 100), "u1": sampleRecords(50)[:49*6+3]} }),
		},
		Run: func(w *World) {
			words, rec := w.words("u0"), w.records("u1", 6)
			w.each(64, 1, 1, func(t Thread) {
				rec.setf(t.D[0], 2, rec.getf(t.D[0], 2)+rec.getf(t.D[0]+1, 1))
				key := rec.get(t.D[0], 0)
				if rec.in(t.D[0]) {
					words.store(key, words.load(key)^0xff)
				} else { // key 0 for each of them: they all write the same word
					v := words.load(0)
					words.mark(0, 0, rule{of: []uint32{v, v ^ 0xff}})
				}
			})
		},
		Order: "threads behind the records read key 0 and toggle word 0, all of them unordered: its low bits may end either way",
	},
	{
		Source: "compute-memory.hlsl", Entry: "raw_access",
		Inputs: []Input{
			input(Small, "", g1(1), func() things {
				return things{"b0": constants(4), "t3": rampf(260, func(i uint32) float32 { return float32(i) - 9 }), "u2": fill(260, untouched)}
			}),
			input(Boundary, "", g1(1), func() things {
				return things{"b0": constants(64), "t3": rampf(16+256, func(i uint32) float32 { return 0.5 * float32(i) }), "u2": fill(16+256, untouched)}
			}),
			input(Outside, "in the middle of four", g1(2), func() things {
				return things{"b0": constants(8), "t3": rampf(301, func(i uint32) float32 { return 1 + float32(i) }), "u2": fill(399, untouched)}
			}),
			input(Outside, "address wraps", g1(2), func() things {
				return things{"b0": constants(0xffffff00), "t3": rampf(50, func(i uint32) float32 { return 1 + float32(i) }), "u2": fill(47, untouched)}
			}),
		},
		Run: func(w *World) {
			in, out := w.raw("t3"), w.raw("u2")
			w.each(64, 1, 1, func(t Thread) {
				at := t.D[0]*16 + w.cb("b0", 0)
				out.store(at, in.load(at))
				v := [2]uint32{in.load(at + 4), in.load(at + 8)}
				out.store(at+4, v[1])
				out.store(at+8, v[0])
				out.store(at+12, mul(in.load(at+12), 2))
			})
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "raw_wide",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"t3": noise(8, 256), "u2": noise(9, 512)} }),
			input(Boundary, "", g1(1), func() things { return things{"t3": noise(10, 255), "u2": noise(11, 511)} }),
			input(Outside, "", g1(2), func() things { return things{"t3": noise(12, 301), "u2": noise(13, 710)} }),
		},
		Run: func(w *World) {
			in, out := w.raw("t3"), w.raw("u2")
			w.each(64, 1, 1, func(t Thread) {
				v, at := in.load4(t.D[0]*16), t.D[0]*32
				for k := range uint32(4) {
					out.store(at+4*k, v[3-k])
				}
				old := [3]uint32{out.load(at + 20), out.load(at + 24), out.load(at + 28)}
				for k := range uint32(3) {
					out.store(at+16+4*k, v[k]+old[k])
				}
			})
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "typed_buffers",
		Views: map[string]string{"t0": "R32_UINT", "t1": "R32G32B32A32_FLOAT", "u3": "R32_UINT", "u4": "R32_SINT", "u5": "R32G32B32A32_FLOAT"},
		Inputs: []Input{
			input(Small, "", g1(1), func() things {
				return things{"b0": constants(3), "t0": noise(14, 70), "t1": rampf(256, quarter), "u3": fill(64, untouched), "u4": fill(64, untouched), "u5": fill(256, untouched)}
			}),
			input(Boundary, "", g1(1), func() things {
				return things{"b0": constants(36), "t0": noise(15, 100), "t1": rampf(252, quarter), "u3": fill(63, untouched), "u4": fill(65, untouched), "u5": fill(252, untouched)}
			}),
			input(Outside, "part of an element", g1(2), func() things {
				return things{"b0": constants(0xffffffff), "t0": noise(16, 33), "t1": rampf(130, quarter), "u3": fill(40, untouched), "u4": fill(1, untouched), "u5": fill(203, untouched)}
			}),
		},
		Run: func(w *World) {
			in, inf, out, outs, outf := w.words("t0"), w.records("t1", 4), w.words("u3"), w.words("u4"), w.records("u5", 4)
			w.each(64, 1, 1, func(t Thread) {
				d := t.D[0]
				out.store(d, in.load(d)+in.load(d+w.cb("b0", 0)))
				v := inf.record(d)
				outf.setRecord(d, []uint32{mul(v[3], w.cbf("b0", 4)), mul(v[2], w.cbf("b0", 5)), mul(v[1], w.cbf("b0", 6)), mul(v[0], w.cbf("b0", 7))})
				outs.store(d, -in.load(d))
			})
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "typed_read_write",
		Views: map[string]string{"u3": "R32_UINT", "u4": "R32_SINT"},
		Inputs: []Input{
			// n.x is 0 or behind all threads: otherwise a thread reads what another writes.
			input(Small, "", g1(1), func() things { return things{"b0": constants(0), "u3": noise(17, 70), "u4": noise(18, 70)} }),
			input(Boundary, "", g1(1), func() things { return things{"b0": constants(64), "u3": noise(19, 127), "u4": noise(20, 63)} }),
			input(Outside, "", g1(2), func() things { return things{"b0": constants(0x80000000), "u3": noise(21, 100), "u4": noise(22, 110)} }),
		},
		Run: func(w *World) {
			u, s := w.words("u3"), w.words("u4")
			w.each(64, 1, 1, func(t Thread) { u.store(t.D[0], u.load(t.D[0]+w.cb("b0", 0))*2+s.load(t.D[0])) })
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "sizes",
		Views: map[string]string{"t0": "R32_UINT"},
		Inputs: []Input{
			input(Small, "", g1(1), func() things {
				return things{"t0": fill(5, 1), "t2": fill(18, 1), "t3": fill(7, 1), "u0": fill(64, 0), "u2": fill(11, 0)}
			}),
			input(Boundary, "one of each", g1(1), func() things {
				return things{"t0": fill(1, 1), "t2": fill(6, 1), "t3": fill(1, 1), "u0": fill(1, 0), "u2": fill(1, 0)}
			}),
			input(Outside, "parts of records", g1(2), func() things {
				return things{"t0": fill(301, 1), "t2": fill(6*9+5, 1), "t3": fill(1000, 1), "u0": fill(70, 0), "u2": fill(513, 0)}
			}),
		},
		Run: func(w *World) {
			c, b, t0, u, o := w.records("t2", 6).count(), w.words("t3").count()*4, w.words("t0").count(), w.words("u0").count(), w.words("u2").count()*4
			out := w.words("u0")
			w.each(64, 1, 1, func(t Thread) { out.store(t.D[0], c+24*10+b*100+t0*1000+u*10000+o) })
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "atomics_all",
		Inputs: []Input{
			input(Small, "", g1(1), func() things {
				return things{"u0": []uint32{5, 0xffffffff, 0, 9, 3, 1000, 77}, "u6": []uint32{0, 0, 5}}
			}),
			input(Boundary, "", g1(2), func() things {
				return things{"u0": []uint32{0xffffff00, 0x0ff0ffff, 0x10, 0xffffffff, 0xfffffff0, 0}, "u6": []uint32{0x80000000, 0x80000000}}
			}),
			input(Outside, "", g1(3), func() things { return things{"u0": []uint32{1, 0xffff0000, 2, 3}, "u6": []uint32{0xffffffe0}} }),
		},
		Run: func(w *World) {
			u, s := w.words("u0"), w.words("u6")
			w.each(64, 1, 1, func(t Thread) {
				d := t.D[0]
				u.add(0, d)
				u.atomic(1, 0, func(o uint32) uint32 { return o &^ (1 << (d & 31)) })
				u.atomic(2, 0, func(o uint32) uint32 { return o | 1<<(d&31) })
				u.atomic(3, 0, func(o uint32) uint32 { return o ^ d })
				u.atomic(4, 0, func(o uint32) uint32 { return max(o, d*7%61) })
				u.atomic(5, 0, func(o uint32) uint32 { return min(o, d*5%59) })
				s.atomic(0, 0, imax(int32(d)-32))
				s.atomic(1, 0, imin(32-int32(d)))
			})
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "atomics_returning",
		Order: "the 16 adds to a word return its values in any order, each once; what a thread does with its value is checked from that value. The five atomics on words 0 to 4 return what any order may have left there; their final values have one result",
		Inputs: []Input{
			input(Small, "", g1(1), func() things {
				u := noise(23, 380)
				copy(u, []uint32{0x5a, 0xfa, 0x1000, 0x5000, 0x9000})
				for i := range 4 {
					u[64+i] = uint32(i) * 1000
				}
				for i := 132; i < 196; i += 2 { // half of the exchanges match
					u[i] = uint32(i - 132)
				}
				return things{"u0": u, "u6": noise(24, 200)}
			}),
			input(Boundary, "", g1(1), func() things {
				u := noise(25, 363)
				copy(u, []uint32{0xff, 0xff, 0, 0, 0xffffffff})
				for i := 132; i < 260; i++ {
					u[i] = uint32(i-132) % 64
				}
				return things{"u0": u, "u6": noise(26, 191)}
			}),
			input(Outside, "", g1(1), func() things {
				u := noise(27, 66)
				copy(u, []uint32{1, 3, 2, 0xffffffff, 7})
				return things{"u0": u, "u6": noise(28, 64)}
			}),
			input(Outside, "four words", g1(1), func() things { return things{"u0": []uint32{3, 7, 9, 100}, "u6": noise(29, 100)} }),
		},
		Run: func(w *World) {
			u, s := w.words("u0"), w.words("u6")
			in := slices.Clone(u.Words)
			word := func(i int) uint32 {
				if i < len(in) {
					return in[i]
				}
				return 0
			}
			set := func(f func(i int) uint32) func(uint32) uint32 { return func(uint32) uint32 { return f(0) } }
			w.each(64, 1, 1, func(t Thread) {
				d := t.D[0]
				o := u.add(64+d&3, 1)
				p := u.atomic(68+d, 0, set(func(int) uint32 { return o + 100 }))
				q := u.atomic(132+d, 0, cmpxchg(d, p+5))
				u.atomic(196+d, 0, cmpxchg(q, 9))
				s.store(d, o+p+q)
				if u.in(64 + d&3) {
					u.mark(68+d, 0, rule{any: true})
					s.mark(d, 0, rule{any: true})
				}
				r := s.atomic(64+d, 0, imin(-int32(d)))
				s.atomic(128+d, 0, imax(int32(r)))
				v := u.atomic(0, 0, func(o uint32) uint32 { return o & 0xff })
				v = u.atomic(1, 0, func(o uint32) uint32 { return o | v })
				v = u.atomic(2, 0, func(o uint32) uint32 { return o ^ v })
				v = u.atomic(3, 0, func(o uint32) uint32 { return max(o, v) })
				v = u.atomic(4, 0, func(o uint32) uint32 { return min(o, v) })
				u.store(300+d, v)
				// Word 0 stays and word 1 has all its bits, so that word 2 alternates;
				// what the maximum and the minimum return are values that came by.
				x := word(2) ^ word(1)
				u.mark(300+d, 0, rule{of: []uint32{word(4), min(word(4), word(3)), min(word(4), max(word(3), word(2))), min(word(4), max(word(3), x))}})
			})
		},
		Check: func(in, got *World) error {
			a, b, s := in.words("u0"), got.words("u0"), got.words("u6")
			for c := range uint32(4) {
				if !a.in(64+c) || !b.in(68+c+60) {
					continue // the adds are dropped, or the values are not kept
				}
				var olds []uint32
				for d := c; d < 64; d += 4 {
					o := b.load(68+d) - 100
					olds = append(olds, o)
					p, q := a.load(68+d), a.load(132+d)
					if s.in(d) && s.load(d) != o+p+q {
						return fmt.Errorf("thread %d: %#x is not %#x + %#x + %#x", d, s.load(d), o, p, q)
					}
				}
				if want := perClass(a.load(64+c), 1, 16); !permutation(olds, want) {
					return fmt.Errorf("word %d returned %v, not each of %v", 64+c, olds, want)
				}
			}
			return nil
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "atomics_raw",
		Order: "the adds return values that nothing keeps; each other word belongs to one thread or gets the same from all",
		Inputs: []Input{
			input(Small, "", g1(1), func() things {
				u := noise(30, 200)
				for i := 16; i < 80; i += 3 {
					u[i] = 0
				}
				return things{"b0": constants(20), "u2": u}
			}),
			input(Boundary, "", g1(1), func() things {
				u := noise(31, 128+63)
				for i := 16; i < 80; i++ {
					u[i] = 0
				}
				return things{"b0": constants(40), "u2": u}
			}),
			input(Outside, "", g1(1), func() things { return things{"b0": constants(1000), "u2": noise(32, 50)} }),
			input(Outside, "two words", g1(1), func() things { return things{"b0": constants(0xffffff00), "u2": []uint32{7, 9}} }),
		},
		Run: func(w *World) {
			u := w.raw("u2").words()
			olds := map[uint32][]uint32{}
			for c := range uint32(4) {
				olds[c] = []uint32{0}
				if u.in(c) {
					olds[c] = perClass(u.load(c), 3, 16)
				}
			}
			zero := map[uint32]bool{}
			w.each(64, 1, 1, func(t Thread) {
				d := t.D[0]
				o := u.add(d%4, 3)
				u.atomic((16+w.cb("b0", 0))/4, 0, func(x uint32) uint32 { return x | 1<<(d&31) })
				at := 16 + d
				zero[d] = u.in(at) && u.load(at) == 0
				o = u.atomic(at, 0, cmpxchg(0, o))
				u.atomic(128+d, 0, func(uint32) uint32 { return o })
				if zero[d] {
					u.mark(at, 0, rule{of: olds[d%4]})
				}
			})
		},
		Check: func(in, got *World) error {
			a, b := in.raw("u2").words(), got.raw("u2").words()
			for c := range uint32(4) {
				seen := map[uint32]bool{}
				for d := c; d < 64; d += 4 {
					if a.in(16+d) && a.load(16+d) == 0 {
						if v := b.load(16 + d); seen[v] && a.in(c) {
							return fmt.Errorf("word %d returned %#x twice", c, v)
						} else {
							seen[v] = true
						}
					}
				}
			}
			return nil
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "atomics_typed",
		Views: map[string]string{"u3": "R32_UINT", "u4": "R32_SINT"},
		Order: "the adds return the values of their word in any order; a thread keeps the sum of two such values",
		Inputs: []Input{
			input(Small, "", g1(1), func() things {
				return things{"u0": fill(64, untouched), "u3": []uint32{0, 10, 20, 30, 40, 50, 60, 70, 5}, "u4": []uint32{5, 0xffffff00, 0, 9, 1, 1000}}
			}),
			input(Boundary, "no signed word", g1(1), func() things {
				return things{"u0": fill(64, untouched), "u3": []uint32{0, 1, 2, 3, 4, 5, 6, 7}, "u4": []uint32{5, 0, 0, 9, 1}}
			}),
			input(Outside, "one unsigned word", g1(1), func() things {
				return things{"u0": fill(64, untouched), "u3": []uint32{100}, "u4": []uint32{5, 0, 0, 9, 1, 7}}
			}),
			input(Outside, "nothing there", g1(2), func() things { return things{"u0": fill(100, untouched), "u3": []uint32{1}, "u4": []uint32{2}} }),
		},
		Run: func(w *World) {
			out, u, s := w.words("u0"), w.words("u3"), w.words("u4")
			w.each(64, 1, 1, func(t Thread) {
				d := t.D[0]
				o := u.add(d&7, 1)
				u.atomic(8, 0, func(x uint32) uint32 { return max(x, d) })
				s.atomic(d&3, 0, imin(-int32(d)))
				p := s.atomic(5, 0, func(x uint32) uint32 { return x - 1 })
				out.store(d, o+p)
				if u.in(d&7) || s.in(5) {
					out.mark(d, 0, rule{any: true})
				}
			})
		},
		Check: func(in, got *World) error {
			u, s, out := in.words("u3"), in.words("u4"), got.words("u0")
			threads := int(in.Groups[0]) * 64
			if int(out.count()) < threads {
				return nil // some sums are not kept
			}
			signed := make([]uint32, threads)
			if s.in(5) {
				signed = perClass(s.load(5), ^uint32(0), threads)
			}
			sum := uint32(0)
			for _, p := range signed {
				sum += p
			}
			for c := range uint32(8) {
				var olds []uint32
				if u.in(c) {
					olds = perClass(u.load(c), 1, threads/8)
				} else {
					olds = make([]uint32, threads/8)
				}
				var kept []uint32
				for d := c; d < uint32(threads); d += 8 {
					kept = append(kept, out.load(d))
				}
				if !s.in(5) && !permutation(kept, olds) {
					return fmt.Errorf("word %d returned %v, not each of %v", c, kept, olds)
				}
				for i := range olds {
					sum += olds[i] - kept[i]
				}
			}
			if !u.in(1) && u.in(0) { // classes 1 to 7 keep the signed value alone
				seen := map[uint32]bool{}
				for d := range uint32(threads) {
					if d%8 == 0 {
						continue
					}
					if v := out.load(d); s.in(5) && (seen[v] || !slices.Contains(signed, v)) {
						return fmt.Errorf("thread %d got %d", d, int32(v))
					} else {
						seen[v] = true
					}
				}
			}
			if sum != 0 {
				return fmt.Errorf("the sums that threads keep are %d off", int32(sum))
			}
			return nil
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "atomics_record",
		Order: "value.x is the old key that one of the adds returned, of whichever thread wrote last",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"u1": sampleRecords(4)} }),
			input(Boundary, "", g1(2), func() things { return things{"u1": sampleRecords(4)[:3*6]} }),
			input(Outside, "", g1(1), func() things { return things{"u1": sampleRecords(2)[:6+3]} }),
		},
		Run: func(w *World) {
			u := w.records("u1", 6)
			threads := w.Groups[0] * 64
			for c := range uint32(4) {
				// An old key is the first one plus some of the others' thread numbers,
				// which are c, c+4, ...: the sums that such subsets have.
				sums := map[uint32]bool{u.get(c, 0): true}
				for d := c; d < threads; d += 4 {
					for _, s := range sortedKeys(sums) {
						sums[s+d] = true
					}
				}
				var of []uint32
				for _, s := range sortedKeys(sums) {
					of = append(of, bits(float32(s)))
				}
				u.mark(c, 1, rule{of: of})
			}
			w.each(64, 1, 1, func(t Thread) {
				u.atomic(t.D[0]&3, 0, func(o uint32) uint32 { return o + t.D[0] })
				u.atomic(0, 5, imax(int32(t.D[0])))
			})
			for c := range uint32(4) {
				u.set(c, 1, bits(float32(u.get(c, 0)))) // no thread reads the last key
			}
		},
		Check: func(in, got *World) error {
			for c := range got.records("u1", 6).count() {
				r := got.records("u1", 6)
				if last := bits(float32(r.get(c, 0))); c > 0 && r.get(c, 1) == last {
					return fmt.Errorf("record %d: %g is the key after the last add, which no thread read", c, f32(last))
				}
			}
			return nil
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "atomics_float_bits",
		Order: "a maximum returns its first value or any thread's, whichever came before; the final maximum has one value",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"b0": constants(0), "u0": append(floats(3), fill(64, untouched)...)} }),
			input(Boundary, "", g1(2), func() things { return things{"b0": constants(0), "u0": append(floats(10000), fill(127, untouched)...)} }),
			input(Outside, "", g1(2), func() things { return things{"b0": constants(0), "u0": append(floats(0), fill(30, untouched)...)} }),
		},
		Run: func(w *World) {
			u, ax := w.words("u0"), w.cbf("b0", 4)
			var all []float32
			first := u.getf(0, 0)
			w.each(64, 1, 1, func(t Thread) { all = append(all, ax*float32(t.D[0])+0.5) })
			w.each(64, 1, 1, func(t Thread) {
				f := all[t.D[0]]
				o := u.atomic(0, 0, func(x uint32) uint32 { return max(x, bits(f)) })
				u.setf(t.D[0]+1, 0, f32(o)+f)
				r := rule{of: floats(first + f)}
				for _, g := range all {
					if g > first {
						r.of = append(r.of, bits(g+f))
					}
				}
				u.mark(t.D[0]+1, 0, r)
			})
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "atomics_mixed_access",
		Order: "a thread reads its word after its own add and before or after any other",
		Inputs: []Input{
			input(Small, "", g1(1), func() things {
				return things{"u0": append([]uint32{0, 10, 20, 30, 40, 50, 60, 70}, fill(64, untouched)...)}
			}),
			input(Boundary, "", g1(2), func() things { return things{"u0": append(fill(8, 0xfffffffc), fill(127, untouched)...)} }),
			input(Outside, "", g1(1), func() things { return things{"u0": []uint32{1, 2, 3}} }),
		},
		Run: func(w *World) {
			u := w.words("u0")
			first := slices.Clone(u.Words)
			threads := int(w.Groups[0]) * 64
			w.each(64, 1, 1, func(t Thread) { u.add(t.D[0]&7, 1) })
			w.each(64, 1, 1, func(t Thread) {
				u.store(8+t.D[0], u.load(t.D[0]&7))
				if c := int(t.D[0] & 7); c < len(first) {
					u.mark(8+t.D[0], 0, rule{of: perClass(first[c]+1, 1, threads/8)})
				}
			})
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "shared_plain",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"b0": constants(1), "t4": noise(33, 64), "u0": fill(64, untouched)} }),
			input(Boundary, "", g1(2), func() things { return things{"b0": constants(64), "t4": noise(34, 127), "u0": fill(127, untouched)} }),
			input(Outside, "", g1(3), func() things {
				return things{"b0": constants(0xffffffff), "t4": noise(35, 70), "u0": fill(130, untouched)}
			}),
		},
		Run: func(w *World) {
			in, out := w.words("t4"), w.words("u0")
			w.groups(64, 1, 1, func(g []Thread) {
				var s [64]uint32
				for _, t := range g {
					s[t.I] = in.load(t.D[0])
				}
				for _, t := range g {
					out.store(t.D[0], s[63-t.I]+s[(t.I+w.cb("b0", 0))&63])
				}
			})
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "shared_structured",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"b0": constants(0), "u1": fill(64*6, untouched)} }),
			input(Boundary, "", g1(2), func() things { return things{"b0": constants(0), "u1": fill(127*6, untouched)} }),
			input(Outside, "half a record", g1(2), func() things { return things{"b0": constants(0), "u1": fill(70*6+4, untouched)} }),
		},
		Run: func(w *World) {
			out, ax := w.records("u1", 6), w.cbf("b0", 4)
			w.groups(64, 1, 1, func(g []Thread) {
				for _, t := range g {
					j := (t.I*7 + 3) & 63 // the record that this thread reads
					d := g[j].D[0]
					out.setRecord(t.D[0], record(d, float32(d)*ax, float32(j)*ax, ax, -int32(j)+int32(j*j), int32(j*j)))
				}
			})
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "shared_atomics",
		Order: "the adds to a word return its values in any order, each once; of the eight exchanges on a word the first one stays",
		Inputs: []Input{
			// Words 16 to 23 and 31 have other operations: the adds keep away from them.
			input(Small, "", g1(1), func() things {
				return things{"t4": ramp(64, func(i uint32) uint32 { return i % 16 }), "u0": fill(192, untouched), "u6": fill(64, untouched)}
			}),
			input(Boundary, "", g1(2), func() things {
				return things{"t4": ramp(128, func(i uint32) uint32 { return 24 + i*i%7 }), "u0": fill(255, untouched), "u6": fill(95, untouched)}
			}),
			input(Outside, "", g1(2), func() things {
				return things{"t4": fill(40, 0xffffffe3), "u0": fill(170, untouched), "u6": fill(20, untouched)}
			}),
		},
		Run: func(w *World) {
			in, out, outs := w.words("t4"), w.words("u0"), w.words("u6")
			w.groups(64, 1, 1, func(g []Thread) {
				var s, m [32]uint32
				var olds [64]uint32
				of := map[uint32][]uint32{}
				for _, t := range g {
					c := in.load(t.D[0]) & 31
					olds[t.I] = s[c]
					of[c] = append(of[c], s[c])
					s[c]++
					m[t.I&31] = imin(-int32(t.I))(m[t.I&31])
				}
				s[31] = 63
				for k := range uint32(8) {
					s[16+k] = k + 1
				}
				for _, t := range g {
					if t.I < 32 {
						out.store(t.D[0], s[t.I])
						outs.store(t.D[0], m[t.I])
						if t.I >= 16 && t.I < 24 {
							out.mark(t.D[0], 0, rule{of: ramp(8, func(j uint32) uint32 { return t.I - 16 + 8*j + 1 })})
						}
					}
					out.store(128+t.D[0], olds[t.I])
					out.mark(128+t.D[0], 0, rule{of: of[in.load(t.D[0])&31]})
				}
			})
		},
		Check: func(in, got *World) error {
			t4, out := in.words("t4"), got.words("u0")
			for g := range in.Groups[0] {
				seen := map[[2]uint32]bool{}
				for d := g * 64; d < g*64+64 && out.in(128+d); d++ {
					k := [2]uint32{t4.load(d) & 31, out.load(128 + d)}
					if seen[k] {
						return fmt.Errorf("group %d: word %d returned %d twice", g, k[0], k[1])
					}
					seen[k] = true
				}
			}
			return nil
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "shared_out_of_range",
		Order: "words 64 to 255 are never written: D3D leaves them undefined, WebGPU starts them at zero",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"b0": constants(0, 5), "u0": fill(64, untouched)} }),
			input(Boundary, "", g1(2), func() things { return things{"b0": constants(0xffffff00, 1), "u0": fill(127, untouched)} }),
			input(Outside, "", g1(1), func() things { return things{"b0": constants(224, 9), "u0": fill(60, untouched)} }),
		},
		Run: func(w *World) {
			out := w.words("u0")
			w.each(64, 1, 1, func(t Thread) {
				v := uint32(0)
				if at := (t.I + w.cb("b0", 0)) % 256; at < 64 {
					v = at + 1
				}
				out.store(t.D[0], v+w.cb("b0", 1))
			})
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "barriers",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"u0": fill(64, untouched)} }),
			input(Boundary, "", g1(2), func() things { return things{"u0": fill(127, untouched)} }),
			input(Outside, "", g1(2), func() things { return things{"u0": fill(33, untouched)} }),
		},
		Run: func(w *World) {
			out := w.words("u0")
			w.each(64, 1, 1, func(t Thread) {
				// The partner's word as it reads back: zero where its store was dropped.
				v, other := uint32(0), t.D[0]^1
				if out.in(other) {
					v = t.I ^ 1
				}
				out.store(t.D[0], v)
			})
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "barrier_uniform_branch",
		Inputs: []Input{
			input(Small, "", g1(2), func() things { return things{"b0": constants(2), "t4": noise(36, 128), "u0": fill(128, untouched)} }),
			input(Boundary, "", g1(3), func() things { return things{"b0": constants(2), "t4": noise(37, 127), "u0": fill(191, untouched)} }),
			input(Outside, "", g1(2), func() things { return things{"b0": constants(0), "t4": noise(38, 1), "u0": fill(65, untouched)} }),
			input(Outside, "short", g1(2), func() things {
				return things{"b0": constants(0xffffffff), "t4": noise(39, 31), "u0": fill(65, untouched)}
			}),
		},
		Run: func(w *World) {
			in, out := w.words("t4"), w.words("u0")
			w.each(64, 1, 1, func(t Thread) {
				v := uint32(5)
				if w.cb("b0", 0) > t.G[0] {
					v = in.load(t.D[0] ^ 1)
				}
				out.store(t.D[0], v)
			})
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "barrier_uniform_loop",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"b0": constants(3), "t4": noise(40, 64), "u0": fill(64, untouched)} }),
			input(Boundary, "", g1(2), func() things { return things{"b0": constants(0), "t4": noise(41, 127), "u0": fill(127, untouched)} }),
			input(Outside, "", g1(2), func() things { return things{"b0": constants(40), "t4": noise(42, 70), "u0": fill(100, untouched)} }),
		},
		Run: func(w *World) {
			in, out := w.words("t4"), w.words("u0")
			w.groups(64, 1, 1, func(g []Thread) {
				s := ramp(64, func(i uint32) uint32 { return in.load(g[i].D[0]) })
				for range w.cb("b0", 0) {
					s = ramp(64, func(i uint32) uint32 { return s[i] + s[(i+1)&63] })
				}
				for _, t := range g {
					out.store(t.D[0], s[t.I])
				}
			})
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "barrier_shared_condition",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"t4": noise(43, 64), "u0": noise(44, 64)} }),
			input(Boundary, "none and all", g1(2), func() things {
				return things{"t4": ramp(128, func(i uint32) uint32 { return i / 64 }), "u0": noise(45, 127)}
			}),
			input(Outside, "", g1(2), func() things { return things{"t4": fill(70, 3), "u0": noise(46, 66)} }),
		},
		Run: func(w *World) {
			in, out := w.words("t4"), w.words("u0")
			w.groups(64, 1, 1, func(g []Thread) {
				c := uint32(0)
				for _, t := range g {
					c += in.load(t.D[0]) & 1
				}
				for r := range c {
					for _, t := range g {
						out.store(t.D[0], out.load(t.D[0])+63-t.I+r)
					}
				}
			})
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "barrier_in_switch",
		Inputs: []Input{
			input(Small, "case 0", g1(1), func() things { return things{"b0": constants(0), "u0": fill(64, untouched)} }),
			input(Boundary, "case 1", g1(2), func() things { return things{"b0": constants(1), "u0": fill(127, untouched)} }),
			input(Outside, "default", g1(2), func() things { return things{"b0": constants(0xfffffffe), "u0": fill(70, untouched)} }),
		},
		Run: func(w *World) {
			out, x := w.words("u0"), w.cb("b0", 0)
			w.each(64, 1, 1, func(t Thread) {
				switch x {
				case 0:
					out.store(t.D[0], 63-t.I)
				case 1:
					out.store(t.D[0], 1)
				default:
					out.store(t.D[0], (t.I^2)*x)
				}
			})
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "early_return",
		Inputs: []Input{
			input(Small, "", g1(1), func() things {
				return things{"b0": constants(40), "t4": ramp(64, func(i uint32) uint32 { return i * 5 % 13 }), "u0": fill(64, untouched)}
			}),
			input(Boundary, "", g1(2), func() things {
				return things{"b0": constants(100), "t4": ramp(100, func(i uint32) uint32 { return i*37%90 + 1 }), "u0": fill(99, untouched)}
			}),
			input(Outside, "", g1(3), func() things {
				return things{"b0": constants(0xffffffff), "t4": ramp(70, func(i uint32) uint32 { return 75 + i }), "u0": fill(66, untouched)}
			}),
		},
		Run: func(w *World) {
			in, out := w.words("t4"), w.words("u0")
			w.each(64, 1, 1, func(t Thread) {
				if t.D[0] >= w.cb("b0", 0) {
					return
				}
				for r := range in.load(t.D[0]) {
					if in.load(r) == t.D[0] {
						return
					}
					out.store(t.D[0], r)
				}
			})
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "single_thread",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"b0": constants(10), "t4": noise(47, 20), "u0": fill(2, untouched)} }),
			input(Boundary, "", g1(1), func() things { return things{"b0": constants(20), "t4": noise(48, 20), "u0": fill(1, untouched)} }),
			input(Boundary, "zero", g1(2), func() things { return things{"b0": constants(0), "t4": noise(48, 20), "u0": fill(1, untouched)} }),
			input(Outside, "", g1(3), func() things { return things{"b0": constants(50), "t4": noise(49, 20), "u0": fill(1, untouched)} }),
		},
		Run: func(w *World) {
			in, sum := w.words("t4"), uint32(0)
			for r := range w.cb("b0", 0) {
				sum += in.load(r)
			}
			w.words("u0").store(0, sum)
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "threads_1024",
		Order: "four threads write each word of the group and one of them is last; every reader sees that one",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"u0": fill(1024, untouched)} }),
			input(Boundary, "", g1(2), func() things { return things{"u0": fill(2047, untouched)} }),
			input(Outside, "", g1(2), func() things { return things{"u0": fill(1100, untouched)} }),
		},
		Run: func(w *World) {
			out := w.words("u0")
			w.each(1024, 1, 1, func(t Thread) {
				at := t.I * 3 & 255
				out.store(t.D[0], at)
				out.mark(t.D[0], 0, rule{of: []uint32{at, at + 256, at + 512, at + 768}})
			})
		},
		Check: func(_, got *World) error {
			out, seen := got.words("u0"), map[[2]uint32]uint32{}
			for d := range out.count() {
				k := [2]uint32{d / 1024, d % 1024 * 3 & 255}
				if v, ok := seen[k]; ok && v != out.load(d) {
					return fmt.Errorf("readers of word %d of group %d saw %d and %d", k[1], k[0], v, out.load(d))
				}
				seen[k] = out.load(d)
			}
			return nil
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "shared_32k",
		Views: map[string]string{"u5": "R32G32B32A32_FLOAT"},
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"u5": fill(1024, untouched)} }),
			input(Boundary, "", g1(2), func() things { return things{"u5": fill(511*4, untouched)} }),
			input(Outside, "part of an element", g1(2), func() things { return things{"u5": fill(300*4+3, untouched)} }),
		},
		Run: func(w *World) {
			out := w.records("u5", 4)
			w.each(256, 1, 1, func(t Thread) {
				at := t.I * 37 & 2047
				out.setRecord(t.D[0], fill(4, bits(float32(at/256*(at%256)))))
			})
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "coherent_access",
		Order: "no barrier waits for the partner: its word is the old or the new one",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"u0": fill(64, untouched), "u7": fill(64, 1000)} }),
			input(Boundary, "", g1(2), func() things { return things{"u0": fill(128, untouched), "u7": fill(127, 1000)} }),
			input(Outside, "", g1(2), func() things { return things{"u0": fill(70, untouched), "u7": fill(9, 1000)} }),
		},
		Run: func(w *World) {
			out, u := w.words("u0"), w.words("u7")
			w.each(64, 1, 1, func(t Thread) {
				other := t.D[0] ^ 1
				if u.in(other) {
					out.store(t.D[0], other)
					out.mark(t.D[0], 0, rule{of: []uint32{other, u.load(other)}})
				} else {
					out.store(t.D[0], 0)
				}
			})
			for d := range w.Groups[0] * 64 {
				u.store(d, d)
			}
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "append_consume",
		Order: "records are taken and appended in any order: what was appended is compared as a multiset",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return appendThings(40, 100, 45, 100, 3) }),
			input(Boundary, "", g1(2), func() things { return appendThings(100, 100, 100, 51, 0) }),
			input(Outside, "counter below zero", g1(1), func() things { return appendThings(64, 30, 20, 200, 1) }),
			input(Outside, "both short", g1(2), func() things { return appendThings(128, 30, 128, 10, 2) }),
		},
		Run: func(w *World) {
			from, to := w.records("u2", 2), w.records("u1", 2)
			take, put := w.words("u2.count"), w.words("u1.count")
			w.each(64, 1, 1, func(t Thread) {
				if t.D[0] >= w.cb("b0", 0) {
					return
				}
				at := take.add(0, ^uint32(0)) - 1
				v := from.record(at)
				if v[0]&1 != 0 {
					k := put.add(0, 1)
					to.setRecord(k, []uint32{v[0] * 2, v[1]})
					to.mark(k, 0, rule{any: true})
					to.mark(k, 1, rule{any: true})
				}
			})
		},
		Check: func(in, got *World) error {
			from, to := in.records("u2", 2), got.records("u1", 2)
			left := map[[2]uint32]int{}
			taken := 0
			for i := range min(in.cb("b0", 0), in.Groups[0]*64) {
				if v := from.record(in.words("u2.count").load(0) - 1 - i); v[0]&1 != 0 {
					left[[2]uint32{v[0] * 2, v[1]}]++
					taken++
				}
			}
			first := in.words("u1.count").load(0)
			for k := first; k < first+uint32(taken) && to.in(k); k++ {
				v := [2]uint32{to.get(k, 0), to.get(k, 1)}
				if left[v]--; left[v] < 0 {
					return fmt.Errorf("record %d is %v: not consumed, or appended twice", k, v)
				}
			}
			return nil
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "counters",
		Order: "threads get the counts in any order, each once",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return counterThings(2, 70, 64) }),
			input(Boundary, "", g1(2), func() things { return counterThings(0, 128, 127) }),
			input(Outside, "counter wraps", g1(1), func() things { return counterThings(0xffffffe0, 32, 20) }),
			input(Outside, "", g1(2), func() things { return counterThings(100, 130, 64) }),
		},
		Run: func(w *World) {
			counted, out, count := w.words("u3"), w.words("u0"), w.words("u3.count")
			w.each(64, 1, 1, func(t Thread) {
				at := count.add(0, 1)
				counted.store(at, t.D[0])
				counted.mark(at, 0, rule{any: true})
				if t.D[0]&1 != 0 {
					out.store(t.D[0], 1)
				}
			})
		},
		Check: func(in, got *World) error {
			return eachOnce(in, got, "u3", in.words("u3.count").load(0))
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "counters_down",
		Order: "threads get the counts in any order, each once",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return counterThings(70, 1, 80) }),
			input(Boundary, "", g1(2), func() things { return counterThings(128, 1, 128) }),
			input(Outside, "counter wraps", g1(2), func() things { return counterThings(40, 1, 39) }),
		},
		Run: func(w *World) {
			out, count := w.words("u0"), w.words("u3.count")
			w.each(64, 1, 1, func(t Thread) {
				at := count.add(0, ^uint32(0)) - 1
				out.store(at, t.D[0])
				out.mark(at, 0, rule{any: true})
			})
		},
		Check: func(in, got *World) error {
			return eachOnce(in, got, "u0", in.words("u3.count").load(0)-in.Groups[0]*64)
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "images_write",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return imageThings(8, 8, 8, 8) }),
			input(Boundary, "", [3]uint32{2, 2, 1}, func() things { return imageThings(16, 16, 15, 16) }),
			input(Outside, "", [3]uint32{2, 2, 2}, func() things { return imageThings(3, 5, 11, 2) }),
		},
		Run: func(w *World) {
			img, vol := w.texture("t5"), w.texture("t6")
			u := func(i int) *Texture { return w.texture(fmt.Sprintf("u%d", i)) }
			a := [4]float32{w.cbf("b0", 4), w.cbf("b0", 5), w.cbf("b0", 6), w.cbf("b0", 7)}
			w.each(8, 8, 1, func(t Thread) {
				x, y, z := t.D[0], t.D[1], t.D[2]
				u(0).storef(x, 0, 0, a[0])
				u(1).store(x, 0, y, [4]uint32{x, y})
				v := img.floats(x, y, 0)
				u(2).storef(x, y, 0, v[0]*a[0], v[1]*a[1], v[2]*a[2], v[3]*a[3])
				u(3).store(x, y, z, [4]uint32{w.cb("b0", 8), w.cb("b0", 9), w.cb("b0", 10), w.cb("b0", 11)})
				// Nearest texel of d / 8, clamped to the edge.
				texel := func(d uint32, n int) uint32 { return min(uint32(float64(d)*0.125*float64(n)), uint32(n-1)) }
				u(4).storef(x, y, z, vol.red(texel(x, vol.W), texel(y, vol.H), texel(z, vol.D)))
				u(5).store(x, y, 0, [4]uint32{x ^ y})
				u(6).storef(x, y, 0, a[0], a[1], a[2], a[3])
				u(7).storef(x, y, 0, a[0], a[1], 0, 0)
				u(7).mark(x, y, 0, 2, rule{any: true}) // channels that the declaration does not have
				u(7).mark(x, y, 0, 3, rule{any: true})
			})
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "images_read",
		Inputs: []Input{
			// n moves the reads behind all that is written, so that no thread reads what another writes.
			input(Small, "", g1(1), func() things { return imageReads(8, 8, 20, 20, constants(8, 8)) }),
			input(Boundary, "", g1(1), func() things { return imageReads(8, 8, 16, 15, constants(8, 8)) }),
			input(Outside, "", [3]uint32{2, 2, 1}, func() things { return imageReads(5, 3, 11, 9, constants(1000, 0xffffff00)) }),
		},
		Run: func(w *World) {
			u, v := w.texture("u5"), w.texture("u4")
			w.each(8, 8, 1, func(t Thread) {
				x, y, z := t.D[0], t.D[1], t.D[2]
				u.store(x, y, 0, [4]uint32{u.load(y+w.cb("b0", 0), x+w.cb("b0", 1), 0)[0] + 1})
				v.storef(x, y, z, v.red(z, y, x)*2)
			})
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "images_atomics",
		Order: "a maximum takes whichever old value its thread got",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"u5": image("2d", "r32uint", 4, 4, 1, same())} }),
			input(Boundary, "", [3]uint32{2, 2, 1}, func() things { return things{"u5": image("2d", "r32uint", 4, 4, 1, same())} }),
			input(Outside, "", [3]uint32{2, 2, 1}, func() things { return things{"u5": image("2d", "r32uint", 2, 3, 1, same())} }),
		},
		Run: func(w *World) {
			u := w.texture("u5")
			w.each(8, 8, 1, func(t Thread) {
				x, y := t.D[0]/4, t.D[1]/4
				o := u.load(x, y, 0)[0]
				if _, ok := u.index(x, y, 0); ok {
					u.store(x, y, 0, [4]uint32{o + 1})
				} else {
					o = 0
				}
				u.store(0, 0, 0, [4]uint32{max(u.load(0, 0, 0)[0], o)})
			})
			u.mark(0, 0, 0, 0, rule{of: ramp(49, func(i uint32) uint32 { return i })}) // every texel counts to 16
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "images_sizes",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return sizeThings(8, 8, 4, 3, 2) }),
			input(Boundary, "", g1(1), func() things { return sizeThings(8, 7, 8, 8, 1) }),
			input(Outside, "", [3]uint32{2, 2, 1}, func() things { return sizeThings(3, 2, 13, 12, 5) }),
		},
		Run: func(w *World) {
			u, v := w.texture("u2"), w.texture("u4")
			w.each(8, 8, 1, func(t Thread) {
				if int(t.D[0]) < v.W && int(t.D[1]) < v.H { // the last size asked for is img3's
					u.storef(t.D[0], t.D[1], 0, float32(v.W), float32(v.H), float32(v.D), 1)
				}
			})
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "volumes",
		Inputs: []Input{
			input(Small, "", [3]uint32{1, 1, 1}, func() things { return volumeThings(4, 4, 4, 4, 4, 4) }),
			input(Boundary, "", [3]uint32{2, 2, 2}, func() things { return volumeThings(8, 8, 7, 8, 7, 8) }),
			input(Outside, "", [3]uint32{2, 2, 2}, func() things { return volumeThings(3, 2, 5, 7, 8, 3) }),
		},
		Run: func(w *World) {
			in, out := w.texture("t6"), w.texture("u4")
			w.each(4, 4, 4, func(t Thread) {
				x, y, z := t.D[0], t.D[1], t.D[2]
				sum := in.red(x, y, z-1) + in.red(x, y, z) + in.red(x, y, z+1)
				out.storef(x, y, z, sum/3)
				out.mark(x, y, z, 0, rule{tol: float64(sum) * 3e-7}) // 2.5 ULP of a division, or a product with 1/3
			})
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "integer_math",
		Inputs: []Input{
			exact(input(Small, "", g1(1), func() things {
				return things{"t4": ramp(65, func(i uint32) uint32 { return i*37 + 1 }), "u0": fill(512, untouched), "u6": fill(512, untouched)}
			})),
			exact(input(Boundary, "edges", g1(1), func() things {
				// Every pair of neighbours of a walk over the edges.
				edge := []uint32{0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 31, 32, 33, 0x80000001, 2, 0x00010000, 0xfffffffe, 0x3c00, 0x7bff, 0x0001, 0x83ff}
				return things{"t4": ramp(65, func(i uint32) uint32 { return edge[(i*i+i/5)%16] }), "u0": fill(509, untouched), "u6": fill(508, untouched)}
			})),
			exact(input(Outside, "", g1(2), func() things {
				return things{"t4": noise(50, 70), "u0": fill(600, untouched), "u6": fill(601, untouched)}
			})),
		},
		Run: func(w *World) {
			in, out, outs := w.words("t4"), w.words("u0"), w.words("u6")
			w.each(64, 1, 1, func(t Thread) {
				x, y, at := in.load(t.D[0]), in.load(t.D[0]+1), t.D[0]*8
				p, q := int32(x), int32(y)
				out.store(at, udiv(x, y))
				out.store(at+1, umod(x, y))
				// A signed division is one of magnitudes, its sign put back: all ones of a
				// division by zero too.
				sign := func(neg bool, v uint32) uint32 {
					if neg {
						return -v
					}
					return v
				}
				outs.store(at, sign(p < 0 != (q < 0), udiv(magnitude(p), magnitude(q))))
				outs.store(at+1, sign(p < 0, umod(magnitude(p), magnitude(q))))
				out.store(at+2, x<<(y&31)^x>>((y+1)&31))
				outs.store(at+2, uint32(p>>(y&31)))
				high := func(v uint32) uint32 { return uint32(mb.Len32(v)) - 1 } // all ones for 0
				low := func(v uint32) uint32 {
					if v == 0 {
						return 0xffffffff
					}
					return uint32(mb.TrailingZeros32(v))
				}
				out.store(at+3, uint32(mb.OnesCount32(x))+high(y)+low(x)+mb.Reverse32(y))
				s := uint32(0)
				switch {
				case p > 0:
					s = 1
				case p < 0:
					s = 0xffffffff
				}
				outs.store(at+3, high(uint32(p^p>>31))+magnitude(q)+s)
				out.store(at+4, uint32(toHalf(flush(f32(x)))))
				if h := uint16(x); h&0x7c00 == 0x7c00 { // infinities and NaNs
					out.store(at+5, x<<16&0x80000000|0x7f800000|uint32(h&1023)<<13)
					if h&1023 != 0 {
						out.mark(at+5, 0, rule{any: true}) // a NaN; of what payload is open
					}
				} else {
					out.store(at+5, bits(fromHalf(h)))
				}
				if f := f32(x); f != f {
					out.mark(at+4, 0, rule{any: true})
				}
			})
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "float_to_int",
		Inputs: []Input{
			input(Small, "", g1(1), func() things {
				return floatThings(rampf(64, func(i uint32) float32 { return float32(i)*0.37 - 9 }), 256)
			}),
			input(Boundary, "", g1(1), func() things {
				return floatThings(floats(0, 1, -1, 0.5, -0.5, 0.99999994, 1.0000001, 2147483520, -2147483648, 16777216, 16777217, 2, -4, 0.25, 1e-30, -1e-30, 65536.5, -65536.5), 200)
			}),
			exact(input(Outside, "", g1(1), func() things {
				nan, inf := float32(math.NaN()), float32(math.Inf(1))
				return floatThings(floats(nan, inf, -inf, 3e9, -3e9, 2147483648, 4294967296, 5e9, 4294967040, -1, 1e38, -1e38), 150)
			})),
		},
		Run: func(w *World) {
			in, out, outs := w.words("t4"), w.words("u0"), w.words("u6")
			ax, ay, az := w.cbf("b0", 4), w.cbf("b0", 5), w.cbf("b0", 6)
			w.each(64, 1, 1, func(t Thread) {
				d, f := t.D[0], in.getf(t.D[0], 0)
				x := float64(f)
				i, u := int32(0), uint32(0)
				switch { // NaN: 0
				case x >= 2147483648:
					i = math.MaxInt32
				case x <= -2147483648:
					i = math.MinInt32
				case x == x:
					i = int32(x)
				}
				switch {
				case x >= 4294967296:
					u = math.MaxUint32
				case x > 0:
					u = uint32(x)
				}
				outs.store(d, uint32(i))
				out.store(d, u)
				sat := float32(0)
				switch {
				case f >= 1:
					sat = 1
				case f > 0:
					sat = f
				}
				lo, hi := ax, ay // a NaN gives the other operand
				if f < ax {
					lo = f
				}
				if f > ay {
					hi = f
				}
				c := uint32(0)
				for k, yes := range []bool{f < az, f >= az, f == az, f != az} {
					if yes {
						c |= 1 << k
					}
				}
				vals := [3]uint32{bits(sat), bits(lo) ^ bits(hi), c}
				for k, v := range vals {
					out.store(d+64*uint32(k+1), v)
				}
			})
		},
	},
	{
		Source: "compute-memory.hlsl", Entry: "doubles",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return doubleThings(64, 64) }),
			input(Boundary, "", g1(1), func() things { return doubleThings(63, 63) }),
			input(Outside, "", g1(2), func() things { return doubleThings(40, 90) }),
		},
		Run: func(w *World) {
			in, out := w.words("t4"), w.words("u0")
			w.each(32, 1, 1, func(t Thread) {
				d := t.D[0]
				double := func(at uint32) float64 {
					return math.Float64frombits(uint64(in.load(at)) | uint64(in.load(at+1))<<32)
				}
				x, y := double(d*4), double(d*4+2)
				z := float64(float64(x*y)+x) - y
				if !(z > y) {
					z = float64(d)
				}
				b := math.Float64bits(z)
				out.store(d*2, uint32(b))
				out.store(d*2+1, uint32(b>>32))
			})
		},
	},
}

func exact(in Input) Input { in.Exact = true; return in }

// mul multiplies the float of a word.
func mul(w uint32, f float32) uint32 { return bits(f32(w) * f) }

func quarter(i uint32) float32 { return float32(i)*0.25 - 20 }

func imax(v int32) func(uint32) uint32 {
	return func(o uint32) uint32 { return uint32(max(int32(o), v)) }
}

func imin(v int32) func(uint32) uint32 {
	return func(o uint32) uint32 { return uint32(min(int32(o), v)) }
}

func cmpxchg(cmp, v uint32) func(uint32) uint32 {
	return func(o uint32) uint32 {
		if o == cmp {
			return v
		}
		return o
	}
}

func udiv(x, y uint32) uint32 {
	if y == 0 {
		return 0xffffffff
	}
	return x / y
}

func umod(x, y uint32) uint32 {
	if y == 0 {
		return 0xffffffff
	}
	return x % y
}

func magnitude(v int32) uint32 {
	if v < 0 {
		return -uint32(v)
	}
	return uint32(v)
}

// flush is what float arithmetic makes of a denormal.
func flush(f float32) float32 {
	if bits(f)&0x7f800000 == 0 {
		return f32(bits(f) & 0x80000000)
	}
	return f
}

// eachOnce requires that the words of a buffer from first on, one for each thread,
// are the threads' numbers, each once; those that are not there got lost.
func eachOnce(in, got *World, name string, first uint32) error {
	u, threads := got.words(name), in.Groups[0]*64
	seen := map[uint32]bool{}
	for k := range threads {
		if !u.in(first + k) {
			continue
		}
		v := u.load(first + k)
		if v >= threads || seen[v] {
			return fmt.Errorf("%s[%d] is %d: no thread, or twice", name, first+k, v)
		}
		seen[v] = true
	}
	return nil
}

// appendThings: nx threads take from records with a counter and append to room.
func appendThings(nx uint32, records int, count uint32, room int, appended uint32) things {
	return things{"b0": constants(nx), "u1": fill(2*room, untouched), "u2": ramp(2*records, func(i uint32) uint32 { return i*i + i/2 + 1 }), "u1.count": []uint32{appended}, "u2.count": []uint32{count}}
}

func counterThings(count uint32, counted, words int) things {
	return things{"u0": fill(words, untouched), "u3": fill(counted, untouched), "u3.count": []uint32{count}}
}

func imageThings(w, h, w2, h2 int) things {
	v := func(x, y, z uint32) [4]uint32 {
		return [4]uint32{bits(float32(x)), bits(float32(y) * 0.5), bits(float32(z) - 2), bits(1)}
	}
	return things{
		"b0": params([4]uint32{}, [4]float32{1, 0, -1, 2}), // exact in unorm and snorm too
		"t5": image("2d", "rgba16float", w2, h, 1, v), "t6": image("3d", "r16float", 4, 2, 2, v), "s0": Nearest,
		"u0": image("1d", "r32float", w, 1, 1, same(9)), "u1": image("1d-array", "rg32uint", w2, 1, h2, same()),
		"u2": image("2d", "rgba32float", w, h2, 1, same(9)), "u3": image("2d-array", "rgba32sint", w2, h2, 2, same()),
		"u4": image("3d", "r32float", w2, h, 2, same(9)), "u5": image("2d", "r32uint", w2, h2, 1, same()),
		"u6": image("2d", "rgba8unorm", w, h, 1, same(0.6)), "u7": image("2d", "rgba8snorm", w, h, 1, same(0.6)),
	}
}

func imageReads(w3, h3, w, h int, b []uint32) things {
	return things{"b0": b,
		"u4": image("3d", "r32float", w3, h3, 8, func(x, y, z uint32) [4]uint32 {
			return [4]uint32{bits(float32(x + 10*y + 100*z))}
		}),
		"u5": image("2d", "r32uint", w, h, 1, func(x, y, _ uint32) [4]uint32 { return [4]uint32{x*1000 + y} })}
}

func sizeThings(w, h, w3, h3, d int) things {
	return things{"u2": image("2d", "rgba32float", w, h, 1, same(9)), "u3": image("2d-array", "rgba32sint", 2, 2, 2, same()), "u4": image("3d", "r32float", w3, h3, d, same(9))}
}

func volumeThings(w, h, d, w2, h2, d2 int) things {
	return things{
		"t6": image("3d", "r16float", w, h, d, func(x, y, z uint32) [4]uint32 { return [4]uint32{bits(float32(1 + x + 8*y + 64*z))} }),
		"u4": image("3d", "r32float", w2, h2, d2, same(9)),
	}
}

func floatThings(v []uint32, words int) things {
	return things{"b0": params([4]uint32{}, [4]float32{2, 0.5, -4, 0.25}), "t4": v, "u0": fill(words, untouched), "u6": fill(64, untouched)}
}

func doubleThings(in, out int) things {
	v := []float64{1, 2, 0.1, 3.5, -7, 1e300, 1e-300, 0, -0.3, 5e10, 1.5, -2.25}
	var words []uint32
	for i := 0; len(words) < 4*in; i++ {
		b := math.Float64bits(v[i*5%12])
		words = append(words, uint32(b), uint32(b>>32))
	}
	return things{"t4": words, "u0": fill(out, untouched)}
}
