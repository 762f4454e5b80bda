package carbon_test

import (
	"context"
	"encoding/binary"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"fxlens/core/effect"
	"fxlens/core/pack/carbon"
	"fxlens/core/pack/cewgpu"
)

// tiny is a small container: one technique, one pass, vertex and pixel, with a
// uniform buffer for each, a texture and a sampler.
func tiny(t testing.TB) *carbon.Container {
	t.Helper()
	p, err := cewgpu.Open(readFile(t, testdata, "packages", "tiny.cewgpu"))
	require.NoError(t, err)
	e, err := effect.Parse(readFile(t, testdata, "packages", "tiny.sm_hi"))
	require.NoError(t, err)
	c, err := carbon.FromPackage(context.Background(), p, carbon.FromOptions{Source: e})
	require.NoError(t, err)
	return c
}

// parts is a container that tests change before it is written.
type parts struct {
	model *effect.Model
	body  *effect.Body
	block *carbon.Block
	raw   []byte // instead of block
}

func take(t testing.TB, c *carbon.Container) *parts {
	t.Helper()
	m, err := c.File.Effect.Model()
	require.NoError(t, err)
	b := *m.Bodies[0]
	b.Techniques = append([]effect.Technique(nil), b.Techniques...)
	b.Techniques[0].Passes = append([]effect.Pass(nil), b.Techniques[0].Passes...)
	b.Techniques[0].Passes[0].Stages = append([]effect.Stage(nil), b.Techniques[0].Passes[0].Stages...)
	for i := range m.Bodies {
		m.Bodies[i] = &b
	}
	block, err := carbon.ParseBlock(c.File.Bodies[0].Block(0, 0))
	require.NoError(t, err)
	return &parts{model: m, body: &b, block: block}
}

func (p *parts) stage(i int) *effect.Stage { return &p.body.Techniques[0].Passes[0].Stages[i] }

func (p *parts) slot(i int) *carbon.Slot { return &p.block.Groups[0].Slots[i] }

// bytes writes the container; block bytes are raw where they are given.
func (p *parts) bytes(t testing.TB) []byte {
	t.Helper()
	data := p.raw
	if data == nil && p.block != nil {
		var err error
		data, err = p.block.Encode()
		require.NoError(t, err)
	}
	b, err := carbon.Write(p.model, func(*effect.Body, int, int) []byte { return data })
	require.NoError(t, err)
	return b
}

// detail makes the block one whose texture is the array of two detail maps.
func (p *parts) detail() {
	s := p.slot(2)
	s.Type, s.Layers, s.Transform = "texture_2d_array<f32>", 2, "id"
	p.block.Transforms = []carbon.Transform{{ID: "id", Inputs: []carbon.TransformInput{
		{Register: uint8(s.Register), Parameter: "Detail1Map"}, {Register: uint8(s.Register) + 1, Parameter: "Detail2Map"},
	}}}
}

// writer makes bytes by hand.
type writer struct{ b []byte }

func (w *writer) u8(v ...byte) { w.b = append(w.b, v...) }
func (w *writer) u32(v ...uint32) {
	for _, x := range v {
		w.b = binary.LittleEndian.AppendUint32(w.b, x)
	}
}
func (w *writer) str(s string) {
	w.b = append(binary.LittleEndian.AppendUint16(w.b, uint16(len(s))), s...)
}

// ambiguous is a container whose one body can be read in both ways: with
// references it has two passes without states, without them the second has two.
func ambiguous() []byte {
	arena := append([]byte("Main\x00"), make([]byte, 600)...)
	w := &writer{}
	w.u32(15)
	w.u8(1, 2, 6, 0)
	w.b = append(w.b, carbon.ZeroHash...)
	w.u32(uint32(len(arena)))
	w.b = append(w.b, arena...)
	w.u8(0) // axes
	body := &writer{}
	body.u8(1)
	body.u32(0)
	body.u8(2)
	body.u8(0, 0)
	body.u32(512, 5)
	body.u8(0, 0)
	body.u32(0, 0xFFFFFFFF)
	body.u8(0, 0, 0)
	w.u32(1, 0, uint32(len(w.b)+4+12), uint32(len(body.b)))
	w.b = append(w.b, body.b...)
	return w.b
}

var sharedSeed = filepath.Join(testdata, "packages", "tiny.sm_hi")
