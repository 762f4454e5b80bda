package trial

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/interp"
	"fxlens/core/interp/job"
	"fxlens/internal/judge"
)

// reopen writes a trial as a job and reads it back.
func reopen(t *testing.T, tr *Trial) (*Trial, error) {
	t.Helper()
	text, err := tr.Text("program", nil)
	if err != nil {
		return nil, err
	}
	js, err := job.Parse(text)
	require.NoError(t, err)
	require.Len(t, js, 1)
	none := func(string) ([]byte, error) { return nil, errors.New("the stage has its program") }
	// The program that the file names is not needed.
	for i := range js[0].Lines {
		if js[0].Lines[i].Words[0] == "dxbc" {
			js[0].Lines[i].Words[2] = "elsewhere"
		}
	}
	return tr.Stage.FromJob(context.Background(), js[0], none)
}

// TestJobs saves the inputs of every program as a job and reopens them: vertex and
// compute programs get the same words, pixel programs those that interpolation makes,
// and the judge agrees on them too.
func TestJobs(t *testing.T) {
	ctx := context.Background()
	n, left := 0, map[string]int{}
	var jobs []judge.Job
	var trials []*Trial
	var wants []*Expected
	for k, s := range hlslStages(t) {
		for _, set := range []Set{Small, Outside} {
			tr, err := s.Trial(set, 3, true)
			var un *ErrUnavailable
			if errors.As(err, &un) {
				left[un.Reason]++
				continue
			}
			require.NoError(t, err)
			again, err := reopen(t, tr)
			if errors.As(err, &un) {
				left[un.Reason]++
				continue
			}
			require.NoError(t, err, s.Name)
			n++
			want, _, err := tr.run(ctx, s.Prog, interp.Options{MaxSteps: MaxSteps, NoRaces: true})
			if errors.Is(err, interp.ErrSteps) {
				continue
			}
			require.NoError(t, err)
			got, _, err := again.run(ctx, s.Prog, interp.Options{MaxSteps: MaxSteps, NoRaces: true})
			if errors.Is(err, interp.ErrSteps) {
				continue
			}
			require.NoError(t, err)
			if s.Module.Stage.String() != "fragment" {
				assert.Equal(t, want, got, "%s %s", s.Name, set)
			} else {
				assert.Equal(t, len(want), len(got), s.Name)
			}
			if s.Module.Stage.String() != "fragment" || k%8 != 0 {
				continue
			}
			e, err := again.Expect(ctx)
			require.NoError(t, err, s.Name)
			j, err := again.Job(s.Name + " " + set.String())
			if errors.As(err, &un) {
				left[un.Reason]++
				continue
			}
			require.NoError(t, err, s.Name)
			jobs, trials, wants = append(jobs, j), append(trials, again), append(wants, e)
		}
	}
	t.Logf("%d trials, %d on the judge; not run: %v", n, len(jobs), left)
	assert.Greater(t, n, 700)
	require.Greater(t, len(jobs), 30)
	for i, o := range judge.Run(t, jobs) {
		r := trials[i].Compare(wants[i], o)
		assert.Empty(t, r.Error, jobs[i].ID)
		assert.Nil(t, r.Diff, jobs[i].ID)
	}
}

func TestTolerance(t *testing.T) {
	const one, next, nan1, nan2 = 0x3F800000, 0x3F800001, 0x7FC00000, 0xFFC00001
	for _, c := range []struct {
		name string
		tol  Tolerance
		kind byte
		a, b uint32
		want bool
	}{
		{"equal", Tolerance{}, 'f', one, one, true},
		{"one unit", Tolerance{}, 'f', one, next, false},
		{"one unit allowed", Tolerance{ULP: 1}, 'f', one, next, true},
		{"by distance", Tolerance{Abs: 1e-6}, 'f', one, next, true},
		{"NaNs", Tolerance{}, 'f', nan1, nan2, true},
		{"NaN against a number", Tolerance{ULP: 1 << 40, Abs: 1e30}, 'f', nan1, one, false},
		{"zeros", Tolerance{}, 'f', 0, 1 << 31, true},
		{"across zero", Tolerance{ULP: 2}, 'f', 1, 1<<31 | 1, true},
		{"integers", Tolerance{ULP: 100, Abs: 100}, 'u', 5, 6, false},
		{"small words of memory", Tolerance{ULP: 100, Abs: 100}, 'w', 5, 6, false},
		{"floats of memory", Tolerance{ULP: 1}, 'w', one, next, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, c.tol.holds(cell{bits: c.a, kind: c.kind}, c.b))
		})
	}
}
