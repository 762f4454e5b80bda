package carbon_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/diag"
	"fxlens/core/pack/carbon"
	"fxlens/core/pack/cewgpu"
)

// whole checks a diagnostic in every part.
func whole(t *testing.T, d diag.Diag, code diag.Code, text string) {
	t.Helper()
	assert.Equal(t, code, d.Code)
	assert.Equal(t, diag.Error, d.Sev)
	assert.Contains(t, d.Text, text)
	assert.NotEmpty(t, d.Remedy)
}

// A file whose passes name the same bytes again and again as blocks cannot make its
// reader read many times its size.
func TestBlockBudget(t *testing.T) {
	t.Parallel()
	p := take(t, tiny(t))
	tech := &p.body.Techniques[0]
	tech.Passes = slices.Repeat(tech.Passes[:1], 64)
	b := p.bytes(t)
	at := tail(b)
	ref := slices.Clone(b[at : at+8])
	arena := binary.LittleEndian.Uint32(b[40:])
	n := uint32(0)
	for i := at; i >= 0; i = bytes.Index(b, ref) {
		n++
		binary.LittleEndian.PutUint32(b[i:], arena-n)
		binary.LittleEndian.PutUint32(b[i+4:], n)
	}
	require.Greater(t, n, uint32(60))
	_, ds := carbon.Validate(b, carbon.Detect)
	i := slices.IndexFunc(ds, func(d diag.Diag) bool { return d.Code == "carbon.block-budget" })
	require.GreaterOrEqual(t, i, 0, "%v", ds)
	whole(t, ds[i], "carbon.block-budget", "programs and blocks overlap")
}

// A long block that many passes share, in a file where nothing overlaps, costs its reader
// as much, and the text says that too.
func TestSharedBlockBudget(t *testing.T) {
	t.Parallel()
	p := take(t, tiny(t))
	for i := range 60 {
		s := *p.slot(0)
		s.Slot, s.Register, s.Symbol = uint8(100+i), uint32(100+i), fmt.Sprintf("extra%d", i)
		p.block.Groups[0].Slots = append(p.block.Groups[0].Slots, s)
	}
	tech := &p.body.Techniques[0]
	tech.Passes = slices.Repeat(tech.Passes[:1], 64)
	b := p.bytes(t)
	_, ds := carbon.Validate(b, carbon.Detect)
	i := slices.IndexFunc(ds, func(d diag.Diag) bool { return d.Code == "carbon.block-budget" })
	require.GreaterOrEqual(t, i, 0, "%v", ds)
	whole(t, ds[i], "carbon.block-budget", fmt.Sprintf("or their bindings repeat beyond measure: they come to more than %d bytes, in a file of %d", 4*len(b), len(b)))
	assert.Equal(t, diag.Loc{}, ds[i].At, "it is of the whole file")
}

// What one run lists is bounded, and a note says that there is more.
func TestFindingsAreBounded(t *testing.T) {
	t.Parallel()
	p := take(t, tiny(t))
	for i := range p.block.Groups[0].Slots {
		s := p.slot(i)
		s.Visibility, s.Symbol, s.Type, s.Stride = 0, "", "nothing", 6
	}
	tech := &p.body.Techniques[0]
	tech.Passes = slices.Repeat(tech.Passes[:1], 64)
	_, ds := carbon.Validate(p.bytes(t), carbon.Detect)
	require.Len(t, ds, 501)
	i := slices.IndexFunc(ds, func(d diag.Diag) bool { return d.Code == "carbon.more" })
	require.GreaterOrEqual(t, i, 0)
	assert.Equal(t, diag.Diag{Code: "carbon.more", Sev: diag.Note, Text: "there are more than 500 findings", Remedy: "repair what is listed and check again"}, ds[i])
}

// What is asked of a permutation that is not there, or has no modules, is refused.
func TestNothingTranslated(t *testing.T) {
	t.Parallel()
	c := tiny(t)
	_, ds := c.File.WGSL(99)
	require.Len(t, ds, 1)
	whole(t, ds[0], "carbon.nothing-translated", "there is no permutation 99")

	p := take(t, c)
	p.block = nil
	for i := range p.body.Techniques[0].Passes[0].Stages {
		p.stage(i).Program = nil
	}
	empty, ds := carbon.Validate(p.bytes(t), carbon.Detect)
	require.Empty(t, errorsOf(ds))
	_, err := empty.ToPackage(t.Context(), carbon.ToOptions{Label: "tiny", Version: "0.1.0"})
	var refused *carbon.ConvertError
	require.ErrorAs(t, err, &refused)
	whole(t, refused.Findings[0], "carbon.nothing-translated", "pass Main.pass0 has no modules")
	assert.Equal(t, "Main", refused.Findings[0].At.Technique)
	assert.Contains(t, refused.Findings[0].Remedy, "--source")
}

// The views of a container are those of its own package, and of no other.
func TestViewDiffers(t *testing.T) {
	t.Parallel()
	p, err := cewgpu.Open(readFile(t, testdata, "packages", "tiny.cewgpu"))
	require.NoError(t, err)
	c := tiny(t)
	ds, err := c.File.VerifyPackage(t.Context(), p)
	require.NoError(t, err)
	assert.Empty(t, ds)

	other := take(t, c)
	other.stage(1).Program = append(slices.Clone(other.stage(1).Program), "// more\n"...)
	f, found := carbon.Validate(other.bytes(t), carbon.Detect)
	require.Empty(t, errorsOf(found))
	ds, err = f.VerifyPackage(t.Context(), p)
	require.NoError(t, err)
	require.NotEmpty(t, ds)
	whole(t, ds[0], "carbon.view", "differ in")
}
