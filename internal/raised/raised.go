// Package raised holds the diagnostics that a package's tests have seen against the
// codes that there are: a code that nothing raises any more, or that nothing ever
// raised, fails the tests.
package raised

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"fxlens/core/diag"
)

// Codes are those that the tests of one package answer for.
type Codes struct {
	// Prefixes are what the codes start with, such as "lower.".
	Prefixes []string
	// Whole are the codes whose findings concern all of the input. Every other is seen
	// at an instruction, a stage or a byte.
	Whole []diag.Code
	// Elsewhere says that places are not diag.Loc; the package's tests hold them.
	Elsewhere bool
	// Never are the codes that no input raises as far as we know, with the reason.
	Never map[diag.Code]string
}

// Main runs the tests of a package and returns the code to exit with. After a run of
// all of them it names on standard error the codes that c speaks of and no test raised.
func Main(m *testing.M, c Codes) int {
	var mu sync.Mutex
	seen := map[diag.Code]bool{}
	var bad []string
	diag.Observe(func(d diag.Diag) {
		mu.Lock()
		defer mu.Unlock()
		seen[d.Code] = seen[d.Code] || d.At != (diag.Loc{})
		if d.Text == "" || d.Remedy == "" {
			bad = append(bad, fmt.Sprintf("%s: without text or remedy", d.Code))
		}
	})
	flag.Parse()
	code := m.Run()
	diag.Observe(nil)
	if code != 0 || !complete() {
		return code
	}
	for _, msg := range append(bad, c.faults(seen)...) {
		fmt.Fprintln(os.Stderr, "raised: "+msg)
		code = 1
	}
	return code
}

// complete reports whether all tests are asked for.
func complete() bool {
	for _, name := range []string{"test.run", "test.skip", "test.list", "test.fuzz"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" {
			return false
		}
	}
	return flag.Lookup("test.count").Value.String() != "0"
}

// faults says what is wrong with the codes that were seen; the value is whether one of
// its findings had a place.
func (c *Codes) faults(seen map[diag.Code]bool) []string {
	var out []string
	say := func(code diag.Code, format string, args ...any) {
		out = append(out, string(code)+": "+fmt.Sprintf(format, args...))
	}
	known := map[diag.Code]bool{}
	for _, info := range diag.All() {
		if !slices.ContainsFunc(c.Prefixes, func(p string) bool { return strings.HasPrefix(string(info.Code), p) }) {
			continue
		}
		known[info.Code] = true
		placed, raised := seen[info.Code]
		why := c.Never[info.Code]
		whole := slices.Contains(c.Whole, info.Code)
		switch {
		case why != "" && raised:
			say(info.Code, "a test raises it: it is not one that nothing raises (%s)", why)
		case why != "":
		case !raised:
			say(info.Code, "no test raises it")
		case c.Elsewhere:
		case whole && placed:
			say(info.Code, "it has a place: it is not about the whole input")
		case !whole && !placed:
			say(info.Code, "it never has a place")
		}
	}
	for _, code := range c.Whole {
		if !known[code] {
			say(code, "no such code")
		}
	}
	for code := range c.Never {
		if !known[code] {
			say(code, "no such code")
		}
	}
	slices.Sort(out)
	return out
}
