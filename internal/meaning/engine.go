package meaning

import (
	"fmt"
	"math"
	"slices"
)

// The engine's programs. Where the description of a program promises what a short
// buffer does, an input has it: an absent count reads as zero, a record or element
// of which a part is missing is not written and reads as zeros, and other writes of the
// same invocation go on.
var enginePrograms = []Program{
	{
		Source: "compute-engine.hlsl", Entry: "set_draw_parameters",
		Views: map[string]string{"t0": "R32_SINT", "u0": "R32_UINT"},
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"t0": []uint32{100, 7}, "u0": fill(6, untouched)} }),
			input(Boundary, "no particles, five words", g1(1), func() things { return things{"t0": []uint32{0}, "u0": fill(5, untouched)} }),
			input(Outside, "writes are dropped, a negative count wraps", g1(2), func() things { return things{"t0": []uint32{0xffffffff}, "u0": fill(2, untouched)} }),
		},
		Run: func(w *World) {
			u := w.words("u0")
			for i, v := range []uint32{w.words("t0").load(0) * 6, 1, 0, 0, 0} {
				u.store(uint32(i), v)
			}
		},
	},
	{
		Source: "compute-engine.hlsl", Entry: "set_sort_args",
		Views: map[string]string{"t0": "R32_SINT", "u0": "R32_UINT"},
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"t0": []uint32{1025}, "u0": fill(5, untouched)} }),
			input(Boundary, "none still dispatches one group", g1(1), func() things { return things{"t0": []uint32{0}, "u0": fill(4, untouched)} }),
			input(Boundary, "a whole group", g1(1), func() things { return things{"t0": []uint32{512}, "u0": fill(4, untouched)} }),
			input(Outside, "a negative count, three words", g1(1), func() things { return things{"t0": []uint32{0xffffff00}, "u0": fill(3, untouched)} }),
		},
		Run: func(w *World) {
			u, count := w.words("u0"), w.words("t0").load(0)
			for i, v := range []uint32{(max(count, 1) + 511) >> 9, 1, 1, count} {
				u.store(uint32(i), v)
			}
		},
	},
	{
		Source: "compute-engine.hlsl", Entry: "sort_step",
		Views: map[string]string{"t0": "R32_UINT"},
		Inputs: []Input{
			input(Small, "mirrored", g1(2), func() things { return sortThings([]uint32{512, 0, 0, 0}, 1024, entries(1024)) }),
			input(Small, "straight", g1(2), func() things { return sortThings([]uint32{512, 1, 0, 0}, 1024, entries(1024)) }),
			input(Boundary, "the last record has no partner", g1(2), func() things { return sortThings([]uint32{256, 0, 0, 0}, 1023, entries(1023)) }),
			input(Boundary, "a stride of zero", g1(1), func() things { return sortThings([]uint32{0, 1, 0, 0}, 256, entries(256)) }),
			input(Outside, "no count: it reads as zero", g1(2), func() things {
				r := sortThings([]uint32{256, 0, 0, 0}, 1024, entries(1024))
				r["t0"] = []uint32{9, 9, 9}
				return r
			}),
			input(Outside, "records that are not there are zero and take part", g1(2), func() things {
				return sortThings([]uint32{256, 0, 0, 0}, 1024, entries(300)[:599])
			}),
			input(Outside, "NaN is never less", g1(1), func() things { return sortThings([]uint32{1, 1, 0, 0}, 512, withNaN(entries(512))) }),
		},
		Run: func(w *World) {
			u, count, half, flat := w.records("u0", 2), w.words("t0").load(3), w.cb("b3", 0), w.cb("b3", 1) != 0
			for lane := range w.Groups[0] * 256 {
				low := lane & (half - 1)
				at := (lane-low)<<1 + low
				other := at + half
				if !flat {
					other = at + half<<1 - low<<1 - 1
				}
				if other < count {
					a, b := u.record(at), u.record(other)
					if f32(b[1]) < f32(a[1]) {
						u.setRecord(at, b)
						u.setRecord(other, a)
					}
				}
			}
		},
	},
	{
		Source: "compute-engine.hlsl", Entry: "sort_inner",
		Views: map[string]string{"t0": "R32_UINT"},
		Inputs: []Input{
			input(Small, "bitonic records become sorted", g1(2), func() things { return sortThings(nil, 1024, bitonic(1024)) }),
			input(Small, "any records", g1(2), func() things { return sortThings(nil, 900, entries(1024)) }),
			input(Boundary, "", g1(2), func() things { return sortThings(nil, 1023, entries(1023)) }),
			input(Boundary, "none", g1(1), func() things { return sortThings(nil, 0, entries(512)) }),
			input(Outside, "no count: it reads as zero", g1(1), func() things {
				r := sortThings(nil, 512, entries(512))
				r["t0"] = []uint32{512, 512, 512}
				return r
			}),
			input(Outside, "records that are not there are zero and take part", g1(2), func() things { return sortThings(nil, 1024, negative(entries(700)[:1399])) }),
			input(Outside, "more groups than records", g1(4), func() things { return sortThings(nil, 600, withNaN(entries(2048))) }),
		},
		Run: func(w *World) {
			chunks(w, func(c [][]uint32, active int) {
				for stride := 256; stride > 0; stride /= 2 {
					stage(c, active, stride, false)
				}
			})
		},
	},
	{
		Source: "compute-engine.hlsl", Entry: "sort",
		Views: map[string]string{"t0": "R32_UINT"},
		Inputs: []Input{
			input(Small, "", g1(2), func() things { return sortThings(nil, 1024, entries(1024)) }),
			input(Boundary, "", g1(2), func() things { return sortThings(nil, 1023, entries(1023)) }),
			input(Boundary, "one", g1(1), func() things { return sortThings(nil, 1, entries(512)) }),
			input(Boundary, "none", g1(1), func() things { return sortThings(nil, 0, entries(512)) }),
			input(Outside, "no count: it reads as zero", g1(1), func() things {
				r := sortThings(nil, 512, entries(512))
				r["t0"] = []uint32{512, 512}
				return r
			}),
			input(Outside, "records that are not there are zero and take part", g1(2), func() things { return sortThings(nil, 1024, negative(entries(700)[:1399])) }),
			input(Outside, "more groups than records, NaN", g1(4), func() things { return sortThings(nil, 600, withNaN(entries(2048))) }),
		},
		Run: func(w *World) {
			if w.words("t0").load(3) == 0 {
				return
			}
			chunks(w, func(c [][]uint32, active int) {
				for width := 2; width <= 512; width *= 2 {
					for stride := width / 2; stride > 0; stride /= 2 {
						stage(c, active, stride, stride == width/2)
					}
				}
			})
		},
		Order: "none; the check is that finite keys ascend within each chunk",
		Check: func(in, got *World) error {
			u, n := got.records("u0", 2), int(min(in.words("t0").load(3), in.Groups[0]*512))
			if slices.ContainsFunc(in.buffer("u0").Words, func(x uint32) bool { return f32(x) != f32(x) }) {
				return nil
			}
			for i := 1; i < min(n, int(u.count())); i++ {
				if i%512 != 0 && u.getf(uint32(i), 1) < u.getf(uint32(i)-1, 1) {
					return fmt.Errorf("key %d is less than the one before", i)
				}
			}
			return nil
		},
	},
	{
		Source: "compute-engine.hlsl", Entry: "create_histograms",
		Views: map[string]string{"u0": "R32G32B32A32_UINT"},
		Inputs: []Input{
			input(Small, "", [3]uint32{2, 2, 1}, func() things { return sceneThings(32, 32, 2, 4*64) }),
			input(Boundary, "the image ends in a tile, the last element is missing a word", [3]uint32{2, 2, 1}, func() things { return sceneThings(31, 17, 2, 4*64-1) }),
			input(Outside, "tiles without texels, bins without room", [3]uint32{3, 2, 1}, func() things { return sceneThings(9, 20, 3, 3*64+10) }),
		},
		Run: func(w *World) {
			scene, out := w.texture("t0"), w.records("u0", 4)
			lo, hi, tilesX := float64(w.cbf("b0", 0)), float64(w.cbf("b0", 1)), uint32(w.cbf("b0", 2))
			w.groups(16, 16, 1, func(g []Thread) {
				var bins [64]uint32
				for _, t := range g {
					if int(t.D[0]) < scene.W && int(t.D[1]) < scene.H {
						bins[min(int(place(scene.floats(t.D[0], t.D[1], 0), lo, hi)), 63)]++
					}
				}
				for i := range uint32(16) {
					out.setRecord((g[0].G[1]*tilesX+g[0].G[0])<<4+i, bins[i*4:i*4+4])
				}
			})
		},
	},
	{
		Source: "compute-engine.hlsl", Entry: "merge_histograms",
		Views: map[string]string{"t0": "R32G32B32A32_UINT", "u0": "R32_UINT"},
		Inputs: []Input{
			input(Small, "", g1(1), func() things {
				return things{"b0": floats(3, 2, 0, 0), "t0": noise(110, 6*64), "u0": fill(64, 0)}
			}),
			input(Boundary, "bins add up over groups", g1(2), func() things {
				return things{"b0": floats(20, 15, 0, 0), "t0": noise(111, 300*64), "u0": noise(112, 64)}
			}),
			input(Outside, "an element without its last word is zero, bins without room are dropped", g1(2), func() things {
				return things{"b0": floats(20, 20, 0, 0), "t0": noise(113, 5*64+7), "u0": fill(50, 0)}
			}),
		},
		Run: func(w *World) {
			in, out := w.records("t0", 4), w.words("u0")
			w.each(256, 1, 1, func(t Thread) {
				if t.D[0] >= uint32(w.cbf("b0", 0))*uint32(w.cbf("b0", 1)) {
					return
				}
				for k := range uint32(64) {
					out.add(k, in.get(t.D[0]*16+k/4, k%4))
				}
			})
		},
	},
	{
		Source: "compute-engine.hlsl", Entry: "clear_counter",
		Views: map[string]string{"u0": "R32_SINT"},
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"u0": []uint32{5, 6}} }),
			input(Boundary, "", g1(1), func() things { return things{"u0": []uint32{0x80000000}} }),
			input(Outside, "more groups store the same", g1(3), func() things { return things{"u0": []uint32{0xffffffff}} }),
		},
		Run: func(w *World) { w.words("u0").store(0, 0) },
	},
	{
		Source: "compute-engine.hlsl", Entry: "clear_particles",
		Views: map[string]string{"u1": "R32_SINT"},
		Order: "particles enter the dead list in any order, each one as often as there are groups",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return clearThings(300, 300, 300, 0) }),
			input(Boundary, "whole blocks", g1(1), func() things { return clearThings(512, 512, 512, 0) }),
			input(Boundary, "none", g1(1), func() things { return clearThings(0, 5, 5, 3) }),
			input(Boundary, "the tail alone", g1(1), func() things { return clearThings(255, 255, 255, 0) }),
			input(Outside, "short particles: the counter and the dead list go on", g1(1), func() things {
				r := clearThings(600, 400, 600, 0)
				r["u2"] = append(r["u2"].([]uint32), fill(5, untouched)...)
				return r
			}),
			input(Outside, "a short dead list drops its own stores alone", g1(1), func() things { return clearThings(600, 600, 100, 0) }),
			input(Outside, "a counter below zero", g1(1), func() things { return clearThings(300, 300, 300, 0xffffff9c) }),
			input(Outside, "a second group repeats all", g1(2), func() things { return clearThings(300, 300, 600, 0) }),
		},
		Run: func(w *World) {
			dead, count, p := w.words("u0"), w.words("u1"), w.records("u2", 8)
			for range w.Groups[0] {
				for k := range w.cb("b3", 0) {
					p.setRecord(k, []uint32{0, 0, 0, bits(-1), 0, 0, 0, 0})
					at := count.add(0, 1)
					dead.store(at, k)
					dead.mark(at, 0, rule{any: true})
				}
			}
		},
		Check: func(in, got *World) error {
			dead, seen := got.words("u0"), map[uint32]uint32{}
			first, n := in.words("u1").load(0), in.cb("b3", 0)
			for i := range in.Groups[0] * n {
				if v := dead.load(first + i); dead.in(first + i) {
					if seen[v]++; v >= n || seen[v] > in.Groups[0] {
						return fmt.Errorf("dead[%d] is %d: no particle, or too often", first+i, v)
					}
				}
			}
			return nil
		},
	},
	{
		Source: "compute-engine.hlsl", Entry: "emit",
		Views: map[string]string{"u1": "R32_SINT"},
		Order: "threads take dead particles in any order, each one once; velocity and place say which thread a particle got",
		Inputs: []Input{
			input(Small, "", g1(2), func() things { return emitThings(2, 300, 300, 300) }),
			input(Boundary, "as many as there are", g1(3), func() things { return emitThings(3, 400, 330, 330) }),
			input(Boundary, "more than there are: the counter goes below zero", g1(3), func() things { return emitThings(3, 400, 330, 100) }),
			input(Outside, "emitters end: rows behind the last read as zero", g1(590), func() things {
				r := emitThings(2, 300, 300, 300)
				r["b3"] = append(r["b3"].([]uint32)[:4*4095], floats(1, 2, 3, 200)...) // row 0 of emitter 585 alone
				return r
			}),
			input(Outside, "particles end in a record", g1(2), func() things {
				r := emitThings(2, 200, 300, 300)
				r["u0"] = append(r["u0"].([]uint32), fill(7, untouched)...)
				return r
			}),
			input(Outside, "the dead list is one entry", g1(1), func() things { return emitThings(1, 300, 1, 1) }),
			input(Outside, "a counter below zero", g1(1), func() things { return emitThings(1, 10, 10, 0xfffffff0) }),
		},
		Run: func(w *World) {
			p, count, dead := w.records("u0", 8), w.words("u1"), w.words("u2")
			emitted(w, func(g, i uint32, x []uint32) {
				old := count.add(0, ^uint32(0))
				if int32(old-1) >= 0 {
					for k := range uint32(8) {
						p.mark(dead.load(old-1), k, rule{any: true})
					}
				}
			})
		},
		Check: func(in, got *World) error {
			p, dead := got.records("u0", 8), in.words("u2")
			want := map[string]int{} // what a particle may be, without its seed
			n := 0
			emitted(in, func(g, i uint32, x []uint32) {
				want[fmt.Sprint(x)]++
				n++
			})
			for k := range min(n, max(int(int32(in.words("u1").load(0))), 0)) {
				slot := dead.load(in.words("u1").load(0) - 1 - uint32(k))
				if !p.in(slot) {
					continue
				}
				x, rows := p.record(slot), in.records("b3", 4)
				for e := range in.Groups[0] { // the seed says which emitter it is of
					if last := rows.get(e*7+5, 3); x[7] == (slot^rows.get(e*7+4, 3))*2654435761+last {
						x[7] = last
						break
					}
				}
				if key := fmt.Sprint(x); want[key] == 0 {
					return fmt.Errorf("particle %d is %v: of no thread, or of one that has another", slot, x)
				} else {
					want[key]--
				}
			}
			return nil
		},
	},
	{
		Source: "compute-engine.hlsl", Entry: "skin_vertices",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return boneThings(50, 60, 256, 180) }),
			input(Small, "not skinned", g1(1), func() things {
				r := boneThings(50, 60, 256, 180)
				r["b3"].([]uint32)[9] = 0
				return r
			}),
			input(Boundary, "the last float is missing", g1(2), func() things { return boneThings(128, 128, 256, 128*3-1) }),
			input(Outside, "vertices and bones end: zeros are skinned", g1(2), func() things { return boneThings(0xffffffff, 70, 20, 250) }),
		},
		Run: func(w *World) {
			bones, in, out := w.records("t0", 12), w.words("t1"), w.words("u0")
			w.each(64, 1, 1, func(t Thread) {
				if t.D[0] >= w.cb("b3", 8) {
					return
				}
				at, to := t.D[0]*w.cb("b3", 0), t.D[0]*3
				from := at + w.cb("b3", 4)
				p := [4]float64{float64(in.getf(from, 0)), float64(in.getf(from+1, 0)), float64(in.getf(from+2, 0)), 1}
				if w.cb("b3", 9) == 0 {
					for r := range uint32(3) {
						out.setf(to+r, 0, float32(p[r]))
					}
					return
				}
				idx, wgt := in.load(at+w.cb("b3", 5)), in.load(at+w.cb("b3", 6))
				for r := range uint32(3) {
					sum, scale := 0.0, 0.0
					for k := range 4 {
						for c := range uint32(4) {
							x := float64(bones.getf(idx>>(8*k)&255, r*4+c)) * p[c] * float64(wgt>>(8*k)&255) / 255
							sum += x
							scale += math.Abs(x)
						}
					}
					out.setf(to+r, 0, float32(sum))
					out.mark(to+r, 0, rule{tol: scale * 16 / (1 << 24)}) // one ULP of each of the 16 terms
				}
			})
		},
	},
}

// sortThings: the job of a step, a count and records of index and key.
func sortThings(job []uint32, count uint32, e []uint32) things {
	r := things{"t0": []uint32{1, 1, 1, count}, "u0": e}
	if job != nil {
		r["b3"] = job
	}
	return r
}

// entries have distinct keys.
func entries(n int) []uint32 {
	return recordsOf(n, func(i uint32) []uint32 { return []uint32{i + 1, bits(float32(i*7919%8192) + 1)} })
}

// negative makes every second key negative, so that records of zeros move among them.
func negative(e []uint32) []uint32 {
	for i := 1; i < len(e); i += 4 {
		e[i] |= 0x80000000
	}
	return e
}

func withNaN(e []uint32) []uint32 {
	for i := 1; i < len(e); i += 26 {
		e[i] = 0x7fc00000
	}
	return e
}

// bitonic records ascend and then descend within each chunk.
func bitonic(n int) []uint32 {
	return recordsOf(n, func(i uint32) []uint32 {
		return []uint32{i, bits(float32(min(2*(i%512), 1023-2*(i%512))))}
	})
}

// chunks calls f with the records of each group's chunk, and how many are active;
// records that are not there are zeros, and what became of them is dropped.
func chunks(w *World, f func(c [][]uint32, active int)) {
	u, count := w.records("u0", 2), w.words("t0").load(3)
	for g := range w.Groups[0] {
		active := int(min(max(int32(count-g*512), 0), 512))
		c := make([][]uint32, active)
		for i := range c {
			c[i] = u.record(g*512 + uint32(i))
		}
		f(c, active)
		for i := range c {
			u.setRecord(g*512+uint32(i), c[i])
		}
	}
}

// stage compares and exchanges pairs of records that lie stride apart, or mirrored
// within twice the stride.
func stage(c [][]uint32, active, stride int, mirrored bool) {
	for i := range 256 {
		low := i % stride
		a := 2*(i-low) + low
		b := a + stride
		if mirrored {
			b = a + 2*stride - 2*low - 1
		}
		if b < active && f32(c[b][1]) < f32(c[a][1]) {
			c[a], c[b] = c[b], c[a]
		}
	}
}

// place is where the luminance of a colour lies among the 64 bins, as a fraction.
func place(c [4]float32, lo, hi float64) float64 {
	luminance := 0.0
	for i, k := range []float64{0.2126, 0.7152, 0.0722} {
		x := float64(c[i])
		if x <= 0.04045 {
			x /= 12.92
		} else {
			x = math.Pow((x+0.055)/1.055, 2.4)
		}
		luminance += x * k
	}
	return min(max((math.Log(luminance)-math.Log(lo))/(math.Log(hi)-math.Log(lo)), 0), 1) * 64
}

// sceneThings: colours from below the least to above the greatest luminance, none
// closer to the edge of a bin than the logarithms of WGSL are exact.
func sceneThings(w, h int, tilesX float32, out int) things {
	const lo, hi = 0.01, 0.5
	return things{
		"b0": floats(lo, hi, tilesX, 99),
		"t0": image("2d", "rgba16float", w, h, 1, func(x, y, _ uint32) [4]uint32 {
			for k := uint32(0); ; k++ {
				f := func(n uint32) float32 { return fromHalf(toHalf(float32((x*n+y*29+k*7)%100+2) / 101)) }
				c := [4]float32{f(13), f(7), f(31), 1}
				if p := place(c, lo, hi); p == 0 || p == 64 || math.Abs(p-math.Round(p)) > 0.05 {
					return [4]uint32{bits(c[0]), bits(c[1]), bits(c[2]), bits(1)}
				}
			}
		}),
		"u0": fill(out, untouched),
	}
}

func clearThings(most uint32, particles, dead int, count uint32) things {
	return things{"b3": []uint32{most, 0, 0, 0}, "u0": fill(dead, untouched), "u1": []uint32{count}, "u2": noise(114, 8*particles)}
}

// emitThings: emitters of 150 and 180 particles, and as many whose limit is less.
func emitThings(emitters uint32, particles, dead int, count uint32) things {
	rows := make([]uint32, 4*4096)
	for e := range emitters {
		k := float32(e)
		copy(rows[e*28:], slices.Concat(
			floats(k*1000, 16, 8-8*k, 150+30*k), floats(1, k, 3, 4),
			floats(0.5, 0, 0, 0.25), floats(0, 2, 0.125, -0.125),
			floats(1, 0, 0), []uint32{e * 77}, floats(0, 1, 0), []uint32{e + 12345},
			floats(k*1000+1, 17, 8-8*k, 180)))
	}
	return things{"b3": rows, "u0": noise(115, 8*particles), "u1": []uint32{count}, "u2": ramp(dead, func(i uint32) uint32 { return i * 7 % uint32(dead) })}
}

// emitted calls f for each thread that wants a particle, with what it makes of one
// whose number is zero.
func emitted(w *World, f func(g, i uint32, x []uint32)) {
	rows := w.records("b3", 4)
	w.each(16, 16, 1, func(t Thread) {
		row := func(k, c uint32) float32 { return rows.getf(t.G[0]*7+k, c) }
		if t.I >= uint32(min(row(0, 3), row(6, 3))) {
			return
		}
		tx, ty := float32(t.T[0]), float32(t.T[1])
		x := make([]uint32, 8)
		for c := range uint32(3) {
			x[c] = bits(max(row(0, c)+row(2, c)*tx+row(3, c)*ty, row(6, c)))
			x[4+c] = bits(row(1, c) + row(4, c)*tx + row(5, c)*ty)
		}
		x[3] = bits(row(1, 3) + row(2, 3)*tx + row(3, 3)*ty)
		x[7] = rows.get(t.G[0]*7+5, 3)
		f(t.G[0], t.I, x)
	})
}

// boneThings: vertices of 7 words (a word, position, bone numbers, weights, a word),
// bones of three rows of four.
func boneThings(count uint32, vertices, bones, out int) things {
	return things{
		"b3": []uint32{7, 0, 0, 0, 1, 4, 5, 0, count, 1, 0, 0},
		"t0": recordsOf(bones, func(i uint32) []uint32 {
			return rampf(12, func(k uint32) float32 { return float32(int(i+5*k)%17-8) * 0.25 })
		}),
		"t1": recordsOf(vertices, func(i uint32) []uint32 {
			v := append([]uint32{99}, floats(float32(i)*0.5-8, float32(i%13), 2-float32(i%5))...)
			return append(v, i*2654435761, 255-i%3*40|i%3*40<<8|i%7<<16|(i*11%256)<<24, 99)
		}),
		"u0": fill(out, untouched),
	}
}
