package trial

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"fxlens/core/compile"
	"fxlens/core/dxbc"
	"fxlens/core/interp"
	"fxlens/core/interp/debug"
	"fxlens/core/ir"
	"fxlens/internal/judge"
	"fxlens/internal/progen"
)

var (
	sweep = flag.Bool("sweep", false, "run many more random programs, and the corpus of ../shared")
	seeds = flag.Int("seeds", 100_000, "with -sweep: how many random programs")
	first = flag.Uint64("first", 1, "the first seed of random programs")
	every = flag.Int("every", 49, "with -sweep: how many random programs for each that also runs as WGSL; odd, so that half of them have edges")
)

// bytesOf packs words.
func bytesOf(ws []uint32) []byte {
	var b []byte
	for _, w := range ws {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// randomEnv are the resources of a random program.
func randomEnv(seed uint64, edges bool) func() (*interp.Env, error) {
	t0, cb0, u1 := progen.Input(seed, edges)
	return func() (*interp.Env, error) {
		return &interp.Env{CBuffers: map[interp.Slot][]byte{{}: bytesOf(cb0)},
			SRVs: map[interp.Slot]*interp.View{{}: interp.StructuredView(interp.NewMemory(bytesOf(t0)), 16)},
			UAVs: map[interp.Slot]*interp.View{{}: interp.StructuredView(interp.NewMemory(make([]byte, len(t0)*4)), 16), {Register: 1}: interp.StructuredView(interp.NewMemory(bytesOf(u1)), 16)}}, nil
	}
}

// results runs a program and returns u0 and u1.
func results(p *interp.Program, env func() (*interp.Env, error)) (string, *interp.Report, error) {
	e, err := env()
	if err != nil {
		return "", nil, err
	}
	rep, err := interp.Dispatch(context.Background(), p, e, [3]uint32{1, 1, 1}, interp.Options{MaxSteps: 1 << 22})
	if err != nil {
		return "", rep, err
	}
	return string(e.UAVs[interp.Slot{}].Mem.Data) + string(e.UAVs[interp.Slot{Register: 1}].Mem.Data), rep, nil
}

// differs runs a random program as DXBC and as IR right after building and after all
// phases. It returns what is wrong, or an empty string; the error is about the
// program itself.
func differs(p *progen.Program, text string, edges bool) (string, error) {
	prog, err := dxbc.AssembleProgram(text)
	if err != nil {
		return "", err
	}
	sh := &dxbc.Shader{Program: prog}
	exe, err := interp.Compile(sh, interp.CompileOptions{})
	if err != nil {
		return "", err
	}
	env := randomEnv(p.Seed, edges)
	want, rep, err := results(exe, env)
	if err != nil {
		return "", err
	}
	for _, e := range rep.Events {
		return "", fmt.Errorf("the program does what D3D leaves undefined: %s at %d: %s", e.Kind, e.Instr, e.Text)
	}
	f, ds, err := ir.Build(context.Background(), sh, ir.BuildOptions{})
	if err != nil {
		return "", err
	}
	if f == nil {
		return "", fmt.Errorf("refused: %v", ds)
	}
	check := func(phase string) (string, error) {
		fexe, err := interp.CompileFunction(f)
		if err != nil {
			return "", err
		}
		got, _, err := results(fexe, env)
		if err != nil {
			return "", err
		}
		if got == want {
			return "", nil
		}
		forms, err := formsOf(sh)
		if err != nil {
			return "", err
		}
		part, err := debug.Pin(context.Background(), exe, forms, debug.Input{Env: env, Groups: [3]uint32{1, 1, 1}}, debug.Options{})
		return fmt.Sprintf("results differ after phase %s: %v %v", phase, part, err), nil
	}
	if bad, err := check("build"); bad != "" || err != nil {
		return bad, err
	}
	for _, ph := range ir.Phases {
		ph.Run(f)
	}
	if err := ir.Verify(f); err != nil {
		return fmt.Sprintf("the function is not well formed: %v", err), nil
	}
	return check("the last")
}

// randomStage compiles a random program and makes its trial.
func randomTrial(p *progen.Program, text string, edges bool) (*Trial, error) {
	code, err := dxbc.Assemble(text, nil)
	if err != nil {
		return nil, err
	}
	c := &compile.Compiler{}
	res, err := c.Pass(context.Background(), &compile.PassInput{Stages: []compile.StageInput{{Kind: dxbc.Compute, Program: code}}}, &compile.Options{})
	if err != nil {
		return nil, err
	}
	st, err := Stages(fmt.Sprintf("seed %d", p.Seed), res)
	if err != nil || len(st) != 1 {
		return nil, fmt.Errorf("not translated: %v %v %w", res.Diags, res.Stages[0].Diags, errors.Join(err))
	}
	t, err := st[0].Trial(Small, p.Seed, true)
	if err != nil {
		return nil, err
	}
	t.Groups = [3]uint32{1, 1, 1}
	t0, cb0, u1 := progen.Input(p.Seed, edges)
	for _, b := range t.buffers {
		switch b.name {
		case "sampled-resource:0:0":
			b.data = bytesOf(t0)
		case "storage-resource:0:0":
			b.data = make([]byte, 4*len(t0))
		case "storage-resource:0:1":
			b.data = bytesOf(u1)
		default:
			copy(b.data, bytesOf(cb0))
		}
	}
	return t, nil
}

// fails shrinks a program that fails and reports it.
func fails(t *testing.T, p *progen.Program, what string, failing func(*progen.Program) bool, limit int) {
	t.Helper()
	small := progen.Shrink(p, failing, limit)
	t.Errorf("seed %d: %s\n%d instructions, shrunk to %d:\n%s", p.Seed, what, p.Size(), small.Size(), small.Text())
}

// outcome is a random program and what differs when it runs.
type outcome struct {
	p     *progen.Program
	edges bool
	what  string
	err   error
}

// found are programs that have differed, or had no valid WGSL, in a sweep.
var found = []draw{
	{1618, true, true},
	{56890, true, true},  // the quotient of a sine that may be zero
	{69532, true, true},  // a shift by the bits of a cosine
	{73795, false, true}, // a shift of the bits of a sine
	{96825, false, true}, // a condition that a constant decides
}

// draw is one random program: its seed, whether its inputs have edges, and whether it
// runs as WGSL too.
type draw struct {
	seed        uint64
	edges, wgsl bool
}

// TestRandom runs random programs as DXBC, as IR before and after the phases, and some
// of them as WGSL on SwiftShader. What differs is shrunk to what the difference needs.
// All 100,000 take longer than go test's limit:
//
//	go test ./core/trial -run TestRandom -sweep -timeout 0
func TestRandom(t *testing.T) {
	n, onGPU := 200, 5
	if testing.Short() {
		n = 50
	}
	if *sweep {
		n, onGPU = *seeds, max(*every, 1)
	}
	type item struct {
		p     *progen.Program
		edges bool
		trial *Trial
		want  *Expected
	}
	var items []item
	var jobs []judge.Job
	cells, skipped := 0, 0
	flush := func() {
		for i, o := range judge.Run(t, jobs) {
			it := &items[i]
			res := it.trial.Compare(it.want, o)
			cells, skipped = cells+res.Cells, skipped+res.Skipped
			if res.Error == "" && res.Diffs == 0 {
				continue
			}
			fails(t, it.p, fmt.Sprintf("WGSL: %s %s", res.Error, res.First), func(c *progen.Program) bool {
				tr, err := randomTrial(c, c.Text(), it.edges)
				if err != nil {
					return false
				}
				want, err := tr.Expect(context.Background())
				if err != nil {
					return false
				}
				j, err := tr.Job("shrink")
				if err != nil {
					return false
				}
				r := tr.Compare(want, judge.Run(t, []judge.Job{j})[0])
				return r.Error != "" || r.Diffs > 0
			}, 150)
		}
		items, jobs = nil, nil
	}
	deadline, timed := t.Deadline()
	draws := slices.Clone(found)
	for i := range n {
		draws = append(draws, draw{*first + uint64(i), i%2 == 1, i%onGPU == 0})
	}
	const batch = 256
	bad := 0
	for from := 0; from < len(draws); from += batch {
		draws := draws[from:min(from+batch, len(draws))]
		if timed && time.Until(deadline) < time.Minute {
			t.Fatalf("%d of %d programs ran before the time limit of go test: use -timeout 0, or go on with -first %d", from, n, draws[0].seed)
		}
		ran := make([]outcome, len(draws))
		var g errgroup.Group
		g.SetLimit(runtime.GOMAXPROCS(0))
		for i := range ran {
			g.Go(func() error {
				r := &ran[i]
				r.p = progen.New(draws[i].seed)
				r.edges = draws[i].edges
				r.what, r.err = differs(r.p, r.p.Text(), r.edges)
				return nil
			})
		}
		require.NoError(t, g.Wait())
		for i, r := range ran {
			require.NoError(t, r.err, "seed %d\n%s", r.p.Seed, r.p.Text())
			if r.what != "" {
				fails(t, r.p, r.what, func(c *progen.Program) bool {
					what, err := differs(c, c.Text(), r.edges)
					return err == nil && what != ""
				}, 2000)
				if bad++; bad > 10 {
					t.Fatal("enough")
				}
				continue
			}
			if !draws[i].wgsl || r.p.Wide {
				continue
			}
			tr, err := randomTrial(r.p, r.p.Text(), r.edges)
			require.NoError(t, err, "seed %d\n%s", r.p.Seed, r.p.Text())
			want, err := tr.Expect(context.Background())
			require.NoError(t, err)
			j, err := tr.Job(fmt.Sprintf("seed %d", r.p.Seed))
			require.NoError(t, err)
			items, jobs = append(items, item{r.p, r.edges, tr, want}), append(jobs, j)
			if len(jobs) == 200 {
				flush()
			}
		}
		if *sweep && (from/batch)%40 == 39 {
			fmt.Printf("%d programs, %d words compared with WGSL\n", from+len(ran), cells)
		}
	}
	flush()
	t.Logf("%d programs, %d words compared with WGSL, %d left out", n, cells, skipped)
	assert.Greater(t, cells, 40*n/onGPU)
}
