package ir_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/dxbc"
	"fxlens/core/ir"
)

// TestTextRoundTrip prints every program after every phase and reads it back.
func TestTextRoundTrip(t *testing.T) {
	n := 0
	programs(t, func(name string, s *dxbc.Shader) {
		if n++; n%5 != 0 {
			return // a fifth of the programs has every operation and shape
		}
		f, _, err := ir.Build(context.Background(), s, ir.BuildOptions{})
		require.NoError(t, err)
		if f == nil {
			return
		}
		check := func(phase string) {
			text := ir.Print(f)
			g, err := ir.Parse(text)
			require.NoErrorf(t, err, "%s after %s\n%s", name, phase, text)
			h, err := ir.Parse(ir.Print(g))
			require.NoErrorf(t, err, "%s after %s, second time", name, phase)
			require.Equalf(t, ir.Print(g), ir.Print(h), "%s after %s", name, phase)
			require.Lenf(t, ir.Lines(g), len(ir.Lines(f)), "%s after %s", name, phase)
		}
		check("build")
		for _, p := range ir.Phases {
			p.Run(f)
			if p.Name == "dead" || p.Name == "vectors" {
				check(p.Name)
			}
		}
	})
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "no body"},
		{"open", "program ps\nbody {\n", "ends inside a block"},
		{"undefined value", "program ps\nbody {\nv0:f32x1 = FNeg v7.x\nreturn\n}\n", `"v7.x" is not defined before`},
		{"no lane", "program ps\nbody {\nv0:f32x1 = FNeg #00000000\nv1:f32x1 = FNeg v0.\nreturn\n}\n", `"v0." names no lane`},
		{"unknown operation", "program ps\nbody {\nv0:f32x1 = Frob #00000000\nreturn\n}\n", `"Frob" is no operation`},
		{"no terminator", "program ps\nbody {\nv0:f32x1 = FNeg #00000000\n}\n", "ends with its only terminator"},
		{"break outside", "program ps\nbody {\nbreak\n}\n", "break outside a construct"},
		{"defined twice", "program ps\nbody {\nv0:f32x1 = FNeg #00000000\nv0:f32x1 = FNeg #00000000\nreturn\n}\n", "v0 is defined twice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ir.Parse(c.text)
			assert.ErrorContains(t, err, c.want)
		})
	}
}

// FuzzParse: any text is a function that verifies and prints back, or an error.
func FuzzParse(f *testing.F) {
	n := 0
	programs(f, func(_ string, s *dxbc.Shader) {
		if n++; n%40 == 0 {
			if g, _, err := ir.Build(context.Background(), s, ir.BuildOptions{}); err == nil && g != nil {
				if text := ir.Print(g); len(text) < 4000 {
					f.Add(text)
				}
			}
		}
	})
	f.Fuzz(func(t *testing.T, text string) {
		g, err := ir.Parse(text)
		if err != nil {
			return
		}
		h, err := ir.Parse(ir.Print(g))
		require.NoError(t, err)
		require.Equal(t, ir.Print(g), ir.Print(h))
	})
}
