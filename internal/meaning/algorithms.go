package meaning

import (
	"fmt"
	"math"
	"slices"
)

// settings is cbuffer Params of compute-algorithms.hlsl: uint4 n, float4 a.
func settings(n [4]uint32, a ...float32) []uint32 {
	var f [4]float32
	copy(f[:], a)
	return append(n[:], floats(f[:]...)...)
}

var algorithmPrograms = []Program{
	{
		Source: "compute-algorithms.hlsl", Entry: "reduce_sum",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"t0": noise(60, 256), "u0": fill(2, untouched)} }),
			input(Boundary, "", g1(3), func() things { return things{"t0": noise(61, 256*3-1), "u0": fill(3, untouched)} }),
			input(Outside, "", g1(4), func() things { return things{"t0": noise(62, 300), "u0": fill(2, untouched)} }),
		},
		Run: func(w *World) {
			in, out := w.words("t0"), w.words("u0")
			for g := range w.Groups[0] {
				sum := uint32(0)
				for k := range uint32(256) {
					sum += in.load(g*256 + k)
				}
				out.store(g, sum)
			}
		},
	},
	{
		Source: "compute-algorithms.hlsl", Entry: "reduce_max_loop",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"b0": settings([4]uint32{200}), "t0": noise(63, 256), "u0": []uint32{5}} }),
			input(Boundary, "", g1(2), func() things {
				return things{"b0": settings([4]uint32{512}), "t0": ramp(512, func(i uint32) uint32 { return i * 3 }), "u0": []uint32{7, 7}}
			}),
			input(Boundary, "old is greater", g1(2), func() things {
				return things{"b0": settings([4]uint32{512}), "t0": fill(512, 9), "u0": []uint32{0xffffffff}}
			}),
			input(Outside, "", g1(3), func() things {
				return things{"b0": settings([4]uint32{0xffffffff}), "t0": noise(64, 300), "u0": []uint32{0}}
			}),
			input(Outside, "none", g1(2), func() things { return things{"b0": settings([4]uint32{0}), "t0": noise(64, 3), "u0": []uint32{0}} }),
		},
		Run: func(w *World) {
			in, most := w.words("t0"), uint32(0)
			w.each(256, 1, 1, func(t Thread) {
				if t.D[0] < w.cb("b0", 0) {
					most = max(most, in.load(t.D[0]))
				}
			})
			w.words("u0").store(0, max(w.words("u0").load(0), most))
		},
	},
	{
		Source: "compute-algorithms.hlsl", Entry: "scan_inclusive",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"t0": noise(65, 256), "u0": fill(256, untouched)} }),
			input(Boundary, "", g1(2), func() things { return things{"t0": noise(66, 511), "u0": fill(511, untouched)} }),
			input(Outside, "", g1(2), func() things { return things{"t0": noise(67, 270), "u0": fill(300, untouched)} }),
		},
		Run: func(w *World) {
			in, out := w.words("t0"), w.words("u0")
			w.groups(256, 1, 1, func(g []Thread) {
				sum := uint32(0)
				for _, t := range g {
					sum += in.load(t.D[0])
					out.store(t.D[0], sum)
				}
			})
		},
	},
	{
		Source: "compute-algorithms.hlsl", Entry: "scan_exclusive_tree",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"t0": noise(68, 256), "u0": fill(256, untouched)} }),
			input(Boundary, "", g1(2), func() things { return things{"t0": noise(69, 511), "u0": fill(511, untouched)} }),
			input(Outside, "", g1(2), func() things { return things{"t0": noise(70, 270), "u0": fill(300, untouched)} }),
		},
		Run: func(w *World) {
			in, out := w.words("t0"), w.words("u0")
			for g := range w.Groups[0] {
				sum := uint32(0)
				for k := range uint32(256) {
					out.store(g*256+k, sum)
					sum += in.load(g*256 + k)
				}
			}
		},
	},
	{
		Source: "compute-algorithms.hlsl", Entry: "bitonic_group",
		Inputs: []Input{
			input(Small, "", g1(1), func() things {
				return things{"b0": settings([4]uint32{256}), "t0": noise(71, 256), "u0": fill(256, untouched)}
			}),
			input(Boundary, "", g1(2), func() things {
				return things{"b0": settings([4]uint32{511}), "t0": noise(72, 511), "u0": fill(511, untouched)}
			}),
			input(Outside, "", g1(2), func() things {
				return things{"b0": settings([4]uint32{400}), "t0": noise(73, 300), "u0": fill(280, untouched)}
			}),
			input(Outside, "equal", g1(1), func() things {
				return things{"b0": settings([4]uint32{100}), "t0": fill(90, 4), "u0": fill(256, untouched)}
			}),
		},
		Run: func(w *World) {
			in, out := w.words("t0"), w.words("u0")
			w.groups(256, 1, 1, func(g []Thread) {
				var s []uint32
				for _, t := range g {
					v := uint32(0xffffffff)
					if t.D[0] < w.cb("b0", 0) {
						v = in.load(t.D[0])
					}
					s = append(s, v)
				}
				slices.Sort(s)
				for _, t := range g {
					if t.D[0] < w.cb("b0", 0) {
						out.store(t.D[0], s[t.I])
					}
				}
			})
		},
	},
	{
		Source: "compute-algorithms.hlsl", Entry: "bitonic_step",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"b0": settings([4]uint32{64, 4, 8}), "u0": noise(74, 64)} }),
			input(Boundary, "", g1(2), func() things { return things{"b0": settings([4]uint32{128, 64, 0}), "u0": noise(75, 127)} }),
			input(Outside, "", g1(2), func() things { return things{"b0": settings([4]uint32{0xffffffff, 32, 64}), "u0": noise(76, 70)} }),
			input(Outside, "no partner", g1(1), func() things { return things{"b0": settings([4]uint32{64, 0, 1}), "u0": noise(77, 64)} }),
		},
		Run: func(w *World) {
			u := w.words("u0")
			w.each(64, 1, 1, func(t Thread) {
				i := t.D[0]
				p := i ^ w.cb("b0", 1)
				if p <= i || p >= w.cb("b0", 0) {
					return
				}
				x, y := u.load(i), u.load(p)
				if (x > y) == (i&w.cb("b0", 2) == 0) {
					u.store(i, y)
					u.store(p, x)
				}
			})
		},
	},
	{
		Source: "compute-algorithms.hlsl", Entry: "radix_count",
		Inputs: []Input{
			input(Small, "", g1(2), func() things {
				return things{"b0": settings([4]uint32{500, 4, 2}), "t0": noise(78, 512), "u0": fill(32, untouched)}
			}),
			input(Boundary, "", g1(2), func() things {
				return things{"b0": settings([4]uint32{512, 28, 2}), "t0": noise(79, 512), "u0": fill(31, untouched)}
			}),
			input(Outside, "shift of 33 is 1", g1(3), func() things {
				return things{"b0": settings([4]uint32{0xffffffff, 33, 3}), "t0": noise(80, 400), "u0": fill(20, untouched)}
			}),
		},
		Run: func(w *World) {
			in, out := w.words("t0"), w.words("u0")
			w.groups(256, 1, 1, func(g []Thread) {
				var s [16]uint32
				for _, t := range g {
					if t.D[0] < w.cb("b0", 0) {
						s[in.load(t.D[0])>>(w.cb("b0", 1)&31)&15]++
					}
				}
				for i, v := range s {
					out.store(uint32(i)*w.cb("b0", 2)+g[0].G[0], v)
				}
			})
		},
	},
	{
		Source: "compute-algorithms.hlsl", Entry: "histogram_global",
		Inputs: []Input{
			input(Small, "", g1(2), func() things {
				return things{"b0": settings([4]uint32{100, 0x10000000, 15}), "t0": noise(81, 128), "u0": noise(82, 16)}
			}),
			input(Boundary, "division by zero", g1(2), func() things {
				return things{"b0": settings([4]uint32{128, 0, 7}), "t0": noise(83, 128), "u0": noise(84, 8)}
			}),
			input(Outside, "", g1(3), func() things {
				return things{"b0": settings([4]uint32{0xffffffff, 1 << 26, 0xffffffff}), "t0": noise(85, 150), "u0": noise(86, 9)}
			}),
		},
		Run: func(w *World) {
			in, out := w.words("t0"), w.words("u0")
			w.each(64, 1, 1, func(t Thread) {
				if t.D[0] < w.cb("b0", 0) {
					out.add(min(udiv(in.load(t.D[0]), w.cb("b0", 1)), w.cb("b0", 2)), 1)
				}
			})
		},
	},
	{
		Source: "compute-algorithms.hlsl", Entry: "histogram_image",
		Inputs: []Input{
			input(Small, "", [3]uint32{1, 1, 1}, func() things { return things{"t1": histogramImage(16, 16), "u0": noise(87, 256)} }),
			input(Boundary, "", [3]uint32{2, 2, 1}, func() things { return things{"t1": histogramImage(31, 32), "u0": noise(88, 255)} }),
			input(Outside, "", [3]uint32{3, 2, 1}, func() things { return things{"t1": histogramImage(17, 5), "u0": noise(89, 100)} }),
		},
		Run: func(w *World) {
			img, out := w.texture("t1"), w.words("u0")
			w.each(16, 16, 1, func(t Thread) {
				if int(t.D[0]) < img.W && int(t.D[1]) < img.H {
					v := img.floats(t.D[0], t.D[1], 0)
					// l * 255 is half way between two integers: see histogramImage.
					l := 0.25*float64(v[0]) + 0.5*float64(v[1]) + 0.25*float64(v[2])
					out.add(uint32(min(max(l, 0), 1)*255), 1)
				}
			})
		},
	},
	{
		Source: "compute-algorithms.hlsl", Entry: "cull_tiles",
		Order: "spheres enter a list in any order; of more than 64 any 64 stay",
		Inputs: []Input{
			input(Small, "", [3]uint32{2, 2, 1}, func() things { return cullThings(40, 2, 16, 16, 4*65, 6) }),
			input(Boundary, "the last word", [3]uint32{2, 2, 1}, func() things { return cullThings(130, 2, 16, 15, 4*65-1, 5) }),
			input(Outside, "", [3]uint32{3, 2, 1}, func() things { return cullThings(300, 3, 9, 20, 4*65+7, 200) }),
			input(Outside, "no spheres", [3]uint32{1, 1, 1}, func() things {
				r := cullThings(3, 1, 8, 8, 70, 2)
				r["b0"] = settings([4]uint32{0, 1})
				return r
			}),
		},
		Run: func(w *World) {
			spheres, depth, out := w.records("t2", 4), w.texture("t3"), w.words("u1")
			tiles(w, spheres, depth, func(base uint32, hits []uint32) {
				out.store(base, min(uint32(len(hits)), 64))
				for k := range min(uint32(len(hits)), 64) {
					out.store(base+1+k, hits[k])
					out.mark(base+1+k, 0, rule{of: hits})
				}
			})
		},
		Check: func(in, got *World) error {
			out := got.words("u1")
			var err error
			tiles(in, in.records("t2", 4), in.texture("t3"), func(base uint32, hits []uint32) {
				seen := map[uint32]bool{}
				for k := range min(uint32(len(hits)), 64) {
					if !out.in(base + 1 + k) {
						continue
					}
					v := out.load(base + 1 + k)
					if seen[v] {
						err = fmt.Errorf("the list at %d has sphere %d twice", base, v)
					}
					seen[v] = true
				}
			})
			return err
		},
	},
	{
		Source: "compute-algorithms.hlsl", Entry: "particles_clear",
		Inputs: []Input{
			input(Small, "", g1(2), func() things { return particleThings(settings([4]uint32{100}), 100, 100, 1) }),
			input(Boundary, "", g1(2), func() things { return particleThings(settings([4]uint32{128}), 128, 127, 1) }),
			input(Outside, "part of a particle", g1(3), func() things {
				r := particleThings(settings([4]uint32{0xffffffff}), 70, 60, 1)
				r["u2"] = append(r["u2"].([]uint32), 1, 2, 3, 4, 5)
				return r
			}),
		},
		Run: func(w *World) {
			p, dead, count := w.records("u2", 8), w.words("u3"), w.words("u4")
			w.each(64, 1, 1, func(t Thread) {
				d := t.D[0]
				if d >= w.cb("b0", 0) {
					return
				}
				p.setRecord(d, []uint32{0, 0, 0, bits(-1), 0, 0, 0, d*747796405 + 1})
				dead.store(d, d)
				if d == 0 {
					count.store(0, w.cb("b0", 0))
				}
			})
		},
	},
	{
		Source: "compute-algorithms.hlsl", Entry: "particles_emit",
		Order: "threads take dead particles in any order, each one once; pos.z says which thread a particle got",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return particleThings(settings([4]uint32{0, 40}, 1, 2, 3, 4), 80, 80, 60) }),
			input(Boundary, "as many as there are", g1(2), func() things { return particleThings(settings([4]uint32{0, 128}, 1, 2, 3, 4), 128, 128, 128) }),
			input(Boundary, "more than there are", g1(2), func() things { return particleThings(settings([4]uint32{0, 128}, 1, 2, 3, 4), 128, 100, 30) }),
			input(Outside, "none, below zero", g1(1), func() things {
				return particleThings(settings([4]uint32{0, 0xffffffff}, 1, 2, 3, 4), 10, 10, 0xfffffffb)
			}),
			input(Outside, "particles are not there", g1(1), func() things {
				return particleThings(settings([4]uint32{0, 50}, 1, 2, 3, 4), 20, 64, 60)
			}),
		},
		Run: func(w *World) {
			p, dead, count := w.records("u2", 8), w.words("u3"), w.words("u4")
			w.each(64, 1, 1, func(t Thread) {
				if t.D[0] >= w.cb("b0", 1) {
					return
				}
				old := count.add(0, ^uint32(0))
				if int32(old) <= 0 {
					count.add(0, 1)
					return
				}
				at := dead.load(old - 1)
				x := p.record(at)
				s := scramble(x[7])
				p.setRecord(at, []uint32{bits(float32(s & 255)), bits(float32(s >> 8 & 255)), bits(float32(t.D[0])), w.cb("b0", 7), w.cb("b0", 4), w.cb("b0", 5), w.cb("b0", 6), s})
				p.mark(at, 2, rule{any: true})
			})
		},
		Check: func(in, got *World) error {
			dead, p, seen := in.words("u3"), got.records("u2", 8), map[float32]bool{}
			count, threads := int32(in.words("u4").load(0)), min(in.cb("b0", 1), in.Groups[0]*64)
			for k := range min(uint32(max(count, 0)), threads) {
				at := dead.load(uint32(count) - 1 - k)
				if !p.in(at) {
					continue
				}
				z := p.getf(at, 2)
				if seen[z] || z < 0 || z >= float32(threads) || z != float32(int(z)) {
					return fmt.Errorf("particle %d belongs to thread %g: none, or twice", at, z)
				}
				seen[z] = true
			}
			return nil
		},
	},
	{
		Source: "compute-algorithms.hlsl", Entry: "particles_update",
		Views: map[string]string{"u6": "R32_UINT"},
		Order: "dead and living particles enter their lists in any order, each one once",
		Inputs: []Input{
			input(Small, "", g1(2), func() things { return updateThings(100, 100, 100, 7, 3, 200, 8) }),
			input(Boundary, "the lists are just long enough", g1(2), func() things { return updateThings(128, 128, 64, 0, 0, 64, 2) }),
			input(Outside, "the lists are short", g1(3), func() things { return updateThings(0xffffffff, 150, 10, 5, 0, 20, 2) }),
			input(Outside, "no arguments", g1(1), func() things { return updateThings(64, 40, 64, 0, 0, 64, 1) }),
		},
		Run: func(w *World) {
			p, dead, count, alive, args := w.records("u2", 8), w.words("u3"), w.words("u4"), w.records("u5", 2), w.words("u6")
			w.each(64, 1, 1, func(t Thread) {
				if t.D[0] >= w.cb("b0", 0) {
					return
				}
				x, lives := moved(w, p, t.D[0])
				if x == nil {
					return
				}
				if !lives {
					at := count.add(0, 1)
					dead.store(at, t.D[0])
					dead.mark(at, 0, rule{any: true})
				} else {
					k := args.add(1, 1)
					alive.setRecord(k, []uint32{t.D[0], x[2]})
					alive.mark(k, 0, rule{any: true})
					alive.mark(k, 1, rule{any: true})
				}
				p.setRecord(t.D[0], x)
			})
		},
		Check: func(in, got *World) error {
			p := in.records("u2", 8)
			died, live := map[uint32]bool{}, map[[2]uint32]int{}
			for d := range min(in.cb("b0", 0), in.Groups[0]*64) {
				switch x, lives := moved(in, p, d); {
				case x == nil:
				case lives:
					live[[2]uint32{d, x[2]}]++
				default:
					died[d] = true
				}
			}
			dead, first := got.words("u3"), in.words("u4").load(0)
			for k := range uint32(len(died)) {
				if v := dead.load(first + k); dead.in(first+k) && !died[v] {
					return fmt.Errorf("dead[%d] is %d, which did not die, or twice", first+k, v)
				} else {
					delete(died, v)
				}
			}
			alive, args := got.records("u5", 2), in.words("u6")
			if !args.in(1) {
				return aliveAtZero(live, alive)
			}
			n := 0
			for _, c := range live {
				n += c
			}
			for k := range uint32(n) {
				v := [2]uint32{alive.get(args.load(1)+k, 0), alive.get(args.load(1)+k, 1)}
				if live[v]--; alive.in(args.load(1)+k) && live[v] < 0 {
					return fmt.Errorf("alive[%d] is %v, which does not live, or twice", args.load(1)+k, v)
				}
			}
			return nil
		},
	},
	{
		Source: "compute-algorithms.hlsl", Entry: "particles_arguments",
		Views: map[string]string{"u6": "R32_UINT"},
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"u6": []uint32{9, 100, 9, 9, 9, 9, 9, 9}} }),
			input(Boundary, "none alive", g1(1), func() things { return things{"u6": []uint32{9, 0, 9, 9, 9, 9, 9}} }),
			input(Outside, "wraps", g1(2), func() things { return things{"u6": []uint32{9, 0xffffffff, 9, 9, 9, 9}} }),
			input(Outside, "one word", g1(1), func() things { return things{"u6": []uint32{9}} }),
		},
		Run: func(w *World) {
			u := w.words("u6")
			c := u.load(1)
			for _, x := range [][2]uint32{{0, 4}, {2, 0}, {3, 0}, {4, (c + 63) / 64}, {5, 1}, {6, 1}} {
				u.store(x[0], x[1])
			}
		},
	},
	{
		Source: "compute-algorithms.hlsl", Entry: "particles_sort_step",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"b0": settings([4]uint32{128, 16}), "u5": aliveList(128)} }),
			input(Boundary, "an odd stride", g1(2), func() things { return things{"b0": settings([4]uint32{255, 3}), "u5": aliveList(255)} }),
			input(Outside, "", g1(2), func() things { return things{"b0": settings([4]uint32{0xffffffff, 64}), "u5": aliveList(100)[:2*99+1]} }),
			input(Outside, "a stride of zero", g1(1), func() things { return things{"b0": settings([4]uint32{50, 0}), "u5": aliveList(50)} }),
		},
		Run: func(w *World) {
			u, m := w.records("u5", 2), w.cb("b0", 1)
			w.each(64, 1, 1, func(t Thread) {
				i := 2*m*udiv(t.D[0], m) + umod(t.D[0], m)
				p := i + m
				if p >= w.cb("b0", 0) {
					return
				}
				x, y := u.record(i), u.record(p)
				if f32(x[1]) < f32(y[1]) {
					u.setRecord(i, y)
					u.setRecord(p, x)
				}
			})
		},
	},
	{
		Source: "compute-algorithms.hlsl", Entry: "skin",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return skinThings(50, 64, 256, 200) }),
			input(Boundary, "", g1(2), func() things { return skinThings(128, 128, 200, 128*3-1) }),
			input(Outside, "vertices and bones end", g1(2), func() things { return skinThings(0xffffffff, 60, 9, 230) }),
		},
		Run: func(w *World) {
			in, bones, out := w.raw("t4"), w.records("t5", 12), w.raw("u7")
			w.each(64, 1, 1, func(t Thread) {
				if t.D[0] >= w.cb("b0", 0) {
					return
				}
				at := t.D[0] * 20
				p := [4]float64{float64(f32(in.load(at))), float64(f32(in.load(at + 4))), float64(f32(in.load(at + 8))), 1}
				idx, wgt := in.load(at+12), in.load(at+16)
				for r := range uint32(3) {
					sum, scale := 0.0, 0.0
					for k := range 4 {
						// A float3x4 of a structured buffer stands column by column.
						b, x := idx>>(8*k)&255, float64(wgt>>(8*k)&255)/255
						for c := range uint32(4) {
							y := float64(bones.getf(b, c*3+r)) * p[c]
							sum += y * x
							scale += math.Abs(y * x)
						}
					}
					out.store(t.D[0]*12+4*r, bits(float32(sum)))
					if to := t.D[0]*3 + r; out.words().in(to) {
						out.words().mark(to, 0, rule{tol: scale * 16 / (1 << 24)}) // one ULP of each of the 16 terms
					}
				}
			})
		},
	},
	{
		Source: "compute-algorithms.hlsl", Entry: "blur_rows",
		Inputs: []Input{
			input(Small, "", [3]uint32{1, 4, 1}, func() things { return blurThings(128, 4, 128, 4) }),
			input(Boundary, "", [3]uint32{2, 3, 1}, func() things { return blurThings(129, 3, 129, 2) }),
			input(Outside, "", [3]uint32{2, 5, 1}, func() things { return blurThings(130, 2, 131, 7) }),
			input(Outside, "one texel", [3]uint32{1, 1, 1}, func() things { return blurThings(1, 1, 3, 1) }),
		},
		Run: func(w *World) {
			img, out := w.texture("t1"), w.texture("u1")
			kernel := []float32{1, 8, 28, 56, 70, 56, 28, 8, 1}
			w.each(128, 1, 1, func(t Thread) {
				if int(t.D[0]) >= img.W || int(t.D[1]) >= img.H {
					return
				}
				var r [4]float32
				for k, f := range kernel {
					x := min(max(int(t.D[0])+k-4, 0), img.W-1)
					for c, v := range img.floats(uint32(x), t.D[1], 0) {
						r[c] += v * f / 256
					}
				}
				out.storef(t.D[0], t.D[1], 0, r[:]...)
			})
		},
	},
	{
		Source: "compute-algorithms.hlsl", Entry: "downsample",
		Inputs: []Input{
			input(Small, "", [3]uint32{1, 1, 1}, func() things { return mipThings(16, 16, 8, 8, 4, 2) }),
			input(Boundary, "", [3]uint32{2, 2, 1}, func() things { return mipThings(32, 32, 15, 16, 7, 3) }),
			input(Outside, "", [3]uint32{2, 2, 1}, func() things { return mipThings(8, 16, 20, 3, 9, 1) }),
		},
		Run: func(w *World) {
			img := w.texture("t1")
			m := [3]*Texture{w.texture("u2"), w.texture("u3"), w.texture("u4")}
			level := map[[3]uint32][4]float64{} // level, x, y
			put := func(l, x, y uint32, v [4]float64) {
				level[[3]uint32{l, x, y}] = v
				m[l].storef(x, y, 0, float32(v[0]), float32(v[1]), float32(v[2]), float32(v[3]))
				for c := range 4 {
					m[l].mark(x, y, 0, c, rule{tol: 1.0 / 256}) // the weights of a filter have eight bits
				}
			}
			mean := func(f func(x, y uint32) [4]float64) (r [4]float64) {
				for k := range uint32(4) {
					for c, v := range f(k&1, k>>1) {
						r[c] += v / 4
					}
				}
				return r
			}
			w.each(8, 8, 1, func(t Thread) {
				x, y := t.D[0], t.D[1]
				// The point is the corner that four texels share, clamped to the edge.
				put(0, x, y, mean(func(i, j uint32) (r [4]float64) {
					for c, v := range img.floats(min(2*x+i, uint32(img.W-1)), min(2*y+j, uint32(img.H-1)), 0) {
						r[c] = float64(v)
					}
					return r
				}))
			})
			for l := range uint32(2) {
				for k := range level {
					if x, y := k[1], k[2]; k[0] == l && x&1 == 0 && y&1 == 0 {
						put(l+1, x/2, y/2, mean(func(i, j uint32) [4]float64 { return level[[3]uint32{l, x + i, y + j}] }))
					}
				}
			}
		},
	},
	{
		Source: "compute-algorithms.hlsl", Entry: "mandelbrot",
		// Points whose orbits are exact in 32 bits: whole numbers for ever, quarters for four steps.
		Inputs: []Input{
			input(Small, "quarters", [3]uint32{2, 2, 1}, func() things {
				return things{"b0": settings([4]uint32{4, 16}, -2, -2, 0.25, 0.25), "u0": fill(256, untouched)}
			}),
			input(Boundary, "whole numbers", [3]uint32{1, 1, 1}, func() things {
				return things{"b0": settings([4]uint32{100, 8}, -3, -3, 1, 1), "u0": fill(63, untouched)}
			}),
			input(Outside, "no steps", [3]uint32{1, 2, 1}, func() things {
				return things{"b0": settings([4]uint32{0, 8}, -3, -3, 1, 1), "u0": fill(70, untouched)}
			}),
			input(Outside, "one point", [3]uint32{2, 2, 1}, func() things {
				return things{"b0": settings([4]uint32{50, 1000}, -1, 0, 0, 0), "u0": fill(1005, untouched)}
			}),
		},
		Run: func(w *World) {
			out := w.words("u0")
			w.each(8, 8, 1, func(t Thread) {
				cx, cy := w.cbf("b0", 4)+float32(t.D[0])*w.cbf("b0", 6), w.cbf("b0", 5)+float32(t.D[1])*w.cbf("b0", 7)
				x, y, k := float32(0), float32(0), uint32(0)
				for k < w.cb("b0", 0) && x*x+y*y < 4 {
					x, y = x*x-y*y+cx, 2*x*y+cy
					k++
				}
				out.store(t.D[1]*w.cb("b0", 1)+t.D[0], k)
			})
		},
	},
	{
		Source: "compute-algorithms.hlsl", Entry: "matrix_multiply",
		Inputs: []Input{
			input(Small, "", [3]uint32{1, 1, 1}, func() things {
				return things{"b0": settings([4]uint32{16}), "t0": noise(90, 256), "u0": fill(256, untouched)}
			}),
			input(Boundary, "", [3]uint32{2, 2, 1}, func() things {
				return things{"b0": settings([4]uint32{32}), "t0": noise(91, 1024), "u0": fill(1023, untouched)}
			}),
			input(Outside, "rows that are no multiple of 16", [3]uint32{1, 2, 1}, func() things {
				return things{"b0": settings([4]uint32{20}), "t0": noise(92, 400), "u0": fill(300, untouched)}
			}),
			input(Outside, "nothing", [3]uint32{1, 1, 1}, func() things {
				return things{"b0": settings([4]uint32{0}), "t0": noise(93, 10), "u0": fill(300, untouched)}
			}),
		},
		Run: func(w *World) {
			in, out, n := w.words("t0"), w.words("u0"), w.cb("b0", 0)
			w.each(16, 16, 1, func(t Thread) {
				sum := uint32(0)
				for k := range (n + 15) / 16 * 16 { // whole blocks: the rest reads the next row, or nothing
					sum += in.load(t.D[1]*n+k) * in.load(k*n+t.D[0])
				}
				out.store(t.D[1]*n+t.D[0], sum)
			})
		},
	},
	{
		Source: "compute-algorithms.hlsl", Entry: "prefix_compact",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"t0": noise(94, 64), "u0": fill(64, untouched)} }),
			input(Boundary, "all", g1(2), func() things {
				return things{"t0": ramp(128, func(i uint32) uint32 { return 2*i + 1 }), "u0": fill(127, untouched)}
			}),
			input(Outside, "", g1(3), func() things { return things{"t0": noise(95, 100), "u0": fill(80, untouched)} }),
		},
		Run: func(w *World) {
			in, out := w.words("t0"), w.words("u0")
			w.groups(64, 1, 1, func(g []Thread) {
				to := g[0].D[0]
				for _, t := range g {
					if v := in.load(t.D[0]); v&1 != 0 {
						out.store(to, v)
						to++
					}
				}
			})
		},
	},
}

// histogramImage has texels whose r + 2g + b is 2 more than a multiple of four, so
// that the luminance in 255ths is a whole number and a half: no rounding moves it
// into another bin.
func histogramImage(w, h int) *Texture {
	return image("2d", "rgba8unorm", w, h, 1, func(x, y, _ uint32) (v [4]uint32) {
		r, g := (x*37+y*11)%256, (x*5+y*91)%256
		b := (x + 3*y) % 60 * 4
		for (r+2*g+b)%4 != 2 {
			b++
		}
		for i, c := range []uint32{r, g, b, 255} {
			v[i] = bits(float32(float64(c) / 255))
		}
		return v
	})
}

// cullThings: spheres over tiles of 8 by 8; every comparison is of exact numbers.
func cullThings(spheres, perRow uint32, w, h, lists int, radius float32) things {
	return things{
		"b0": settings([4]uint32{spheres, perRow}),
		"t2": recordsOf(int(spheres)-1, func(i uint32) []uint32 { // one less than the program counts on
			return floats(float32(i*7%20), float32(i*13%18)-0.5, float32(i%9)*0.5, radius*float32(i%4)*0.25)
		}),
		"t3": image("2d", "r16float", w, h, 1, func(x, y, _ uint32) [4]uint32 {
			return [4]uint32{bits(1 + float32(x/8)*0.5 + float32(y%8)*0.125)}
		}),
		"u1": fill(lists, untouched),
	}
}

// tiles calls f with the start of each tile's list and the spheres that touch it.
func tiles(w *World, spheres Records, depth *Texture, f func(base uint32, hits []uint32)) {
	w.groups(8, 8, 1, func(g []Thread) {
		near, far := uint32(0x7f7fffff), uint32(0)
		for _, t := range g {
			z := depth.load(t.D[0], t.D[1], 0)[0]
			near, far = min(near, z), max(far, z)
		}
		tile := g[0].G
		var hits []uint32
		for k := range w.cb("b0", 0) {
			s := [4]float32{spheres.getf(k, 0), spheres.getf(k, 1), spheres.getf(k, 2), spheres.getf(k, 3)}
			d := float32(0)
			for i := range 2 {
				lo := float32(tile[i] * 8)
				c := min(max(s[i], lo), lo+8) - s[i]
				d += c * c
			}
			if s[2]+s[3] >= f32(near) && s[2]-s[3] <= f32(far) && d <= s[3]*s[3] {
				hits = append(hits, k)
			}
		}
		f((tile[1]*w.cb("b0", 1)+tile[0])*65, hits)
	})
}

func scramble(x uint32) uint32 {
	x ^= x << 13
	x ^= x >> 17
	x ^= x << 5
	return x
}

// particleThings: particles, a dead list that is a permutation, its count.
func particleThings(b []uint32, particles, dead int, count uint32) things {
	return things{"b0": b, "u2": noise(96, 8*particles), "u3": ramp(dead, func(i uint32) uint32 { return i * 7 % uint32(dead) }), "u4": []uint32{count}}
}

// updateThings: a third of the particles is dead, a third dies in this step.
func updateThings(n uint32, particles, dead int, deadCount, aliveCount uint32, alive, arguments int) things {
	args := fill(arguments, untouched)
	if arguments > 1 {
		args[1] = aliveCount
	}
	return things{
		"b0": settings([4]uint32{n}, 0.5, 0.25),
		"u2": recordsOf(particles, func(i uint32) []uint32 {
			return append(floats(float32(i), 0.5*float32(i), -float32(i%7), []float32{-1, 0.25, 4}[i%3], 1, 2, float32(i%5)), i)
		}),
		"u3": fill(dead, untouched), "u4": []uint32{deadCount}, "u5": fill(2*alive, untouched), "u6": args,
	}
}

// moved is particle d after the step, nil if it was dead before, and whether it lives.
func moved(w *World, p Records, d uint32) ([]uint32, bool) {
	x := p.record(d)
	life, step := f32(x[3]), w.cbf("b0", 4)
	if life < 0 {
		return nil, false
	}
	life -= step
	x[3], x[5] = bits(life), bits(f32(x[5])-w.cbf("b0", 5))
	for c := range 3 {
		x[c] = bits(f32(x[c]) + f32(x[4+c])*step)
	}
	return x, life >= 0
}

// aliveAtZero: without an argument word every count is zero, and one of the living
// particles is last to write record 0.
func aliveAtZero(live map[[2]uint32]int, alive Records) error {
	if v := [2]uint32{alive.get(0, 0), alive.get(0, 1)}; live[v] == 0 {
		return fmt.Errorf("alive[0] is %v, which does not live", v)
	}
	return nil
}

func aliveList(n int) []uint32 {
	return recordsOf(n, func(i uint32) []uint32 { return []uint32{i, bits(float32(i * 29 % 64))} })
}

// skinThings: vertices of 20 bytes (position, four bone numbers, four weights),
// bones of four columns of three.
func skinThings(count uint32, vertices, bones, out int) things {
	return things{
		"b0": settings([4]uint32{count}),
		"t4": recordsOf(vertices, func(i uint32) []uint32 {
			return append(floats(float32(i)*0.5-8, float32(i%13), 2-float32(i%5)), i*2654435761, 255-i%3*40|i%3*40<<8|i%7<<16|(i*11%256)<<24)
		}),
		"t5": recordsOf(bones, func(i uint32) []uint32 {
			return rampf(12, func(k uint32) float32 { return float32(int(i+5*k)%17-8) * 0.25 })
		}),
		"u7": fill(out, untouched),
	}
}

func blurThings(w, h, w2, h2 int) things {
	return things{
		"t1": image("2d", "rgba16float", w, h, 1, func(x, y, _ uint32) [4]uint32 {
			return [4]uint32{bits(float32((x*5+y)%8) * 0.125), bits(float32(x % 4)), bits(float32(x*x%11) - 5), bits(1)}
		}),
		"u1": image("2d", "rgba32float", w2, h2, 1, same(9, 9, 9, 9)),
	}
}

func mipThings(w, h, w1, h1, w2, w3 int) things {
	return things{
		"t1": image("2d", "rgba16float", w, h, 1, func(x, y, _ uint32) [4]uint32 {
			return [4]uint32{bits(float32((x*5+y*3)%8) * 0.125), bits(float32(x%4) * 0.25), bits(float32(y%2) * 0.5), bits(1)}
		}),
		"s0": Linear,
		"u2": image("2d", "rgba32float", w1, h1, 1, same(9, 9, 9, 9)), "u3": image("2d", "rgba32float", w2, w2, 1, same(9, 9, 9, 9)), "u4": image("2d", "rgba32float", w3, w3, 1, same(9, 9, 9, 9)),
	}
}
