package dxbc

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const letters = "fiudamnclopvtsRBUWM"

func TestOpTable(t *testing.T) {
	names := map[string]Op{}
	for op := Op(0); op < numOps; op++ {
		row := op.Info()
		require.NotEmpty(t, row.Name, "row %d is empty", op)
		if prev, dup := names[row.Name]; dup {
			assert.Failf(t, "duplicate name", "%s is both %d and %d", row.Name, prev, op)
		}
		names[row.Name] = op
		if row.Flags&FlagReserved != 0 {
			assert.Equal(t, OpInfo{Name: row.Name, Flags: FlagReserved}, row)
			assert.False(t, op.Valid())
			continue
		}
		assert.NotEmpty(t, row.Doc, row.Name)
		assert.NotEmpty(t, row.WGSL, row.Name)
		assert.Contains(t, []uint8{40, 41, 50}, row.Since, row.Name)
		assert.NotZero(t, row.Stages, row.Name)
		for _, l := range row.Out + row.In {
			assert.Contains(t, letters, string(l), row.Name)
		}
		assert.Less(t, row.MinMask>>len(row.In), uint8(1), "%s: precision mask beyond its sources", row.Name)
		if row.Flags&FlagDecl != 0 {
			assert.Empty(t, row.Out+row.In, row.Name)
			assert.Equal(t, LitNone, row.Lit, row.Name)
		}
		if row.Flags&FlagFeedback != 0 {
			assert.Len(t, row.Out, 2, row.Name)
		}
		assert.Equal(t, strings.Contains(row.In, "s"), row.Flags&FlagSample != 0, row.Name)
		assert.Equal(t, strings.Contains(row.Out+row.In, "d"), row.Flags&FlagDouble != 0, row.Name)
		got, ok := LookupOp(row.Name)
		assert.True(t, ok)
		assert.Equal(t, op, got)
	}
	assert.Len(t, Ops(), int(numOps)-4)
	assert.False(t, Op(numOps).Valid())
	assert.False(t, Op(2047).Valid())
}

// TestOpArity decodes one instruction of every opcode, as long as the table says.
func TestOpArity(t *testing.T) {
	for _, op := range Ops() {
		row := op.Info()
		if row.Flags&FlagDecl != 0 || op == OpCustomdata {
			continue
		}
		n := len(row.Out) + len(row.In)
		words := []uint32{0x50, 0}
		if op == OpFcall {
			words = append(words, uint32(op)|uint32(2+2*n)<<24, 7)
		} else {
			words = append(words, uint32(op)|uint32(1+2*n)<<24)
		}
		for i := range n {
			words = append(words, 0x00100e46, uint32(i)) // r#.xyzw
		}
		words[1] = uint32(len(words))
		p, err := DecodeWords(words, DecodeOptions{})
		require.NoError(t, err, op)
		in := &p.Instrs[0]
		require.Len(t, in.Operands, n, op)
		assert.EqualValues(t, len(row.Out), in.NumDst, op)
		assert.Zero(t, in.Trailing, op)
		if n > 0 { // one word less is too short
			words[2] -= 1 << 24
			words[1]--
			_, err = DecodeWords(words, DecodeOptions{})
			assert.ErrorIs(t, err, ErrTruncated, op)
		}
	}
}

// TestOpTableAgainstSpec compares the table with the measured one.
func TestOpTableAgainstSpec(t *testing.T) {
	dir := shared("spec")
	if dir == "" {
		t.Log("the shared specification is not here")
		return
	}
	b, err := os.ReadFile(dir + "/opcodes.tsv")
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")[1:]
	require.Len(t, lines, int(numOps))
	lits := map[LitClass]string{LitNone: "none", LitFloat: "float", LitInt: "int", LitAuto: "auto"}
	for i, line := range lines {
		f := strings.Split(line, "\t")
		row := Op(i).Info()
		if f[1] == "reserved" {
			assert.NotZero(t, row.Flags&FlagReserved, i)
			continue
		}
		assert.Equal(t, strings.TrimSuffix(f[1], "_DIM"), row.Name)
		assert.Equal(t, strings.ReplaceAll(f[2][:3], ".", ""), strconv.Itoa(int(row.Since)), f[1])
		assert.Equal(t, f[4], strconv.Itoa(len(row.Out)), f[1])
		assert.Equal(t, f[5], strconv.Itoa(len(row.In)), f[1])
		assert.Equal(t, f[7], lits[row.Lit], f[1])
		mask := ""
		for j := range row.In {
			mask += strconv.Itoa(int(row.MinMask >> j & 1))
		}
		if f[8] != "" {
			assert.Equal(t, f[8], mask, f[1])
		} else {
			assert.Zero(t, row.MinMask, f[1])
		}
		stages, _, _ := strings.Cut(f[3], "(")
		if Op(i) != OpSync { // any stage that has views may fence them; listed as cs, ps
			assert.Equal(t, strings.TrimSpace(stages), strings.ReplaceAll(row.Stages.String(), ", ", ","), f[1])
		}
	}
}
