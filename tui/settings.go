package tui

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/diag"
	"fxlens/core/files"
	"fxlens/core/session"
	"fxlens/views"
)

// Options of the compiler are changed here: a remedy is chosen at a prompt, everything
// is compiled anew with it, and undo takes it back. Changing an option replaces the
// session by one over the same file that shares what both have compiled, so that screens
// must not keep m.sess.

// settings is what was set in this visit.
type settings struct {
	steps  []step
	epoch  int // names the options in force, in the keys of the cache
	epochs int // given out so far
	gain   gain
	queue  []edit // of the sidecar, the first one is being written
}

// step is a setting and what it replaced.
type step struct {
	set, was session.Setting
	sess     *session.Session // before it
	epoch    int
}

// gain is what the choice under the prompt's cursor would free.
type gain struct {
	job  job
	of   session.Setting
	g    session.Gain
	done bool
	err  error
}

type gainMsg struct{ report[session.Gain] }

// edit is one change of the sidecar; value nil takes the key away.
type edit struct {
	table, key string
	value      *string
}

type sidecarMsg struct {
	path string
	err  error
}

// diagHere is the index of the diagnostic that the panel shows or the cursor stands on,
// or the first refusal of the shown stage; -1 where there is none.
func (m *Model) diagHere() int {
	if m.showDiag && m.diagAt >= 0 && m.diagAt < len(m.diags) {
		return m.diagAt
	}
	i := m.codeSlot()
	pos := m.slots[i].at()
	if m.slots[i].form == formDiags {
		if pos.line < len(m.diags) {
			return pos.line
		}
		return -1
	}
	if st := m.stageNow(); st != nil {
		if k := m.diagAtCursor(); k >= 0 {
			return k
		}
		for k := range m.diags {
			if o := m.origins[k]; m.diags[k].Sev == diag.Error && o.node == m.sel.node && (o.stage == m.shownStage() || o.stage < 0) {
				return k
			}
		}
	}
	return -1
}

// remedyOf returns what can be set against diagnostic k.
func (m *Model) remedyOf(k int) *session.Remedy {
	if m.sess == nil || k < 0 || k >= len(m.diags) {
		return nil
	}
	key, ok := m.key(m.sel.perm, m.origins[k].node)
	v := m.cache[key]
	if !ok || v == nil || v.pass == nil {
		return nil
	}
	return m.sess.Remedy(m.passes[m.origins[k].node], v.pass, &m.diags[k])
}

// diagTitle is the title of the panel over diagnostic k.
func (m *Model) diagTitle(k int) string {
	if !m.stale && m.remedyOf(k) != nil {
		return "diagnostic, r sets the remedy"
	}
	return "diagnostic"
}

func (m *Model) whyNoRemedy() string {
	k := m.diagHere()
	switch {
	case m.sess == nil:
		return "no file is open"
	case m.stale:
		return "the pass is being compiled"
	case k < 0:
		return "the cursor is on no diagnostic; ] goes to one"
	case m.remedyOf(k) == nil:
		if r := m.diags[k].Remedy; r != "" && r != "none" {
			return "there is nothing to set: " + r
		}
		return "nothing that can be set changes this"
	}
	return ""
}

// openRemedy asks for one of the values that answer the diagnostic.
func (m *Model) openRemedy() tea.Cmd {
	r := m.remedyOf(m.diagHere())
	var items []item
	for i, c := range r.Choices {
		set := r.Setting(i)
		items = append(items, item{text: views.Text(c.Value), note: views.Text(c.Note), apply: func(m *Model) tea.Cmd { return m.assign(set) }})
	}
	m.openList(overList, "Remedy: "+views.Clip(views.Text(r.What), 80), items)
	m.over.foot = (*Model).gainLines
	m.over.moved = func(m *Model) tea.Cmd { return m.countGain(r) }
	m.over.closed = func(m *Model) { m.settings.gain.job.stop() }
	return m.countGain(r)
}

// countGain counts what the choice under the cursor frees. Another cursor starts it
// anew; it compiles what the choice would compile, so that nothing is done twice.
func (m *Model) countGain(r *session.Remedy) tea.Cmd {
	o := m.over
	g := &m.settings.gain
	if o.cur >= len(o.shown) {
		g.job.stop()
		return nil
	}
	set := r.Setting(o.shown[o.cur])
	opt, err := set.Apply(m.sess.Options)
	if err != nil {
		return nil
	}
	ctx, gen := g.job.next(m.ctx)
	g.of, g.g, g.done, g.err = set, session.Gain{}, false, nil
	from, to := m.sess, m.sess.With(opt)
	return start(ctx, gen, func(ctx context.Context, see func(session.Gain)) (session.Gain, error) {
		return from.Gain(ctx, to, see)
	},
		func(r report[session.Gain]) tea.Msg { return gainMsg{r} })
}

func (m *Model) gained(msg gainMsg) tea.Cmd {
	g := &m.settings.gain
	if msg.gen != g.job.gen {
		return nil
	}
	g.g, g.done, g.err = msg.of, msg.done, msg.err
	if msg.done {
		g.job.on = false
	}
	m.dirty = true
	return msg.next
}

// gainLines says below the prompt what the choice frees.
func (m *Model) gainLines(cols int) []views.Line {
	g := &m.settings.gain
	l := func(r views.Role, text string) views.Line { return views.Say(r, views.Clip(text, cols)) }
	flag := l(views.RoleDim, "sets    "+views.Text(g.of.String()))
	switch {
	case g.err != nil:
		return []views.Line{flag, l(views.RoleRefused, "✗ "+views.Text(g.err.Error()))}
	case !g.done:
		return []views.Line{flag, l(views.RoleDim, fmt.Sprintf("frees   counting… %d of %d passes", g.g.Done, g.g.Total))}
	}
	text, role := "frees   no stage by itself", views.RoleText
	if g.g.Stages > 0 {
		role = views.RoleOK
		text = fmt.Sprintf("frees   %s in %s of %d", plural(g.g.Stages, "stage"), plural(g.g.Permutations, "permutation"), m.sess.Permutations())
	}
	if g.g.Reasons > 0 {
		text += fmt.Sprintf("; takes %s away", plural(g.g.Reasons, "refusal"))
	}
	if g.g.Lost > 0 {
		role = views.RoleWarning
		text += fmt.Sprintf("; ▲ %s would be refused", plural(g.g.Lost, "stage"))
	}
	return []views.Line{flag, l(role, text)}
}

// assign makes a setting: everything is compiled with it, and it is kept in the sidecar.
func (m *Model) assign(s session.Setting) tea.Cmd {
	opt, err := s.Apply(m.sess.Options)
	if err != nil {
		m.fail("%v", err)
		return nil
	}
	was := s
	was.Value = s.ValueIn(&m.sess.Options)
	if was.Value == s.Value {
		m.say("%s is in force already", s)
		return nil
	}
	m.settings.steps = append(m.settings.steps, step{s, was, m.sess, m.settings.epoch})
	m.settings.epochs++
	m.settings.epoch = m.settings.epochs
	cmd := m.useSession(m.sess.With(opt))
	m.say("%s%s", s, undoHint)
	return tea.Batch(cmd, m.keep(s))
}

// undoHint ends what is said of a setting.
const undoHint = "; ctrl+z undoes"

func (m *Model) whyNoUndo() string {
	if len(m.settings.steps) == 0 {
		return "nothing was set in this visit"
	}
	return ""
}

// undoSetting takes the last setting back; what was compiled before it is there still.
func (m *Model) undoSetting() tea.Cmd {
	n := len(m.settings.steps) - 1
	st := m.settings.steps[n]
	m.settings.steps = m.settings.steps[:n]
	m.settings.epoch = st.epoch
	cmd := m.useSession(st.sess)
	m.say("taken back: %s", st.set)
	return tea.Batch(cmd, m.keep(st.was))
}

// useSession goes on with other options at the same place.
func (m *Model) useSession(s *session.Session) tea.Cmd {
	m.job.stop()
	m.survey.stop()
	m.sess = s
	m.memo = memo{}
	m.cmp.of = changesKey{}
	m.showDiag, m.diagAt = false, -1
	cmd := m.reselect()
	m.syncLeft()
	if m.screen != nil {
		cmd = tea.Batch(cmd, m.screen.show(m))
	}
	return cmd
}

// keep writes a setting of a view or a class into the sidecar, one after the other.
func (m *Model) keep(s session.Setting) tea.Cmd {
	if m.opt.Sidecar == "" {
		return nil
	}
	e := edit{key: s.Key}
	switch s.Kind {
	case session.SetView:
		e.table = "views"
	case session.SetClass:
		e.table = "classes"
	default:
		return nil // a choice of this visit, not a fact about the file
	}
	if s.Value != "" {
		e.value = &s.Value
	}
	m.settings.queue = append(m.settings.queue, e)
	if len(m.settings.queue) > 1 {
		return nil
	}
	return m.writeSidecar()
}

// maxSidecar bounds what is read of a sidecar.
const maxSidecar = 1 << 20

func (m *Model) writeSidecar() tea.Cmd {
	e, path := m.settings.queue[0], m.opt.Sidecar
	return func() tea.Msg { return sidecarMsg{path, editSidecar(path, e)} }
}

// sidecarLock keeps two edits from reading the same old text.
var sidecarLock sync.Mutex

func editSidecar(path string, e edit) error {
	sidecarLock.Lock()
	defer sidecarLock.Unlock()
	old, err := files.Read(path, maxSidecar)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text, err := session.EditSidecar(old, e.table, e.key, e.value)
	switch {
	case err != nil:
		return err
	case string(text) == string(old):
		return nil
	case len(text) == 0:
		return os.Remove(path)
	}
	return files.Write(path, text, true)
}

func (m *Model) keptSidecar(msg sidecarMsg) tea.Cmd {
	m.settings.queue = m.settings.queue[1:]
	name := views.Clip(filepath.Base(msg.path), 60)
	switch {
	case msg.err != nil:
		m.fail("in force in this visit, but not kept in %s: %v", name, msg.err)
	case strings.HasSuffix(m.status, undoHint):
		m.say("%s, kept in %s%s", strings.TrimSuffix(m.status, undoHint), name, undoHint)
	}
	if len(m.settings.queue) > 0 {
		return m.writeSidecar()
	}
	return nil
}
