package meaning

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/internal/judge"
)

// step is one dispatch of a chain: an engine program, which buffer of the chain each
// of its registers is, and its groups, or the buffer that says how many.
type step struct {
	program  string
	binds    map[string]string
	groups   uint32
	indirect string
}

// link is a chain: steps one after the other over shared buffers.
type link struct {
	buffers map[string][]uint32
	steps   []step
}

// run runs chains, and returns the buffers of each behind its last step.
func run(t *testing.T, links []link) []map[string][]uint32 {
	t.Helper()
	passes := map[string]*compile.Pass{}
	all, c := variants(t), &compile.Compiler{}
	for i := range enginePrograms {
		p := &enginePrograms[i]
		for _, v := range all[key{p.Source, p.Entry}] {
			passes[v.Name] = pass(t, c, v, p.options())
		}
	}
	var jobs []judge.Job
	for i, l := range links {
		j := judge.Job{ID: strconv.Itoa(i), Limits: map[string]uint64{}}
		for _, s := range l.steps {
			w := world(s.groups, 1, 1, nil)
			for reg, name := range s.binds {
				require.Contains(t, l.buffers, name)
				w.Buffers[reg] = &Buffer{Words: l.buffers[name]}
			}
			p, err := Pass(&j, passes[s.program], w, map[string]bool{})
			require.NoError(t, err, s.program)
			for i := range p.Bind {
				p.Bind[i].Resource = s.binds[p.Bind[i].Resource]
			}
			if s.indirect != "" {
				p.Dispatch, p.Indirect = nil, &judge.Indirect{Buffer: s.indirect}
			}
			j.Passes = append(j.Passes, p)
		}
		for _, n := range sortedKeys(l.buffers) {
			j.Buffers = append(j.Buffers, judge.Buffer{Name: n, Data: judge.Words(l.buffers[n]...), Read: true})
		}
		jobs = append(jobs, j)
	}
	var out []map[string][]uint32
	for _, o := range judge.Run(t, jobs) {
		require.True(t, o.Ran, o.String())
		buffers := map[string][]uint32{}
		for n, b := range o.Outputs {
			buffers[n] = judge.AsWords(b)
		}
		out = append(out, buffers)
	}
	return out
}

// TestSortChain sorts more records than one group holds with the engine's programs:
// arguments from the count, chunks of 512, then merges by steps and inner passes,
// the chunk passes dispatched by the arguments. The counts of records are at and around
// the bounds of groups.
func TestSortChain(t *testing.T) {
	counts := []uint32{1, 512, 513, 2000}
	var links []link
	for _, n := range counts {
		job := func(half, straight uint32) []uint32 { return []uint32{half, straight, 0, 0} }
		buffers := map[string][]uint32{"count": {n}, "arguments": fill(4, 0), "records": entries(2048)}
		sorted := map[string]string{"t0": "arguments", "u0": "records"}
		steps := []step{
			{program: "engine-set-sort-args", binds: map[string]string{"t0": "count", "u0": "arguments"}, groups: 1},
			{program: "engine-sort", binds: sorted, indirect: "arguments"},
		}
		for width := uint32(1024); width < 2*n; width *= 2 {
			for half := width / 2; half >= 512; half /= 2 {
				name := "job" + string(rune('0'+len(steps)))
				buffers[name] = job(half, map[bool]uint32{true: 1}[half != width/2])
				steps = append(steps, step{program: "engine-sort-step", binds: map[string]string{"b3": name, "t0": "arguments", "u0": "records"}, groups: 2048 / 512})
			}
			steps = append(steps, step{program: "engine-sort-inner", binds: sorted, indirect: "arguments"})
		}
		links = append(links, link{buffers, steps})
	}
	for i, out := range run(t, links) {
		n := counts[i]
		assert.Equal(t, []uint32{(n + 511) / 512, 1, 1, n}, out["arguments"])
		want := entries(2048)
		list := slices.Collect(slices.Chunk(want[:2*n], 2))
		slices.SortFunc(list, func(a, b []uint32) int { return int(f32(a[1]) - f32(b[1])) })
		assert.Equal(t, append(slices.Concat(list...), want[2*n:]...), out["records"], "%d records", n)
	}
}

// TestParticleChain clears the particles in the two passes that belong together, emits
// from two emitters, and emits again more than there are particles: every particle is
// handed out once, and the counter goes below zero by those that got none.
func TestParticleChain(t *testing.T) {
	const most = 450
	e := emitThings(2, 0, 1, 0)["b3"].([]uint32) // 150 and 180 particles
	buffers := map[string][]uint32{
		"most": {most, 0, 0, 0}, "emitters": e, "counter": {77}, "dead": fill(most, untouched), "particles": noise(120, 8*most),
	}
	emit := step{program: "engine-emit", binds: map[string]string{"b3": "emitters", "u0": "particles", "u1": "counter", "u2": "dead"}, groups: 2}
	reset := []step{
		{program: "engine-clear-counter", binds: map[string]string{"u0": "counter"}, groups: 1},
		{program: "engine-clear-particles", binds: map[string]string{"b3": "most", "u0": "dead", "u1": "counter", "u2": "particles"}, groups: 1},
	}
	states := []struct {
		steps   []step
		counter int32
		alive   int
	}{
		{reset, most, 0},
		{append(slices.Clone(reset), emit), most - 330, 330},
		{append(slices.Clone(reset), emit, emit), most - 660, most},
		{append(slices.Clone(reset), emit, emit, reset[0], reset[1]), most, 0},
	}
	var links []link
	for _, s := range states {
		links = append(links, link{buffers, s.steps})
	}
	for i, out := range run(t, links) {
		s := states[i]
		assert.Equal(t, s.counter, int32(out["counter"][0]))
		dead := slices.Sorted(slices.Values(out["dead"]))
		assert.Equal(t, ramp(most, func(i uint32) uint32 { return i }), dead, "the dead list names each particle once")
		alive := 0
		for p := range slices.Chunk(out["particles"], 8) {
			if f32(p[3]) >= 0 {
				alive++
			}
		}
		assert.Equal(t, s.alive, alive)
	}
}
