package tui

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/session"
	"fxlens/views"
)

// findAllState is the search through every stage of every permutation.
type findAllState struct {
	query string
	form  form
	job   job
	done  int // passes of bodies that were looked at
	of    int
	hits  int
	items []item
}

// maxFound bounds the list of a search through everything.
const maxFound = 5000

// openFindAll asks for what to look for in all stages: in the focused pane's form where
// all stages have it, or else in DXBC. What the cursor is on is proposed.
func (m *Model) openFindAll() {
	f := m.slots[m.codeSlot()].form
	if f != formDXBC && f != formSSA && f != formWGSL {
		f = formDXBC
	}
	value := m.search.query
	if value == "" && code(m.focus) {
		value = m.wordHere()
	}
	m.ask("find in "+formNames[f]+" of all stages and permutations: ", value, func(m *Model, text string) tea.Cmd { return m.findEverywhere(f, text) })
}

// wordHere is the text of the token under the cursor.
func (m *Model) wordHere() string {
	l, p, f := m.token()
	if f.Lanes.Reg != "" {
		return f.Lanes.Reg
	}
	if p.tok == 0 {
		return ""
	}
	ls := l.Lines(views.Window{First: p.line, Rows: 1}, nil)
	if len(ls) == 0 {
		return ""
	}
	s := ""
	for _, x := range ls[0].Spans {
		if int(x.Tok) == p.tok {
			s += x.Text
		}
	}
	return strings.TrimSpace(s)
}

// target is a pass of one body, and a permutation that has it.
type target struct {
	perm int
	ref  session.PassRef
	key  unitKey
}

// targets lists the passes to look through, those of the present permutation first; a
// pass of a body that several permutations share is there once.
func targets(s *session.Session, perm, epoch int) []target {
	var out []target
	seen := make(map[int]bool)
	add := func(p int) {
		body := 0
		if s.Effect != nil {
			body = s.Effect.BodyOf(p)
		}
		if seen[body] {
			return
		}
		seen[body] = true
		passes, err := s.Passes(p)
		if err != nil {
			return
		}
		for _, r := range passes {
			out = append(out, target{p, r, unitKey{body, r.TechIndex, r.Pass, epoch}})
		}
	}
	add(perm)
	if s.Effect != nil {
		for _, b := range s.Effect.Bodies() {
			if len(b.Permutations) > 0 {
				add(b.Permutations[0])
			}
		}
	}
	return out
}

// findEverywhere starts the search. Its list opens at the end or with esc; until then the
// status line counts.
func (m *Model) findEverywhere(f form, query string) tea.Cmd {
	if query = strings.TrimSpace(query); query == "" {
		m.fail("find-all: nothing to look for")
		return nil
	}
	if len(query) > maxQuery {
		query = query[:maxQuery]
	}
	ctx, gen := m.findall.job.next(m.ctx)
	todo := targets(m.sess, m.sel.perm, m.settings.epoch)
	m.findall = findAllState{query: query, form: f, job: m.findall.job, of: len(todo)}
	if i := m.codeSlot(); m.slots[i].form == f { // n goes on with it here
		m.search = search{query: query, slot: i, form: f, job: m.search.job}
		return tea.Batch(m.staleSearch(), m.findStep(ctx, gen, todo))
	}
	return m.findStep(ctx, gen, todo)
}

// findStep looks through one pass and then asks for the next one, so that keys come between.
func (m *Model) findStep(ctx context.Context, gen int, todo []target) tea.Cmd {
	if len(todo) == 0 {
		m.showFound()
		return nil
	}
	s, f, query, known, t := m.sess, m.findall.form, m.findall.query, m.cache[todo[0].key], todo[0]
	room := maxFound - len(m.findall.items)
	return func() tea.Msg {
		items, hits, err := findInPass(ctx, s, t, known, f, query, room)
		if err != nil {
			return nil // stopped: esc shows what there is
		}
		return applyMsg(func(m *Model) tea.Cmd {
			if gen != m.findall.job.gen {
				return nil
			}
			m.findall.done++
			m.findall.hits += hits
			m.findall.items = append(m.findall.items, items...)
			return m.findStep(ctx, gen, todo[1:])
		})
	}
}

func findInPass(ctx context.Context, s *session.Session, t target, known *passView, f form, query string, room int) ([]item, int, error) {
	v := known
	if v == nil {
		var err error
		if v, err = compilePass(ctx, s, t.perm, t.ref); err != nil {
			return nil, 0, err
		}
	}
	var items []item
	hits := 0
	for n, st := range v.stages {
		if f != formDXBC && (f == formSSA && st.stage.Func == nil || f == formWGSL && st.stage.Module == nil) {
			continue
		}
		l := st.forms[f]
		for i := range l.Len() {
			if i%1000 == 0 && ctx.Err() != nil {
				return nil, 0, ctx.Err()
			}
			if views.Index(l.Text(i), query) < 0 {
				continue
			}
			hits++
			if len(items) >= room {
				continue
			}
			perm := ""
			if s.Effect != nil {
				perm = fmt.Sprintf("%d", t.perm)
				if k := len(s.Effect.Bodies()[max(s.Effect.BodyOf(t.perm), 0)].Permutations); k > 1 {
					perm += fmt.Sprintf(" +%d", k-1)
				}
			}
			items = append(items, item{key: views.Clip(t.ref.String(), 16) + "/" + st.stage.Kind.String(), text: strings.TrimSpace(views.Clip(l.Text(i), 160)), note: perm,
				apply: func(m *Model) tea.Cmd {
					m.record()
					p := m.here()
					p.perm, p.stage, p.form, p.screen = t.perm, n, f, 0
					p.pos = position{line: i, top: max(i-3, 0)}
					passes, err := s.Passes(t.perm)
					if err != nil {
						return nil
					}
					for k, r := range passes {
						if r == t.ref {
							p.node = k
						}
					}
					m.openFolds(p.slot)
					return m.goPlace(p)
				}})
		}
	}
	return items, hits, nil
}

// showFound opens the list of what was found so far.
func (m *Model) showFound() {
	s := &m.findall
	stopped := s.done < s.of
	s.job.stop()
	if len(s.items) == 0 {
		m.fail("%q does not occur in %s of %d passes", s.query, formNames[s.form], s.done)
		return
	}
	title := fmt.Sprintf("%s in %s: %d in %d passes", views.Clip(s.query, 30), formNames[s.form], s.hits, s.done)
	if stopped {
		title += fmt.Sprintf(" (stopped; there are %d)", s.of)
	}
	if s.hits > len(s.items) {
		title += fmt.Sprintf(", the first %d", len(s.items))
	}
	m.keepWalk(title, s.items)
	if m.over == nil {
		m.openList(overList, title, s.items)
	} else {
		m.say("%s; . and , go through them", title)
	}
}
