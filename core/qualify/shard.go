package qualify

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Shard is part K of N of a corpus, K from 1. The zero value is the whole.
type Shard struct{ K, N int }

const maxShards = 10_000

// ParseShard reads "3/8". "/8" and "env/8" take the index from environment, counted from
// 0, which is the completion index of a Kubernetes Job; it is nil or "" where there is
// none.
func ParseShard(text, index string) (Shard, error) {
	k, n, ok := strings.Cut(text, "/")
	if !ok {
		return Shard{}, fmt.Errorf("%q: write K/N, as in 3/8", text)
	}
	var s Shard
	var err error
	if s.N, err = strconv.Atoi(n); err != nil || s.N < 1 || s.N > maxShards {
		return Shard{}, fmt.Errorf("%q: there are 1 to %d shards", text, maxShards)
	}
	if k == "" || k == "env" {
		i, err := strconv.Atoi(index)
		if err != nil {
			return Shard{}, fmt.Errorf("%q takes the index from JOB_COMPLETION_INDEX, which is %q; write K/N", text, index)
		}
		s.K = i + 1
	} else if s.K, err = strconv.Atoi(k); err != nil {
		return Shard{}, fmt.Errorf("%q: %q is no number; write K/N, as in 3/8", text, k)
	}
	if s.K < 1 || s.K > s.N {
		return Shard{}, fmt.Errorf("%q: shards count from 1 to %d, not %d", text, s.N, s.K)
	}
	return s, nil
}

// MissingShards returns, in order and as K/N, the shards that a set of shards (as in
// [Head], empty for a whole report) lacks of each N that is in it.
func MissingShards(have []string) []string {
	there := map[Shard]bool{}
	var counts []int
	for _, text := range have {
		s, err := ParseShard(text, "")
		if err != nil {
			continue // a whole report
		}
		there[s] = true
		if !slices.Contains(counts, s.N) {
			counts = append(counts, s.N)
		}
	}
	slices.Sort(counts)
	var out []string
	for _, n := range counts {
		for k := 1; k <= n; k++ {
			if s := (Shard{k, n}); !there[s] {
				out = append(out, s.String())
			}
		}
	}
	return out
}

// String writes the shard as ParseShard reads it.
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.K, s.N) }

// Of returns the shard's entries: the largest file goes to the shard with the fewest
// bytes so far, and so on, so that shards are balanced by content and every machine that
// sees the same paths and sizes cuts alike. Every file is in exactly one shard.
func (s Shard) Of(entries []Entry) []Entry {
	if s.N <= 1 {
		return entries
	}
	order := slices.Clone(entries)
	slices.SortFunc(order, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(b.Size, a.Size), strings.Compare(a.Path, b.Path))
	})
	load := make([]int64, s.N)
	var out []Entry
	for _, e := range order {
		k := 0
		for i, l := range load {
			if l < load[k] {
				k = i
			}
		}
		load[k] += e.Size + fileCost
		if k == s.K-1 {
			out = append(out, e)
		}
	}
	return out
}

// fileCost is what opening a file costs, in bytes of translating one: it keeps empty
// files from piling up in one shard.
const fileCost = 4 << 10
