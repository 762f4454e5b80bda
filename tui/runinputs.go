package tui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
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
	breaks, watches, values, focus := s.sess.Breakpoints(), s.sess.Watches(), s.sess.WatchedValues(), s.snap.focus
	return tea.Batch(func() tea.Msg {
		return newRun(ctx, gen, stage, t, group, from, func(d *debug.Session) error {
			for _, b := range breaks {
				d.Break(b, true)
			}
			for _, w := range watches {
				_ = d.Watch(w, true) // it existed in the same program
			}
			if d.Attached() != nil {
				for _, v := range values {
					_ = d.WatchValue(v, true)
				}
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
		kind, t := s.of.stage.Kind.String(), s.tr
		program, err := m.sess.StageProgram(m.sel.perm, ref, kind)
		if err != nil {
			m.fail("%v", err)
			return nil
		}
		return s.do(m, func(context.Context, *debug.Session) (runDone, error) { return saveJob(path, kind, program, t) })
	})
	return nil
}

// saveJob writes the inputs of a trial as a job file, with the programs beside it. It
// refuses, with the reason, what the job language cannot say.
func saveJob(path, kind string, program []byte, t *trial.Trial) (runDone, error) {
	stem := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	programs, err := t.OtherPrograms()
	if err != nil {
		return runDone{}, err
	}
	names := map[string]string{}
	for k := range programs {
		names[k] = stem + "." + k + ".dxbc"
	}
	programs[kind], names[kind] = program, stem+".dxbc"
	text, err := t.Text(names[kind], names)
	var un *trial.ErrUnavailable
	if errors.As(err, &un) {
		return runDone{}, fmt.Errorf("not saved: a job file cannot say %s", un.Reason)
	}
	if err != nil {
		return runDone{}, err
	}
	// The job comes last: it is not there without its programs.
	for _, k := range slices.Sorted(maps.Keys(programs)) {
		if err := writeBeside(filepath.Join(filepath.Dir(path), names[k]), programs[k]); err != nil {
			return runDone{}, err
		}
	}
	return runDone{text: "wrote " + path + " and " + names[kind]}, files.Write(path, []byte(text), false)
}

func (s *runScreen) askLoad(m *Model) tea.Cmd {
	m.ask("inputs of the job file ", s.from, func(m *Model, path string) tea.Cmd {
		if path == "" || s.of == nil {
			return nil
		}
		ctx, gen := s.op.next(m.ctx)
		kind := s.of.stage.Kind.String()
		build := s.source()
		return tea.Batch(func() tea.Msg {
			list, open, err := files.Jobs(path)
			if err != nil {
				return runReady{gen: gen, err: err}
			}
			list = slices.DeleteFunc(list, func(j *jobs.Job) bool { return !j.Runs(kind) })
			switch len(list) {
			case 0:
				return runReady{gen: gen, err: fmt.Errorf("%s has no job for a %s stage", path, kind)}
			case 1:
				return loadJob(ctx, gen, build, path, list[0], open)
			}
			return runJobs{gen, path, list, open}
		}, s.later(m, gen))
	})
	return nil
}

// take runs a job of a file.
func (s *runScreen) take(m *Model, path string, j *jobs.Job, open func(string) ([]byte, error)) tea.Cmd {
	if s.of == nil {
		return nil
	}
	ctx, gen := s.op.next(m.ctx)
	build := s.source()
	return tea.Batch(func() tea.Msg { return loadJob(ctx, gen, build, path, j, open) }, s.later(m, gen))
}

func loadJob(ctx context.Context, gen int, build func() (*trial.Stage, error), path string, j *jobs.Job, open func(string) ([]byte, error)) tea.Msg {
	stage, err := build()
	if err != nil {
		return runReady{gen: gen, err: err}
	}
	t, err := stage.FromJob(ctx, j, open)
	if err != nil {
		return runReady{gen: gen, err: fmt.Errorf("%s: job %s: %w", path, j.Name, err)}
	}
	return newRun(ctx, gen, stage, t, [3]uint32{}, path, nil)
}

// source makes the stage that the screen shows executable, in a command.
func (s *runScreen) source() func() (*trial.Stage, error) {
	st, pass := s.of, s.pass
	return func() (*trial.Stage, error) { return trial.StageOf(st.stage.Kind.String(), pass, st.stage) }
}

// writeBeside writes a program; one that is there with the same content already stays.
func writeBeside(path string, b []byte) error {
	err := files.Write(path, b, false)
	if errors.Is(err, files.ErrExists) {
		if there, rerr := files.Read(path, int64(len(b))+1); rerr == nil && bytes.Equal(there, b) {
			return nil
		}
	}
	return err
}
