package trial

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/dxbc"
	"fxlens/core/effect"
	"fxlens/core/interp"
	"fxlens/internal/corpus"
	"fxlens/internal/judge"
)

var options = &compile.Options{Views: map[string]string{"*": "auto"}}

// hlslStages are the translated programs of testdata/hlsl.
func hlslStages(t *testing.T, kinds ...string) []*Stage {
	t.Helper()
	c := &compile.Compiler{}
	var out []*Stage
	seen := map[string]bool{}
	refused := 0
	for _, p := range corpus.HLSL(t, kinds...) {
		s, err := dxbc.Open(p.DXBC)
		require.NoError(t, err)
		res, err := c.Pass(context.Background(), &compile.PassInput{Stages: []compile.StageInput{{Kind: s.Program.Kind, Program: p.DXBC}}}, options)
		require.NoError(t, err, p.Name)
		st, err := Stages(p.Name, res)
		require.NoError(t, err, p.Name)
		if len(st) == 0 {
			refused++
		}
		for _, x := range st {
			if !seen[x.Module.Code] {
				seen[x.Module.Code] = true
				out = append(out, x)
			}
		}
	}
	t.Logf("%d stages, %d programs refused", len(out), refused)
	return out
}

// effectStages are the translated stages of the effects of testdata/effects.
func effectStages(t *testing.T) []*Stage {
	t.Helper()
	c := &compile.Compiler{}
	var out []*Stage
	seen := map[string]bool{}
	root := filepath.Join(corpus.Root(t), "testdata", "effects")
	require.NoError(t, filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(filepath.Base(path), ".sm_") || strings.HasSuffix(path, ".json") {
			return err
		}
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		e, err := effect.Parse(b)
		if err != nil {
			return nil
		}
		for _, u := range e.Bodies() {
			body, err := e.Body(u.Permutations[0])
			require.NoError(t, err)
			for ti := range body.Techniques {
				for pi := range body.Techniques[ti].Passes {
					p, err := c.Pass(context.Background(), compile.EffectPass(&body.Techniques[ti].Passes[pi]), options)
					require.NoError(t, err)
					st, err := Stages(fmt.Sprintf("%s?%d#%s/%d", filepath.Base(path), u.Permutations[0], body.Techniques[ti].Name, pi), p)
					require.NoError(t, err)
					for _, x := range st {
						if !seen[x.Module.Code] {
							seen[x.Module.Code] = true
							out = append(out, x)
						}
					}
				}
			}
		}
		return nil
	}))
	return out
}

// compare runs trials of the stages and fails on every difference.
func compare(t *testing.T, stages []*Stage, sets []Set) {
	t.Helper()
	if testing.Short() {
		stages = fourth(stages)
	}
	type pair struct {
		trial *Trial
		want  *Expected
	}
	var jobs []judge.Job
	var pairs []pair
	unavailable := map[string]int{}
	var quiet []string
	for _, s := range stages {
		for _, set := range sets {
			var tr *Trial
			var want *Expected
			var err error
			for _, calm := range []bool{false, true} {
				tr, err = s.Trial(set, 1, calm)
				if err != nil {
					break
				}
				if want, err = tr.Expect(context.Background()); !errors.Is(err, interp.ErrSteps) {
					break
				}
			}
			var un *ErrUnavailable
			switch {
			case errors.As(err, &un):
				unavailable[un.Reason]++
				continue
			case errors.Is(err, interp.ErrSteps):
				unavailable["endless with these inputs"]++
				continue
			}
			require.NoError(t, err, s.Name)
			job, err := tr.Job(fmt.Sprintf("%s %s", s.Name, set))
			if errors.As(err, &un) {
				unavailable[un.Reason]++
				continue
			}
			require.NoError(t, err, s.Name)
			jobs = append(jobs, job)
			pairs = append(pairs, pair{tr, want})
		}
	}
	cells, skipped, unstable, bad := 0, 0, 0, 0
	for i, o := range judge.Run(t, jobs) {
		r := pairs[i].trial.Compare(pairs[i].want, o)
		cells += r.Cells
		skipped += r.Skipped
		unstable += r.Unstable
		if r.Cells == 0 && r.Error == "" {
			quiet = append(quiet, jobs[i].ID)
		}
		switch {
		case o.Skipped != "":
			unavailable[o.Skipped]++
		case r.Error != "":
			bad++
			t.Errorf("%s: %s", jobs[i].ID, r.Error)
		case r.Diffs > 0:
			bad++
			t.Errorf("%s: %d of %d words differ, first %s; events %v", jobs[i].ID, r.Diffs, r.Cells, r.First, events(r.Report))
		}
	}
	reasons := make([]string, 0, len(unavailable))
	for k, n := range unavailable {
		reasons = append(reasons, fmt.Sprintf("%d %s", n, k))
	}
	sort.Strings(reasons)
	t.Logf("%d trials of %d stages, %d words compared, %d left out, %d unstable; %d trials with nothing to compare; %d trials differ; not run: %s",
		len(jobs), len(stages), cells, skipped, unstable, len(quiet), bad, strings.Join(reasons, "; "))
	if testing.Verbose() {
		t.Logf("nothing compared: %v", quiet)
	}
}

func events(r *interp.Report) string {
	var out []string
	for _, e := range r.Events {
		out = append(out, fmt.Sprintf("%s@%d", e.Kind, e.Instr))
	}
	return strings.Join(out, " ")
}

// TestSensitivity damages modules in one place each and requires that the
// comparison sees it: a harness that accepts anything proves nothing.
func TestSensitivity(t *testing.T) {
	edits := [][2]string{{" + ", " - "}, {" * ", " + "}, {" < ", " >= "}, {".x", ".y"}, {"min(", "max("}}
	var damaged []*Stage
	for n, s := range hlslStages(t) {
		if n%8 != 0 {
			continue
		}
		at := strings.Index(s.Module.Code, "fn main(")
		head, body := s.Module.Code[:at], s.Module.Code[at:]
		for k := range edits {
			e := edits[(n/8+k)%len(edits)]
			from := strings.Index(body, "{\n") // not the parameters
			if i := strings.Index(body[from:], e[0]); i >= 0 {
				m := *s.Module
				m.Code = head + body[:from+i] + e[1] + body[from+i+len(e[0]):]
				c := *s
				c.Module = &m
				damaged = append(damaged, &c)
				break
			}
		}
	}
	seen, compiled := 0, 0
	var jobs []judge.Job
	var trials []*Trial
	var wants []*Expected
	for _, s := range damaged {
		for _, set := range []Set{Small, Boundary} {
			tr, err := s.Trial(set, 1, true)
			if err != nil {
				continue
			}
			want, err := tr.Expect(context.Background())
			if err != nil {
				continue
			}
			job, err := tr.Job(s.Name + " " + set.String())
			if err != nil {
				continue
			}
			jobs, trials, wants = append(jobs, job), append(trials, tr), append(wants, want)
		}
	}
	found, ran := map[*Stage]bool{}, map[*Stage]bool{}
	for i, o := range judge.Run(t, jobs) {
		if !o.Ran {
			continue // the edit broke the types, or the driver lacks something
		}
		s := trials[i].Stage
		ran[s] = true
		if r := trials[i].Compare(wants[i], o); r.Diffs > 0 {
			found[s] = true
		}
	}
	for _, s := range damaged {
		switch {
		case found[s]:
			compiled, seen = compiled+1, seen+1
		case ran[s]:
			compiled++
			t.Logf("not seen: %s", s.Name)
		}
	}
	t.Logf("%d damaged modules ran, %d were found", compiled, seen)
	require.Greater(t, compiled, 30)
	require.GreaterOrEqual(t, seen*100, compiled*80)
}

// fourth is every fourth stage.
func fourth(stages []*Stage) (out []*Stage) {
	for i := 0; i < len(stages); i += 4 {
		out = append(out, stages[i])
	}
	return out
}

func TestCompute(t *testing.T) { compare(t, hlslStages(t, "cs"), Sets) }
func TestVertex(t *testing.T)  { compare(t, hlslStages(t, "vs"), []Set{Small, Boundary}) }
func TestPixel(t *testing.T)   { compare(t, hlslStages(t, "ps"), []Set{Small, Boundary}) }
func TestEffects(t *testing.T) { compare(t, effectStages(t), []Set{Small, Boundary}) }
