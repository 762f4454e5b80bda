package qualify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Change is one difference between a baseline and a run.
type Change struct {
	Path       string `json:"path"`
	Kind       string `json:"kind"` // status, coverage, wgsl, layout, package, diagnostics, missing; improved, added, source
	Regression bool   `json:"regression"`
	Text       string `json:"text"`
	Allowed    string `json:"allowed,omitempty"` // the reason from the allow list
}

// ChangeKinds are the kinds that an allow list can name, those that are regressions.
var ChangeKinds = []string{"status", "coverage", "wgsl", "layout", "package", "diagnostics", "missing"}

// Allow permits regressions.
type Allow struct {
	Path   string // glob: "*" stands for anything but "/", "**" for anything
	Kind   string // one of ChangeKinds, or "*"
	Reason string
}

// Comparison is the result of Compare.
type Comparison struct {
	Changes     []Change `json:"changes"` // by path
	Regressions int      `json:"regressions"`
	Allowed     int      `json:"allowed"`
	Same        int      `json:"same"`   // files without any change
	Unused      []Allow  `json:"unused"` // entries of the allow list that permitted nothing
}

// Compare says what changed from base to now, both in the order of their paths.
// Regressions are: a worse status; fewer qualified stages; for the same source, other
// WGSL, another binding layout, another package, or diagnostics (errors and warnings)
// that were not there before; and a file that is gone. What was not emitted before may
// be emitted now, whatever it is.
func Compare(base, now []*Row, allow []Allow) *Comparison {
	c := &Comparison{Changes: []Change{}, Unused: []Allow{}}
	used := make([]bool, len(allow))
	add := func(path, kind string, bad bool, format string, args ...any) {
		ch := Change{Path: path, Kind: kind, Regression: bad, Text: fmt.Sprintf(format, args...)}
		if bad {
			c.Regressions++
			for i, a := range allow {
				if (a.Kind == "*" || a.Kind == kind) && Glob(a.Path, path) {
					ch.Allowed, used[i] = a.Reason, true
					c.Regressions--
					c.Allowed++
					break
				}
			}
		}
		c.Changes = append(c.Changes, ch)
	}
	for i, j := 0, 0; i < len(base) || j < len(now); {
		switch {
		case j >= len(now) || i < len(base) && base[i].Path < now[j].Path:
			add(base[i].Path, "missing", true, "was %s, and is gone", base[i].Status)
			i++
		case i >= len(base) || now[j].Path < base[i].Path:
			add(now[j].Path, "added", false, "is new: %s", now[j].Status)
			j++
		default:
			n := len(c.Changes)
			compareRows(base[i], now[j], add)
			if len(c.Changes) == n {
				c.Same++
			}
			i++
			j++
		}
	}
	for i, a := range allow {
		if !used[i] {
			c.Unused = append(c.Unused, a)
		}
	}
	return c
}

func compareRows(a, b *Row, add func(path, kind string, bad bool, format string, args ...any)) {
	if a.Digest == b.Digest && a.SHA256 == b.SHA256 {
		return
	}
	switch {
	case b.Status > a.Status:
		add(b.Path, "status", true, "%s before, %s now%s", a.Status, b.Status, firstReason(b))
	case b.Status < a.Status:
		add(b.Path, "improved", false, "%s before, %s now", a.Status, b.Status)
	}
	if b.Selected > a.Selected && b.Status <= a.Status {
		add(b.Path, "status", true, "its default permutation was %s and is %s", a.Selected, b.Selected)
	}
	if a.SHA256 != b.SHA256 {
		add(b.Path, "source", false, "the file itself has changed: what is emitted for it was not compared")
		return
	}
	if b.Status == a.Status && b.Stages.Qualified < a.Stages.Qualified {
		add(b.Path, "coverage", true, "%d of %d stages qualified before, %d of %d now", a.Stages.Qualified, a.Stages.Total, b.Stages.Qualified, b.Stages.Total)
	}
	old := map[string]Module{}
	for _, m := range a.Modules {
		old[m.At] = m
	}
	var wgsl, layout []string
	for _, m := range b.Modules {
		o := old[m.At]
		if o.WGSL != "" && m.WGSL != "" && o.WGSL != m.WGSL {
			wgsl = append(wgsl, m.At)
		}
		if o.WGSL != "" && o.Layout != m.Layout {
			layout = append(layout, m.At)
		}
	}
	if len(wgsl) > 0 {
		add(b.Path, "wgsl", true, "other WGSL for %s", places(wgsl))
	}
	if len(layout) > 0 {
		add(b.Path, "layout", true, "another binding layout for %s", places(layout))
	}
	switch {
	case a.Package != "" && b.Package == "":
		add(b.Path, "package", true, "could be packaged, and cannot any more")
	case a.Package != "" && a.Package != b.Package:
		add(b.Path, "package", true, "another package: SHA-256 %s before, %s now", short(a.Package), short(b.Package))
	}
	if more := grown(a, b); more != "" {
		add(b.Path, "diagnostics", true, "new: %s", more)
	}
}

func firstReason(r *Row) string {
	if len(r.Reasons) == 0 {
		return ""
	}
	return ": " + r.Reasons[0]
}

func places(at []string) string {
	if len(at) > 3 {
		return strings.Join(at[:3], ", ") + fmt.Sprintf(" and %d more", len(at)-3)
	}
	return strings.Join(at, ", ")
}

// grown lists the codes of errors and warnings that are more than before.
func grown(a, b *Row) string {
	old := map[string]int{}
	for _, k := range slices.Concat(a.Errors, a.Warnings) {
		old[k.Name] += k.Count
	}
	now := map[string]int{}
	for _, k := range slices.Concat(b.Errors, b.Warnings) {
		now[k.Name] += k.Count
	}
	var out []string
	for _, k := range sortedKeys(now) {
		if n := now[k] - old[k]; n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, k))
		}
	}
	return strings.Join(out, ", ")
}

// Glob reports whether a path matches a pattern: "*" stands for any run of characters
// but "/", "**" for any run, "?" for one character but "/".
func Glob(pattern, path string) bool {
	// Two pointers with one point to come back to for each kind of star: a "**" later in
	// the pattern makes everything before it settled, and so does a "*" inside of it.
	p, s := 0, 0
	starP, starS, deepP, deepS := -1, 0, -1, 0
	for {
		switch {
		case strings.HasPrefix(pattern[p:], "**"):
			p += 2
			deepP, deepS, starP = p, s, -1
			continue
		case p < len(pattern) && pattern[p] == '*':
			p++
			starP, starS = p, s
			continue
		case p == len(pattern) && s == len(path):
			return true
		case p < len(pattern) && s < len(path) && (pattern[p] == path[s] || pattern[p] == '?' && path[s] != '/'):
			p, s = p+1, s+1
			continue
		}
		switch {
		case starP >= 0 && starS < len(path) && path[starS] != '/':
			starS++
			p, s = starP, starS
		case deepP >= 0 && deepS < len(path):
			deepS++
			p, s, starP = deepP, deepS, -1
		default:
			return false
		}
	}
}

// Worst orders changes for a short list: regressions first, by kind, then by path.
func (c *Comparison) Worst() []Change {
	out := slices.Clone(c.Changes)
	rank := func(x Change) int {
		switch {
		case x.Regression && x.Allowed == "":
			return slices.Index(ChangeKinds, x.Kind)
		case x.Regression:
			return 100
		}
		return 200
	}
	slices.SortStableFunc(out, func(a, b Change) int { return cmp.Compare(rank(a), rank(b)) })
	return out
}
