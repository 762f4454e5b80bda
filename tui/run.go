package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"

	tea "github.com/charmbracelet/bubbletea"
	xterm "github.com/charmbracelet/x/term"

	"fxlens/core/session"
	_ "fxlens/tui/quiet" // before bubbletea: see there
)

// Options are what the caller decides. The zero value works.
type Options struct {
	Path      string                                                           // of the file, for titles while it opens
	Open      func(ctx context.Context) (*session.Session, error)              // opens the file where Run gets no session
	OpenAlso  func(ctx context.Context, path string) (*session.Session, error) // opens a file from the one on the screen; nil: without options
	At        *session.Link                                                    // place to start at; nil: the defaults
	Corpus    *Corpus                                                          // the folder of the Corpus screen, which comes first where Run gets no session; nil: none
	Graph     *Graph                                                           // the shader-switch graph of the Switches screen, which comes first where Run gets no session; nil: none
	Version   string                                                           // of the program, for packages; empty: as BuildPackage has it
	ExportDir string                                                           // folder for packages; empty: the working folder
	Sidecar   string                                                           // file that keeps view formats and classes chosen here; empty: none
	Theme     string                                                           // name of an embedded theme or path of a theme file; empty: what fits the terminal
	Colour    string                                                           // auto, truecolor, 256, 16, none
	ConfigDir string                                                           // folder of the user's config.toml and themes/; empty: none
	StateDir  string                                                           // folder of what is remembered of each file; empty: nothing is
	NoMouse   bool                                                             // leave the mouse to the terminal
	Input     io.Reader                                                        // nil: the terminal
	Output    io.Writer                                                        // nil: standard output
	Getenv    func(string) string                                              // nil: os.Getenv
	Clipboard func(text string) error                                          // fallback for OSC 52; nil: the system's
	Crash     func(report string) (path string, err error)                     // writes a crash report; nil: none
	program   func(m *Model, opts ...tea.ProgramOption) *tea.Program           // tests
}

func (o *Options) getenv() func(string) string {
	if o.Getenv != nil {
		return o.Getenv
	}
	return os.Getenv
}

func (o *Options) clipboard() func(string) error {
	if o.Clipboard != nil {
		return o.Clipboard
	}
	return systemClipboard
}

// Crash is the error of Run after a bug of ours. The terminal has been restored.
type Crash struct {
	Report string // where the report is, or empty
	Err    error
}

func (e *Crash) Error() string {
	s := "fxlens: a bug in the inspector; the terminal was restored"
	if e.Report != "" {
		s += "; please send the report " + e.Report
	}
	return s + ": " + e.Err.Error()
}

// Unwrap returns the program's error.
func (e *Crash) Unwrap() error { return e.Err }

// lockedFile keeps frames and clipboard sequences, which come from different goroutines,
// from being written into each other. It is still a file to bubbletea.
type lockedFile struct {
	*os.File
	mu sync.Mutex
}

func (f *lockedFile) Write(b []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.File.Write(b)
}

// WriteString must not bypass the lock.
func (f *lockedFile) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

// lockedWriter is lockedFile for what is no file.
type lockedWriter struct {
	w  io.Writer
	mu sync.Mutex
}

func (w *lockedWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.w.Write(b)
}

// Run shows the inspector until the user leaves it or ctx ends. s may be nil, then
// opt.Open opens the file while the first frame is up already. It fails with
// ErrTerminal where the terminal cannot show it, with a *Crash after a bug of ours, and
// with ctx's error.
func Run(ctx context.Context, s *session.Session, opt Options) error {
	cfg, km, cerr := loadConfig(opt.ConfigDir)
	if cerr == nil {
		if opt.Colour == "" && cfg.Colour != nil {
			opt.Colour = *cfg.Colour
		}
		opt.NoMouse = opt.NoMouse || cfg.Mouse != nil && !*cfg.Mouse
	}
	term, err := detect(opt.getenv(), opt.Colour)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends every command
	switch out := opt.Output.(type) {
	case nil:
		opt.Output = &lockedFile{File: os.Stdout}
	case *os.File:
		opt.Output = &lockedFile{File: out}
	default:
		opt.Output = &lockedWriter{w: out}
	}
	m, err := newModel(ctx, s, opt, term)
	if err != nil {
		return err
	}
	if cerr == nil {
		cerr = m.applyConfig(cfg, km)
	}
	if cerr != nil { // the program works without
		m.fail("%v", cerr)
	}
	popts := []tea.ProgramOption{tea.WithContext(ctx), tea.WithAltScreen(), tea.WithFPS(120), tea.WithOutput(opt.Output)}
	if !opt.NoMouse {
		popts = append(popts, tea.WithMouseCellMotion())
	}
	if opt.Input != nil {
		popts = append(popts, tea.WithInput(opt.Input))
	}
	// The first frame need not wait until bubbletea says how large the terminal is.
	if f, ok := opt.Output.(*lockedFile); ok {
		if w, h, err := xterm.GetSize(f.Fd()); err == nil {
			m.resize(w, h)
		}
	}
	newProgram := opt.program
	if newProgram == nil {
		newProgram = func(m *Model, opts ...tea.ProgramOption) *tea.Program { return tea.NewProgram(m, opts...) }
	}
	_, err = newProgram(m, popts...).Run()
	if serr := errors.Join(m.saveState(), m.rememberExport()); serr != nil && err == nil {
		err = serr
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, tea.ErrProgramPanic):
		c := &Crash{Err: err}
		if opt.Crash != nil {
			if p, werr := opt.Crash(m.report()); werr == nil {
				c.Report = p
			}
		}
		return c
	case ctx.Err() != nil:
		return fmt.Errorf("inspector: %w", ctx.Err())
	case errors.Is(err, tea.ErrInterrupted):
		return nil
	}
	return fmt.Errorf("inspector: %w", err)
}

// report says what a bug report needs: digest, place and the last actions. Nothing in it
// is the file's own content.
func (m *Model) report() string {
	s := fmt.Sprintf("screen %dx%d\n", m.w, m.h)
	if m.sess != nil {
		s += fmt.Sprintf("sha256 %x\npermutation %d\n", m.sess.SHA256, m.sel.perm)
		if ref, ok := m.ref(); ok {
			s += fmt.Sprintf("pass %q\nstage %d\n", ref.String(), m.sel.stage)
		}
	}
	s += "actions"
	for _, a := range m.log {
		s += " " + a
	}
	s += "\n"
	if m.sess != nil {
		s += "link " + strconv.Quote(m.linkHere()) + "\n"
	}
	return s + m.eventLines()
}
