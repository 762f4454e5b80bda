package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Code is the stable, grep-able name of a diagnostic, such as
// "lower.resource-dim": the phase, a dot, and words joined by hyphens.
type Code string

// Severity orders diagnostics by what they mean for the result.
type Severity uint8

const (
	// Note says something worth knowing that changes nothing.
	Note Severity = iota
	// Warning marks an assumption or an adaptation; --strict refuses some of them.
	Warning
	// Error marks a refusal: the stage or document named is not produced.
	Error
)

var severityNames = [...]string{Note: "note", Warning: "warning", Error: "error"}

func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return "severity(" + strconv.Itoa(int(s)) + ")"
}

// MarshalText makes JSON print the word.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the word back.
func (s *Severity) UnmarshalText(b []byte) error {
	for i, n := range severityNames {
		if n == string(b) {
			*s = Severity(i)
			return nil
		}
	}
	return fmt.Errorf("unknown severity %q", b)
}

// Loc is a place inside one effect or program. The zero Loc means the whole
// input. Instr and Offset count from 1 here so that zero means "not known":
// use At and AtOffset to make them from the usual indices from 0.
type Loc struct {
	Permutation string // "QUALITY=HIGH&SKINNED=ON", or empty
	Technique   string
	Pass        int    // from 0; meaningful when Technique is set
	Stage       string // "vs", "ps", "cs", "gs", "hs", "ds", or empty
	Instr       int    // instruction index + 1
	Offset      int    // byte offset + 1 in the file or chunk that the text names
}

// At is the place of instruction index i (from 0) of a bare program.
func At(i int) Loc { return Loc{Instr: i + 1} }

// AtOffset is the place of byte off (from 0).
func AtOffset(off int) Loc { return Loc{Offset: off + 1} }

// InStage returns l placed in a pass and stage of an effect.
func (l Loc) InStage(technique string, pass int, stage string) Loc {
	l.Technique, l.Pass, l.Stage = technique, pass, stage
	return l
}

// Index returns the instruction index from 0, or -1.
func (l Loc) Index() int { return l.Instr - 1 }

// ByteOffset returns the byte offset from 0, or -1.
func (l Loc) ByteOffset() int { return l.Offset - 1 }

// String prints the part of a deep link behind the file name:
// "?QUALITY=HIGH#Main/0/ps@42". A place that is only a byte prints as "+0x1c".
func (l Loc) String() string {
	var b strings.Builder
	if l.Permutation != "" {
		b.WriteString("?" + l.Permutation)
	}
	if l.Technique != "" {
		fmt.Fprintf(&b, "#%s/%d", l.Technique, l.Pass)
		if l.Stage != "" {
			b.WriteString("/" + l.Stage)
		}
	} else if l.Stage != "" {
		b.WriteString("#" + l.Stage)
	}
	if l.Instr > 0 {
		if l.Technique == "" && l.Stage == "" {
			b.WriteString("#")
		}
		fmt.Fprintf(&b, "@%d", l.Instr-1)
	}
	if b.Len() == 0 && l.Offset > 0 {
		fmt.Fprintf(&b, "+0x%x", l.Offset-1)
	}
	return b.String()
}

// MarshalText makes JSON print the link.
func (l Loc) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// Related is a second place that a diagnostic refers to: a declaration, another use.
type Related struct {
	At   Loc    `json:"at"`
	Text string `json:"text"`
}

// Diag is one finding.
type Diag struct {
	Code   Code      `json:"code"`
	Sev    Severity  `json:"severity"`
	At     Loc       `json:"at"`
	Text   string    `json:"message"`
	Remedy string    `json:"remedy"` // what the user can do; "none" where nothing helps
	Notes  []Related `json:"notes,omitempty"`
}

func (d Diag) String() string {
	s := fmt.Sprintf("%s: %s [%s]", d.Sev, d.Text, d.Code)
	if at := d.At.String(); at != "" {
		s = at + ": " + s
	}
	if d.Remedy != "" && d.Remedy != "none" {
		s += "; " + d.Remedy
	}
	return s
}

// Error lets a single Diag travel as an error.
func (d Diag) Error() string { return d.String() }

// Info documents one code for `fxlens explain` and docs/diagnostics.md.
type Info struct {
	Code   Code
	Title  string // one line, lower case
	Rule   string // the rule that is broken or adapted, and where it comes from
	Remedy string // the default remedy; "none" where nothing helps
}

// registered are the codes in the order of registration, which the initialisation of
// every program that imports the compiler goes through: it costs an append each.
var registered = make([]Info, 0, 384)

// registry is the index of registered, made when a code is first looked up.
var registry = sync.OnceValue(func() map[Code]*Info {
	m := make(map[Code]*Info, len(registered))
	for i := range registered {
		c := registered[i].Code
		if m[c] != nil {
			panic("diag: code registered twice: " + string(c))
		}
		m[c] = &registered[i]
	}
	return m
})

// Register enters info and returns its code. It is called from package
// variables only, so that all codes are there before the first is looked up;
// registering a code twice is a bug and panics, at the first look.
func Register(info Info) Code {
	if info.Code == "" || info.Title == "" || info.Rule == "" || info.Remedy == "" {
		panic("diag: incomplete info for " + string(info.Code))
	}
	registered = append(registered, info)
	return info.Code
}

// Lookup returns the documentation of a code.
func Lookup(c Code) (Info, bool) {
	if i := registry()[c]; i != nil {
		return *i, true
	}
	return Info{}, false
}

// All returns the documentation of every registered code, sorted by code.
func All() []Info {
	registry() // finds what is registered twice
	out := slices.Clone(registered)
	slices.SortFunc(out, func(a, b Info) int { return cmp.Compare(a.Code, b.Code) })
	return out
}

// New makes a diagnostic with the code's default remedy. An unregistered code is a bug and panics.
func New(sev Severity, c Code, at Loc, format string, args ...any) Diag {
	info := registry()[c]
	if info == nil {
		panic("diag: unregistered code " + string(c))
	}
	text := format
	if len(args) > 0 || strings.Contains(format, "%") {
		text = fmt.Sprintf(format, args...)
	}
	d := Diag{Code: c, Sev: sev, At: at, Text: text, Remedy: info.Remedy}
	if f := observer.Load(); f != nil {
		(*f)(d)
	}
	return d
}

// observer is what Observe was given.
var observer atomic.Pointer[func(Diag)]

// Observe has f called with every diagnostic that New makes from now on, from
// whichever goroutine makes it; nil ends it. Tests see by it which codes they raise.
func Observe(f func(Diag)) {
	if f == nil {
		observer.Store(nil)
		return
	}
	observer.Store(&f)
}

// HasErrors reports whether any of ds is an Error.
func HasErrors(ds []Diag) bool {
	return slices.ContainsFunc(ds, func(d Diag) bool { return d.Sev == Error })
}

// Sort orders diagnostics by place, the worse first at one place; otherwise the
// order stays.
func Sort(ds []Diag) {
	slices.SortStableFunc(ds, func(a, b Diag) int {
		return cmp.Or(cmp.Compare(a.At.Instr, b.At.Instr), cmp.Compare(b.Sev, a.Sev))
	})
}
