package meaning

import "fmt"

var recordPrograms = []Program{
	{
		Source: "compute-records.hlsl", Entry: "record_arrays",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"b0": table(3), "t0": cells(70), "u0": cells(64)} }),
			input(Boundary, "", g1(2), func() things { return things{"b0": table(2), "t0": cells(129), "u0": cells(127)} }),
			input(Outside, "parts of records", g1(2), func() things {
				return things{"b0": table(0xffffffc0), "t0": cells(90)[:10*89+7], "u0": cells(80)[:10*79+9]}
			}),
		},
		Run: func(w *World) {
			in, out := w.records("t0", 10), w.records("u0", 10)
			w.each(64, 1, 1, func(t Thread) {
				d := t.D[0]
				k := in.get(d, 0) % 5
				out.setf(d, 1+k, in.getf(d+w.cb("b0", 0), 1+(k+d)%5)*2)
				out.set(d, 6+d&1*2+1, in.get(d, 6+d>>1&1*2))
				out.set(d, 0, out.get(d, 0)+k)
			})
		},
	},
	{
		Source: "compute-records.hlsl", Entry: "shared_arrays",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"b0": table(1), "t1": noise(130, 64), "u1": fill(128, untouched)} }),
			input(Boundary, "", g1(2), func() things { return things{"b0": table(5), "t1": noise(131, 127), "u1": fill(255, untouched)} }),
			input(Outside, "", g1(2), func() things {
				return things{"b0": table(0xffffffff), "t1": noise(132, 70), "u1": fill(100, untouched)}
			}),
		},
		Run: func(w *World) {
			in, out := w.words("t1"), w.words("u1")
			w.groups(64, 1, 1, func(g []Thread) {
				var a [16][6]uint32
				for _, t := range g {
					x := in.load(t.D[0])
					a[x&15][x>>4%5] += 1 + x>>28
					a[x>>8&15][5] = max(a[x>>8&15][5], x)
				}
				for _, t := range g {
					out.store(t.D[0]*2, a[t.I&15][(t.I/16+w.cb("b0", 0))%6])
					b := float32(t.I&15) * 4
					if t.I>>5 == 1 {
						b *= -0.5
					}
					out.setf(t.D[0]*2+1, 0, b)
				}
			})
		},
	},
	{
		Source: "compute-records.hlsl", Entry: "raw_atomics",
		Inputs: []Input{
			input(Small, "", g1(1), func() things {
				return things{"b0": table(16), "t1": noise(133, 64), "u1": fill(64, untouched), "u2": matching(144)}
			}),
			input(Boundary, "", g1(1), func() things {
				return things{"b0": table(32), "t1": noise(134, 63), "u1": fill(63, untouched), "u2": matching(143)}
			}),
			input(Outside, "", g1(1), func() things {
				return things{"b0": table(4000), "t1": noise(135, 64), "u1": fill(64, untouched), "u2": matching(51)}
			}),
			input(Outside, "some of the words", g1(1), func() things {
				return things{"b0": table(36), "t1": noise(136, 64), "u1": fill(64, untouched), "u2": matching(13)}
			}),
		},
		Run: func(w *World) {
			in, out, b := w.words("t1"), w.words("u1"), w.raw("u2").words()
			w.each(64, 1, 1, func(t Thread) {
				d, at := t.D[0], w.cb("b0", 0)/4
				x := in.load(d)
				b.atomic(at, 0, func(o uint32) uint32 { return o & (x | 0xff) })
				b.atomic(at+1, 0, func(o uint32) uint32 { return o | x&0xf0f0 })
				b.atomic(at+2, 0, func(o uint32) uint32 { return o ^ x })
				b.atomic(at+3, 0, func(o uint32) uint32 { return max(o, x) })
				b.atomic(at+4, 0, func(o uint32) uint32 { return min(o, x) })
				b.atomic(at+5, 0, imax(int32(x)))
				b.atomic(at+6, 0, imin(int32(x)))
				own := 16 + d*2
				r := b.atomic(own, 0, imax(int32(x)))
				o := b.atomic(own, 0, func(o uint32) uint32 { return min(o, x^0x80000000) })
				b.atomic(own+1, 0, cmpxchg(d, x))
				p := b.atomic(own+1, 0, cmpxchg(x, o))
				q := b.atomic(own+1, 0, func(uint32) uint32 { return p + 1 })
				out.store(d, r^o*3^p*5^q*7)
			})
		},
	},
	{
		Source: "compute-records.hlsl", Entry: "image_kinds",
		Views: map[string]string{"u3": "R32_UINT", "u4": "R32_SINT", "u5": "R32_FLOAT"},
		Inputs: []Input{
			input(Small, "", [3]uint32{1, 1, 1}, func() things { return kindThings(table(4, 16), 4, 4, 4, 64) }),
			input(Boundary, "", [3]uint32{2, 2, 2}, func() things { return kindThings(table(8, 64), 8, 7, 8, 511) }),
			input(Outside, "", [3]uint32{2, 2, 2}, func() things { return kindThings(table(0xffffff00, 8), 3, 9, 5, 50) }),
		},
		Run: func(w *World) {
			solid, sheets, strip := w.texture("u3"), w.texture("u4"), w.texture("u5")
			w.each(4, 4, 4, func(t Thread) {
				x, y, z := t.D[0], t.D[1], t.D[2]
				solid.store(x, y, z, [4]uint32{solid.load(x, y, z)[0]*3 + x})
				sheets.store(x, y, z, [4]uint32{-sheets.load(x, y, z)[0] - y})
				at := x + y*w.cb("b0", 0) + z*w.cb("b0", 1)
				strip.storef(at, 0, 0, strip.red(at, 0, 0)*0.5+float32(z))
			})
		},
	},
	{
		Source: "compute-records.hlsl", Entry: "worklist",
		Inputs: []Input{
			input(Small, "", g1(2), func() things { return things{"b0": table(192, 384), "t1": noise(137, 384), "u1": fill(128, untouched)} }),
			input(Boundary, "", g1(3), func() things { return things{"b0": table(100, 250), "t1": noise(138, 263), "u1": fill(191, untouched)} }),
			input(Outside, "", g1(2), func() things {
				return things{"b0": table(300, 0xffffffff), "t1": noise(139, 200), "u1": fill(70, untouched)}
			}),
			input(Outside, "nothing to do", g1(2), func() things { return things{"b0": table(0, 99), "t1": noise(139, 200), "u1": fill(128, untouched)} }),
		},
		Run: func(w *World) {
			in, out, n := w.words("t1"), w.words("u1"), w.cb("b0", 0)
			w.each(64, 1, 1, func(t Thread) {
				sum := uint32(0)
				for h := t.G[0] * n; h < min(t.G[0]*n+n, w.cb("b0", 1)); h += 64 {
					sum += in.load(h + t.I)
				}
				out.store(t.D[0], sum)
			})
		},
	},
	{
		Source: "compute-records.hlsl", Entry: "grid_sum",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"b0": table(1), "t1": noise(140, 64), "u1": fill(64, untouched)} }),
			input(Boundary, "", g1(2), func() things { return things{"b0": table(3), "t1": noise(141, 127), "u1": fill(127, untouched)} }),
			input(Outside, "", g1(2), func() things { return things{"b0": table(0xfffffffe), "t1": noise(142, 80), "u1": fill(90, untouched)} }),
		},
		Run: func(w *World) {
			in, out := w.words("t1"), w.words("u1")
			w.each(4, 4, 4, func(t Thread) {
				first := t.G[0] * 64
				at := func(x, y, z uint32) uint32 { return in.load(first + z&3*16 + y&3*4 + x&3) }
				x, y, z := t.T[0], t.T[1], t.T[2]
				out.store(first+t.I, at(x+1, y, z)+at(x, y+3, z)*3+at(y, x, z+w.cb("b0", 0))*5)
			})
		},
	},
	{
		Source: "compute-records.hlsl", Entry: "tables",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"b0": table(5, 6), "t1": noise(143, 71), "u1": fill(128, untouched)} }),
			input(Boundary, "", g1(2), func() things { return things{"b0": table(0, 1), "t1": noise(144, 134), "u1": fill(255, untouched)} }),
			// Row 6 of the table is the first that the constant buffer does not have.
			input(Outside, "", g1(2), func() things { return things{"b0": table(40, 9), "t1": noise(145, 90), "u1": fill(222, untouched)} }),
			input(Outside, "a modulus of zero", g1(1), func() things { return things{"b0": table(1, 0), "t1": noise(146, 30), "u1": fill(128, untouched)} }),
		},
		Run: func(w *World) {
			in, out := w.words("t1"), w.words("u1")
			w.each(64, 1, 1, func(t Thread) {
				var a [8]uint32
				for k := range a {
					a[k] = in.load(t.D[0] + uint32(k))
				}
				for j := range w.cb("b0", 0) {
					a[j*3&7] += a[j&7] ^ j
				}
				x := in.load(t.D[0])
				out.store(t.D[0]*2, a[x&7])
				row := uint32(0)
				if r := umod(x, w.cb("b0", 1)); r < 6 {
					row = w.cb("b0", int(4+4*r+t.D[0]&3))
				}
				out.store(t.D[0]*2+1, row)
			})
		},
	},
	{
		Source: "compute-records.hlsl", Entry: "pass_on",
		Order: "records are taken and given in any order: compared as a multiset",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return passThings(50, 60, 55, 60, 4) }),
			input(Boundary, "", g1(2), func() things { return passThings(128, 128, 128, 127, 0) }),
			input(Outside, "more than there are", g1(2), func() things { return passThings(0xffffffff, 100, 90, 110, 3) }),
		},
		Run: func(w *World) {
			take, give, out := w.words("u6.count"), w.words("u7.count"), w.records("u7", 10)
			w.each(64, 1, 1, func(t Thread) {
				if t.D[0] < w.cb("b0", 0) {
					take.add(0, ^uint32(0))
					k := give.add(0, 1)
					for c := range uint32(10) {
						out.mark(k, c, rule{any: true})
					}
				}
			})
		},
		Check: func(in, got *World) error {
			from, to, left := in.records("u6", 10), got.records("u7", 10), map[[10]uint32]int{}
			n := min(in.cb("b0", 0), in.Groups[0]*64)
			for i := range n {
				v := [10]uint32(from.record(in.words("u6.count").load(0) - 1 - i))
				v[3] = bits(f32(v[3]) + 1)
				v[8], v[9] = v[7], v[6]
				left[v]++
			}
			for k := range n {
				at := in.words("u7.count").load(0) + k
				if v := [10]uint32(to.record(at)); to.in(at) {
					if left[v]--; left[v] < 0 {
						return fmt.Errorf("record %d is %v: not taken, or given twice", at, v)
					}
				}
			}
			return nil
		},
	},
	{
		Source: "compute-records.hlsl", Entry: "stop_early",
		Inputs: []Input{
			input(Small, "", g1(3), func() things { return things{"b0": table(100000), "t1": []uint32{5, 0, 9}, "u1": fill(192, untouched)} }),
			input(Boundary, "the sum ends the loop", g1(3), func() things { return things{"b0": table(3000), "t1": []uint32{1, 100, 3}, "u1": fill(191, untouched)} }),
			input(Outside, "", g1(4), func() things { return things{"b0": table(2015), "t1": []uint32{70, 1}, "u1": fill(100, untouched)} }),
		},
		Run: func(w *World) {
			in, out := w.words("t1"), w.words("u1")
			w.groups(64, 1, 1, func(g []Thread) {
				head, todo := uint32(0), in.load(g[0].G[0])
				if todo == 0 {
					return
				}
				for r := uint32(0); r < todo; r++ {
					for _, t := range g {
						if t.I&r == 0 {
							head += r + t.I
						}
					}
					if head > w.cb("b0", 0) {
						break
					}
				}
				for _, t := range g {
					out.store(t.D[0], head)
				}
			})
		},
	},
}

// table is cbuffer Params of compute-records.hlsl: integers, and six rows.
func table(n ...uint32) []uint32 {
	return append(append(n, make([]uint32, 4-len(n))...), rampf(24, func(i uint32) float32 { return float32(i) * 1.5 })...)
}

// cells are records of a count, five floats and two pairs.
func cells(n int) []uint32 {
	return recordsOf(n, func(i uint32) []uint32 {
		return append(append([]uint32{i*i + 1}, rampf(5, func(k uint32) float32 { return float32(i) + float32(k)*0.25 })...), i, i+1000, i+2000, i+3000)
	})
}

// matching are words of which every third compares equal to its thread's number.
func matching(n int) []uint32 {
	out := noise(147, n)
	for d := 0; 17+2*d < n; d += 3 {
		out[17+2*d] = uint32(d)
	}
	return out
}

func kindThings(b []uint32, w, h, d, n int) things {
	v := func(x, y, z uint32) [4]uint32 { return [4]uint32{x + 100*y + 10000*z} }
	return things{"b0": b, "u3": image("3d", "r32uint", w, h, d, v), "u4": image("2d-array", "r32sint", h, w, d, v),
		"u5": image("1d", "r32float", n, 1, 1, func(x, _, _ uint32) [4]uint32 { return [4]uint32{bits(float32(x) * 2)} })}
}

func passThings(n uint32, from int, count uint32, to int, given uint32) things {
	return things{"b0": table(n), "u6": cells(from), "u7": fill(10*to+3, untouched), "u6.count": []uint32{count}, "u7.count": []uint32{given}}
}
