package tui

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/views"
)

// search is a search in one listing.
type search struct {
	query string
	slot  int
	form  form
	hits  []int // lines, ascending
	known bool  // hits is complete
	from  position
	job   job
}

type foundMsg struct {
	gen  int
	hits []int
}

// maxQuery bounds what can be searched for.
const maxQuery = 200

// openSearch opens the prompt; the cursor's place is where Esc returns to.
func (m *Model) openSearch() {
	m.openFolds(m.focus) // a hit must not be hidden
	m.search.job.stop()
	m.search = search{slot: m.focus, form: m.slots[m.focus].form, from: *m.slots[m.focus].at(), job: m.search.job}
	m.over = newOverlay(overSearch, "search", "")
	m.dirty = true
}

// searchFor starts looking for query; the answer comes as a foundMsg.
func (m *Model) searchFor(query string) tea.Cmd {
	if len(query) > maxQuery {
		query = query[:maxQuery]
	}
	m.search.query, m.search.hits, m.search.known = query, nil, false
	m.dirty = true
	if query == "" {
		m.search.job.stop()
		*m.slots[m.search.slot].at() = m.search.from
		m.moved()
		return nil
	}
	ctx, gen := m.search.job.next(m.ctx)
	l := m.listing(m.search.slot)
	return func() tea.Msg {
		hits, err := findAll(ctx, l, query)
		if err != nil {
			return nil // a newer query runs
		}
		return foundMsg{gen, hits}
	}
}

// findAll returns the lines of a listing that contain query.
func findAll(ctx context.Context, l views.Listing, query string) ([]int, error) {
	var hits []int
	for i := range l.Len() {
		if i%1000 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if views.Index(l.Text(i), query) >= 0 {
			hits = append(hits, i)
		}
	}
	return hits, nil
}

func (m *Model) found(msg foundMsg) {
	if msg.gen != m.search.job.gen {
		return
	}
	m.search.job.on = false
	m.search.hits, m.search.known = msg.hits, true
	m.dirty = true
	if len(msg.hits) == 0 {
		*m.slots[m.search.slot].at() = m.search.from
		return
	}
	at, _ := slices.BinarySearch(msg.hits, m.search.from.line)
	m.toHit(at % len(msg.hits))
}

// hit goes to another hit of the last search, in the focused listing.
func (m *Model) hit(n int) tea.Cmd {
	if m.search.query == "" { // in a comparison: the next change
		if k := nextHunk(m.listing(m.focus), m.slots[m.focus].at().line, n); k >= 0 {
			m.moveTo(k)
			return nil
		}
		m.fail("nothing changed")
		return nil
	}
	if m.search.slot != m.focus || m.search.form != m.slots[m.focus].form || !m.search.known {
		// The words are looked for where the user is now.
		q := m.search.query
		m.search = search{slot: m.focus, form: m.slots[m.focus].form, from: *m.slots[m.focus].at(), job: m.search.job}
		if n > 0 {
			m.search.from.line++
		}
		return m.searchFor(q)
	}
	k := len(m.search.hits)
	if k == 0 {
		m.fail("%q does not occur here", m.search.query)
		return nil
	}
	line := m.slots[m.focus].at().line
	at, exact := slices.BinarySearch(m.search.hits, line)
	switch {
	case n > 0 && exact:
		at++
	case n < 0:
		at--
	}
	m.record()
	m.toHit((at%k + k) % k)
	return nil
}

func (m *Model) toHit(i int) {
	s := m.search.slot
	p := m.slots[s].at()
	p.line, p.tok = m.search.hits[i], 0
	m.clamp(s)
	m.centre(s)
	if s == m.focus {
		m.moved()
	}
}

// count says which hit the cursor is on, "3 of 17".
func (m *Model) hitAt() (n, of int, on bool) {
	at, on := slices.BinarySearch(m.search.hits, m.slots[m.search.slot].at().line)
	return at + 1, len(m.search.hits), on
}

// stale drops the hits of a listing that is not shown any more.
func (m *Model) staleSearch() tea.Cmd {
	if m.search.query == "" || m.over != nil && m.over.kind == overSearch {
		return nil
	}
	m.search.job.stop()
	m.search.hits, m.search.known = nil, false
	q := m.search.query
	from := *m.slots[m.search.slot].at()
	m.search.from = from
	ctx, gen := m.search.job.next(m.ctx)
	l := m.listing(m.search.slot)
	return func() tea.Msg {
		hits, err := findAll(ctx, l, q)
		if err != nil {
			return nil
		}
		return recountMsg{gen, hits}
	}
}

// recountMsg is foundMsg without the jump.
type recountMsg foundMsg
