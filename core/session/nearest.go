package session

import (
	"context"
	"slices"

	"fxlens/core/compile"
)

// Nearest is the result of looking for a permutation in which a pass translates.
type Nearest struct {
	Perm   int // -1: none has been found
	Away   int // options in which it differs
	Bodies int // distinct bodies looked at
}

// Nearest finds the permutation in which a pass translates, by name, and that differs
// from perm in the fewest options; of several the lowest. see is called after each
// body that was looked at; it may be nil. It fails with ctx's error, or on a bug of
// ours.
func (s *Session) Nearest(ctx context.Context, perm int, ref PassRef, see func(Nearest)) (Nearest, error) {
	n := Nearest{Perm: -1}
	if s.Effect == nil {
		return n, nil
	}
	choice := s.Effect.Choice(perm)
	// The closest permutation of each body: all permutations of a body have one result.
	away := make([]int, len(s.Effect.Bodies()))
	at := make([]int, len(away))
	order := make([]int, len(away))
	for b := range away {
		order[b], away[b] = b, len(choice)+1
		for _, p := range s.Effect.Bodies()[b].Permutations {
			d := 0
			for i, o := range choice {
				if s.optionAt(p, i) != o {
					d++
				}
			}
			if d < away[b] {
				away[b], at[b] = d, p
			}
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		if d := away[a] - away[b]; d != 0 {
			return d
		}
		return at[a] - at[b]
	})
	for _, b := range order {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		refs, err := s.passes(at[b])
		if err != nil {
			return n, err
		}
		i := slices.IndexFunc(refs, func(r PassRef) bool {
			return r.Technique == ref.Technique && r.Nth == ref.Nth && r.Pass == ref.Pass
		})
		if i < 0 {
			continue
		}
		p, err := s.Compile(ctx, at[b], refs[i])
		if err != nil {
			return n, err
		}
		n.Bodies++
		if p.Status == compile.Translated {
			n.Perm, n.Away = at[b], away[b]
			return n, nil
		}
		if see != nil {
			see(n)
		}
	}
	return n, nil
}

// optionAt is the option of one axis in a permutation; the first axis varies fastest.
func (s *Session) optionAt(perm, axis int) int {
	for i := range axis {
		perm /= len(s.Effect.Axes[i].Options)
	}
	return perm % len(s.Effect.Axes[axis].Options)
}
