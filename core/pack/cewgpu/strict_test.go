package cewgpu

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/diag"
	"fxlens/core/wgsl/layout"
)

// What strict packages have no words for is refused with the field, and named what can
// carry it: the extended profile takes the same pass.
func TestStrictRefuses(t *testing.T) {
	for _, c := range []struct {
		rule       diag.Code
		path, text string
		change     func(*PassModules)
	}{
		{"cewgpu.build.strict-counter", "resourceKind", "the counter of a buffer", func(m *PassModules) {
			b := &m.Plan.Bindings[1]
			b.Kind, b.Identity, b.Scope = layout.UAVCounter, "uav-counter:0:0", "uav-counter:0:0@fragment"
			b.Type, b.Buffer = "atomic<u32>", &layout.Buffer{Type: "storage", MinBindingSize: 4}
		}},
		{"cewgpu.build.strict-variant", "identity", "a second binding of one register", func(m *PassModules) {
			b := &m.Plan.Bindings[3]
			b.Identity, b.Scope = "sampler:0:0#comparison", "sampler:0:0#comparison@fragment"
		}},
		{"cewgpu.build.strict-needs", "Main.pass0.pixel", "needs clip-distances, pointer_composite_access", func(m *PassModules) {
			m.Modules[1].Requires = Requires{Features: []string{"clip-distances"}, LanguageFeatures: []string{"pointer_composite_access"}}
		}},
	} {
		t.Run(string(c.rule), func(t *testing.T) {
			in := tinyInput(t, tinyEffect(t))
			m := tinyPass(t)
			c.change(m)
			in.Translate = func(context.Context, int, PassRef) (*PassModules, error) { return m, nil }
			_, _, err := Build(t.Context(), in)
			var refused *BuildError
			require.ErrorAs(t, err, &refused)
			require.Len(t, refused.Findings, 1)
			f := refused.Findings[0]
			assert.Equal(t, c.rule, f.Rule)
			assert.Equal(t, diag.Error, f.Severity)
			assert.Equal(t, "WGSL", f.Chunk)
			assert.Contains(t, f.Path, c.path)
			assert.Contains(t, f.Reason, c.text)
			assert.Contains(t, f.Remedy, "--profile extended")
			in.Profile = Extended
			_, _, err = Build(t.Context(), in)
			require.NoError(t, err)
		})
	}
}
