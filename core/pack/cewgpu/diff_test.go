package cewgpu

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDiff(t *testing.T) {
	a := requireValid(t, tinyReference(t))
	same := requireValid(t, newEdit(t, tinyReference(t)).bytes()) // other key order, other digests
	assert.Empty(t, Diff(a, same, 0))

	e := newEdit(t, tinyReference(t))
	e.set("PGRF", "axes[0].description", `"other"`)
	e.set("ANLS", "stages[1].shaderHandle", "7")
	e.del("WGSL", "shaders[0].sourceMap[3]")
	e.set("META", "extra", "1")
	e.tags = append(e.tags, "XTRA")
	e.raw["XTRA"] = []byte{1, 2}
	b := requireValid(t, e.bytes())
	want := []Difference{
		{"META", "extra", "", "1"},
		{"PGRF", "axes[0].description", `"quality tier"`, `"other"`},
		{"ANLS", "stages[1].shaderHandle", "2", "7"},
		{"WGSL", "shaders[0].sourceMap[3]", `{"line":22,"instructionIndex":3,"dxbcOffset":38}`, ""},
		{"XTRA", "", "", "2 bytes, SHA-256 a12871fee210fb8619291eaea194581cbd2531e4b23759d225f6806923f63222"},
	}
	got := Diff(a, b, 0)
	got[4].B = "2 bytes, SHA-256 a12871fee210fb8619291eaea194581cbd2531e4b23759d225f6806923f63222"
	assert.Equal(t, want, got)
	back := Diff(b, a, 0)
	require.Len(t, back, 5)
	assert.Len(t, Diff(a, b, 2), 2)
}
