package variant

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"fxlens/core/wgsl/syntax"
)

// Finding is one thing that an audit or lint of a graph says.
type Finding struct {
	Rule   string `json:"rule"` // one of the Rule constants
	Shader string `json:"shader,omitempty"`
	Set    string `json:"set,omitempty"` // the variant; empty: all defaults, or no variant in particular
	Chunk  string `json:"chunk,omitempty"`
	Name   string `json:"name,omitempty"` // of a binding, declaration or switch
	Line   int    `json:"line,omitempty"` // in the chunk's text, from 1; 0: it is about no place in it
	Column int    `json:"column,omitempty"`
	Text   string `json:"text"`
	Error  bool   `json:"error"` // the module is not valid, or a declaration is not true
}

// The rules.
const (
	RuleUndeclared = "undeclared" // a chunk reads a binding that it does not declare
	RuleUnread     = "unread"     // a chunk declares a binding that it does not read
	RuleHidden     = "hidden"     // a chunk uses a name that none of its dependencies defines
	RuleTwice      = "twice"      // two linked chunks define one name
	RuleUnfinished = "unfinished" // a choice has no alternative for a value
	RuleLabel      = "label"      // two switches have one label
	RuleSyntax     = "syntax"     // a chunk's text is no WGSL
	RuleUnbound    = "unbound"    // a chunk declares a binding that the shader does not bind
	RuleMistyped   = "mistyped"   // ... or binds as something else
	RuleLink       = "link"       // a variant cannot be linked
	RuleInvalid    = "invalid"    // a variant is linked and is no valid WGSL
	RuleVisibility = "visibility" // a stage uses a binding that its group does not show it
)

// Reads are the bindings of an interface that a chunk's own functions read, sorted: names
// of its text that neither a parameter nor a local nor a declaration of the chunk hides.
func (c *Chunk) Reads(f *Interface) []string {
	return slices.DeleteFunc(c.Takes(), func(n string) bool { _, bound := f.Find(n); return !bound })
}

// Audit compares, for every chunk that a variant links, the bindings that it reads with
// those that it declares. The shader's body, where bindings are written, declares
// nothing. It also looks at every variant as a whole: that it is valid WGSL, and that each
// of its stages sees the bindings that it uses. sets are the variants to look at.
func (s *Shader) Audit(sets []*Set) []Finding {
	var out []Finding
	seen := map[*facts]bool{} // specialised copies share the facts of their source
	said := map[Finding]bool{}
	for _, t := range sets {
		l, v, err := s.linkedFor(t)
		if err != nil {
			out = append(out, failures(err, s.label, t.RestrictedTo(s.switches).String())...)
			continue
		}
		for _, f := range v.whole(l) {
			key := f
			key.Set = "" // the first variant stands for the others
			if !said[key] {
				said[key] = true
				out = append(out, f)
			}
		}
		for _, c := range l.Chunks {
			if seen[c.facts] || c.text == "" || s.own(c) || c.parse().syntax.Fatal() { // what it reads behind a mistake is not known
				continue
			}
			seen[c.facts] = true
			at := Finding{Shader: s.label, Set: v.Set().String(), Chunk: c.Name(), Error: true}
			declared := map[string]bool{}
			for _, r := range c.resources {
				declared[r.Name] = true
			}
			reads := c.Reads(s.resources)
			for _, n := range reads {
				if !declared[n] {
					f := at
					f.Rule, f.Name, f.Text = RuleUndeclared, n, fmt.Sprintf("%q reads %q and does not declare it", c.Name(), n)
					f.Line, f.Column = c.firstUse(n)
					out = append(out, f)
				}
			}
			for _, r := range c.resources {
				if !slices.Contains(reads, r.Name) {
					f := at
					f.Rule, f.Name, f.Text = RuleUnread, r.Name, fmt.Sprintf("%q declares %q and does not read it", c.Name(), r.Name)
					out = append(out, f)
				}
			}
		}
	}
	return out
}

// whole is what is wrong with a variant's module as a whole. A chunk that does not parse
// is Lint's to report.
func (s *Shader) whole(l *Linked) []Finding {
	if slices.ContainsFunc(l.Chunks, func(c *Chunk) bool { return c.parse().syntax.Fatal() }) {
		return nil
	}
	at := Finding{Shader: s.label, Set: s.Set().String(), Error: true}
	if s.original != nil {
		at.Shader = s.original.label
	}
	var out []Finding
	m, err := s.Module()
	var errs syntax.Errors
	if errors.As(err, &errs) {
		for _, e := range errs {
			if e.Warning {
				continue
			}
			f := at
			f.Rule, f.Text = RuleInvalid, e.Msg
			if c, off := l.chunkAt(e.Pos); c != nil {
				f.Chunk = c.Name()
				f.Line, f.Column = c.parse().file.Position(off)
			}
			out = append(out, f)
		}
		return out
	}
	if err != nil {
		return failures(err, at.Shader, at.Set)
	}
	for _, e := range m.EntryPoints {
		stage := map[string]Visibility{"vertex": Vertex, "fragment": Fragment, "compute": Compute}[e.Stage]
		for _, b := range e.Bindings {
			if p, ok := s.resources.Find(b.Name); ok && p.Visibility&stage == 0 {
				f := at
				f.Rule, f.Name = RuleVisibility, b.Name
				f.Text = fmt.Sprintf("the %s stage uses %q, which group %d shows to %s alone", e.Stage, b.Name, p.Group, strings.Join(p.Visibility.Stages(), " and "))
				out = append(out, f)
			}
		}
	}
	return out
}

// At is the chunk that a place of the text comes from, line and column from 1, and the
// place in the chunk's own text; nil: it stands in a directive or behind the end.
func (l *Linked) At(line, col int) (c *Chunk, in, column int) {
	off := syntax.Offset(l.Text, line, col)
	if off < 0 {
		return nil, 0, 0
	}
	c, off = l.chunkAt(off)
	if c == nil {
		return nil, 0, 0
	}
	in, column = c.parse().file.Position(off)
	return c, in, column
}

// chunkAt is the chunk that a byte of the text comes from, and the byte in its own text;
// nil: a line feed between two, or a directive.
func (l *Linked) chunkAt(off int) (*Chunk, int) {
	at := 0
	if l.head != "" {
		at = len(l.head) + 1
	}
	for _, c := range l.Chunks {
		if c.text == "" {
			continue
		}
		if off >= at && off <= at+len(c.text) {
			return c, off - at
		}
		at += len(c.text) + 1
	}
	return nil, 0
}

// firstUse is where the text uses a name first, line and column from 1; 0, 0: nowhere.
func (c *Chunk) firstUse(name string) (line, col int) {
	f := c.parse()
	at := -1
	for id, o := range f.names.Uses {
		if o.Name == name && o.Decl == nil && (at < 0 || id.Pos < at) {
			at = id.Pos
		}
	}
	if at < 0 {
		return 0, 0
	}
	return f.file.Position(at)
}

// own reports whether a chunk is the shader's body or its bindings.
func (s *Shader) own(c *Chunk) bool {
	body, _ := s.body.(*Chunk)
	return body != nil && c.facts == body.facts || c.facts == s.rootNode.facts || c.facts == s.rootNode.deps[0].(*Chunk).facts
}

func (s *Shader) linkedFor(t *Set) (*Linked, *Shader, error) {
	v, err := s.Variant(t)
	if err != nil {
		return nil, nil, err
	}
	l, err := v.Linked()
	return l, v, err
}

// failures are the findings that a link's error stands for.
func failures(err error, shader, set string) []Finding {
	at := Finding{Rule: RuleLink, Shader: shader, Set: set, Text: err.Error(), Error: true}
	var out []Finding
	var problems Problems
	var twice *TwiceError
	var missing *MissingError
	if errors.As(err, &missing) {
		at.Chunk, at.Name, at.Text = missing.Choice.Name(), missing.Member, missing.Error()
	}
	if errors.As(err, &problems) {
		for _, p := range problems {
			f := at
			f.Rule, f.Chunk, f.Name, f.Text = RuleUnbound, p.Chunk, p.Binding, p.Error()
			if p.Kind == Mistyped {
				f.Rule = RuleMistyped
			}
			out = append(out, f)
		}
	}
	if errors.As(err, &twice) {
		for _, n := range twice.Names {
			f := at
			f.Rule, f.Chunk, f.Name = RuleTwice, n.Again, n.Name
			f.Line, f.Column = n.Line, n.Column
			f.Text = fmt.Sprintf("%q is defined by %q and by %q; WGSL allows one definition", n.Name, n.First, n.Again)
			out = append(out, f)
		}
	}
	if out == nil {
		out = append(out, at)
	}
	return out
}

// Lint looks at a whole graph: names that no dependency defines, choices that are not
// finished, switches with equal labels, text that is no WGSL.
func (s *Shader) Lint() []Finding {
	var out []Finding
	add := func(rule, chunk, name string, isError bool, format string, args ...any) {
		out = append(out, Finding{Rule: rule, Shader: s.label, Chunk: chunk, Name: name, Text: fmt.Sprintf(format, args...), Error: isError})
	}
	for i, x := range s.switches {
		for _, y := range s.switches[:i] {
			if x.label == y.label {
				add(RuleLabel, "", x.label, false, "two switches are called %q: sets cannot tell them apart", x.label)
			}
		}
	}
	Walk(s.rootNode, func(n Node) {
		switch n := n.(type) {
		case *Choice:
			for _, m := range n.Missing() {
				add(RuleUnfinished, n.Name(), m.Name, false, "%s has no alternative for %s", n.Name(), m.Name)
			}
		case *Chunk:
			for _, e := range n.parse().syntax {
				add(RuleSyntax, n.Name(), "", !e.Warning, "%s", e.Msg)
				out[len(out)-1].Line, out[len(out)-1].Column = e.Line, e.Col
			}
			defined := map[string]bool{}
			broken := false // what a chunk defines behind a mistake is not known
			define := func(d Node) {
				if c, ok := d.(*Chunk); ok {
					broken = broken || c.parse().syntax.Fatal()
					for _, name := range c.declares() {
						defined[name] = true
					}
				}
			}
			Walk(n, define)
			if s.template != nil { // a template is called by name: that is what it is for
				Walk(s.template, define)
			}
			reads := slices.Clone(n.resources)
			if s.own(n) {
				for _, p := range s.resources.All() {
					reads = append(reads, p.Resource)
				}
			}
			for _, r := range reads { // whoever binds it links what its type needs
				if r.Needs != nil {
					Walk(r.Needs, define)
				}
			}
			for _, name := range n.Takes() {
				if _, bound := s.resources.Find(name); !bound && !defined[name] && !broken {
					add(RuleHidden, n.Name(), name, false, "%q uses %q, which none of its dependencies defines", n.Name(), name)
					out[len(out)-1].Line, out[len(out)-1].Column = n.firstUse(name)
				}
			}
		}
	})
	return out
}

// twice are the names that two linked chunks define. WGSL refuses them.
func (l *Linked) twice(shader string) error {
	by := make(map[string]*Chunk, 4*len(l.Chunks))
	var names []Twice
	for _, c := range l.Chunks {
		for _, n := range c.declares() {
			o := by[n]
			if o == nil {
				by[n] = c
				continue
			}
			f := c.parse()
			t := Twice{Name: n, First: o.Name(), Again: c.Name()}
			t.Line, t.Column = f.file.Position(syntax.NameOf(f.names.Module[n].Decl).Pos)
			names = append(names, t)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return &TwiceError{shader, names}
}

// Twice is a name that two linked chunks define; line and column are those of the second
// definition in its chunk's text.
type Twice struct {
	Name, First, Again string
	Line, Column       int
}

// TwiceError says which names two linked chunks define.
type TwiceError struct {
	Shader string
	Names  []Twice
}

// Error names both chunks of every name, one a line.
func (e *TwiceError) Error() string {
	lines := make([]string, len(e.Names))
	for i, n := range e.Names {
		lines[i] = fmt.Sprintf("shader %q: %q is defined by %q and by %q; WGSL allows one definition", e.Shader, n.Name, n.First, n.Again)
	}
	return strings.Join(lines, "\n")
}

// CheckTransient fails where the variant reads a binding that is bound to a transient
// buffer of undefined content: the rule of Default.Transient.
func (s *Shader) CheckTransient(name string) error {
	p, ok := s.resources.Find(name)
	if !ok || !p.Default.Transient {
		return fmt.Errorf("shader %q: binding %q has no transient default; bind a buffer", s.label, name)
	}
	l, err := s.Linked()
	if err != nil {
		return err
	}
	for _, c := range l.Chunks {
		if slices.Contains(c.takes(), name) {
			return fmt.Errorf("shader %q reads %q in %q, and nothing is bound to it: a transient buffer's content is undefined", s.label, name, c.Name())
		}
	}
	return nil
}

// Product are all sets of some switches: every value of each with every one of the
// others, in the order of the members, the last switch fastest. It fails where there
// would be more than limit.
func Product(list []*Switch, limit int) ([]*Set, error) {
	n := 1
	for _, s := range list {
		if n *= len(s.members); n > limit {
			return nil, fmt.Errorf("the switches have more than %d sets; name the ones to look at", limit)
		}
	}
	out := []*Set{Empty}
	for _, s := range list {
		var next []*Set
		for _, t := range out {
			for _, m := range s.members {
				to, err := t.With(s, m.Value)
				if err != nil {
					return nil, err
				}
				next = append(next, to)
			}
		}
		out = next
	}
	return out, nil
}

// Content counts what a module's text has.
type Content struct {
	Functions    int `json:"functions"`
	Declarations int `json:"declarations"` // structures, aliases, constants, variables
	Characters   int `json:"characters"`
}

// Content counts what a linked module has.
func (l *Linked) Content() Content {
	n := Content{Characters: len([]rune(l.Text))}
	for _, c := range l.Chunks {
		for _, d := range c.parse().file.Decls {
			if _, fn := d.(*syntax.Func); fn {
				n.Functions++
			} else {
				n.Declarations++
			}
		}
	}
	return n
}

// Change is one declaration that two variants have differently.
type Change struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // function, structure, alias, variable
	Was  string `json:"was,omitempty"`
	Is   string `json:"is,omitempty"`
}

// Diff compares two linked modules declaration by declaration. Names that a generator
// numbers in the order of its work, such as Struct_12, are compared by that order within
// each module, so that another number is no change.
func Diff(a, b *Linked) []Change {
	x, y := declarations(a), declarations(b)
	var out []Change
	for _, d := range x.list {
		o, both := y.by[d.name]
		switch {
		case !both:
			out = append(out, Change{Name: d.name, Kind: d.kind, Was: d.text})
		case o.plain != d.plain:
			out = append(out, Change{Name: d.name, Kind: d.kind, Was: d.text, Is: o.text})
		}
	}
	for _, d := range y.list {
		if _, both := x.by[d.name]; !both {
			out = append(out, Change{Name: d.name, Kind: d.kind, Is: d.text})
		}
	}
	slices.SortStableFunc(out, func(a, b Change) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

type declared struct{ name, kind, text, plain string }

type declaredList struct {
	list []declared
	by   map[string]declared
}

func declarations(l *Linked) declaredList {
	out := declaredList{by: map[string]declared{}}
	numbers := map[string]string{}
	for _, c := range l.Chunks {
		f := c.parse().file
		for _, d := range f.Decls {
			n := syntax.NameOf(d).Text
			if n == "" {
				continue
			}
			kind := "variable"
			switch d.(type) {
			case *syntax.Func:
				kind = "function"
			case *syntax.Struct:
				kind = "structure"
			case *syntax.Alias:
				kind = "alias"
			}
			text := f.Source[d.Range().Pos:d.Range().End]
			x := declared{normal(n, numbers), kind, text, plainText(text, numbers)}
			out.list = append(out.list, x)
			out.by[x.name] = x
		}
	}
	return out
}

// normal renames a generated name, one that ends in an underscore and a number, after the
// order in which such names are met.
func normal(name string, seen map[string]string) string {
	i := strings.LastIndexByte(name, '_')
	if i <= 0 || i == len(name)-1 || strings.Trim(name[i+1:], "0123456789") != "" {
		return name
	}
	if n, ok := seen[name]; ok {
		return n
	}
	n := fmt.Sprintf("%s_#%d", name[:i], len(seen))
	seen[name] = n
	return n
}

// plainText is a declaration's text with generated names renamed and white space made
// one space.
func plainText(text string, seen map[string]string) string {
	var b strings.Builder
	word := func(r rune) bool {
		return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	for _, line := range strings.Fields(text) {
		for line != "" {
			if i := strings.IndexFunc(line, word); i != 0 {
				if i < 0 {
					i = len(line)
				}
				b.WriteString(line[:i])
				line = line[i:]
				continue
			}
			i := strings.IndexFunc(line, func(r rune) bool { return !word(r) })
			if i < 0 {
				i = len(line)
			}
			b.WriteString(normal(line[:i], seen))
			line = line[i:]
		}
		b.WriteByte(' ')
	}
	return b.String()
}
