package tui

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/files"
	"fxlens/core/interp/debug"
	jobs "fxlens/core/interp/job"
	"fxlens/core/trial"
	"fxlens/views"
)

func (s *runScreen) askInvocation(m *Model) tea.Cmd {
	m.ask(fmt.Sprintf("invocation 0 to %d ", s.snap.n-1), fmt.Sprint(s.snap.focus), func(m *Model, text string) tea.Cmd {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil {
			m.fail("%q is no number", text)
			return nil
		}
		return s.follow(m, n)
	})
	return nil
}

func (s *runScreen) askGroup(m *Model) tea.Cmd {
	g := s.tr.Groups
	m.ask(fmt.Sprintf("group x,y,z below %d,%d,%d ", g[0], g[1], g[2]), fmt.Sprintf("%d,%d,%d", s.group[0], s.group[1], s.group[2]), func(m *Model, text string) tea.Cmd {
		var at [3]uint32
		parts := strings.Split(text, ",")
		if len(parts) != 3 {
			m.fail("a group is three numbers: x,y,z")
			return nil
		}
		for i, p := range parts {
			n, err := strconv.ParseUint(strings.TrimSpace(p), 10, 32)
			if err != nil || uint32(n) >= g[i] {
				m.fail("the dispatch has %d x %d x %d groups; %q is none", g[0], g[1], g[2], text)
				return nil
			}
			at[i] = uint32(n)
		}
		s.group = at
		return s.again(m, 0)
	})
	return nil
}

// again makes a new session on the same inputs, changed ones perhaps, with the same
// breakpoints, watches and focus, and goes to a position.
func (s *runScreen) again(m *Model, pos int64) tea.Cmd {
	ctx, gen := s.op.next(m.ctx)
	stage, t, group, from := s.stage, s.tr, s.group, s.from
	breaks, watches, focus := s.sess.Breakpoints(), s.sess.Watches(), s.snap.focus
	return tea.Batch(func() tea.Msg {
		return newRun(ctx, gen, stage, t, group, from, func(d *debug.Session) error {
			for _, b := range breaks {
				d.Break(b, true)
			}
			for _, w := range watches {
				_ = d.Watch(w, true) // it existed in the same program
			}
			if focus < d.Invocations() {
				if err := d.SetFocus(ctx, focus); err != nil {
					return err
				}
			}
			return d.Seek(ctx, pos)
		})
	}, s.later(m, gen))
}

func (s *runScreen) askEdit(m *Model) tea.Cmd {
	if s.pane == runConsts {
		r := s.snap.crows[s.row]
		row, comp := s.row, s.comp
		m.ask(fmt.Sprintf("%s.%c as %s ", r.Name, "xyzw"[comp], s.typ), s.typ.Format(r.Cells[comp].Word), func(m *Model, text string) tea.Cmd {
			w, err := s.typ.Parse(text)
			if err == nil {
				n := row
				for _, c := range s.snap.consts {
					if n < len(c.Data)/16 {
						err = s.tr.SetConstant(c.Slot, 16*n+4*comp, w)
						break
					}
					n -= len(c.Data) / 16
				}
			}
			if err != nil {
				m.fail("%v", err)
				return nil
			}
			return s.again(m, s.snap.pos)
		})
		return nil
	}
	l := s.lanes[s.lane()]
	m.ask(fmt.Sprintf("%s of invocation %d as %s ", l, s.snap.focus, s.typ), s.typ.Format(s.snap.words[s.lane()]), func(m *Model, text string) tea.Cmd {
		w, err := s.typ.Parse(text)
		if err == nil {
			err = s.tr.SetInput(l.Index, s.snap.focus, int(l.Comp), w)
		}
		if err != nil {
			m.fail("%v", err)
			return nil
		}
		return s.again(m, s.snap.pos)
	})
	return nil
}

func (s *runScreen) askSave(m *Model) tea.Cmd {
	base := strings.TrimSuffix(m.fileName(), filepath.Ext(m.fileName()))
	path := filepath.Join(m.opt.ExportDir, views.Text(base)+"."+s.of.stage.Kind.String()+".job")
	m.ask("write the inputs to ", path, func(m *Model, path string) tea.Cmd {
		ref, ok := m.ref()
		if !ok || path == "" {
			return nil
		}
		program, err := m.sess.StageProgram(m.sel.perm, ref, s.of.stage.Kind.String())
		var text string
		name := strings.TrimSuffix(filepath.Base(path), ".job") + ".dxbc"
		if err == nil {
			text, err = s.tr.Text(name)
		}
		if err != nil {
			m.fail("%v", err)
			return nil
		}
		return s.do(m, func(context.Context, *debug.Session) (runDone, error) {
			// The job comes last: it is not there without its program.
			if err := files.Write(filepath.Join(filepath.Dir(path), name), program, false); err != nil {
				return runDone{}, err
			}
			return runDone{text: "wrote " + path + " and " + name}, files.Write(path, []byte(text), false)
		})
	})
	return nil
}

func (s *runScreen) askLoad(m *Model) tea.Cmd {
	m.ask("inputs of the job file ", s.from, func(m *Model, path string) tea.Cmd {
		if path == "" || s.of == nil {
			return nil
		}
		ctx, gen := s.op.next(m.ctx)
		st, pass := s.of, s.pass
		return func() tea.Msg {
			b, err := files.Read(path, 64<<20)
			if err != nil {
				return runReady{gen: gen, err: err}
			}
			list, err := jobs.Parse(string(b))
			if err != nil {
				return runReady{gen: gen, err: fmt.Errorf("%s: %w", path, err)}
			}
			kind := st.stage.Kind.String()
			stage, err := trial.StageOf(kind, pass, st.stage)
			if err != nil {
				return runReady{gen: gen, err: err}
			}
			for _, j := range list {
				if !j.Runs(kind) {
					continue
				}
				t, err := stage.FromJob(ctx, j, func(name string) ([]byte, error) {
					return files.Read(filepath.Join(filepath.Dir(path), filepath.FromSlash(name)), 64<<20)
				})
				if err != nil {
					return runReady{gen: gen, err: fmt.Errorf("%s: job %s: %w", path, j.Name, err)}
				}
				return newRun(ctx, gen, stage, t, [3]uint32{}, path, nil)
			}
			return runReady{gen: gen, err: fmt.Errorf("%s has no job for a %s stage", path, kind)}
		}
	})
	return nil
}
