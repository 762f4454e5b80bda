package qualify

import (
	"cmp"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"sync"

	"fxlens/core/diag"
)

// Tally counts things by status.
type Tally struct {
	Total       int `json:"total"`
	Qualified   int `json:"qualified"`
	Partial     int `json:"partial"`
	Unsupported int `json:"unsupported"`
	Failed      int `json:"failed"`
	Ignored     int `json:"ignored,omitempty"`
}

func (t *Tally) add(s Status, n int) {
	t.Total += n
	switch s {
	case Qualified:
		t.Qualified += n
	case Partial:
		t.Partial += n
	case Unsupported:
		t.Unsupported += n
	case Failed:
		t.Failed += n
	default:
		t.Ignored += n
	}
}

// Levels counts passes or stages in three ways.
type Levels struct {
	Occurrences Tally `json:"occurrences"` // once for each permutation
	InBodies    Tally `json:"inBodies"`    // once for each distinct body
	Unique      Tally `json:"unique"`      // once for each distinct content in the corpus
}

// Audit is what the headers of the corpus's effects say together.
type Audit struct {
	Effects           int    `json:"effects"` // that could be read
	Permutations      int    `json:"permutations"`
	UniqueRecords     int    `json:"uniqueRecords"` // distinct body ranges, by effect
	ExactAliases      int    `json:"exactAliases"`  // permutations that share another's record
	UniqueBodies      int    `json:"uniqueBodies"`  // distinct body contents, by effect
	LargestPerms      int    `json:"largestPermutations"`
	LargestPermsPath  string `json:"largestPermutationsPath"`
	LargestBytes      int64  `json:"largestBytes"`
	LargestBytesPath  string `json:"largestBytesPath"`
	Versions          []Kind `json:"versions"` // effects by format version
	Anomalies         int    `json:"anomalies"`
	AnomaliesByCode   []Kind `json:"anomaliesByCode"` // warnings of the effect reader, and effects that it refuses
	UniquePrograms    int    `json:"uniquePrograms"`  // distinct containers of the whole corpus
	UniqueProgramSize int64  `json:"uniqueProgramBytes"`
	All               Counts `json:"all"`      // reflected records of all bodies qualified
	Selected          Counts `json:"selected"` // of the default permutations
}

// Kind is a count with its name.
type Kind struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// Reason is one diagnostic code with what it stops.
type Reason struct {
	Code        string `json:"code"`
	Title       string `json:"title"`
	Stages      int    `json:"stages"`      // distinct ones that it stops, alone or with others
	Alone       int    `json:"alone"`       // distinct ones that nothing else stops
	Occurrences int    `json:"occurrences"` // stages over all permutations
	Files       int    `json:"files"`
	Example     string `json:"example"` // link to the first place
	Message     string `json:"message"` // there
	Remedy      string `json:"remedy"`  // there
}

// Step is one line of what to add next: with all steps before it done, this one unlocks
// the most stages.
type Step struct {
	Code       string `json:"code"`
	What       string `json:"what"` // the message, with "#" for numbers and without names
	Title      string `json:"title"`
	Remedy     string `json:"remedy"`     // what a user can do meanwhile
	Unlocks    int    `json:"unlocks"`    // distinct stages that qualify with this step
	Cumulative int    `json:"cumulative"` // with all steps up to this one
	Passes     int    `json:"passes"`     // distinct passes that become whole with this step
	Touches    int    `json:"touches"`    // distinct stages that it stops in all
}

// Summary is the totals of a report. It follows from the files alone.
type Summary struct {
	Files    Tally `json:"files"`
	Effects  Tally `json:"effects"`  // with all bodies qualified by this run
	Selected Tally `json:"selected"` // effects by their default permutation: the counters of the compatibility document
	Programs Tally `json:"programs"` // bare programs
	Packages Tally `json:"packages"` // packages found in the corpus
	Others   Tally `json:"others"`   // files that are neither
	Bytes    int64 `json:"bytes"`

	Permutations Tally  `json:"permutations"`
	Bodies       Tally  `json:"bodies"`
	Passes       Levels `json:"passes"`
	Stages       Levels `json:"stages"`
	StagesByKind []Kind `json:"stagesByKind"` // distinct ones
	Instructions int    `json:"instructions"` // executable ones of distinct programs
	WGSLBytes    int64  `json:"wgslBytes"`    // of distinct stages

	Built Tally `json:"builtPackages"` // default permutations that `fxlens build` packages: strict is qualified, extended partial
	Bugs  int   `json:"bugs"`

	Audit    Audit    `json:"audit"`
	Reasons  []Reason `json:"reasons"`  // errors, by stages
	Next     []Step   `json:"next"`     // greedy
	Warnings []Kind   `json:"warnings"` // diagnostics that stop nothing, distinct ones by code
}

// NotProved lists what a report does not prove, however good it looks.
func NotProved() []string {
	return []string{
		"That a browser accepts the modules: `fxlens gate` compiles them on a real WebGPU implementation.",
		"That images are equal: a qualified stage has been translated, not drawn and compared.",
		"That a device has what the modules require: features and limits beyond WebGPU's defaults are listed, not checked.",
		"That assumed view formats are those of the application: they are warnings on the binding.",
		"Anything about permutations that the files do not hold, or about render states, which pass through unread.",
		"That a stage with several reasons needs only these: a refused phase hides what later phases would say.",
	}
}

// Summarizer adds up files. The zero value is ready.
type Summarizer struct {
	s        Summary
	units    map[[32]byte]struct{}
	programs map[[32]byte]struct{}
	kinds    map[string]int
	versions map[string]int
	anomaly  map[string]int
	warn     map[string]int
	reasons  map[string]*Reason
	sets     map[string]*missing
	things   map[string]string // thing -> remedy
}

// missing counts the stages that lack exactly one set of things.
type missing struct {
	things []string // code, line break, message
	stages int
	passes int // units whose stages together lack exactly this set
}

func number(hexed string) (out [32]byte) {
	_, _ = hex.Decode(out[:], []byte(hexed[:min(len(hexed), 64)])) // keys of foreign reports may be anything
	return out
}

func (z *Summarizer) init() {
	if z.units == nil {
		z.units, z.programs = map[[32]byte]struct{}{}, map[[32]byte]struct{}{}
		z.kinds, z.versions, z.anomaly, z.warn = map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
		z.reasons, z.sets, z.things = map[string]*Reason{}, map[string]*missing{}, map[string]string{}
	}
}

// Add adds one file. Files come in the order of their paths, so that examples are the
// first ones.
func (z *Summarizer) Add(f *File) {
	z.init()
	s := &z.s
	s.Files.add(f.Status, 1)
	s.Bytes += f.Size
	switch f.Kind {
	case "effect":
		s.Effects.add(f.Status, 1)
		s.Selected.add(f.Selected(), 1)
	case "program":
		s.Programs.add(f.Status, 1)
	case "package":
		s.Packages.add(f.Status, 1)
	default:
		s.Others.add(f.Status, 1)
	}
	if f.Package != nil {
		switch f.Package.Profile {
		case "strict":
			s.Built.add(Qualified, 1)
		case "":
			s.Built.add(Unsupported, 1)
		default:
			s.Built.add(Partial, 1)
		}
	}
	z.audit(f)
	stopped := map[string]bool{} // codes of this file, for Reason.Files
	for _, d := range f.Diagnostics {
		if d.Severity != "error" {
			if f.Effect == nil {
				z.warn[d.Code]++
			}
			continue
		}
		if d.Code == string(codeBug) {
			s.Bugs++
		}
		if f.Status != Ignored {
			z.reason(d, f.Path, stopped)
		}
	}
	z.bodies(f, stopped)
}

func (z *Summarizer) audit(f *File) {
	a := &z.s.Audit
	if f.Kind == "effect" {
		for _, d := range f.Diagnostics {
			if d.Severity != "note" {
				a.Anomalies++
				z.anomaly[d.Code]++
			}
		}
	}
	e := f.Effect
	if e == nil {
		return
	}
	a.Effects++
	a.Permutations += e.Permutations
	a.UniqueRecords += e.Records
	a.ExactAliases += e.Permutations - e.Records
	a.UniqueBodies += e.Contents
	z.versions[version(e.Version)]++
	if e.Permutations > a.LargestPerms {
		a.LargestPerms, a.LargestPermsPath = e.Permutations, f.Path
	}
	if f.Size > a.LargestBytes {
		a.LargestBytes, a.LargestBytesPath = f.Size, f.Path
	}
	a.All.add(e.All)
	a.Selected.add(e.Selected)
}

func version(v uint32) string { return string([]byte{'0' + byte(v/10%10), '0' + byte(v%10)}) }

func (z *Summarizer) reason(d Diag, example string, stopped map[string]bool) *Reason {
	r := z.reasons[d.Code]
	if r == nil {
		info, _ := diag.Lookup(diag.Code(d.Code))
		r = &Reason{Code: d.Code, Title: info.Title, Example: example, Message: d.Message, Remedy: d.Remedy}
		z.reasons[d.Code] = r
	}
	if !stopped[d.Code] {
		stopped[d.Code] = true
		r.Files++
	}
	return r
}

func (z *Summarizer) bodies(f *File, stopped map[string]bool) {
	s := &z.s
	perms, bodies := make([]int, len(f.Units)), make([]int, len(f.Units))
	for i := range f.Bodies {
		b := &f.Bodies[i]
		n := len(b.Permutations)
		if f.Effect != nil {
			s.Bodies.add(b.Status, 1)
			s.Permutations.add(b.Status, n)
		}
		for _, p := range b.Passes {
			if p.Unit >= 0 && p.Unit < len(f.Units) {
				perms[p.Unit] += n
				bodies[p.Unit]++
			}
		}
	}
	for _, p := range f.Programs {
		k := number(p.SHA256)
		if _, ok := z.programs[k]; !ok {
			z.programs[k] = struct{}{}
			s.Instructions += p.Instructions
			s.Audit.UniqueProgramSize += int64(p.Size)
		}
	}
	uses := f.Uses()
	for i, u := range f.Units {
		k := number(u.Key)
		_, known := z.units[k]
		z.units[k] = struct{}{}
		z.levels(&s.Passes, u.Status, perms[i], bodies[i], known)
		for _, st := range u.Stages {
			z.levels(&s.Stages, st.Status, perms[i], bodies[i], known)
			if !known {
				z.kinds[st.Stage]++
				s.WGSLBytes += int64(st.WGSLBytes)
			}
		}
		z.why(f, u, uses[i], perms[i], known, stopped)
	}
}

func (z *Summarizer) levels(l *Levels, s Status, perms, bodies int, known bool) {
	l.Occurrences.add(s, perms)
	l.InBodies.add(s, bodies)
	if !known {
		l.Unique.add(s, 1)
	}
}

var (
	quoted   = pattern(` ?\(?"(?:[^"\\]|\\.)*"\)?`)
	register = pattern(`\b(cb|icb|fp|vcp|vpc|[bgorstuvx])[0-9]+\b`)
	figure   = pattern(`\b(0x[0-9a-f]+|[0-9]+)\b`)
)

// pattern compiles an expression when it is first used: the start of the program, which
// seldom qualifies anything, need not wait for it.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// what is the message of a diagnostic without what differs from place to place.
func what(d Diag) string {
	s := quoted().ReplaceAllString(d.Message, "")
	s = register().ReplaceAllString(s, "$1#")
	return figure().ReplaceAllString(s, "#")
}

// maxThings bounds the texts that a summary tells apart, so that a hostile corpus does
// not fill the memory; beyond it the code alone counts.
const maxThings = 4096

func (z *Summarizer) thing(d Diag) string {
	t := d.Code + "\n" + what(d)
	if _, ok := z.things[t]; !ok {
		if len(z.things) >= maxThings {
			t = d.Code + "\n"
		}
		z.things[t] = d.Remedy
	}
	return t
}

// missing returns, for each stage of the unit, the sorted things that stop it: its own
// errors and those of the pass. A stage that only its neighbours stop lacks what they
// lack. Stages that qualify lack nothing.
func (z *Summarizer) missing(u *Unit) [][]string {
	out := make([][]string, len(u.Stages))
	var all []string
	for _, d := range u.Diagnostics {
		if d.Severity == "error" {
			all = append(all, z.thing(d))
		}
	}
	for i, st := range u.Stages {
		if st.Status == Qualified {
			continue
		}
		for _, d := range u.Diagnostics {
			if d.Severity == "error" && (d.Stage == st.Stage || d.Stage == "") {
				out[i] = append(out[i], z.thing(d))
			}
		}
		if len(out[i]) == 0 {
			out[i] = slices.Clone(all)
		}
		slices.Sort(out[i])
		out[i] = slices.Compact(out[i])
	}
	return out
}

func (z *Summarizer) why(f *File, u *Unit, use Use, perms int, known bool, stopped map[string]bool) {
	for _, d := range u.Diagnostics {
		if d.Severity == "error" {
			z.reason(d, f.Link(use, d.Stage, d.Instr), stopped)
			if d.Code == string(codeBug) && !known {
				z.s.Bugs++
			}
		} else if !known {
			z.warn[d.Code]++
		}
	}
	if u.Status == Qualified {
		return
	}
	var pass []string
	for _, things := range z.missing(u) {
		codes := codesOf(things)
		for _, c := range codes {
			if r := z.reasons[c]; r != nil {
				r.Occurrences += perms
				if !known {
					r.Stages++
					if len(codes) == 1 {
						r.Alone++
					}
				}
			}
		}
		pass = append(pass, things...)
		if len(things) > 0 && !known {
			z.set(things).stages++
		}
	}
	if !known && len(pass) > 0 {
		slices.Sort(pass)
		z.set(slices.Compact(pass)).passes++
	}
}

// codesOf returns the distinct codes of sorted things, sorted.
func codesOf(things []string) []string {
	var out []string
	for _, t := range things {
		code, _, _ := strings.Cut(t, "\n")
		out = append(out, code)
	}
	return slices.Compact(out)
}

func (z *Summarizer) set(things []string) *missing {
	key := strings.Join(things, "\n\n")
	m := z.sets[key]
	if m == nil {
		m = &missing{things: slices.Clone(things)}
		z.sets[key] = m
	}
	return m
}

// Summary returns the totals so far.
func (z *Summarizer) Summary() *Summary {
	z.init()
	s := z.s
	s.Audit.UniquePrograms = len(z.programs)
	s.Audit.Versions = ranked(z.versions, false)
	s.Audit.AnomaliesByCode = ranked(z.anomaly, true)
	s.StagesByKind = ranked(z.kinds, false)
	s.Warnings = ranked(z.warn, true)
	s.Reasons = []Reason{}
	for _, r := range z.reasons {
		s.Reasons = append(s.Reasons, *r)
	}
	slices.SortFunc(s.Reasons, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(b.Stages, a.Stages), cmp.Compare(b.Files, a.Files), cmp.Compare(a.Code, b.Code))
	})
	s.Next = z.next()
	return &s
}

// ranked lists counts by name, or the largest first.
func ranked(m map[string]int, largest bool) []Kind {
	out := make([]Kind, 0, len(m))
	for _, k := range sortedKeys(m) {
		out = append(out, Kind{k, m[k]})
	}
	if largest {
		slices.SortStableFunc(out, func(a, b Kind) int { return cmp.Compare(b.Count, a.Count) })
	}
	return out
}

// next ranks the missing things greedily: the one that makes the most stages whole given
// those before it; where none does alone, the one that stops the most of what is left.
func (z *Summarizer) next() []Step {
	touches := map[string]int{}
	var open []*missing
	for _, k := range sortedKeys(z.sets) {
		m := *z.sets[k]
		m.things = slices.Clone(m.things)
		open = append(open, &m)
		for _, c := range m.things {
			touches[c] += m.stages
		}
	}
	steps := []Step{}
	done := 0
	for len(touches) > len(steps) {
		type score struct{ whole, passes, left int }
		scores := map[string]score{}
		for _, m := range open {
			for _, c := range m.things {
				sc := scores[c]
				if len(m.things) == 1 {
					sc.whole += m.stages
					sc.passes += m.passes
				}
				sc.left += m.stages
				scores[c] = sc
			}
		}
		best := ""
		for _, c := range sortedKeys(scores) {
			a, b := scores[c], scores[best]
			if best == "" || cmp.Or(cmp.Compare(a.whole, b.whole), cmp.Compare(a.left, b.left)) > 0 {
				best = c
			}
		}
		if best == "" {
			break
		}
		done += scores[best].whole
		code, text, _ := strings.Cut(best, "\n")
		info, _ := diag.Lookup(diag.Code(code))
		steps = append(steps, Step{code, text, info.Title, z.things[best], scores[best].whole, done, scores[best].passes, touches[best]})
		for _, m := range open {
			m.things = slices.DeleteFunc(m.things, func(c string) bool { return c == best })
		}
		open = slices.DeleteFunc(open, func(m *missing) bool { return len(m.things) == 0 })
	}
	return steps
}
