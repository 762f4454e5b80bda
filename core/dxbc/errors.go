package dxbc

import (
	"errors"
	"fmt"
)

// What an [*Error] wraps; use errors.Is.
var (
	// ErrMalformed marks bytes that contradict the format.
	ErrMalformed = errors.New("malformed")
	// ErrTruncated marks data that ends before what it announces.
	ErrTruncated = errors.New("truncated")
	// ErrLimit marks well-formed data beyond what the reader accepts.
	ErrLimit = errors.New("beyond the limit")
	// ErrUnsupported marks input that is known for what it is and is not handled:
	// DXIL, Direct3D 9 bytecode, encodings that no compiler makes.
	ErrUnsupported = errors.New("unsupported")
	// ErrMissing marks a container without the chunk that was asked for.
	ErrMissing = errors.New("missing")
)

// Error locates a failure inside a container or program.
type Error struct {
	Offset int    // bytes from the start of what was read: the container, or the bare chunk
	Chunk  string // tag of the chunk, or empty
	Instr  int    // number of the instruction, counted from 1; 0 outside programs
	Reason string
	Err    error // one of the Err values of this package
}

// Error prints place, then reason: "SHEX, instruction 3, byte 0x1c: ...".
func (e *Error) Error() string {
	where := fmt.Sprintf("byte %#x", e.Offset)
	if e.Instr > 0 {
		where = fmt.Sprintf("instruction %d, %s", e.Instr-1, where)
	}
	if e.Chunk != "" {
		where = fmt.Sprintf("%s, %s", safeTag(e.Chunk), where)
	}
	return fmt.Sprintf("dxbc: %s: %s (%v)", where, e.Reason, e.Err)
}

// Unwrap returns the sentinel.
func (e *Error) Unwrap() error { return e.Err }

func fail(sentinel error, off int, format string, args ...any) *Error {
	return &Error{Offset: off, Reason: fmt.Sprintf(format, args...), Err: sentinel}
}

// in places an error of a chunk's payload in the container.
func (e *Error) in(c *Chunk) *Error {
	e.Chunk = c.Tag
	e.Offset += c.Offset + chunkHeader
	return e
}

// safeTag quotes a tag that is not four printable ASCII characters.
func safeTag(tag string) string {
	for i := 0; i < len(tag); i++ {
		if tag[i] < 0x20 || tag[i] > 0x7e {
			return fmt.Sprintf("%q", tag)
		}
	}
	return tag
}
