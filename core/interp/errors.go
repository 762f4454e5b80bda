package interp

import (
	"errors"
	"fmt"

	"fxlens/core/dxbc"
)

// ErrUnsupported marks a program that is valid but that this package does not run.
var ErrUnsupported = errors.New("unsupported")

// ErrMalformed marks a program whose structure or operands make no sense.
var ErrMalformed = errors.New("malformed program")

// ErrSteps ends a run that takes more than Options.MaxSteps steps.
var ErrSteps = errors.New("step limit reached")

// ErrMemory ends a run that would take more than Options.MaxMemory bytes.
var ErrMemory = errors.New("memory limit reached")

// Error places a failure at an instruction.
type Error struct {
	Instr int // index into Program.Instrs of package dxbc, or -1
	Op    dxbc.Op
	Err   error
}

func (e *Error) Error() string {
	if e.Instr < 0 {
		return "interp: " + e.Err.Error()
	}
	return fmt.Sprintf("interp: instruction %d (%s): %v", e.Instr, e.Op, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// EventKind is something that a run met and that D3D leaves undefined, or that
// this package approximates.
type EventKind uint8

// The kinds of events.
const (
	EventUndefined   EventKind = iota // a register lane was read that no path wrote
	EventRace                         // two invocations touched one word without a barrier between them
	EventBarrier                      // a group barrier was not reached by all invocations
	EventDerivative                   // a derivative was taken where part of the quad was elsewhere
	EventStride                       // an offset lies past the end of a structure
	EventSharedRange                  // groupshared memory was accessed out of range
	EventArrayRange                   // an indexable register was accessed out of range
	EventAnisotropy                   // anisotropic filtering was approximated
	EventUnbound                      // a resource was used that is not bound
)

var eventNames = [...]string{"undefined-read", "race", "divergent-barrier", "divergent-derivative", "structure-overrun", "groupshared-range", "array-range", "anisotropy", "unbound"}

func (k EventKind) String() string { return eventNames[k] }

// MarshalText makes JSON print the word.
func (k EventKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Add counts a report of a later run to r; it keeps as many events as one run does.
func (r *Report) Add(x *Report) {
	r.Steps += x.Steps
	r.Events = append(r.Events, x.Events[:min(len(x.Events), max(0, maxEvents-len(r.Events)))]...)
}

// Event is the first occurrence of a kind at an instruction.
type Event struct {
	Kind       EventKind `json:"kind"`
	Instr      int       `json:"instr"`      // index into Instrs
	Invocation int       `json:"invocation"` // the first one
	Count      int       `json:"count"`
	Text       string    `json:"text"`
}
