package job

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/interp"
)

// dir holds the oracle's example jobs; they are no part of this repository.
var dir = filepath.Join("..", "..", "..", "..", "shared", "oracle", "execcases")

func open(p string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, p)) }

func jobs(t testing.TB) []*Job {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.job"))
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("needs the oracle's example jobs in ../shared/oracle/execcases")
	}
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

// apart has the jobs where words differ from Wine's: how many, and who is right
// by the Direct3D 11.3 functional specification.
var apart = map[string]struct {
	words int
	why   string
}{
	"arith":    {1, "denormals: ceil(1e-40) is 0, llvmpipe keeps denormals in compute programs"},
	"atomics":  {4, "signed minimum and maximum on groupshared memory: Wine compiles them to unsigned ones and says so"},
	"denorm":   {5, "denormals: llvmpipe keeps them in compute programs"},
	"f16":      {29, "f32tof16 rounds toward zero, llvmpipe to nearest"},
	"f16_spec": {5, "f32tof16 rounds toward zero, llvmpipe to nearest"},
	"ftoi":     {13, "conversions out of range saturate and NaN gives 0, in Wine they wrap"},
	"texcs":    {32, "the level of a gradient: llvmpipe approximates the logarithm, the difference is below 0.03"},
	"texps":    {512, "Wine has no lod instruction and says so"},
	"trans":    {1, "exp2(NaN) is NaN, llvmpipe gives 0"},
}

// stated has the words of expect lines that do not hold for the bytecode: the
// compiler folded the addition of 0 that would have flushed the denormal.
var stated = map[string]int{"denorm": 3}

func TestJobs(t *testing.T) {
	right := wine(t)
	ran, compared := 0, 0
	for _, j := range jobs(t) {
		t.Run(j.Name, func(t *testing.T) {
			r, err := j.Run(context.Background(), Options{Open: open})
			require.NoError(t, err)
			require.Equal(t, "ok", r.Status, r.Error)
			ran++
			want, err := j.Expected(open)
			require.NoError(t, err)
			d, n := r.Compare(want)
			assert.Len(t, d, stated[j.Name], "against the job's expect lines: %v", d)
			compared += n
			require.NotEmpty(t, right[j.Name])
			d, n = r.Compare(right[j.Name])
			assert.Len(t, d, apart[j.Name].words, "against Wine: %v", d)
			compared += n
			assert.Positive(t, n)
		})
	}
	t.Logf("%d jobs, %d words compared", ran, compared)
	assert.GreaterOrEqual(t, ran, 37)
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
		{"kind", "job x\nstage cs\ndxbc cs draw_vs.dxbc\n", "line 3: draw_vs.dxbc is a vs program"},
		{"data", "job x\nstage cs\ndxbc cs arith.dxbc\nbuf t0 raw seedf:1\n", "line 4: data seedf:1"},
		{"format", "job x\nstage cs\ndxbc cs arith.dxbc\nbuf t0 typed fmt=R99 zero:4\n", `format "R99"`},
		{"view", "job x\nstage cs\ndxbc cs arith.dxbc\nbuf t0 raw first=4 zero:4\n", "line 4: elements 4"},
		{"huge", "job x\nstage cs\ndxbc cs arith.dxbc\nbuf t0 raw zero:4000000000\n", "too much"},
		{"texture", "job x\nstage cs\ndxbc cs arith.dxbc\ntex t0 2d w=99999 fmt=R32_FLOAT\n", "sizes are 1 to 16384"},
	} {
		t.Run(c.name, func(t *testing.T) {
			js, err := Parse(c.text)
			require.NoError(t, err)
			r, err := js[0].Run(context.Background(), Options{Open: open})
			require.NoError(t, err)
			assert.Equal(t, "error", r.Status)
			assert.Contains(t, r.Error, c.want)
		})
	}
}

// TestBounds ends runs by steps, memory and context.
func TestBounds(t *testing.T) {
	js, err := Parse("job x\nstage cs\ndxbc cs arith.dxbc\n")
	require.NoError(t, err)
	r, err := js[0].Run(context.Background(), Options{Open: open, Options: interp.Options{MaxSteps: 100}})
	require.NoError(t, err)
	assert.Contains(t, r.Error, interp.ErrSteps.Error())
	r, err = js[0].Run(context.Background(), Options{Open: open, Options: interp.Options{MaxMemory: 100}})
	require.NoError(t, err)
	assert.Contains(t, r.Error, interp.ErrMemory.Error())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = js[0].Run(ctx, Options{Open: open})
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
