package meaning

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/dxbc"
	"fxlens/internal/corpus"
)

// described are the facts that the descriptions of the engine's programs give:
// declarations (constant rows, views and strides, identifiers, groupshared memory,
// group), and in program order the loops, barriers and accesses that the profiles spell out.
var described = []struct {
	program      string
	declarations string
	order        string
}{
	{"engine-set-draw-parameters", "t0 buffer sint; u0 buffer uint; threads 1x1x1",
		"load t0, 5 store u0, ret"},
	{"engine-set-sort-args", "t0 buffer sint; u0 buffer uint; threads 1x1x1",
		"load t0, 4 store u0, ret"},
	{"engine-skin-vertices", "b3 3 rows; t0 structured 48; t1 structured 4; u0 structured 4; vThreadID; threads 64x1x1",
		"if, 3 load t1, if, 2 load t1, 12 load t0, endif, 3 store u0, endif, ret"},
	{"engine-sort-step", "b3 1 rows; t0 buffer uint; u0 structured 8; vThreadGroupID; vThreadIDInGroup; threads 256x1x1",
		"load t0, if, 2 load u0, if, 2 store u0, endif, endif, ret"},
	{"engine-sort-inner", "t0 buffer uint; u0 structured 8; vThreadIDInGroupFlattened; vThreadGroupID; vThreadIDInGroup; g0 structured 8 x 512; threads 256x1x1",
		"load t0, if, if, load u0, store g0, endif, endif, if, if, load u0, store g0, endif, endif, barrier, " +
			"loop, breakc, if, 2 load g0, if, 2 store g0, endif, endif, barrier, endloop, " +
			"if, load g0, store u0, endif, if, load g0, store u0, endif, ret"},
	{"engine-sort", "t0 buffer uint; u0 structured 8; vThreadIDInGroupFlattened; vThreadGroupID; vThreadIDInGroup; g0 structured 8 x 512; threads 256x1x1",
		"load t0, if, ret, endif, if, load u0, store g0, endif, if, load u0, store g0, endif, barrier, " +
			"loop, breakc, loop, breakc, if, 2 load g0, if, 2 store g0, endif, endif, barrier, endloop, endloop, " +
			"if, load g0, store u0, endif, if, load g0, store u0, endif, ret"},
	{"engine-create-histograms", "b0 1 rows; t0 texture2d float; u0 buffer uint; vThreadGroupID; vThreadIDInGroup; vThreadID; g0 structured 4 x 64; threads 16x16x1",
		"if, store g0, endif, barrier, if, load t0, atomic g0, endif, barrier, if, 4 load g0, store u0, endif, ret"},
	{"engine-merge-histograms", "b0 1 rows; t0 buffer uint; u0 buffer uint; vThreadIDInGroup; vThreadID; g0 structured 4 x 64; threads 256x1x1",
		"if, store g0, endif, barrier, if, loop, breakc, load t0, 4 atomic g0, endloop, endif, barrier, if, load g0, atomic u0, endif, ret"},
	{"engine-clear-counter", "u0 buffer sint; threads 1x1x1",
		"store u0, ret"},
	{"engine-clear-particles", "b3 1 rows; u0 structured 4; u1 buffer sint; u2 structured 32; vThreadIDInGroupFlattened; threads 16x16x1",
		"loop, breakc, 2 store u2, returning atomic u1, store u0, endloop, " +
			"if, loop, breakc, 2 store u2, returning atomic u1, store u0, endloop, endif, ret"},
	{"engine-emit", "b3 4096 rows by index; u0 structured 32; u1 buffer sint; u2 structured 4; vThreadIDInGroupFlattened; vThreadGroupID; vThreadIDInGroup; g0 raw 112; threads 16x16x1",
		"if, 7 store g0, endif, barrier, 2 load g0, if, returning atomic u1, if, load u2, 7 load g0, 2 store u0, endif, endif, ret"},
}

// TestEngineDescriptions compares our HLSL of the engine's programs, as compiled for
// both shader models, with their descriptions.
func TestEngineDescriptions(t *testing.T) {
	byName := map[string]corpus.Program{}
	for _, v := range corpus.HLSL(t, "cs") {
		byName[v.Name] = v
	}
	for _, d := range described {
		for _, name := range []string{d.program, d.program + "-51"} {
			t.Run(name, func(t *testing.T) {
				s, err := dxbc.Open(byName[name].DXBC)
				require.NoError(t, err)
				decls, order := outline(s.Program)
				assert.Equal(t, d.declarations, decls)
				if name == d.program { // the other schedule may load in another order
					assert.Equal(t, d.order, order)
				}
			})
		}
	}
}

// outline lists a program's declarations, and what it does in program order: flow,
// barriers and accesses, repetitions counted.
func outline(p *dxbc.Program) (decls, order string) {
	var ds, os []string
	names := map[string]string{} // by register class and number, or range
	register := func(o *dxbc.Operand) string {
		letter := map[dxbc.RegType]string{dxbc.RegConstantBuffer: "b", dxbc.RegResource: "t", dxbc.RegUAV: "u", dxbc.RegGroupShared: "g"}[o.Reg]
		if letter == "" || o.NumIndex == 0 {
			return ""
		}
		return letter + fmt.Sprint(o.Index(0).Imm)
	}
	last, count := "", 0
	flush := func() {
		switch {
		case count == 1:
			os = append(os, last)
		case count > 1:
			os = append(os, fmt.Sprint(count, " ", last))
		}
		last, count = "", 0
	}
	do := func(what string, counted bool) {
		if !counted || what != last {
			flush()
		}
		last, count = what, count+1
	}
	for i := range p.Instrs {
		in := &p.Instrs[i]
		if d := in.Decl; d != nil {
			what := ""
			switch in.Op {
			case dxbc.OpDclConstantbuffer:
				what = fmt.Sprintf("%d rows%s", d.Size, map[bool]string{true: " by index"}[d.Dynamic])
			case dxbc.OpDclResource, dxbc.OpDclUavTyped:
				what = d.Dim.String() + " " + d.Return[0].String()
			case dxbc.OpDclResourceStructured, dxbc.OpDclUavStructured:
				what = fmt.Sprint("structured ", d.Stride)
			case dxbc.OpDclTgsmRaw:
				what = fmt.Sprint("raw ", d.Size)
			case dxbc.OpDclTgsmStructured:
				what = fmt.Sprintf("structured %d x %d", d.Stride, d.Size)
			case dxbc.OpDclThreadGroup:
				ds = append(ds, fmt.Sprintf("threads %dx%dx%d", d.Words[0], d.Words[1], d.Words[2]))
			case dxbc.OpDclInput:
				ds = append(ds, in.Operands[0].Reg.String())
			}
			if what != "" {
				r := register(&in.Operands[0])
				_, lo, _ := in.Range()
				names[r] = r[:1] + fmt.Sprint(lo)
				ds = append(ds, names[r]+" "+what)
			}
			continue
		}
		what := ""
		name := in.Op.String()
		for k := range in.Operands {
			if r := names[register(&in.Operands[k])]; r != "" && r[0] != 'b' {
				switch {
				case strings.HasPrefix(name, "imm_atomic"):
					what = "returning atomic " + r
				case strings.HasPrefix(name, "atomic"):
					what = "atomic " + r
				case strings.HasPrefix(name, "store"):
					what = "store " + r
				case strings.HasPrefix(name, "ld"):
					what = "load " + r
				}
			}
		}
		switch {
		case what != "":
			do(what, true)
		case in.Op.Has(dxbc.FlagBarrier):
			do(map[bool]string{true: "barrier", false: "another barrier"}[in.Sync == dxbc.SyncThreads|dxbc.SyncTGSM], false)
		case in.Op.Has(dxbc.FlagFlow):
			do(name, false)
		}
	}
	flush()
	return strings.Join(ds, "; "), strings.Join(os, ", ")
}
