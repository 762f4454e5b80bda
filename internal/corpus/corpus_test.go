package corpus_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/internal/corpus"
)

// TestHLSLSuite checks that the committed suite is whole: every program is a
// DXBC container of the size that it states, its listing names its target, its
// entry is in its source, and no file is left over.
func TestHLSLSuite(t *testing.T) {
	programs := corpus.HLSL(t)
	require.GreaterOrEqual(t, len(programs), 150)
	dir := filepath.Join(corpus.Root(t), "testdata", "hlsl")
	known := map[string]bool{"manifest.tsv": true}
	sources := map[string]string{}
	stages := map[string]int{}
	for _, p := range programs {
		known[p.Name+".dxbc"], known[p.Name+".asm"], known[p.Source] = true, true, true
		stages[p.Target]++
		if assert.Greater(t, len(p.DXBC), 32, p.Name) {
			assert.True(t, bytes.HasPrefix(p.DXBC, []byte("DXBC")), p.Name)
			assert.Equal(t, uint32(len(p.DXBC)), binary.LittleEndian.Uint32(p.DXBC[24:]), p.Name)
		}
		assert.Contains(t, "\n"+p.Listing, "\n"+p.Target+"\n", p.Name)
		if _, ok := sources[p.Source]; !ok {
			src, err := os.ReadFile(filepath.Join(dir, p.Source))
			require.NoError(t, err)
			sources[p.Source] = string(src)
		}
		assert.Regexp(t, `\b`+p.Entry+`\(`, sources[p.Source], p.Name)
	}
	for _, target := range []string{"vs_4_0", "vs_5_0", "vs_5_1", "ps_4_0", "ps_4_1", "ps_5_0", "ps_5_1", "cs_4_0", "cs_4_1", "cs_5_0", "cs_5_1", "gs_5_0", "hs_5_0", "ds_5_0"} {
		assert.NotZero(t, stages[target], target)
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		assert.True(t, known[e.Name()], "testdata/hlsl/%s belongs to no line of the manifest", e.Name())
	}
}

// TestHLSLCoverage keeps the suite from losing an instruction: it must use every
// one of these, as Microsoft's listings name them.
func TestHLSLCoverage(t *testing.T) {
	used := map[string]bool{}
	word := regexp.MustCompile(`^\s*([A-Za-z_0-9]+)`)
	for _, p := range corpus.HLSL(t) {
		for _, line := range strings.Split(p.Listing, "\n") {
			if strings.HasPrefix(line, "//") {
				continue
			}
			if m := word.FindStringSubmatch(line); m != nil {
				used[m[1]] = true
				// The printed forms glue offsets, dimensions and conditions to the name.
				for _, cut := range []string{"_aoffimmi", "_indexable", "_nz", "_z", "_sat", "_uint", "_glc", "_opc"} {
					if base, _, ok := strings.Cut(m[1], cut); ok {
						used[base] = true
					}
				}
			}
		}
	}
	missing := slices.DeleteFunc(strings.Fields(instructions), func(op string) bool { return used[op] })
	assert.Empty(t, missing, "instructions that no program of testdata/hlsl uses")
}

// instructions is what Microsoft's compiler can be made to emit for vertex, pixel
// and compute programs.
const instructions = `
add and atomic_and atomic_cmp_store atomic_iadd atomic_imax atomic_imin atomic_or atomic_umax atomic_umin atomic_xor
bfi bfrev break breakc bufinfo call case continue continuec countbits cut_stream
dadd dcl_immediateConstantBuffer dcl_indexrange dcl_indexableTemp ddiv default deq deriv_rtx deriv_rtx_coarse
deriv_rtx_fine deriv_rty deriv_rty_coarse deriv_rty_fine dfma dge discard div dlt dmax dmin dmov dmovc dmul dp2 dp3 dp4
dtof dtoi dtou else emit_stream endif endloop endswitch eq eval_centroid eval_sample_index eval_snapped exp f16tof32
f32tof16 fcall firstbit_hi firstbit_lo firstbit_shi frc ftod ftoi ftou gather4 gather4_c gather4_po gather4_po_c ge iadd ibfe
ieq if ige ilt imad imax imin imm_atomic_alloc imm_atomic_and imm_atomic_cmp_exch imm_atomic_consume imm_atomic_exch
imm_atomic_iadd imm_atomic_imax imm_atomic_imin imm_atomic_or imm_atomic_umax imm_atomic_umin imm_atomic_xor imul ine
ineg ishl ishr itof label ld ld_raw ld_structured ld_uav_typed ldms lod log loop lt mad max min mov movc msad mul ne not or rcp
resinfo ret retc round_ne round_ni round_pi round_z rsq sample sample_b sample_c sample_c_lz sample_d sample_l
sampleinfo samplepos sincos sqrt store_raw store_structured store_uav_typed switch sync_g sync_g_t sync_uglobal
sync_uglobal_g sync_uglobal_g_t ubfe udiv uge ult umax umin ushr utod utof xor`

func TestStagesFilter(t *testing.T) {
	cs := corpus.HLSL(t, "cs")
	require.NotEmpty(t, cs)
	for _, p := range cs {
		assert.Equal(t, "cs", p.Stage())
	}
	assert.Len(t, corpus.HLSL(t), len(cs)+len(corpus.HLSL(t, "vs", "ps", "gs", "hs", "ds")))
}

func TestLoadErrors(t *testing.T) {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	for _, c := range []struct {
		name, manifest, want string
	}{
		{"fields", "a\tb\tc\n", "manifest.tsv:1: 3 fields instead of 6"},
		{"twice", "a\ts\te\tps_5_0\t-\t-\na\ts\te\tps_5_0\t-\t-\n", "manifest.tsv:2: a second a"},
		{"target", "# head\na\ts\te\tp\t-\t-\n", `manifest.tsv:2: target "p"`},
		{"no bytecode", "b\ts\te\tps_5_0\t-\t-\n", "open b.dxbc: file does not exist"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := corpus.Load(fstest.MapFS{"manifest.tsv": file(c.manifest), "a.dxbc": file("DXBC"), "a.asm": file("")})
			require.EqualError(t, err, c.want)
		})
	}
}
