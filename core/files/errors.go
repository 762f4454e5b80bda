package files

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// What an [*Error] wraps beside the operating system's own errors; use errors.Is.
var (
	// ErrNotRegular marks a path that is a directory, pipe, socket or device.
	ErrNotRegular = errors.New("not a regular file")
	// ErrTooLarge marks a file beyond the size limit.
	ErrTooLarge = errors.New("too large")
	// ErrExists marks a target that exists already and may not be replaced. It
	// is fs.ErrExist, so that errors.Is works with either.
	ErrExists = fs.ErrExist
)

// Error is a failure on one path.
type Error struct {
	Op     string // read, write, list
	Path   string // as given, raw
	Reason string // what is wrong, without path and remedy
	Remedy string // what to do; empty where nothing helps
	Err    error  // the cause
}

// Error prints operation, path, reason and remedy: "read a.sm_hi: is a directory; name a file in it".
func (e *Error) Error() string {
	s := fmt.Sprintf("%s %s: %s", e.Op, e.Path, e.Reason)
	if e.Remedy != "" {
		s += "; " + e.Remedy
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

const noRoom = "make room on the disk, or name a target on another"

// osError turns an error of the operating system into an Error, without the
// path that it repeats.
func osError(op, path string, err error) *Error {
	e := &Error{Op: op, Path: path, Reason: err.Error(), Err: err}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		e.Reason = pe.Err.Error()
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Reason = "no such file or folder"
		e.Remedy = "check the path"
	case errors.Is(err, fs.ErrPermission):
		e.Reason = "permission denied"
		e.Remedy = "check the permissions of the file and its folder"
	}
	for _, r := range remedies {
		if errors.Is(err, r.err) {
			e.Remedy = r.remedy
		}
	}
	return e
}

// remedies are those of errors that say well enough what is wrong.
var remedies = []struct {
	err    syscall.Errno
	remedy string
}{
	{syscall.ENOSPC, noRoom},
	{syscall.EDQUOT, "delete files of yours on the disk, or name a target on another"},
	{syscall.EROFS, "name a target on a disk that can be written"},
	{syscall.ELOOP, "the links lead back to themselves: name the file itself"},
	{syscall.ENOTDIR, "what the path names as a folder is a file: check the path"},
	{syscall.ENAMETOOLONG, "shorten the path, or go to its folder first"},
	{syscall.EMFILE, "raise the limit of open files (ulimit -n)"},
	{syscall.EIO, "the disk fails: copy the file elsewhere"},
}

func notRegular(op, path string, mode fs.FileMode) *Error {
	e := &Error{Op: op, Path: path, Err: ErrNotRegular, Remedy: "name a regular file"}
	switch {
	case mode.IsDir():
		e.Reason, e.Remedy = "is a folder", "name a file in it"
	case mode&fs.ModeNamedPipe != 0:
		e.Reason, e.Remedy = "is a named pipe", "copy its content to a file first"
	case mode&fs.ModeSocket != 0:
		e.Reason = "is a socket"
	case mode&fs.ModeDevice != 0:
		e.Reason = "is a device"
	default:
		e.Reason = "is not a regular file"
	}
	return e
}
