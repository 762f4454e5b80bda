package themes

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/views"
)

// deficiencies are the matrices of full protanopia, deuteranopia and tritanopia on linear
// RGB: Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of
// Color Vision Deficiency", 2009, severity 1.0.
var deficiencies = map[string][3][3]float64{
	"none":   {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protan": {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deutan": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritan": {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// lab is a colour as somebody with the deficiency sees it, in CIE L*a*b* (D65).
func lab(c RGB, m [3][3]float64) [3]float64 {
	lin := func(v uint8) float64 {
		f := float64(v) / 255
		if f <= 0.04045 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	in := [3]float64{lin(c.R), lin(c.G), lin(c.B)}
	var o [3]float64
	for i := range o {
		o[i] = min(max(m[i][0]*in[0]+m[i][1]*in[1]+m[i][2]*in[2], 0), 1)
	}
	f := func(t float64) float64 {
		if t > 216.0/24389 {
			return math.Cbrt(t)
		}
		return (24389.0/27*t + 16) / 116
	}
	x := f((0.4124*o[0] + 0.3576*o[1] + 0.1805*o[2]) / 0.95047)
	y := f(0.2126*o[0] + 0.7152*o[1] + 0.0722*o[2])
	z := f((0.0193*o[0] + 0.1192*o[1] + 0.9505*o[2]) / 1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

func apart(a, b [3]float64) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}

// minApart is a difference that everybody sees side by side; 2.3 is the least that anybody
// can see (CIE 1976).
const minApart = 10

// States are told apart by their marks first (views and tui test those); where a theme
// has colours, these differ too, for any eye, or an attribute does.
func TestStatesForAnyEye(t *testing.T) {
	states := []views.Role{views.RoleOK, views.RoleRefused, views.RoleMissing, views.RoleWarning, views.RoleNote}
	for _, n := range Names() {
		th, err := Load(n)
		require.NoError(t, err)
		for eye, m := range deficiencies {
			for i, a := range states {
				for _, b := range states[i+1:] {
					x, y := th.Style(a, 0), th.Style(b, 0)
					if x.FG == nil || y.FG == nil || x.Attr != y.Attr {
						continue // by mark, or by attribute
					}
					d := apart(lab(*x.FG, m), lab(*y.FG, m))
					assert.GreaterOrEqual(t, d, float64(minApart), "%s, %s: %v %v and %v %v", n, eye, a, x.FG, b, y.FG)
				}
			}
		}
	}
}

func TestSimulation(t *testing.T) {
	red, green := RGB{200, 60, 60}, RGB{90, 130, 50}
	none, deutan := deficiencies["none"], deficiencies["deutan"]
	assert.Greater(t, apart(lab(red, none), lab(green, none)), 60.0)
	assert.Less(t, apart(lab(red, deutan), lab(green, deutan)), 30.0, "red and green come close")
	assert.InDelta(t, 100, lab(RGB{255, 255, 255}, none)[0], 0.1)
}
