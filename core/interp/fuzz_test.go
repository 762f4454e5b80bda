package interp

import (
	"context"
	"slices"
	"testing"

	"fxlens/core/dxbc"
	"fxlens/internal/corpus"
)

// FuzzProgram runs whatever the decoder accepts: any program ends, in an error or
// within its bounds, without a panic.
func FuzzProgram(f *testing.F) {
	for i, c := range corpus.HLSL(f) {
		rare := slices.Contains([]string{"gs", "hs", "ds"}, c.Stage())
		if (i%4 == 0 || rare) && len(c.DXBC) < 4000 {
			if s, err := dxbc.Open(c.DXBC); err == nil {
				f.Add(s.Code.Data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, code []byte) {
		prog, err := dxbc.Decode(code)
		if err != nil {
			return
		}
		if prog.Kind == dxbc.Hull {
			h, err := CompileHull(&dxbc.Shader{Program: prog})
			if err != nil {
				return
			}
			patch, _, err := h.Run(context.Background(), &Env{}, []Vertex{{0: {1, 2, 3}}, {}, {}}, 0, Options{MaxSteps: 20000, MaxMemory: 16 << 20})
			if err == nil {
				_, _ = h.Tessellate(patch)
			}
			return
		}
		p, err := Compile(&dxbc.Shader{Program: prog}, CompileOptions{})
		if err != nil {
			return
		}
		mem := NewMemory(make([]byte, 256))
		env := &Env{CBuffers: map[Slot][]byte{{}: make([]byte, 64)}, SRVs: map[Slot]*View{}, UAVs: map[Slot]*View{}}
		tf, _ := LookupFormat("R8G8B8A8_UNORM")
		for k := range uint32(3) {
			tex, _ := NewTexture(dxbc.DimTexture2D, 4, 4, 1, 2, 2, 1, tf)
			env.SRVs[Slot{Register: k}] = TextureView(tex)
			env.UAVs[Slot{Register: k}] = StructuredView(mem, 16)
		}
		opt := Options{MaxSteps: 20000, MaxMemory: 16 << 20, Track: true}
		if p.Kind == dxbc.Compute {
			_, _ = Dispatch(context.Background(), p, env, [3]uint32{2, 1, 1}, opt)
		} else {
			_, _ = p.Run(context.Background(), env, &Batch{N: 4}, opt)
		}
	})
}
