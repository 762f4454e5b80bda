package job

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/dxbc"
	"fxlens/core/interp"
)

// dir holds the oracle's example jobs; they are no part of this repository.
var dir = filepath.Join("..", "..", "..", "..", "shared", "oracle", "execcases")

// open reads a file of our own jobs, or of the oracle's.
func open(p string) ([]byte, error) {
	if b, err := os.ReadFile(filepath.Join("testdata", p)); err == nil {
		return b, nil
	}
	return os.ReadFile(filepath.Join(dir, p))
}

// jobs are our own jobs and, where it is, those of the oracle.
func jobs(t testing.TB) []*Job {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*.job"))
	require.NoError(t, err)
	theirs, err := filepath.Glob(filepath.Join(dir, "*.job"))
	require.NoError(t, err)
	files = append(files, theirs...)
	var out []*Job
	for _, name := range files {
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		js, err := Parse(string(b))
		require.NoError(t, err, name)
		out = append(out, js...)
	}
	return out
}

// wine reads what Wine's d3d11 made of the jobs (its OpenGL back end on llvmpipe):
// an implementation of Direct3D 11 that has nothing in common with ours.
func wine(t testing.TB) map[string][]Output {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "wine-gl.jsonl"))
	require.NoError(t, err)
	out := map[string][]Output{}
	sc := bufio.NewScanner(bytes.NewReader(b))
	sc.Buffer(nil, 8<<20)
	for sc.Scan() {
		var r struct {
			Job     string
			Outputs []struct{ Name, Type, Hex string }
		}
		require.NoError(t, json.Unmarshal(sc.Bytes(), &r))
		for _, o := range r.Outputs {
			d, err := hex.DecodeString(o.Hex)
			require.NoError(t, err)
			out[r.Job] = append(out[r.Job], Output{o.Name, o.Type, d})
		}
	}
	return out
}

// programs are the programs of a job.
func programs(t testing.TB, j *Job) (out []*dxbc.Program) {
	t.Helper()
	for i := range j.Lines {
		if l := &j.Lines[i]; l.Words[0] == "dxbc" {
			b, err := open(l.word(2))
			require.NoError(t, err)
			s, err := dxbc.Open(b)
			require.NoError(t, err)
			out = append(out, s.Program)
		}
	}
	return out
}

// has reports whether a program has one of some instructions, and for memory whether it
// is groupshared.
func has(ps []*dxbc.Program, shared bool, ops ...dxbc.Op) bool {
	for _, p := range ps {
		for i := range p.Instrs {
			in := &p.Instrs[i]
			if slices.Contains(ops, in.Op) && (!shared || slices.ContainsFunc(in.Operands, func(o dxbc.Operand) bool { return o.Reg == dxbc.RegGroupShared })) {
				return true
			}
		}
	}
	return false
}

func float(u uint32) float64 { return float64(math.Float32frombits(u)) }

// underflow reports whether a word is a denormal or what little arithmetic makes of one.
func underflow(u uint32) bool { return u<<1 != 0 && math.Abs(float(u)) < 0x1p-124 }

// A rule says where an implementation of Direct3D 11 may be apart from ours: what a
// program has to do, and what the two words look like; moved is how far perturbed runs of
// ours are apart. docs/compatibility.md ("What implementations of Direct3D disagree
// about") has each rule, with who is right.
type rule struct {
	name  string
	when  func(ps []*dxbc.Program) bool
	holds func(theirs, ours uint32, moved float64) bool
}

var rules = []rule{
	// Wine on llvmpipe keeps denormals in compute programs, or rounds them up.
	{"denormals", func([]*dxbc.Program) bool { return true }, func(theirs, ours uint32, _ float64) bool {
		return ours<<1 == 0 && underflow(theirs)
	}},
	{"what is made of a denormal", func(ps []*dxbc.Program) bool {
		return has(ps, false, dxbc.OpLt, dxbc.OpGe, dxbc.OpEq, dxbc.OpNe, dxbc.OpRoundPi, dxbc.OpRoundNi)
	}, func(theirs, ours uint32, _ float64) bool { // one, or a mask bit, instead of zero
		return ours<<1 == 0 && (theirs == 1 || math.Abs(float(theirs)) == 1)
	}},
	{"half rounding", func(ps []*dxbc.Program) bool { return has(ps, false, dxbc.OpF32tof16) }, func(theirs, ours uint32, _ float64) bool {
		return theirs <= 0xFFFF && theirs == ours+1 // the neighbour further from zero
	}},
	{"conversions out of range", func(ps []*dxbc.Program) bool { return has(ps, false, dxbc.OpFtoi, dxbc.OpFtou) }, func(theirs, ours uint32, _ float64) bool {
		return (ours == 0 || ours == 0x7FFFFFFF || ours == 0x80000000 || ours == 0xFFFFFFFF) && (theirs == 0x80000000 || theirs == 0xFFFFFFFF)
	}},
	{"signed extremes of groupshared memory", func(ps []*dxbc.Program) bool {
		return has(ps, true, dxbc.OpAtomicImin, dxbc.OpAtomicImax, dxbc.OpImmAtomicImin, dxbc.OpImmAtomicImax)
	}, func(theirs, ours uint32, _ float64) bool { // as unsigned numbers a positive one is never the greatest
		return int32(theirs) >= 0 && int32(ours) < 0
	}},
	// The logarithm of a gradient's length is approximate, and where two levels are
	// equally near either may be taken.
	{"level of detail", func(ps []*dxbc.Program) bool { return has(ps, false, dxbc.OpSampleD, dxbc.OpSampleL) }, func(theirs, ours uint32, moved float64) bool {
		return math.Abs(float(theirs)-float(ours)) <= moved
	}},
	{"no lod instruction", func(ps []*dxbc.Program) bool { return has(ps, false, dxbc.OpLod) }, func(theirs, ours uint32, _ float64) bool {
		return theirs == 0 && float(ours) > 0
	}},
	{"alpha out of range", func(ps []*dxbc.Program) bool { return has(ps, false, dxbc.OpLd) }, func(theirs, ours uint32, _ float64) bool {
		return ours == 0 && float(theirs) == 1
	}},
	{"exp2 of NaN", func(ps []*dxbc.Program) bool { return has(ps, false, dxbc.OpExp) }, func(theirs, ours uint32, _ float64) bool {
		return theirs == 0 && float(ours) != float(ours)
	}},
}

// folded is the rule for expect lines, which speak of the HLSL: its compiler removed an
// addition of zero that would have flushed a denormal.
var folded = rule{"folded addition", func([]*dxbc.Program) bool { return true }, func(theirs, ours uint32, _ float64) bool { return theirs<<1 == 0 && underflow(ours) }}

// TestJobs runs the oracle's jobs and compares with what they state, and with what Wine
// makes of them. What differs is explained by a rule, each of which is needed.
func TestJobs(t *testing.T) {
	right := wine(t)
	ran, compared := 0, 0
	used := map[string]int{}
	explain := func(t *testing.T, j *Job, against string, ds []Difference, rules []rule) {
		if len(ds) == 0 {
			return
		}
		ps := programs(t, j)
		var moved []*Result
		for k := range uint64(12) {
			r, err := j.Run(context.Background(), Options{Open: open, Options: interp.Options{Jitter: k + 1}})
			require.NoError(t, err)
			moved = append(moved, r)
		}
		for _, d := range ds {
			far := 0.0
			for _, r := range moved {
				for _, o := range r.Outputs {
					if at := 4 * d.Index; o.Name == d.Output && at >= 0 && at+4 <= len(o.Data) {
						far = max(far, math.Abs(float(binary.LittleEndian.Uint32(o.Data[at:]))-float(d.got)))
					}
				}
			}
			k := slices.IndexFunc(rules, func(r rule) bool { return d.Index >= 0 && r.when(ps) && r.holds(d.want, d.got, far) })
			if assert.GreaterOrEqual(t, k, 0, "against %s: %v", against, d) {
				used[rules[k].name]++
			}
		}
	}
	for _, j := range jobs(t) {
		t.Run(j.Name, func(t *testing.T) {
			r, err := j.Run(context.Background(), Options{Open: open})
			require.NoError(t, err)
			require.Equal(t, "ok", r.Status, r.Error)
			ran++
			want, err := j.Expected(open)
			require.NoError(t, err)
			d, n := r.Compare(want)
			explain(t, j, "the job's expect lines", d, []rule{folded})
			compared += n
			require.NotEmpty(t, right[j.Name])
			d, n = r.Compare(right[j.Name])
			explain(t, j, "Wine", d, rules)
			compared += n
			assert.Positive(t, n)
		})
	}
	t.Logf("%d jobs, %d words compared, explained: %v", ran, compared, used)
	if ran < 10 {
		return // the oracle's jobs are not there, and what they need is not needed
	}
	assert.GreaterOrEqual(t, ran, 39)
	doc, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "compatibility.md"))
	require.NoError(t, err)
	for _, r := range append(rules, folded) {
		assert.Positive(t, used[r.name], "no difference needs the rule %q", r.name)
		assert.Contains(t, string(doc), "| "+r.name+" |")
	}
}

// own gives the programs of the tests below, which need no oracle: a compute program
// that counts, and a vertex program.
func own(t *testing.T) func(string) ([]byte, error) {
	t.Helper()
	return func(name string) ([]byte, error) {
		switch filepath.Base(name) {
		case "sum.dxbc":
			return dxbc.Assemble("cs_5_0\ndcl_globalFlags refactoringAllowed\ndcl_resource_raw t0\ndcl_uav_raw u0\ndcl_temps 1\ndcl_thread_group 64, 1, 1\n"+
				"mov r0.xy, l(0, 0, 0, 0)\nloop\nuge r0.z, r0.x, l(1000)\nbreakc_nz r0.z\nld_raw_indexable(raw_buffer)(mixed,mixed,mixed,mixed) r0.w, r0.x, t0.xxxx\n"+
				"iadd r0.y, r0.y, r0.w\niadd r0.x, r0.x, l(1)\nendloop\nstore_raw u0.x, l(0), r0.y\nret\n", nil)
		case "move.dxbc":
			return dxbc.Assemble("vs_5_0\ndcl_globalFlags refactoringAllowed\ndcl_input v0.xyzw\ndcl_output_siv o0.xyzw, position\nmov o0.xyzw, v0.xyzw\nret\n", nil)
		}
		return nil, fs.ErrNotExist
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"no job", "stage cs\n", `line 1: "stage" before the first job`},
		{"statement", "job x\n\nfoo 1\n", `line 3: "foo" is not a statement of the job language`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse(c.text)
			require.EqualError(t, err, c.want)
		})
	}
	for _, c := range []struct{ name, text, want string }{
		{"stage", "job x\nstage xs\n", `stage "xs" is not cs, vs, ps or draw`},
		{"program", "job x\nstage cs\n", "no cs program"},
		{"kind", "job x\nstage cs\ndxbc cs move.dxbc\n", "line 3: move.dxbc is a vs program"},
		{"data", "job x\nstage cs\ndxbc cs sum.dxbc\nbuf t0 raw seedf:1\n", "line 4: data seedf:1"},
		{"format", "job x\nstage cs\ndxbc cs sum.dxbc\nbuf t0 typed fmt=R99 zero:4\n", `format "R99"`},
		{"view", "job x\nstage cs\ndxbc cs sum.dxbc\nbuf t0 raw first=4 zero:4\n", "line 4: elements 4"},
		{"huge", "job x\nstage cs\ndxbc cs sum.dxbc\nbuf t0 raw zero:4000000000\n", "too much"},
		{"texture", "job x\nstage cs\ndxbc cs sum.dxbc\ntex t0 2d w=99999 fmt=R32_FLOAT\n", "sizes are 1 to 16384"},
	} {
		t.Run(c.name, func(t *testing.T) {
			js, err := Parse(c.text)
			require.NoError(t, err)
			r, err := js[0].Run(context.Background(), Options{Open: own(t)})
			require.NoError(t, err)
			assert.Equal(t, "error", r.Status)
			assert.Contains(t, r.Error, c.want)
		})
	}
}

// TestBounds ends runs by steps, memory and context.
func TestBounds(t *testing.T) {
	js, err := Parse("job x\nstage cs\ndxbc cs sum.dxbc\n")
	require.NoError(t, err)
	r, err := js[0].Run(context.Background(), Options{Open: own(t), Options: interp.Options{MaxSteps: 100}})
	require.NoError(t, err)
	assert.Contains(t, r.Error, interp.ErrSteps.Error())
	r, err = js[0].Run(context.Background(), Options{Open: own(t), Options: interp.Options{MaxMemory: 100}})
	require.NoError(t, err)
	assert.Contains(t, r.Error, interp.ErrMemory.Error())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = js[0].Run(ctx, Options{Open: own(t)})
	require.ErrorIs(t, err, context.Canceled)
}

func FuzzJob(f *testing.F) {
	for _, j := range jobs(f) {
		text := "job x\n"
		for _, l := range j.Lines {
			for i, w := range l.Words {
				if i > 0 {
					text += " "
				}
				text += w
			}
			text += "\n"
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		js, err := Parse(text)
		if err != nil {
			return
		}
		for _, j := range js {
			_, _ = j.Run(context.Background(), Options{Open: open, Options: interp.Options{MaxSteps: 10000, MaxMemory: 8 << 20}})
		}
	})
}
