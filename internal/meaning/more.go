package meaning

import "math"

// Shader model 4, interfaces, and the resource arrays of shader model 5.1.
var morePrograms = []Program{
	{
		Source: "compute-40.hlsl", Entry: "copy",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"t0": rampf(256, quarter), "u0": fill(256, untouched)} }),
			input(Boundary, "", g1(2), func() things { return things{"t0": rampf(508, quarter), "u0": fill(508, untouched)} }),
			input(Outside, "parts of records", g1(2), func() things { return things{"t0": rampf(303, quarter), "u0": fill(402, untouched)} }),
		},
		Run: func(w *World) {
			in, out := w.records("t0", 4), w.records("u0", 4)
			w.each(64, 1, 1, func(t Thread) {
				for k := range uint32(4) {
					out.setf(t.D[0], k, in.getf(t.D[0], k)*2)
				}
			})
		},
	},
	{
		Source: "compute-40.hlsl", Entry: "neighbours",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"t0": rampf(256, quarter), "u0": fill(256, untouched)} }),
			input(Boundary, "", g1(2), func() things { return things{"t0": rampf(508, quarter), "u0": fill(508, untouched)} }),
			input(Outside, "", g1(2), func() things { return things{"t0": rampf(303, quarter), "u0": fill(402, untouched)} }),
		},
		Run: func(w *World) {
			in, out := w.records("t0", 4), w.records("u0", 4)
			w.each(64, 1, 1, func(t Thread) {
				first := t.G[0] * 64
				for k := range uint32(4) {
					out.setf(t.D[0], k, in.getf(first+(t.I+1)&63, k)+in.getf(first+(t.I+63)&63, k))
				}
			})
		},
	},
	{
		Source: "compute-40.hlsl", Entry: "raw_copy",
		Inputs: []Input{
			input(Small, "", [3]uint32{1, 1, 1}, func() things { return things{"t1": noise(100, 64), "u0": fill(64, untouched)} }),
			input(Boundary, "", [3]uint32{1, 3, 1}, func() things { return things{"t1": noise(101, 191), "u0": fill(191, untouched)} }),
			input(Outside, "", [3]uint32{1, 4, 1}, func() things { return things{"t1": noise(102, 70), "u0": fill(200, untouched)} }),
		},
		Run: func(w *World) {
			in, out := w.raw("t1"), w.raw("u0")
			w.each(32, 2, 1, func(t Thread) {
				at := (t.D[0] + t.D[1]*32) * 4
				out.store(at, in.load(at)+t.G[0]+t.T[1])
			})
		},
	},
	{
		Source: "compute-40.hlsl", Entry: "loop_sum",
		Inputs: []Input{
			input(Small, "", g1(1), func() things {
				return things{"b0": []uint32{3, 40, 0, 0}, "t0": rampf(256, quarter), "u0": fill(256, untouched)}
			}),
			input(Boundary, "no modulus", g1(1), func() things {
				return things{"b0": []uint32{5, 0, 0, 0}, "t0": rampf(256, quarter), "u0": fill(252, untouched)}
			}),
			input(Boundary, "no sum", g1(2), func() things {
				return things{"b0": []uint32{0, 7, 0, 0}, "t0": rampf(256, quarter), "u0": fill(508, untouched)}
			}),
			input(Outside, "", g1(2), func() things {
				return things{"b0": []uint32{20, 100, 0, 0}, "t0": rampf(203, quarter), "u0": fill(402, untouched)}
			}),
		},
		Run: func(w *World) {
			in, out := w.records("t0", 4), w.records("u0", 4)
			w.each(64, 1, 1, func(t Thread) {
				var r [4]float32
				for k := range w.cb("b0", 0) {
					for c := range uint32(4) {
						r[c] += in.getf(umod(t.D[0]+k, w.cb("b0", 1)), c)
					}
				}
				out.setRecord(t.D[0], floats(r[:]...))
			})
		},
	},
	{
		Source: "flow-call.hlsl", Entry: "interface_cs", Classes: map[string]string{"wave": "saw"},
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"b2": waves(1, 0.5), "u0": fill(64, untouched)} }),
			input(Boundary, "", g1(2), func() things { return things{"b2": waves(1, 3), "u0": fill(127, untouched)} }),
			input(Outside, "", g1(2), func() things { return things{"b2": waves(1, -0.75), "u0": fill(70, untouched)} }),
		},
		Run: func(w *World) {
			w.each(64, 1, 1, func(t Thread) {
				x := float64(t.D[0]) * 0.125 * float64(w.cbf("b2", 4))
				w.words("u0").setf(t.D[0], 0, float32(x-math.Floor(x)))
			})
		},
	},
	{
		Source: "flow-call.hlsl", Entry: "interface_cs", Classes: map[string]string{"wave": "sine"},
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return things{"b2": waves(0.125, 9), "u0": fill(64, untouched)} }),
			input(Boundary, "", g1(1), func() things { return things{"b2": waves(-0.25, 9), "u0": fill(63, untouched)} }),
			input(Outside, "", g1(2), func() things { return things{"b2": waves(0.1875, 9), "u0": fill(70, untouched)} }),
		},
		Run: func(w *World) {
			u := w.words("u0")
			w.each(64, 1, 1, func(t Thread) {
				u.setf(t.D[0], 0, float32(math.Sin(float64(t.D[0])*0.125*float64(w.cbf("b2", 0)))))
				u.mark(t.D[0], 0, rule{tol: 0.0008}) // what Direct3D allows within 100 pi
			})
		},
	},
	{
		Source: "space-51.hlsl", Entry: "array_cs",
		Inputs: []Input{
			input(Small, "", g1(1), func() things { return arrayThings(0, 256, 256, 256, 256) }),
			input(Boundary, "", g1(2), func() things { return arrayThings(1, 512, 508, 508, 508) }),
			input(Outside, "", g1(2), func() things { return arrayThings(0xffffffff, 70, 202, 100, 399) }),
		},
		Run: func(w *World) {
			out := w.records([]string{"u0/1", "u1/1"}[w.cb("b0/1", 4)&1], 4)
			w.each(64, 1, 1, func(t Thread) {
				in := w.records([]string{"t8", "t9"}[t.D[0]&1], 4)
				for k := range uint32(4) {
					out.setf(t.D[0], k, in.getf(t.D[0], k)+w.cbf("b5", int(k)))
				}
			})
		},
	},
	{
		Source: "space-51.hlsl", Entry: "typed_load_cs",
		// What WebGPU's core reads and writes in one program is 32 bits a texel.
		Views: map[string]string{"u4": "R32_FLOAT"},
		Inputs: []Input{
			input(Small, "", [3]uint32{1, 1, 1}, func() things { return things{"u4": image("2d", "r32float", 8, 8, 1, coordinates)} }),
			input(Boundary, "", [3]uint32{2, 2, 1}, func() things { return things{"u4": image("2d", "r32float", 15, 16, 1, coordinates)} }),
			input(Outside, "", [3]uint32{3, 1, 1}, func() things { return things{"u4": image("2d", "r32float", 3, 11, 1, coordinates)} }),
		},
		Run: func(w *World) {
			u := w.texture("u4")
			w.each(8, 8, 1, func(t Thread) { u.storef(t.D[0], t.D[1], 0, u.red(t.D[0], t.D[1], 0)*0.5) })
		},
	},
}

func coordinates(x, y, _ uint32) [4]uint32 { return [4]uint32{bits(float32(x) - 0.25*float32(y))} }

// waves is cbuffer Waves: an instance of Sine and one of Saw, a row each.
func waves(sine, saw float32) []uint32 { return floats(sine, 0, 0, 0, saw, 0, 0, 0) }

func arrayThings(n uint32, in0, in1, out0, out1 int) things {
	return things{
		"b0/1": append(floats(1, 2, 3, 4), n, 0, 0, 0), "b5": floats(0.5, 1, -2, 100),
		"t8": rampf(in0, quarter), "t9": rampf(in1, func(i uint32) float32 { return float32(i) }),
		"u0/1": fill(out0, untouched), "u1/1": fill(out1, untouched),
	}
}
