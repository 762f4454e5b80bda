package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/files"
	"fxlens/core/session"
	"fxlens/core/variant/manifest"
	"fxlens/tui"
	"fxlens/views"
)

// The exit codes, as DESIGN and `fxlens --help` list them.
const (
	exitDone        = 0
	exitRefused     = 1 // refused, or a check failed; the reasons are printed
	exitUsage       = 2
	exitInput       = 3 // unreadable or invalid input
	exitBug         = 4
	exitInterrupted = 130 // by the shells' convention: 128 and the signal's number
)

// errRefused ends a command that has printed its reasons already.
var errRefused = errors.New("refused")

// usageError is a command line that cannot be carried out.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// bugError is a panic that reached the command.
type bugError struct {
	value any
	stack []byte
}

func (e *bugError) Error() string { return fmt.Sprintf("bug: %v", e.value) }

// guard runs f and turns a panic into a bugError.
func guard(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &bugError{r, debug.Stack()}
		}
	}()
	return f()
}

// exitCode says which code an error ends the program with.
func exitCode(err error) int {
	var (
		usage *usageError
		bug   *bugError
		cbug  *compile.BugError
		crash *tui.Crash
		open  *session.OpenError
		file  *files.Error
		sys   *fs.PathError
		d     diag.Diag
	)
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &bug), errors.As(err, &cbug), errors.As(err, &crash):
		return exitBug
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.Is(err, errRefused):
		return exitRefused
	case errors.As(err, &usage), errors.Is(err, session.ErrLink):
		return exitUsage
	case errors.As(err, &file) && errors.Is(err, files.ErrExists):
		return exitUsage // the target may not be replaced: say so or name another
	case errors.As(err, &open), errors.As(err, &file), errors.Is(err, session.ErrNoPrograms), errors.Is(err, manifest.ErrManifest):
		return exitInput
	case errors.As(err, &sys):
		return exitInput // a full disk, a closed standard output
	case errors.As(err, &d):
		return exitRefused
	}
	return exitRefused
}

// fail prints an error on one line and returns the exit code. A bug of ours gets a
// report file, and the line names it.
func (a *app) fail(err error) int {
	code := exitCode(err)
	var crash *tui.Crash
	switch {
	case errors.As(err, &crash):
		a.problem("this is a bug in the inspector: %s; please send the report %s", firstLine(views.Text(crash.Err.Error())), views.Text(crash.Report))
	case code == exitDone, errors.Is(err, errRefused):
	case code == exitBug:
		a.problem("this is a bug in fxlens: %s; %s", firstLine(views.Text(err.Error())), a.report(err))
	case code == exitInterrupted:
		a.problem("interrupted")
	default:
		var faults manifest.Errors
		if errors.As(err, &faults) {
			for _, e := range faults {
				a.problem("%s", views.Text(e.Error()))
			}
			break
		}
		a.problem("%s", views.Text(err.Error()))
	}
	return code
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// report writes what is needed to find a bug and says where it is.
func (a *app) report(err error) string {
	var (
		bug   *bugError
		cbug  *compile.BugError
		stack []byte
	)
	switch {
	case errors.As(err, &bug):
		stack = bug.stack
	case errors.As(err, &cbug):
		stack = cbug.Stack
	}
	path, werr := a.writeReport(fmt.Sprintf("error: %v\n", err), stack)
	if werr != nil {
		return fmt.Sprintf("no report could be written (%s)", views.Text(werr.Error()))
	}
	return "please send the report " + views.Text(path)
}

// writeReport writes a report file and returns its path. It holds the command line and
// the input's name and digest, and nothing of what is in the input.
func (a *app) writeReport(what string, stack []byte) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s %s/%s\n\narguments: %q\n", versionLine(), runtime.Version(), runtime.GOOS, runtime.GOARCH, a.args)
	if a.session != nil {
		fmt.Fprintf(&b, "input: %q, %d bytes, sha256 %x\n", a.session.Name, len(a.session.Data), a.session.SHA256)
	}
	b.WriteString(what)
	if len(stack) > 0 {
		fmt.Fprintf(&b, "\n%s", stack)
	}
	sum := sha256.Sum256([]byte(b.String()))
	path := filepath.Join(os.TempDir(), "fxlens-report-"+hex.EncodeToString(sum[:6])+".txt")
	return path, files.Write(path, []byte(b.String()), true)
}
