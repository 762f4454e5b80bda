package effect

import (
	"errors"
	"fmt"

	"fxlens/core/diag"
)

// The kinds of failure. Every [*Error] wraps exactly one of them.
var (
	// ErrVersion marks a version word outside 8 to 15, or a file that is no effect.
	ErrVersion = errors.New("unsupported version")
	// ErrTruncated marks a record, count or table that needs more bytes than are left.
	ErrTruncated = errors.New("truncated")
	// ErrRange marks an offset, index or value outside of what it may be.
	ErrRange = errors.New("out of range")
	// ErrOverlap marks body ranges that overlap without being equal, or that
	// overlap the header.
	ErrOverlap = errors.New("overlapping ranges")
	// ErrTrailing marks bytes that no record accounts for: at the end of a body,
	// between bodies or at the end of the file.
	ErrTrailing = errors.New("trailing bytes")
	// ErrString marks a text that does not start or does not end inside the string table.
	ErrString = errors.New("invalid string")
	// ErrTooMany marks a count above the format's or the readers' limit.
	ErrTooMany = errors.New("too many")
	// ErrDuplicate marks a key that may occur once and occurs twice.
	ErrDuplicate = errors.New("duplicate")
)

// Error says why the bytes of a file are not a valid effect.
type Error struct {
	Offset int    // byte offset in the file of the field that is wrong; -1 when building one
	Path   string // the record, such as "body[3].technique[0].pass[1].stage[ps].constants[2]"
	Reason string // what is wrong, with the values
	Kind   error  // one of the sentinels: ErrVersion, ErrTruncated, ...
}

func (e *Error) Error() string {
	if e.Offset < 0 {
		return fmt.Sprintf("%s: %v: %s", e.Path, e.Kind, e.Reason)
	}
	return fmt.Sprintf("%s at byte %d (0x%x): %v: %s", e.Path, e.Offset, e.Offset, e.Kind, e.Reason)
}

// Unwrap returns the kind, for errors.Is.
func (e *Error) Unwrap() error { return e.Kind }

var codeInvalid = diag.Register(diag.Info{
	Code:   "effect.invalid",
	Title:  "the file is not a valid compiled effect",
	Rule:   "Every count, offset and range of a compiled effect (versions 8 to 15) must lie inside the file and agree with the others; bodies share whole ranges or nothing, and every byte belongs to a record.",
	Remedy: "the file is damaged, cut off or of another kind: compare its size and digest with the original, or compile the effect again",
})

// Diag returns the failure as a diagnostic, with what the user can do about it.
func (e *Error) Diag() diag.Diag {
	d := diag.New(diag.Error, codeInvalid, diag.AtOffset(e.Offset), "%s", e.Error()) // -1 becomes "not known"
	switch {
	case errors.Is(e, ErrVersion):
		d.Remedy = "fxlens reads versions 8 to 15: compile the effect again with a compiler of those versions, or check that this is a compiled effect"
	case errors.Is(e, ErrTooMany):
		d.Remedy = "reduce the number of options, passes or resources in the source: the engine's readers refuse more"
	}
	return d
}
