package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/files"
	"fxlens/core/session"
	"fxlens/views"
)

// version is the version of fxlens, by semantic versioning.
const version = "0.1.0"

// versionLine is what `fxlens version` prints first. The commit is there where the
// build recorded it.
func versionLine() string {
	s := "fxlens " + version
	if bi, ok := debug.ReadBuildInfo(); ok {
		for _, kv := range bi.Settings {
			if kv.Key == "vcs.revision" && len(kv.Value) >= 12 {
				s += " (" + kv.Value[:12] + ")"
			}
		}
	}
	return s
}

// app is one run of the program.
type app struct {
	args   []string
	in     io.Reader
	stdout io.Writer
	out    *bufio.Writer // stdout, buffered
	err    io.Writer

	inTerm, outTerm, errTerm bool // whether each is a terminal
	colour                   bool // of stderr messages

	json    bool // --json
	session *session.Session

	compileFlags
	tuiFlags
}

// run carries out one command line and returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := newApp(args, stdin, stdout, stderr)
	return a.execute(ctx, a.rootFor(args))
}

func newApp(args []string, stdin io.Reader, stdout, stderr io.Writer) *app {
	a := &app{
		args: args, in: stdin, stdout: stdout, out: bufio.NewWriterSize(stdout, 1<<16), err: stderr,
		inTerm: isTerminal(stdin), outTerm: isTerminal(stdout), errTerm: isTerminal(stderr),
	}
	a.colour = a.errTerm && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return a
}

func isTerminal(f any) bool {
	file, ok := f.(*os.File)
	return ok && (isatty.IsTerminal(file.Fd()) || isatty.IsCygwinTerminal(file.Fd()))
}

func (a *app) execute(ctx context.Context, root *cobra.Command) int {
	root.SetArgs(stdinLinks(a.args))
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	err := guard(func() error { return root.ExecuteContext(ctx) })
	if ferr := a.out.Flush(); ferr != nil && err == nil {
		err = fmt.Errorf("cannot write the output: %w", ferr)
	}
	return a.fail(err)
}

// problem prints one line to stderr, after everything that went to stdout.
func (a *app) problem(format string, args ...any) {
	a.out.Flush()
	prefix := "fxlens: "
	if a.colour {
		prefix = "\x1b[31mfxlens:\x1b[0m "
	}
	fmt.Fprintf(a.err, prefix+"%s\n", views.Text(fmt.Sprintf(format, args...)))
}

// diagnostics prints findings to stderr, one line each and the related places below.
func (a *app) diagnostics(file string, ds []diag.Diag) {
	a.out.Flush()
	for _, d := range ds {
		fmt.Fprintln(a.err, a.diagLine(file, d))
		for _, n := range d.Notes {
			fmt.Fprintf(a.err, "    %s: %s\n", views.Text(file+n.At.String()), views.Text(n.Text))
		}
	}
}

var sevColours = map[diag.Severity]string{diag.Error: "31", diag.Warning: "33", diag.Note: "36"}

// diagLine is a finding as one line: link, severity, text, code, remedy.
func (a *app) diagLine(file string, d diag.Diag) string {
	sev := d.Sev.String()
	if a.colour {
		sev = "\x1b[" + sevColours[d.Sev] + "m" + sev + "\x1b[0m"
	}
	s := fmt.Sprintf("%s: %s: %s [%s]", views.Text(file+d.At.String()), sev, views.Text(d.Text), d.Code)
	if d.Remedy != "" && d.Remedy != "none" {
		s += "; " + views.Text(d.Remedy)
	}
	return s
}

// print writes to stdout.
func (a *app) print(format string, args ...any) { fmt.Fprintf(a.out, format, args...) }

// parseArg reads FILE[LINK]. What exists under the whole argument as its name is that
// file, whatever "?" and "#" are in it.
func parseArg(arg string) (session.Link, error) {
	if arg == "" {
		return session.Link{}, usagef("the file name is empty; name a file")
	}
	if strings.ContainsAny(arg, "?#%") {
		if _, err := os.Lstat(arg); err == nil {
			return session.FileLink(arg), nil
		}
	}
	l, err := session.ParseLink(arg)
	if err != nil {
		return l, err
	}
	if l.File == "" {
		return l, usagef("%s names no file; write FILE%s", arg, arg)
	}
	return l, nil
}

// stdinName and stdinPath stand for standard input as file names.
const (
	stdinName = "-"
	stdinPath = "/dev/stdin"
)

func isStdin(path string) bool { return path == stdinName || path == stdinPath }

// stdinLinks writes "-#Main/0/ps" with the longer name, because the short one would be
// taken for a flag.
func stdinLinks(args []string) []string {
	out := slices.Clone(args)
	for i, s := range out {
		if strings.HasPrefix(s, stdinName+"#") || strings.HasPrefix(s, stdinName+"?") {
			out[i] = stdinPath + s[len(stdinName):]
		}
	}
	return out
}

// read returns the content of a file, or of standard input for its names.
func (a *app) read(path string) ([]byte, error) {
	if !isStdin(path) {
		return files.Read(path, 0)
	}
	if a.inTerm {
		return nil, usagef("standard input is a terminal; pipe a file into fxlens or name one")
	}
	return files.ReadStream(a.in, path, 0)
}

// open reads the file of a link with the options of the command line.
func (a *app) open(l session.Link) (*session.Session, error) {
	data, err := a.read(l.File)
	if err != nil {
		return nil, err
	}
	return a.openData(l, data)
}

// openData is open for a file that has been read.
func (a *app) openData(l session.Link, data []byte) (*session.Session, error) {
	opt, err := a.options()
	if err != nil {
		return nil, err
	}
	if err := a.sidecar(l.File, &opt); err != nil {
		return nil, err
	}
	s, err := session.Open(l.File, data, opt)
	if err != nil {
		return nil, err
	}
	a.session = s
	return s, nil
}

// at opens the file of an argument and finds what its link selects.
func (a *app) at(arg string) (*session.Session, session.Target, error) {
	l, err := parseArg(arg)
	if err != nil {
		return nil, session.Target{}, err
	}
	s, err := a.open(l)
	if err != nil {
		return nil, session.Target{}, err
	}
	t, err := s.Resolve(l)
	return s, t, err
}

// stageRef is one stage that a link selects.
type stageRef struct {
	perm  int
	pass  session.PassRef
	stage string // "ps"
	index int    // in the pass's input and result
	input *compile.StageInput
}

// stages lists the stages of a target: passes in file order, stages in the order of
// the pipeline.
func stages(s *session.Session, t session.Target) ([]stageRef, error) {
	if !s.HasPrograms() {
		return nil, fmt.Errorf("%s: %w; name the effect that it was built from", s.Name, session.ErrNoPrograms)
	}
	var out []stageRef
	for _, p := range t.Passes {
		in, err := s.Input(t.Perm, p)
		if err != nil {
			return nil, err
		}
		for i := range in.Stages {
			if k := in.Stages[i].Kind.String(); t.Stage == "" || k == t.Stage {
				out = append(out, stageRef{t.Perm, p, k, i, &in.Stages[i]})
			}
		}
	}
	return out, nil
}

// single reports whether the command line asked for exactly one stage, so that the
// output is that stage's alone and not a list with one element.
func single(t session.Target, n int) bool { return n == 1 && len(t.Passes) == 1 }

// link is the full link to a stage, as text.
func (r *stageRef) link(s *session.Session) string {
	return s.Link(r.perm, r.pass, r.stage, -1).String()
}

// heading separates stages in text output of several; comment begins a comment in the
// language that is printed.
func (a *app) heading(first bool, comment, link string) {
	if !first {
		a.print("\n")
	}
	a.print("%s %s\n", comment, views.Text(link))
}

// fileMissing reports whether an error is that a file does not exist.
func fileMissing(err error) bool {
	var fe *files.Error
	return errors.As(err, &fe) && errors.Is(err, fs.ErrNotExist)
}
