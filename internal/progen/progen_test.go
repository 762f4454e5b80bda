package progen

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/dxbc"
)

// TestNew: programs assemble, are the same for the same seed, and have every kind of
// block and of access.
func TestNew(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(300) {
		text := New(seed).Text()
		require.Equal(t, text, New(seed).Text())
		_, err := dxbc.AssembleProgram(text)
		require.NoError(t, err, text)
		for _, word := range []string{"if_nz", "if_z", "else", "loop", "switch", "case", "default", "breakc_nz", "continuec_z", "retc_nz", "sync_g_t", "x0[r8.z", "cb0[r8.y", "icb[r8.y", "atomic_imax", "call label0", "callc_nz ", "label label1"} {
			seen[word] = seen[word] || strings.Contains(text, word)
		}
	}
	for word, ok := range seen {
		assert.True(t, ok, word)
	}
}

// never are the arithmetic instructions that programs do not have, and why.
var never = map[dxbc.Op]string{
	dxbc.OpDerivRtx: "pixel programs only", dxbc.OpDerivRty: "pixel programs only",
	dxbc.OpDerivRtxCoarse: "pixel programs only", dxbc.OpDerivRtyCoarse: "pixel programs only",
	dxbc.OpDerivRtxFine: "pixel programs only", dxbc.OpDerivRtyFine: "pixel programs only",
	dxbc.OpEvalSnapped: "pixel programs only", dxbc.OpEvalSampleIndex: "pixel programs only", dxbc.OpEvalCentroid: "pixel programs only",
	dxbc.OpCheckAccessFullyMapped: "of the status that reads of tiled resources give",
}

// TestOpcodes counts the instructions of many programs: every arithmetic one occurs,
// that is, every one that computes registers from registers alone, but those that are
// never generated for a reason.
func TestOpcodes(t *testing.T) {
	const seeds = 400
	count := map[dxbc.Op]int{}
	for seed := range uint64(seeds) {
		p, err := dxbc.AssembleProgram(New(seed).Text())
		require.NoError(t, err)
		for i := range p.Instrs {
			count[p.Instrs[i].Op]++
		}
	}
	arithmetic, least := 0, seeds
	for _, op := range dxbc.Ops() {
		info := op.Info()
		if info.Flags&(dxbc.FlagDecl|dxbc.FlagFlow|dxbc.FlagReserved|dxbc.FlagSide) != 0 || info.Out == "" || strings.Trim(info.Out+info.In, "fiudm") != "" {
			continue
		}
		arithmetic++
		if why := never[op]; why != "" {
			assert.Zero(t, count[op], "%s is generated, though %s", op, why)
			continue
		}
		assert.Positive(t, count[op], "%s does not occur in %d programs", op, seeds)
		least = min(least, count[op])
	}
	assert.Greater(t, arithmetic, 90)
	t.Logf("%d arithmetic instructions, the rarest occurs %d times in %d programs; %d are never generated", arithmetic, least, seeds, len(never))
}

// TestShrink: what a failure needs stays, in its block where that matters, and all
// else goes.
func TestShrink(t *testing.T) {
	n := 0
	for seed := range uint64(200) {
		p := New(seed)
		inLoop := func(p *Program) bool {
			found := false
			var walk func(l []*Node, in bool)
			walk = func(l []*Node, in bool) {
				for _, x := range l {
					found = found || in && x.Kind == Op && strings.HasPrefix(x.Text[0], "mad")
					for _, inner := range x.lists() {
						walk(*inner, in || x.Kind == Loop)
					}
				}
			}
			walk(p.Body, false)
			return found
		}
		if !inLoop(p) {
			continue
		}
		n++
		before := p.Text()
		small := Shrink(p, inLoop, 5000)
		require.True(t, inLoop(small))
		assert.Equal(t, before, p.Text(), "the program itself stays")
		require.Len(t, small.Body, 1, small.Text())
		assert.Equal(t, Loop, small.Body[0].Kind)
		assert.Equal(t, 1, small.Body[0].Rounds)
		require.Len(t, small.Body[0].Body, 1, small.Text())
		assert.Less(t, strings.Count(small.Text(), "ld_structured"), 6, "registers that are not used are not loaded")
	}
	assert.Greater(t, n, 20)
	p := New(5)
	asked := 0
	Shrink(p, func(*Program) bool { asked++; return false }, 7)
	assert.Equal(t, 7, asked, "the limit holds")
}
