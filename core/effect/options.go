package effect

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Option is one request: the option that an axis is to have, both by name.
type Option struct{ Axis, Value string }

// ErrOption marks a request for an axis or option that the effect does not have,
// a repeated request, or one that is not NAME=VALUE.
var ErrOption = errors.New("invalid option")

// OptionError says what is wrong with a request.
type OptionError struct {
	Request string // as given: "SKINNED=ON"
	Reason  string
	Hint    string // the names that were probably meant, as a sentence; may be empty
}

func (e *OptionError) Error() string {
	s := fmt.Sprintf("option %q: %s", e.Request, e.Reason)
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// Unwrap returns ErrOption, for errors.Is.
func (e *OptionError) Unwrap() error { return ErrOption }

// PermutationCount returns the number of permutations, at least 1 and at most
// MaxPermutations.
func (e *Effect) PermutationCount() int { return len(e.Records) }

// Index returns the permutation of a choice, which has one option index per axis.
// The first axis is the least significant digit.
func (e *Effect) Index(choice []int) (int, error) {
	if len(choice) != len(e.Axes) {
		return 0, fmt.Errorf("%d options for %d axes: %w", len(choice), len(e.Axes), ErrOption)
	}
	index := 0
	for i := len(choice) - 1; i >= 0; i-- {
		a := &e.Axes[i]
		if choice[i] < 0 || choice[i] >= len(a.Options) {
			return 0, fmt.Errorf("option %d of axis %q, which has %d: %w", choice[i], a.Name, len(a.Options), ErrOption)
		}
		index = index*len(a.Options) + choice[i]
	}
	return index, nil
}

// Choice returns the option index per axis of a permutation, or nil if there is no
// such permutation. It is the inverse of Index.
func (e *Effect) Choice(index int) []int {
	if index < 0 || index >= len(e.Records) {
		return nil
	}
	c := make([]int, len(e.Axes))
	for i := range e.Axes {
		n := len(e.Axes[i].Options)
		c[i] = index % n
		index /= n
	}
	return c
}

// DefaultChoice returns the default option index of every axis.
func (e *Effect) DefaultChoice() []int {
	c := make([]int, len(e.Axes))
	for i := range e.Axes {
		c[i] = e.Axes[i].Default
	}
	return c
}

// DefaultIndex returns the permutation of all defaults.
func (e *Effect) DefaultIndex() int {
	i, err := e.Index(e.DefaultChoice())
	if err != nil {
		return 0 // cannot be: Parse checked the defaults
	}
	return i
}

// OptionString names a permutation: "QUALITY=QUALITY_HIGH&SKINNED=SKINNED_ON", all
// axes in order, or "" without axes or without such a permutation. Characters that
// would end a name in a link are escaped as in URLs; ParseOptions reads it back.
func (e *Effect) OptionString(index int) string {
	var b strings.Builder
	for i, o := range e.Choice(index) {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(escape(e.Axes[i].Name) + "=" + escape(e.Axes[i].Options[o]))
	}
	return b.String()
}

// escape writes every byte of s that is not part of an identifier as %XX.
func escape(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c == '_' || c == '-' || c == '.' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
			b.WriteByte(c)
		default:
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}

// unescape is the inverse of escape; it fails on a percent sign without two digits.
func unescape(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' {
			if i+2 >= len(s) {
				return "", false
			}
			v, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
			if err != nil {
				return "", false
			}
			c = byte(v)
			i += 2
		}
		b.WriteByte(c)
	}
	return b.String(), true
}

// ParseOptions reads "AXIS=OPTION&AXIS=OPTION", in any order, and returns the
// choice: axes that are not named have their default. Names are exact. An unknown
// or repeated name gives an [*OptionError] with a hint.
func (e *Effect) ParseOptions(text string) ([]int, error) {
	if text == "" {
		return e.DefaultChoice(), nil
	}
	var opts []Option
	for part := range strings.SplitSeq(text, "&") {
		axis, value, ok := strings.Cut(part, "=")
		if !ok {
			return nil, &OptionError{part, "it is not of the form AXIS=OPTION", e.axisHint(part)}
		}
		axis, ok1 := unescape(axis)
		value, ok2 := unescape(value)
		if !ok1 || !ok2 {
			return nil, &OptionError{part, "a percent sign needs two hexadecimal digits behind it", "write a percent sign as %25"}
		}
		opts = append(opts, Option{axis, value})
	}
	return e.Select(opts...)
}

// Select returns the choice that has the options named and the defaults elsewhere.
// It fails as ParseOptions does.
func (e *Effect) Select(opts ...Option) ([]int, error) {
	c, set := e.DefaultChoice(), make([]bool, len(e.Axes))
	for _, o := range opts {
		req := o.Axis + "=" + o.Value
		a := slices.IndexFunc(e.Axes, func(a Axis) bool { return a.Name == o.Axis })
		if a < 0 {
			return nil, &OptionError{req, fmt.Sprintf("there is no axis %q", o.Axis), e.axisHint(o.Axis)}
		}
		if set[a] {
			return nil, &OptionError{req, fmt.Sprintf("axis %q is set twice", o.Axis), "name each axis once"}
		}
		v := slices.Index(e.Axes[a].Options, o.Value)
		if v < 0 {
			return nil, &OptionError{req, fmt.Sprintf("axis %q has no option %q", o.Axis, o.Value), hint(o.Value, e.Axes[a].Options)}
		}
		c[a], set[a] = v, true
	}
	return c, nil
}

// Source says where the option of an axis comes from, in the words of packages.
type Source uint8

// The sources.
const (
	SourceDefault Source = iota // the axis's default
	SourceLocal                 // a request for this effect
	SourceGlobal                // a setting of the whole process
)

var sourceNames = []string{"default", "local", "global"}

func (s Source) String() string { return name(sourceNames, s, "source") }

// Resolved is the option that one axis has in the end.
type Resolved struct {
	Option int
	Source Source
}

// Resolve combines process-wide settings with the requests for this effect, as the
// engine does: a global option decides for its axis, whatever was requested; else
// the request counts, else the default. The result has one entry per axis. Global
// settings may name axes that the effect does not have. Everything else that Select
// refuses is refused, global options that the axis does not have too: the engine
// would silently keep the default.
func (e *Effect) Resolve(global, local []Option) ([]Resolved, error) {
	choice, err := e.Select(local...)
	if err != nil {
		return nil, err
	}
	var mine []Option
	for _, o := range global {
		if slices.ContainsFunc(e.Axes, func(a Axis) bool { return a.Name == o.Axis }) {
			mine = append(mine, o)
		}
	}
	over, err := e.Select(mine...)
	if err != nil {
		return nil, err
	}
	named := func(list []Option, i int) bool {
		return slices.ContainsFunc(list, func(o Option) bool { return o.Axis == e.Axes[i].Name })
	}
	out := make([]Resolved, len(e.Axes))
	for i := range out {
		switch {
		case named(mine, i):
			out[i] = Resolved{over[i], SourceGlobal}
		case named(local, i):
			out[i] = Resolved{choice[i], SourceLocal}
		default:
			out[i] = Resolved{choice[i], SourceDefault}
		}
	}
	return out, nil
}

func (e *Effect) axisHint(name string) string {
	if len(e.Axes) == 0 {
		return "the effect has no axes"
	}
	names := make([]string, len(e.Axes))
	for i := range e.Axes {
		names[i] = e.Axes[i].Name
	}
	return hint(name, names)
}

// hint says which of the names was probably meant, or lists them.
func hint(got string, names []string) string {
	best, dist := "", 1<<30
	low := strings.ToLower(got)
	for _, n := range names {
		l := strings.ToLower(n)
		d := distance(low, l)
		// "ON" for "SKINNED_ON": options usually repeat the name of their axis
		if low != "" && (strings.HasSuffix(l, "_"+low) || strings.HasPrefix(l, low+"_")) {
			d = 1
		}
		if d < dist {
			best, dist = n, d
		}
	}
	if dist <= max(2, len(got)/3) {
		return fmt.Sprintf("did you mean %q?", best)
	}
	const most = 12
	if len(names) > most {
		return fmt.Sprintf("there are %s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return "there are: " + strings.Join(names, ", ")
}

// distance is the number of bytes to insert, delete or change to make b of a.
func distance(a, b string) int {
	const most = 64 // names of files are hostile; longer ones are never near
	if len(a) > most || len(b) > most {
		return 1 << 20
	}
	var row [most + 1]int
	for j := range len(b) + 1 {
		row[j] = j
	}
	for i := range len(a) {
		diag := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diag
			if a[i] != b[j] {
				cost = 1 + min(diag, row[j], row[j+1])
			}
			diag, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
