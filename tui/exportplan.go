package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
)

// exportItem is one file that is planned, built and written.
type exportItem struct {
	perm    int
	passes  []session.PassRef // none: all
	convert bool              // the open file is a package: its other container
	file    string            // of the folder, which is opened for it; empty: the open one
	source  string            // name of that file once it was opened
	mode    cewgpu.Mode
	what    string
	path    string

	out     *session.Exported
	err     error    // why there is none, or why it was not written
	old     *oldFile // what lies at the path
	oldSide *oldFile // and at that of a container's side file
	state   itemState
}

type itemState uint8

const (
	itemPlanned itemState = iota
	itemBuilt
	itemSame    // the file holds it already
	itemWritten // and read back
	itemFailed
)

// sum is the SHA-256 of what was built.
func (it *exportItem) sum() string { return digest(it.out.Data) }

// side is where a container's side file goes, or empty.
func (it *exportItem) side() string {
	if it.out == nil || it.out.Format != session.Carbon {
		return ""
	}
	return it.path + session.SideSuffix
}

// same reports whether the folder holds all of the item already.
func (it *exportItem) same() bool {
	if it.old == nil || it.old.sha256 != it.sum() {
		return false
	}
	return it.side() == "" || it.oldSide != nil && it.oldSide.sha256 == digest(it.out.Side)
}

// replaces reports whether writing changes a file that is there.
func (it *exportItem) replaces() bool {
	return it.state == itemBuilt && (it.old != nil || it.oldSide != nil)
}

// plan is what would be written for a choice, built in the background.
type plan struct {
	of    planKey
	items []exportItem
	step  buildStep // how far the build is
	ready bool
	slow  bool
	begun time.Time
	job   job
}

// planKey tells whether a plan is of what is selected now.
type planKey struct {
	sess       *session.Session
	perm, node int
	choice     exportChoice
	marks      string
}

// buildStep is how far a build is: items that are there, and passes of the next one.
type buildStep struct {
	items       []exportItem
	done, total int
}

type (
	plannedMsg struct{ report[buildStep] }
	lookedMsg  struct {
		gen   int
		items []exportItem
	}
	writtenMsg  struct{ report[buildStep] }
	planSlowMsg struct{ gen int }
)

// choiceItems lists the files of a choice, without building them.
func (m *Model) choiceItems(c exportChoice) []exportItem {
	ext := "." + string(c.format)
	if c.format == session.Carbon {
		ext = ".carbonwebgpu"
	}
	if paths := c.batch(); paths != nil {
		return m.batchItems(paths, ext)
	}
	if c.convert {
		return []exportItem{m.convertItem()}
	}
	base := m.exportBase()
	perm := ""
	if m.sess.Permutations() > 1 {
		perm = fmt.Sprintf(".%d", c.perm(m.sel.perm))
	}
	ref, _ := m.ref()
	switch c.scope {
	case scopePass:
		return []exportItem{{perm: m.sel.perm, passes: []session.PassRef{ref}, mode: cewgpu.Selected, what: "pass " + ref.String(), path: base + perm + passName(ref) + ext}}
	case scopeAll:
		return []exportItem{{perm: m.sel.perm, mode: cewgpu.All, what: "the whole effect", path: base + ".all" + ext}}
	case scopeMarked:
		var out []exportItem
		for _, k := range m.allMarks() {
			it := exportItem{perm: k.perm, mode: cewgpu.Selected, what: fmt.Sprintf("permutation %d", k.perm), path: fmt.Sprintf("%s.%d%s", base, k.perm, ext)}
			if !k.whole {
				it.passes = []session.PassRef{k.ref}
				it.what += ", pass " + k.ref.String()
				it.path = fmt.Sprintf("%s.%d%s%s", base, k.perm, passName(k.ref), ext)
			}
			out = append(out, it)
		}
		return out
	}
	what := "the selected permutation"
	if c.perm(m.sel.perm) != m.sel.perm {
		what = fmt.Sprintf("permutation %d", c.perm(m.sel.perm))
	}
	return []exportItem{{perm: c.perm(m.sel.perm), mode: cewgpu.Selected, what: what, path: base + perm + ext}}
}

// passName is a pass in a file name: letters and digits of the technique, and the pass.
func passName(r session.PassRef) string {
	name := strings.Map(func(c rune) rune {
		if c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			return c
		}
		return '_'
	}, r.Technique)
	if len(name) > 64 {
		name = name[:64]
	}
	if r.Nth > 0 {
		name += fmt.Sprintf("-%d", r.Nth+1)
	}
	return fmt.Sprintf(".%s.%d", name, r.Pass)
}

// wantPlan builds what the choice would write, where that is not there already.
func (m *Model) wantPlan() tea.Cmd {
	p := &m.plan
	key := planKey{m.sess, m.sel.perm, m.sel.node, m.exportChoice.filled(), m.marksKey()}
	if key.choice.scope == scopePerm || key.choice.scope == scopeAll {
		key.node = 0
	}
	var open opener
	if key.choice.convert {
		key.perm, key.node, key.marks = 0, 0, ""
	}
	if key.choice.files != "" {
		key.sess, key.perm, key.node, key.marks = nil, 0, 0, ""
		open = m.opt.Corpus.Open
	}
	if p.of == key && (p.ready || p.job.on) {
		return nil
	}
	ctx, gen := p.job.next(m.ctx)
	*p = plan{of: key, job: p.job, items: m.choiceItems(key.choice), begun: time.Now()}
	items := slices.Clone(p.items)
	path := m.opt.Path
	s, version, format, profile, order := m.sess, m.opt.Version, key.choice.format, key.choice.profile, key.choice.order
	build := start(ctx, gen, func(ctx context.Context, see func(buildStep)) (buildStep, error) {
		for i := range items {
			it := &items[i]
			from, err := it.opened(ctx, s, open)
			if err != nil {
				it.err, it.state = err, itemFailed
				see(buildStep{items: slices.Clone(items)})
				continue
			}
			if it.convert {
				it.convertOf(ctx, from, path, version)
			} else {
				it.out, it.err = from.Export(ctx, format, session.PackageOptions{Perm: it.perm, Passes: it.passes, Mode: it.mode, Profile: profile, Order: order, Version: version,
					Progress: func(done, total int) { see(buildStep{slices.Clone(items), done, total}) }})
			}
			if ctx.Err() != nil {
				return buildStep{}, ctx.Err()
			}
			it.state = itemBuilt
			if it.err != nil {
				it.state = itemFailed
			} else {
				it.look()
			}
			see(buildStep{items: slices.Clone(items)})
		}
		return buildStep{items: items}, nil
	}, func(r report[buildStep]) tea.Msg { return plannedMsg{r} })
	return tea.Batch(build, m.tick(slowAfter, slowPlan(gen)))
}

// look notes what lies at the paths of a built item.
func (it *exportItem) look() {
	it.old, it.oldSide = nil, nil
	old, err := look(it.path)
	if err == nil && it.side() != "" {
		it.oldSide, err = look(it.side())
	}
	switch it.old = old; {
	case err != nil:
		it.err, it.state = err, itemFailed
	case it.same():
		it.state = itemSame
	default:
		it.state = itemBuilt
	}
}

func (m *Model) planned(msg plannedMsg) tea.Cmd {
	p := &m.plan
	if msg.gen != p.job.gen {
		return nil
	}
	m.dirty = true
	p.step = msg.of
	if msg.of.items != nil {
		p.items = msg.of.items
	}
	if !msg.done {
		return msg.next
	}
	p.job.on, p.ready = false, true
	if x := m.export; x != nil && x.stage == exLooking && m.exporting() {
		return m.exportLook()
	}
	return nil
}
