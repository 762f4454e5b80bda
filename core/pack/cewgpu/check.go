package cewgpu

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"fxlens/core/diag"
)

// maxFindings bounds how many findings one run keeps; the rest is counted.
const maxFindings = 2000

// pending is a finding whose path is not yet known.
type pending struct {
	rule   ruleID
	sev    diag.Severity
	doc    *jsonDoc // nil: the container
	node   int
	suffix string // a missing key
	off    int    // without a document
	chunk  string
	reason string
}

// checker collects what one run finds, and the facts that documents are compared by.
type checker struct {
	size     int
	chunks   []Chunk
	parsed   map[string]parsedChunk
	docs     map[string]*jsonDoc
	found    []pending
	omitted  int
	extended bool

	info infoFacts
	meta metaFacts
	pgrf graphFacts
	rflx reflectFacts
	anls analysisFacts
	wgsl setFacts
	wgsb bodySetFacts
}

// full reports, and counts, that there is no room for a finding. It is asked before
// a message is made, so that a hostile file cannot make a million of them.
func (v *checker) full() bool {
	if len(v.found) < maxFindings {
		return false
	}
	v.omitted++
	return true
}

func (v *checker) add(p pending) {
	if v.full() {
		return
	}
	v.found = append(v.found, p)
}

// lack reports something that no node stands for.
func (v *checker) lack(rule ruleID, chunk, format string, args ...any) {
	v.add(pending{rule: rule, sev: severityOf(rule), chunk: chunk, off: -1, reason: fmt.Sprintf(format, args...)})
}

// findings resolves the paths.
func (v *checker) findings() []Finding {
	byDoc := map[*jsonDoc][]int{}
	for _, p := range v.found {
		if p.doc != nil {
			byDoc[p.doc] = append(byDoc[p.doc], p.node)
		}
	}
	paths := map[*jsonDoc]map[int]string{}
	for d, nodes := range byDoc {
		slices.Sort(nodes)
		nodes = slices.Compact(nodes)
		texts := d.paths(nodes)
		m := make(map[int]string, len(nodes))
		for i, n := range nodes {
			m[n] = texts[i]
		}
		paths[d] = m
	}
	out := make([]Finding, 0, len(v.found)+1)
	for _, p := range v.found {
		f := newFinding(p.rule, p.chunk, "", p.off, p.reason)
		f.Severity = p.sev
		if p.doc != nil {
			f.Chunk = p.doc.chunk
			f.Path = paths[p.doc][p.node]
			if p.suffix != "" {
				f.Path = strings.TrimPrefix(f.Path+"."+p.suffix, ".")
			}
			f.Offset = p.doc.base + p.doc.off(p.node)
		}
		out = append(out, f)
	}
	if v.omitted > 0 {
		out = append(out, newFinding(ruleMore, "", "", -1, fmt.Sprintf("%d more findings are left out", v.omitted)))
	}
	slices.SortStableFunc(out, func(a, b Finding) int { return -cmp.Compare(a.Severity, b.Severity) })
	return out
}

// cur is a place in a document and the rule that is being checked there. An absent
// place (n < 0) was reported already, or is optional; asking it for anything fails
// silently.
type cur struct {
	v    *checker
	d    *jsonDoc
	n    int
	rule ruleID
}

func (v *checker) root(d *jsonDoc, rule ruleID) cur {
	if d == nil {
		return cur{v: v, n: -1, rule: rule}
	}
	return cur{v: v, d: d, rule: rule}
}

func (c cur) ok() bool { return c.d != nil && c.n >= 0 }

// by returns c with another rule.
func (c cur) by(rule ruleID) cur { c.rule = rule; return c }

func (c cur) absent() cur { c.n = -1; return c }

func (c cur) bad(format string, args ...any) {
	if c.ok() && !c.v.full() {
		c.v.add(pending{rule: c.rule, sev: severityOf(c.rule), doc: c.d, node: c.n, reason: fmt.Sprintf(format, args...)})
	}
}

func (c cur) kind() jsonKind { return c.d.kind(c.n) }

// found describes the value at hand for a message.
func (c cur) found() string {
	switch c.kind() {
	case jsonObject, jsonArray:
		return jsonKindNames[c.kind()]
	case jsonString:
		return fmt.Sprintf("%q", clip(c.d.str(c.n)))
	}
	return clip(c.d.raw(c.n))
}

func (c cur) want(what string) {
	if !c.ok() || c.v.full() {
		return
	}
	c.bad("expected %s, found %s", what, c.found())
}

// get returns a required key.
func (c cur) get(key string) cur {
	if !c.ok() || c.kind() != jsonObject {
		return c.absent()
	}
	n := c.d.get(c.n, key)
	if n < 0 && !c.v.full() {
		c.v.add(pending{rule: c.rule, sev: severityOf(c.rule), doc: c.d, node: c.n, suffix: key, reason: fmt.Sprintf("key %q is missing", key)})
	}
	c.n = n
	return c
}

// opt returns a key that may be absent.
func (c cur) opt(key string) cur {
	if !c.ok() || c.kind() != jsonObject {
		return c.absent()
	}
	c.n = c.d.get(c.n, key)
	return c
}

// object requires an object.
func (c cur) object() bool {
	if !c.ok() {
		return false
	}
	if c.kind() != jsonObject {
		c.want("an object")
		return false
	}
	return true
}

// closed requires an object without other keys than these.
func (c cur) closed(keys ...string) bool {
	return c.keys(c.rule, "is not a key of this object", keys)
}

// open requires an object, and notes other keys than these, which are legal.
func (c cur) open(keys ...string) bool {
	return c.keys(ruleUnknownKey, "is not a key that the format knows here", keys)
}

func (c cur) keys(rule ruleID, text string, keys []string) bool {
	if !c.object() {
		return false
	}
	d := c.d
	for i := c.n + 1; i < d.next(c.n); i = d.next(i + 1) {
		k := d.str(i)
		if !slices.Contains(keys, k) && !c.v.full() {
			cur{c.v, d, i + 1, rule}.bad("%q %s", clip(k), text)
		}
	}
	return true
}

// each requires an array and visits its elements; it returns their number, or -1.
func (c cur) each(visit func(i int, e cur)) int {
	if !c.ok() {
		return -1
	}
	if c.kind() != jsonArray {
		c.want("an array")
		return -1
	}
	k := 0
	for i := c.n + 1; i < c.d.next(c.n); i = c.d.next(i) {
		if visit != nil {
			visit(k, cur{c.v, c.d, i, c.rule})
		}
		k++
	}
	return k
}

// length is the length of an array, or -1, which each reports.
func (c cur) length() int {
	if !c.ok() || c.kind() != jsonArray {
		return -1
	}
	return c.each(nil)
}

func (c cur) null() bool { return c.ok() && c.kind() == jsonNull }

// str requires a string.
func (c cur) str() (string, bool) {
	if !c.ok() {
		return "", false
	}
	if c.kind() != jsonString {
		c.want("a string")
		return "", false
	}
	return c.d.str(c.n), true
}

// text requires a string that is not empty.
func (c cur) text() (string, bool) {
	s, ok := c.str()
	if ok && s == "" {
		c.bad("expected a text, found an empty string")
		return "", false
	}
	return s, ok
}

// trimmed requires a text without white space around it.
func (c cur) trimmed() (string, bool) {
	s, ok := c.text()
	if ok && trimSpace(s) != s {
		c.bad("%q has white space at an end", clip(s))
		return s, false
	}
	return s, ok
}

// trimSpace trims what JavaScript's trim does.
func trimSpace(s string) string {
	return strings.TrimFunc(s, func(r rune) bool {
		return r == '\uFEFF' || r != '\u0085' && unicode.IsSpace(r)
	})
}

// is requires one certain string.
func (c cur) is(want string) bool {
	if !c.ok() {
		return false
	}
	if c.kind() != jsonString || c.d.str(c.n) != want {
		c.want(fmt.Sprintf("%q", want))
		return false
	}
	return true
}

// oneOf requires one of some strings.
func (c cur) oneOf(want ...string) (string, bool) {
	s, ok := c.str()
	if ok && !slices.Contains(want, s) {
		c.want("one of " + strings.Join(want, ", "))
		return s, false
	}
	return s, ok
}

const maxSafe = 1<<53 - 1

// integer requires an integer from lo to hi. Any spelling of the number will do.
func (c cur) integer(lo, hi int64) (int64, bool) {
	if !c.ok() {
		return 0, false
	}
	if c.kind() == jsonNumber {
		f := c.d.num(c.n)
		if f == math.Trunc(f) && math.Abs(f) <= maxSafe && int64(f) >= lo && int64(f) <= hi {
			return int64(f), true
		}
	}
	switch {
	case hi == maxSafe && lo == 0:
		c.want("an integer of at least 0")
	case hi == maxSafe:
		c.want(fmt.Sprintf("an integer of at least %d", lo))
	default:
		c.want(fmt.Sprintf("an integer from %d to %d", lo, hi))
	}
	return 0, false
}

func (c cur) natural() (int64, bool) { return c.integer(0, maxSafe) }
func (c cur) u8() (int64, bool)      { return c.integer(0, math.MaxUint8) }
func (c cur) u32() (int64, bool)     { return c.integer(0, math.MaxUint32) }

// isInt requires one certain integer.
func (c cur) isInt(want int64, why string) bool {
	got, ok := c.integer(-maxSafe, maxSafe)
	if ok && got != want {
		c.bad("expected %d%s, found %d", want, why, got)
		return false
	}
	return ok
}

// finite requires a number.
func (c cur) finite() (float64, bool) {
	if !c.ok() {
		return 0, false
	}
	if c.kind() == jsonNumber {
		if f := c.d.num(c.n); !math.IsInf(f, 0) {
			return f, true
		}
	}
	c.want("a finite number")
	return 0, false
}

// boolean requires true or false.
func (c cur) boolean() (bool, bool) {
	if !c.ok() {
		return false, false
	}
	switch c.kind() {
	case jsonTrue:
		return true, true
	case jsonFalse:
		return false, true
	}
	c.want("true or false")
	return false, false
}

// isBool requires one certain boolean.
func (c cur) isBool(want bool) {
	if got, ok := c.boolean(); ok && got != want {
		c.bad("expected %t, found %t", want, got)
	}
}

// hex requires n lower-case hex digits.
func (c cur) hex(n int) (string, bool) {
	s, ok := c.str()
	if ok && !isHex(s, n) {
		c.want(fmt.Sprintf("%d lower-case hex digits", n))
		return "", false
	}
	return s, ok
}

func isHex(s string, n int) bool {
	if len(s) != n {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// same reports whether two values are equal by structure: key order does not
// count, the spelling of numbers and strings neither.
func (c cur) same(o cur) bool {
	if !c.ok() || !o.ok() {
		return c.ok() == o.ok()
	}
	if c.kind() != o.kind() {
		return false
	}
	switch c.kind() {
	case jsonNumber:
		return c.d.num(c.n) == o.d.num(o.n)
	case jsonString:
		return c.d.str(c.n) == o.d.str(o.n)
	case jsonArray:
		i, j := c.n+1, o.n+1
		ci, oj := c.d.next(c.n), o.d.next(o.n)
		for i < ci && j < oj {
			if !(cur{c.v, c.d, i, c.rule}).same(cur{o.v, o.d, j, o.rule}) {
				return false
			}
			i, j = c.d.next(i), o.d.next(j)
		}
		return i == ci && j == oj
	case jsonObject:
		keys := 0
		for i := c.n + 1; i < c.d.next(c.n); i = c.d.next(i + 1) {
			ov := o.opt(c.d.str(i))
			if !ov.ok() || !(cur{c.v, c.d, i + 1, c.rule}).same(ov) {
				return false
			}
			keys++
		}
		for j := o.n + 1; j < o.d.next(o.n); j = o.d.next(j + 1) {
			keys--
		}
		return keys == 0
	}
	return true
}
