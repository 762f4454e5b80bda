package qualify

import "fmt"

// Status is what became of a stage, pass, body or file.
type Status uint8

// The statuses, from good to bad.
const (
	// Qualified means that WGSL was emitted for all of it; of a package, that it is
	// valid.
	Qualified Status = iota
	// Partial means that some of it qualifies and nothing in it failed: some stages of
	// a pass, some passes of a body, some bodies of an effect. A pass is emitted whole
	// or not at all, so a partial pass cannot be drawn yet.
	Partial
	// Unsupported means that it was refused with a reason, or has no counterpart in
	// WebGPU.
	Unsupported
	// Failed means that it could not be read, or that the compiler has a bug.
	Failed
	// Ignored is for files that turned out to be no shaders at all.
	Ignored

	numStatuses = int(Ignored) + 1
)

var statusNames = [...]string{"qualified", "partial", "unsupported", "failed", "ignored"}

// String returns the word that reports use.
func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return fmt.Sprintf("status(%d)", uint8(s))
}

// MarshalText makes JSON print the word.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the word back.
func (s *Status) UnmarshalText(b []byte) error {
	for i, n := range statusNames {
		if n == string(b) {
			*s = Status(i)
			return nil
		}
	}
	return fmt.Errorf("no status %q", b)
}

// Statuses returns all statuses in order.
func Statuses() []Status {
	out := make([]Status, numStatuses)
	for i := range out {
		out[i] = Status(i)
	}
	return out
}

// together is the status of a whole by those of its parts. A whole without parts has
// nothing that could be refused.
func together(parts []Status) Status {
	good, bad := 0, 0
	for _, s := range parts {
		switch s {
		case Failed:
			return Failed
		case Qualified:
			good++
		case Partial:
			good++
			bad++
		default:
			bad++
		}
	}
	switch {
	case bad == 0:
		return Qualified
	case good == 0:
		return Unsupported
	}
	return Partial
}

// ofPasses is the status of a body. A partial pass is no use to it: passes are emitted
// whole.
func ofPasses(parts []Status) Status {
	whole := make([]Status, len(parts))
	for i, s := range parts {
		if s == Partial {
			s = Unsupported
		}
		whole[i] = s
	}
	return together(whole)
}
