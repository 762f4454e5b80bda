package trial

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/dxbc"
	"fxlens/core/effect"
	"fxlens/core/interp"
	"fxlens/core/interp/debug"
	"fxlens/internal/corpus"
	"fxlens/internal/judge"
)

// eachStage visits the translated stages of the files below a folder, each distinct
// module once.
func eachStage(t *testing.T, root string, visit func(*Stage)) {
	t.Helper()
	c := &compile.Compiler{}
	seen := map[string]bool{}
	pass := func(name string, in *compile.PassInput) {
		p, err := c.Pass(context.Background(), in, options)
		require.NoError(t, err, name)
		st, err := Stages(name, p)
		if errors.Is(err, interp.ErrUnsupported) {
			return
		}
		require.NoError(t, err, name)
		for _, x := range st {
			if !seen[x.Module.Code] {
				seen[x.Module.Code] = true
				visit(x)
			}
		}
	}
	require.NoError(t, filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		name := filepath.Base(path)
		if s, err := dxbc.Open(b); err == nil {
			pass(name, &compile.PassInput{Stages: []compile.StageInput{{Kind: s.Program.Kind, Program: b}}})
			return nil
		}
		if !strings.Contains(name, ".sm_") || strings.HasSuffix(name, ".json") {
			return nil
		}
		e, err := effect.Parse(b)
		if err != nil {
			return nil
		}
		for _, u := range e.Bodies() {
			body, err := e.Body(u.Permutations[0])
			require.NoError(t, err, name)
			for ti := range body.Techniques {
				for pi := range body.Techniques[ti].Passes {
					pass(name+"#"+body.Techniques[ti].Name, compile.EffectPass(&body.Techniques[ti].Passes[pi]))
				}
			}
		}
		return nil
	}))
}

// TestSweep, under -sweep, runs the corpus of ../shared: every translated stage as
// DXBC and as IR on two sets of inputs, and every eighth as WGSL.
func TestSweep(t *testing.T) {
	if !*sweep {
		return // a nightly matter; TestRandom and the tests beside it are the daily one
	}
	ctx := context.Background()
	found := false
	for _, dir := range []string{"dxbc-golden", "effects", "dxbc"} {
		root := filepath.Join(corpus.Root(t), "..", "shared", dir)
		if _, err := os.Stat(root); err != nil {
			continue
		}
		found = true
		t.Run(dir, func(t *testing.T) {
			var jobs []judge.Job
			var trials []*Trial
			var wants []*Expected
			left := map[string]int{}
			stages, runs, words, cells := 0, 0, 0, 0
			flush := func() {
				for i, o := range judge.Run(t, jobs) {
					r := trials[i].Compare(wants[i], o)
					cells += r.Cells
					if o.Skipped == "" {
						assert.Empty(t, r.Error, jobs[i].ID)
						assert.Nil(t, r.Diff, "%s: %s", jobs[i].ID, r.First)
					}
				}
				jobs, trials, wants = nil, nil, nil
			}
			eachStage(t, root, func(s *Stage) {
				stages++
				for _, set := range []Set{Small, Boundary} {
					tr, err := s.Trial(set, 1, true)
					var un *ErrUnavailable
					if errors.As(err, &un) {
						left[un.Reason]++
						return
					}
					require.NoError(t, err, s.Name)
					base, _, err := tr.run(ctx, s.Prog, interp.Options{MaxSteps: MaxSteps, Track: true})
					if err != nil {
						left[errors.Unwrap(err).Error()]++
						continue
					}
					p, err := interp.CompileFunction(s.Func)
					require.NoError(t, err, s.Name)
					got, _, err := tr.run(ctx, p, interp.Options{MaxSteps: 4 * MaxSteps, NoRaces: true})
					require.NoError(t, err, s.Name)
					runs++
					was := t.Failed()
					words += same(t, s.Name+" "+set.String(), base, got)
					if t.Failed() && !was {
						part, err := debug.Pin(ctx, s.Prog, forms(t, s), tr.Input(), debug.Options{MaxSteps: MaxSteps})
						t.Logf("%s: %v %v", s.Name, part, err)
					}
					if stages%8 != 0 {
						continue
					}
					want, err := tr.Expect(ctx)
					require.NoError(t, err, s.Name)
					j, err := tr.Job(s.Name + " " + set.String())
					if err != nil {
						left[err.Error()]++
						continue
					}
					jobs, trials, wants = append(jobs, j), append(trials, tr), append(wants, want)
					if len(jobs) == 200 {
						flush()
					}
				}
			})
			flush()
			t.Logf("%d stages, %d trials, %d words equal in DXBC and IR, %d compared with WGSL; not run: %v", stages, runs, words, cells, left)
		})
	}
	assert.True(t, found, "-sweep needs ../shared")
}
