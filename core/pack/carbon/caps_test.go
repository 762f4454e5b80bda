package carbon_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/effect"
	"fxlens/core/pack/carbon"
)

// The writer's caps (carbon-webgpu.md 3): what a reader refuses is not written, and
// the largest that it takes is.
func TestCaps(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		most int
		set  func(p *parts, n int)
	}{
		{"passes", 64, func(p *parts, n int) {
			tech := &p.body.Techniques[0]
			tech.Passes = slices.Repeat(tech.Passes[:1], n)
		}},
		{"stages", 6, func(p *parts, n int) {
			pass := &p.body.Techniques[0].Passes[0]
			pass.Stages = make([]effect.Stage, n)
			for i := range pass.Stages {
				pass.Stages[i].Type = effect.StageType(i % 6)
			}
		}},
		{"render states", 64, func(p *parts, n int) {
			pass := &p.body.Techniques[0].Passes[0]
			pass.States = make([]effect.RenderState, n)
			for i := range pass.States {
				pass.States[i].State = uint32(i)
			}
		}},
		{"pipeline inputs", 64, func(p *parts, n int) { p.stage(0).Inputs = make([]effect.PipelineInput, n) }},
		{"textures", 64, func(p *parts, n int) {
			p.stage(0).Textures = make([]effect.Texture, n)
			for i := range n {
				p.stage(0).Textures[i] = effect.Texture{Register: uint8(i), Name: fmt.Sprint("T", i), Type: 2, Elements: 1}
			}
		}},
		{"samplers", 64, func(p *parts, n int) {
			p.stage(0).Samplers = make([]effect.Sampler, n)
			for i := range n {
				p.stage(0).Samplers[i] = effect.Sampler{Register: uint8(i), Name: fmt.Sprint("S", i), IsDynamic: true, SamplerState: effect.DefaultSamplerState}
			}
		}},
		{"UAVs", 64, func(p *parts, n int) {
			p.stage(0).UAVs = make([]effect.UAV, n)
			for i := range n {
				p.stage(0).UAVs[i] = effect.UAV{Register: uint8(i), Name: fmt.Sprint("U", i), Type: 10, Elements: 1}
			}
		}},
		{"parameter groups", 256, func(p *parts, n int) {
			p.body.Groups = make([]effect.ParameterGroup, n)
			for i := range n {
				p.body.Groups[i].Name = fmt.Sprint("P", i)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := take(t, tiny(t))
			none := func(*effect.Body, int, int) []byte { return nil }
			c.set(p, c.most)
			data, err := carbon.Write(p.model, none)
			require.NoError(t, err)
			f, err := carbon.Parse(data, carbon.With)
			require.NoError(t, err)
			again, err := f.Rewrite()
			require.NoError(t, err)
			assert.Equal(t, data, again)

			c.set(p, c.most+1)
			data, err = carbon.Write(p.model, none)
			var ce *carbon.Error
			require.ErrorAs(t, err, &ce)
			assert.Nil(t, data)
			assert.Contains(t, ce.Path, "body[0]")
			assert.Contains(t, ce.Reason, fmt.Sprintf("%d %s, at most %d are allowed", c.most+1, c.name, c.most))
		})
	}
}
