package compile

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/dxbc"
	"fxlens/core/effect"
)

func TestEffectPass(t *testing.T) {
	p := &effect.Pass{Stages: []effect.Stage{
		{Type: effect.Pixel, Program: []byte("ps"), StageData: effect.StageData{
			Constants: []effect.Constant{{Name: "b", Offset: 16, Size: 16}, {Name: "a", Offset: 0, Size: 12}, {Name: "b2", Offset: 16, Size: 4}},
			Textures:  []effect.Texture{{Register: 3, Name: "DiffuseMap"}},
			Samplers:  []effect.Sampler{{Register: 0, Name: "DiffuseSampler"}, {Register: 100, Name: "Handle"}},
			UAVs:      []effect.UAV{{Register: 1, Name: "Out"}},
		}},
		{Type: effect.Geometry, Program: []byte("gs")},
		{Type: effect.Vertex, Program: []byte("vs")},
		{Type: effect.Domain, Program: []byte("ds")},
		{Type: effect.Hull, Program: []byte("hs")},
		{Type: effect.Compute, Program: []byte("cs"), ThreadGroup: [3]uint32{8, 4, 1}},
	}}
	in := EffectPass(p)
	var kinds []dxbc.ProgramKind
	for _, s := range in.Stages {
		kinds = append(kinds, s.Kind)
		assert.Equal(t, s.Kind.String(), string(s.Program), "the program goes with its kind")
	}
	require.Equal(t, []dxbc.ProgramKind{dxbc.Vertex, dxbc.Hull, dxbc.Domain, dxbc.Geometry, dxbc.Pixel, dxbc.Compute}, kinds)
	ps, cs := in.Stages[4], in.Stages[5]
	assert.Equal(t, [3]uint32{8, 4, 1}, cs.ThreadGroup)
	assert.Equal(t, []Constant{{Name: "a", Size: 12}, {Name: "b", Offset: 16, Size: 16}, {Name: "b2", Offset: 16, Size: 4}}, ps.Names.Constants)
	assert.Equal(t, map[uint32]string{3: "DiffuseMap"}, ps.Names.Textures)
	assert.Equal(t, map[uint32]string{0: "DiffuseSampler"}, ps.Names.Samplers, "handles are no registers")
	assert.Equal(t, map[uint32]string{1: "Out"}, ps.Names.UAVs)
	assert.Empty(t, EffectPass(&effect.Pass{}).Stages)
	for typ := effect.Vertex; typ <= effect.Domain; typ++ {
		k, ok := kindOf[typ]
		require.True(t, ok, typ)
		assert.Equal(t, typ.Short(), k.String())
		assert.GreaterOrEqual(t, StageRank(k), 0)
	}
}
