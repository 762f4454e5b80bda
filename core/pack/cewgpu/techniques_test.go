package cewgpu

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/effect"
)

// Techniques that a package cannot tell apart refuse it, in both profiles, with one
// finding that names them: keys of passes and stages are made of their names.
func TestTechniqueNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		names  []string
		path   string
		reason string
	}{
		{"one name twice", []string{"Main", "Main"}, "passes (technique 1)", `techniques 0 and 1 are both called "Main"`},
		{"no name", []string{"Main", ""}, "passes (technique 1)", "technique 1 has no name"},
		{"two names", []string{"Main", "main"}, "", ""},
	} {
		for _, profile := range []Profile{Strict, Extended} {
			t.Run(c.name+" "+string(profile), func(t *testing.T) {
				m, err := tinyEffect(t).Model()
				require.NoError(t, err)
				body := *m.Bodies[0]
				first := body.Techniques[0]
				body.Techniques = nil
				for _, n := range c.names {
					first.Name = n
					body.Techniques = append(body.Techniques, first)
				}
				for i := range m.Bodies {
					m.Bodies[i] = &body
				}
				data, err := effect.Build(m)
				require.NoError(t, err)
				in := plainInput(parseEffect(t, data), "res:/effect")
				in.Profile = profile
				pkg, _, err := Build(context.Background(), in)
				if c.reason == "" {
					require.NoError(t, err)
					requireValid(t, pkg)
					return
				}
				var be *BuildError
				require.ErrorAs(t, err, &be)
				assert.Nil(t, pkg)
				require.Len(t, be.Findings, 1, "%v", be.Findings)
				assert.Equal(t, ruleTechniqueName, be.Findings[0].Rule)
				assert.Equal(t, c.path, be.Findings[0].Path)
				assert.Contains(t, be.Findings[0].Reason, c.reason)
				assert.NotEmpty(t, be.Findings[0].Remedy)
			})
		}
	}
}
