package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"fxlens/core/diag"
	"fxlens/core/variant"
	"fxlens/core/wgsl/syntax"
)

// FileName is the manifest of a folder.
const FileName = "switches.toml"

// The limits: what is beyond them was not written by hand, and would cost more than a
// person waits.
const (
	MaxManifest = 1 << 20 // bytes
	MaxText     = 1 << 20 // bytes of one chunk
	MaxTexts    = 16 << 20
	MaxNodes    = 1024 // chunks, choices, resources, groups, shaders, named sets: of each
	MaxEdges    = 8192 // dependencies and alternatives
	MaxSwitches = 64
	MaxValues   = 64   // of one switch
	MaxSets     = 4096 // of one name
	maxErrors   = 100
	maxName     = 200
)

// byteOrderMark is what some editors begin UTF-8 files with; neither TOML nor WGSL has it.
var byteOrderMark = []byte("\ufeff")

// none is the alternative without code.
const none = "none"

// Load reads the graph whose manifest is a file of fsys; the chunks' files lie below its
// folder. Everything that is wrong comes back as Errors. Other errors are those of
// reading the manifest itself. root is what users call the root of fsys: places begin with
// it.
func Load(fsys fs.FS, name, root string) (*Graph, error) {
	data, err := readFile(fsys, name, MaxManifest)
	if err != nil {
		return nil, err
	}
	shown := path.Join(root, name)
	if !utf8.Valid(data) {
		return nil, Errors{{Pos: Pos{shown, 1, 1}, Text: "the file is not valid UTF-8", Remedy: "save it as UTF-8"}}
	}
	doc, err := document(shown, bytes.TrimPrefix(data, byteOrderMark))
	if err != nil {
		var e *Error
		if errors.As(err, &e) {
			return nil, Errors{e}
		}
		return nil, err
	}
	l := &loader{fsys: fsys, dir: path.Dir(name), shown: path.Dir(shown), root: doc, g: &Graph{File: shown},
		switches: map[string]*Switch{}, nodes: map[string]variant.Node{}, chunks: map[string]*Chunk{}, resources: map[string]*Resource{}, groups: map[string]*group{}, used: map[string]bool{}}
	l.load()
	if len(l.errs) > 0 {
		l.errs.sort()
		return nil, l.errs
	}
	return l.g, nil
}

// readFile reads a regular file up to a limit.
func readFile(fsys fs.FS, name string, limit int64) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.New("is no regular file")}
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("has more than %d bytes", limit)}
	}
	return data, nil
}

type group struct {
	*variant.Group
	at Pos
}

type loader struct {
	fsys  fs.FS
	dir   string // of the manifest in fsys
	shown string // and as users call it
	root  *value
	g     *Graph
	errs  Errors

	switches  map[string]*Switch
	nodes     map[string]variant.Node // chunks and choices
	chunks    map[string]*Chunk
	resources map[string]*Resource
	groups    map[string]*group
	used      map[string]bool // resources and groups
	texts     int64
	edges     int
}

func (l *loader) fail(at Pos, about Error, remedy, format string, args ...any) {
	if len(l.errs) == maxErrors {
		l.errs = append(l.errs, &Error{Pos: at, Text: "there are more faults", Remedy: "correct these first"})
	}
	if len(l.errs) > maxErrors {
		return
	}
	about.Pos, about.Text, about.Remedy = at, fmt.Sprintf(format, args...), remedy
	l.errs = append(l.errs, &about)
}

// keys reports what a table has beside the keys of the format.
func (l *loader) keys(t *value, about Error, known ...string) {
	for _, e := range t.keys {
		if !slices.Contains(known, e.name) {
			l.fail(e.pos, about, diag.Hint(e.name, known), "there is no key %q here", e.name)
		}
	}
}

func (l *loader) is(v *value, k kind, about Error, what string) bool {
	if v.kind == k {
		return true
	}
	l.fail(v.pos, about, "write "+kindNames[k], "%s is %s, not %s", what, kindNames[v.kind], kindNames[k])
	return false
}

// text is the text of a key, or what stands in for it where there is none.
func (l *loader) text(t *value, key string, about Error, instead string) string {
	e := t.get(key)
	if e == nil || !l.is(e.val, kindText, about, key) {
		return instead
	}
	return e.val.text
}

func (l *loader) yes(t *value, key string, about Error) bool {
	e := t.get(key)
	return e != nil && l.is(e.val, kindBool, about, key) && e.val.yes
}

// list is the elements of a key.
func (l *loader) list(t *value, key string, about Error) []*value {
	e := t.get(key)
	if e == nil || !l.is(e.val, kindList, about, key) {
		return nil
	}
	return e.val.list
}

// texts is the elements of a key that have to be texts.
func (l *loader) textList(t *value, key string, about Error) []*value {
	var out []*value
	for _, v := range l.list(t, key, about) {
		if l.is(v, kindText, about, "an element of "+key) {
			out = append(out, v)
		}
	}
	return out
}

// tables are the tables below a key of the document, in order.
func (l *loader) tables(key string, most int) []*entry {
	e := l.root.get(key)
	if e == nil || !l.is(e.val, kindTable, Error{}, key) {
		return nil
	}
	var out []*entry
	for _, x := range e.val.keys {
		if len(out) == most {
			l.fail(x.pos, Error{}, "split the graph", "there are more than %d %s", most, key)
			break
		}
		if !l.is(x.val, kindTable, Error{}, key+"."+x.name) {
			continue
		}
		if why := badName(x.name); why != "" {
			l.fail(x.pos, Error{}, "rename it", "the name %s of %s %s", strconv.Quote(x.name), key, why)
			continue
		}
		out = append(out, x)
	}
	return out
}

func badName(s string) string {
	switch {
	case s == "":
		return "is empty"
	case s == none || s == "auto" || s == "default" || s == "all":
		return "has a meaning of its own"
	case len(s) > maxName:
		return fmt.Sprintf("has more than %d bytes", maxName)
	case strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }):
		return "has a character that cannot be printed"
	case strings.ContainsAny(s, `,="`):
		return "has a comma, an equals sign or a quote, which sets are written with"
	}
	return ""
}

func names[T any](m map[string]T) []string {
	out := make([]string, 0, len(m))
	for n := range m {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

func (l *loader) load() {
	l.keys(l.root, Error{}, "graph", "switches", "chunks", "choices", "resources", "groups", "shaders", "sets")
	l.g.Name = l.text(l.root, "graph", Error{}, "")
	if l.g.Name == "" && len(l.errs) == 0 {
		l.fail(Pos{l.g.File, 1, 1}, Error{}, `write graph = "…" first`, "the graph has no name")
	}
	for _, e := range l.tables("switches", MaxSwitches) {
		l.oneSwitch(e)
	}
	chunks, choices, resources := l.tables("chunks", MaxNodes), l.tables("choices", MaxNodes), l.tables("resources", MaxNodes)
	for _, e := range chunks {
		l.chunk(e)
	}
	for _, e := range choices {
		l.choice(e)
	}
	// Everything has its name now, and what names it may stand before it.
	for _, e := range resources {
		l.resource(e)
	}
	for _, e := range chunks {
		l.below(e)
	}
	for _, e := range choices {
		l.picks(e)
	}
	for _, e := range l.tables("groups", MaxNodes) {
		l.group(e)
	}
	for _, e := range l.tables("shaders", MaxNodes) {
		l.shader(e)
	}
	for _, e := range l.tables("sets", MaxNodes) {
		l.sets(e)
	}
	if len(l.errs) == 0 {
		l.unused()
	}
}

func (l *loader) oneSwitch(e *entry) {
	about := Error{Switch: e.name}
	l.keys(e.val, about, "label", "values", "bool")
	label := l.text(e.val, "label", about, e.name)
	if why := badName(label); why != "" && label != "" {
		l.fail(e.val.get("label").val.pos, about, "choose another label", "the label %s %s", strconv.Quote(label), why)
		return
	}
	values := e.val.get("values")
	if boolean := l.yes(e.val, "bool", about); boolean || values == nil {
		switch {
		case !boolean:
			l.fail(e.pos, about, `write values = ["First", "Second"] or bool = true`, "the switch has no values")
			return
		case values != nil:
			l.fail(values.pos, about, "leave one out", "the switch has values and is a bool too")
			return
		}
		s, err := variant.Bool(label)
		if err != nil {
			l.fail(e.pos, about, "give it a label", "%v", err)
			return
		}
		l.addSwitch(s, e)
		return
	}
	var members []variant.Member
	places := map[int]Pos{}
	add := func(name string, n int64, at Pos) {
		about := Error{Switch: e.name, Member: name}
		if why := badName(name); why != "" {
			l.fail(at, about, "rename it", "the name %s", why)
		} else if n != int64(int32(n)) {
			l.fail(at, about, "use a smaller number", "%d does not fit 32 bits", n)
		}
		places[len(members)] = at
		members = append(members, variant.Member{Name: name, Value: int(n)})
	}
	before := len(l.errs)
	switch v := values.val; v.kind {
	case kindList:
		for i, x := range v.list {
			if l.is(x, kindText, about, "a value") {
				add(x.text, int64(i), x.pos)
			}
		}
	case kindTable:
		for _, x := range v.keys {
			if l.is(x.val, kindNumber, Error{Switch: e.name, Member: x.name}, "the value") {
				add(x.name, x.val.num, x.pos)
			}
		}
	default:
		l.fail(v.pos, about, `write ["First", "Second"] or { First = 0, Second = 4 }`, "values is %s", kindNames[v.kind])
	}
	if len(members) == 0 && len(l.errs) == before {
		l.fail(values.pos, about, `write values = ["First", "Second"] or bool = true`, "the switch has no values")
	}
	if len(members) > MaxValues {
		l.fail(values.pos, about, "use several switches", "the switch has %d values; at most %d are allowed", len(members), MaxValues)
	}
	if len(l.errs) > before {
		return
	}
	s, err := variant.Enum(label, members...)
	if err != nil {
		l.fail(l.memberPlace(values.pos, members, places), about, "correct the values", "%s", strings.TrimPrefix(err.Error(), fmt.Sprintf("switch %q: ", label)))
		return
	}
	l.addSwitch(s, e)
}

// memberPlace is where the first member stands that repeats another, or the list.
func (l *loader) memberPlace(list Pos, members []variant.Member, places map[int]Pos) Pos {
	for i, m := range members {
		for _, o := range members[:i] {
			if o.Name == m.Name || o.Value == m.Value {
				return places[i]
			}
		}
	}
	return list
}

func (l *loader) addSwitch(s *variant.Switch, e *entry) {
	for _, o := range l.g.Switches {
		if o.Label() == s.Label() {
			l.fail(e.pos, Error{Switch: e.name}, "give it another label", "switch %q has the label %q too, and sets could not tell them apart", o.Key, s.Label())
			return
		}
	}
	out := &Switch{s, e.name, e.pos}
	l.switches[e.name] = out
	l.g.Switches = append(l.g.Switches, out)
}

// chunk makes a chunk without what it needs.
func (l *loader) chunk(e *entry) {
	about := Error{Chunk: e.name}
	l.keys(e.val, about, "file", "text", "needs", "reads", "enables")
	file, text := e.val.get("file"), e.val.get("text")
	out := &Chunk{Key: e.name, At: e.pos}
	source := ""
	switch {
	case file != nil && text != nil:
		l.fail(text.pos, about, "leave one out", "the chunk has a file and a text")
	case text != nil:
		if l.is(text.val, kindText, about, "text") {
			source, out.Text, out.escaped = text.val.text, text.val.block, !text.val.exact
		}
	default:
		name, at := e.name+".wgsl", e.pos
		if file != nil {
			if !l.is(file.val, kindText, about, "file") {
				break
			}
			name, at = file.val.text, file.val.pos
		}
		source, out.Text = l.file(name, at, about)
	}
	if l.texts += int64(len(source)); l.texts > MaxTexts {
		l.fail(e.pos, about, "split the graph", "the texts of all chunks have more than %d bytes", MaxTexts)
		source = ""
	}
	if len(source) > MaxText {
		l.fail(e.pos, about, "split it", "the text has more than %d bytes", MaxText)
		source = ""
	}
	out.Chunk = variant.NewChunk(e.name, source)
	for _, v := range l.textList(e.val, "enables", about) {
		if v.text == "" || strings.ContainsFunc(v.text, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
			l.fail(v.pos, about, `write a WGSL extension, as in "f16"`, "%s is no name of an extension", strconv.Quote(v.text))
			continue
		}
		if known := syntax.Extensions(); !slices.Contains(known, v.text) {
			l.fail(v.pos, about, diag.Hint(v.text, known), "WGSL has no extension %q", v.text)
			continue
		}
		out.AddExtension(v.text)
	}
	l.chunks[e.name], l.nodes[e.name] = out, out.Chunk
	l.g.Chunks = append(l.g.Chunks, out)
}

// file reads a chunk's file, which must lie below the manifest's folder.
func (l *loader) file(name string, at Pos, about Error) (string, Pos) {
	p := Pos{path.Join(l.shown, name), 1, 1}
	switch {
	case !fs.ValidPath(name) || strings.Contains(name, `\`) || strings.Contains(name, ":"):
		l.fail(at, about, "name a file below the manifest's folder, with / and without ..", "%s is no path that stays in the folder", strconv.Quote(name))
		return "", p
	case path.Ext(name) != ".wgsl":
		l.fail(at, about, "name a .wgsl file", "%s is no WGSL file", strconv.Quote(name))
		return "", p
	}
	data, err := readFile(l.fsys, path.Join(l.dir, name), MaxText)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		l.fail(at, about, "write the file, or give the chunk a text", "there is no file %s", strconv.Quote(name))
		return "", p
	case err != nil:
		reason := err.Error()
		var pe *fs.PathError
		if errors.As(err, &pe) {
			reason = pe.Err.Error()
		}
		l.fail(at, about, "check the file", "%s cannot be read: %s", strconv.Quote(name), reason)
		return "", p
	case !utf8.Valid(data):
		l.fail(p, about, "save it as UTF-8", "the file is not valid UTF-8")
		return "", p
	}
	return string(bytes.TrimPrefix(data, byteOrderMark)), p
}

func (l *loader) choice(e *entry) {
	l.keys(e.val, Error{}, "switch", "picks")
	name := l.text(e.val, "switch", Error{}, "")
	s := l.switches[name]
	if s == nil {
		at := e.pos
		if k := e.val.get("switch"); k != nil {
			at = k.val.pos
		}
		if l.root.get("switches") == nil || l.root.get("switches").val.get(name) == nil { // else it has its own error
			l.fail(at, Error{Switch: name}, diag.Hint(name, names(l.switches)), "choice %q is of a switch that is not there", e.name)
		}
		return
	}
	if l.nodes[e.name] != nil {
		l.fail(e.pos, Error{Chunk: e.name}, "rename one", "a choice and a chunk have one name")
		return
	}
	out := &Choice{variant.ChoiceFrom(s.Switch), e.name, e.pos}
	l.nodes[e.name] = out.Choice
	l.g.Choices = append(l.g.Choices, out)
}

// node finds what a name stands for.
func (l *loader) node(v *value, about Error, what string) variant.Node {
	if n := l.nodes[v.text]; n != nil {
		l.edges++
		if l.edges == MaxEdges+1 {
			l.fail(v.pos, about, "split the graph", "there are more than %d dependencies and alternatives", MaxEdges)
		}
		if l.edges > MaxEdges {
			return nil
		}
		return n
	}
	for _, key := range []string{"chunks", "choices"} { // what is there and could not be read has its own error
		if t := l.root.get(key); t != nil && t.val.get(v.text) != nil {
			return nil
		}
	}
	l.fail(v.pos, about, diag.Hint(v.text, names(l.nodes)), "%s %s is no chunk or choice", what, strconv.Quote(v.text))
	return nil
}

// below adds what a chunk needs and reads.
func (l *loader) below(e *entry) {
	c := l.chunks[e.name]
	about := Error{Chunk: e.name}
	for _, v := range l.textList(e.val, "needs", about) {
		n := l.node(v, about, "the dependency")
		if n == nil {
			continue
		}
		if _, err := c.AddDependency(n); err != nil {
			l.fail(v.pos, about, "take one of these dependencies away", "%v", err)
		}
	}
	reads := e.val.get("reads")
	if reads == nil {
		return
	}
	if reads.val.kind == kindText && reads.val.text == "auto" {
		for _, n := range c.Takes() {
			if r := l.resources[n]; r != nil {
				l.used[n] = true
				l.require(c, r.Resource, reads.pos)
			}
		}
		return
	}
	if reads.val.kind != kindList {
		l.fail(reads.val.pos, about, `write a list of resources, or "auto"`, "reads is %s", kindNames[reads.val.kind])
		return
	}
	for _, v := range reads.val.list {
		if r := l.declaration(v, about); r != nil {
			l.require(c, r, v.pos)
		}
	}
}

func (l *loader) require(c *Chunk, r *variant.Resource, at Pos) {
	if err := c.RequireResource(r); err != nil {
		l.fail(at, Error{Chunk: c.Key}, "declare it once", "%v", err)
	}
}

// declaration is a resource that is named, or named with other facts.
func (l *loader) declaration(v *value, about Error) *variant.Resource {
	name := v
	if v.kind == kindTable {
		e := v.get("name")
		if e == nil {
			l.fail(v.pos, about, `write { name = "…", access = "read" }`, "the declaration has no name")
			return nil
		}
		name = e.val
	}
	if !l.is(name, kindText, about, "a resource's name") {
		return nil
	}
	base := l.resources[name.text]
	if base == nil {
		if t := l.root.get("resources"); t == nil || t.val.get(name.text) == nil {
			l.fail(name.pos, about, diag.Hint(name.text, names(l.resources)), "there is no resource %s", strconv.Quote(name.text))
		}
		return nil
	}
	l.used[name.text] = true
	if v.kind != kindTable {
		return base.Resource
	}
	r := *base.Resource
	l.facts(&r, v, about, "name")
	if err := r.Validate(); err != nil {
		l.fail(v.pos, about, "correct the declaration", "%v", err)
		return nil
	}
	return &r
}

var factKeys = []string{"kind", "type", "access", "dimension", "sample", "multisampled", "format", "comparison"}

// facts reads what a declaration says, over what it says already.
func (l *loader) facts(r *variant.Resource, t *value, about Error, more ...string) {
	l.keys(t, about, append(slices.Clone(factKeys), more...)...)
	if k := l.text(t, "kind", about, ""); k != "" {
		var err error
		if r.Kind, err = variant.ParseKind(k); err != nil {
			l.fail(t.get("kind").val.pos, about, "correct the kind", "%v", err)
		}
	}
	r.Type = l.text(t, "type", about, r.Type)
	r.Access = l.text(t, "access", about, r.Access)
	r.Dimension = l.text(t, "dimension", about, r.Dimension)
	r.Sample = l.text(t, "sample", about, r.Sample)
	r.Format = l.text(t, "format", about, r.Format)
	if t.get("multisampled") != nil {
		r.Multisampled = l.yes(t, "multisampled", about)
	}
	if t.get("comparison") != nil {
		r.Comparison = l.yes(t, "comparison", about)
	}
}

func (l *loader) resource(e *entry) {
	r := &variant.Resource{Name: e.name}
	if strings.ContainsFunc(e.name, func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
		l.fail(e.pos, Error{}, "use letters, digits and _", "resource %s is no WGSL name", strconv.Quote(e.name))
		return
	}
	before := len(l.errs)
	if e.val.get("kind") == nil {
		l.fail(e.pos, Error{}, `write kind = "uniform", "storage", "texture", "storage-texture" or "sampler"`, "resource %q has no kind", e.name)
	}
	l.facts(r, e.val, Error{}, "needs", "default")
	if d := e.val.get("default"); d != nil && l.is(d.val, kindText, Error{}, "default") {
		if r.Kind == variant.Storage {
			if r.Default.Transient = d.val.text == "transient"; !r.Default.Transient {
				l.fail(d.val.pos, Error{}, `write default = "transient"`, "a storage buffer's default is \"transient\", not %s", strconv.Quote(d.val.text))
			}
		} else {
			r.Default.Fallback = d.val.text
		}
	}
	if n := e.val.get("needs"); n != nil && l.is(n.val, kindText, Error{}, "needs") {
		r.Needs = l.node(n.val, Error{}, "what resource "+strconv.Quote(e.name)+" needs,")
	}
	if len(l.errs) > before {
		return
	}
	if err := r.Validate(); err != nil {
		l.fail(e.pos, Error{}, "correct the declaration", "%v", err)
		return
	}
	out := &Resource{r, e.pos}
	l.resources[e.name] = out
	l.g.Resources = append(l.g.Resources, out)
}

func (l *loader) picks(e *entry) {
	i := slices.IndexFunc(l.g.Choices, func(c *Choice) bool { return c.Key == e.name })
	if i < 0 {
		return
	}
	c := l.g.Choices[i]
	picks := e.val.get("picks")
	if picks == nil {
		l.fail(e.pos, Error{Switch: c.Switch().Label()}, `write picks = { Member = "chunk" }`, "choice %q picks nothing", e.name)
		return
	}
	if !l.is(picks.val, kindTable, Error{}, "picks") {
		return
	}
	for _, k := range picks.val.keys {
		about := Error{Switch: c.Switch().Label(), Member: k.name}
		v, ok := c.Switch().Parse(k.name)
		if !ok {
			var have []string
			for _, m := range c.Switch().Members() {
				have = append(have, m.Name)
			}
			l.fail(k.pos, about, diag.Hint(k.name, have), "choice %q: the switch has no such member", e.name)
			continue
		}
		if !l.is(k.val, kindText, about, "the alternative") {
			continue
		}
		n := variant.Node(variant.NoCode)
		if k.val.text != none {
			if n = l.node(k.val, about, "the alternative"); n == nil {
				continue
			}
		}
		if err := c.Add(v, n); err != nil {
			l.fail(k.val.pos, about, "take one of these dependencies away", "%v", err)
		}
	}
}

func (l *loader) group(e *entry) {
	l.keys(e.val, Error{}, "visibility", "binds")
	g := &group{Group: &variant.Group{}, at: e.pos}
	for _, v := range l.textList(e.val, "visibility", Error{}) {
		s, ok := map[string]variant.Visibility{"vertex": variant.Vertex, "fragment": variant.Fragment, "compute": variant.Compute}[v.text]
		if !ok {
			l.fail(v.pos, Error{}, "use vertex, fragment, compute", "group %q: there is no stage %s", e.name, strconv.Quote(v.text))
		}
		g.Visibility |= s
	}
	if g.Visibility == 0 && len(l.errs) == 0 {
		l.fail(e.pos, Error{}, `write visibility = ["fragment"]`, "group %q is visible to no stage", e.name)
	}
	for _, v := range l.list(e.val, "binds", Error{}) {
		r := l.declaration(v, Error{})
		if r == nil {
			continue
		}
		if _, err := g.Add(r); err != nil {
			l.fail(v.pos, Error{}, "correct the declaration", "%v", err)
		}
	}
	l.groups[e.name] = g
}

func (l *loader) shader(e *entry) {
	about := Error{Shader: e.name}
	before := len(l.errs)
	l.keys(e.val, about, "label", "type", "body", "groups", "targets", "depth", "templates", "bind_groups")
	o := variant.ShaderOptions{Label: l.text(e.val, "label", about, e.name), Resources: &variant.Interface{}}
	switch t := l.text(e.val, "type", about, ""); t {
	case "image":
	case "compute":
		o.Type = variant.ComputeShader
	default:
		at := e.pos
		if k := e.val.get("type"); k != nil {
			at = k.val.pos
		}
		l.fail(at, about, `write type = "image" or "compute"`, "the shader's type is %s", strconv.Quote(t))
	}
	if b := e.val.get("body"); b == nil {
		l.fail(e.pos, about, `write body = "chunk"`, "the shader has no body")
	} else if l.is(b.val, kindText, about, "body") {
		o.Body = l.node(b.val, about, "the body")
	}
	if n := e.val.get("bind_groups"); n != nil && l.is(n.val, kindNumber, about, "bind_groups") {
		if n.val.num < 1 || n.val.num > 16 {
			l.fail(n.val.pos, about, "name what the device has; 4 without this key", "%d is no number of bind groups", n.val.num)
		}
		o.Limits.BindGroups = int(n.val.num)
	}
	for _, v := range l.list(e.val, "targets", about) {
		if l.is(v, kindTable, about, "a target") {
			l.keys(v, about, "format", "blend")
			t := variant.Target{Format: l.text(v, "format", about, ""), Blend: l.text(v, "blend", about, "")}
			if err := t.Validate(); err != nil {
				l.fail(placeOf(v, "format"), about, "use a format of WebGPU", "%v", err)
			}
			o.Targets = append(o.Targets, t)
		}
	}
	if d := e.val.get("depth"); d != nil && l.is(d.val, kindTable, about, "depth") {
		l.keys(d.val, about, "format", "write", "compare")
		o.Depth = &variant.DepthStencil{Format: l.text(d.val, "format", about, ""), Write: l.yes(d.val, "write", about), Compare: l.text(d.val, "compare", about, "")}
		if err := o.Depth.Validate(); err != nil {
			l.fail(d.val.pos, about, "use WebGPU's names", "%v", err)
		}
	}
	auto := false
	if g := e.val.get("groups"); g != nil && g.val.kind == kindText && g.val.text == "auto" {
		auto = true
	} else {
		for _, v := range l.textList(e.val, "groups", about) {
			g := l.groups[v.text]
			if g == nil {
				l.fail(v.pos, about, diag.Hint(v.text, names(l.groups)), "there is no group %s", strconv.Quote(v.text))
				continue
			}
			l.used["group "+v.text] = true
			o.Resources.Groups = append(o.Resources.Groups, g.Group)
		}
	}
	templates := l.textList(e.val, "templates", about)
	if len(l.errs) > before || o.Body == nil {
		return
	}
	add := func(key, template string) {
		if len(l.g.Shaders) == MaxNodes {
			l.fail(e.pos, about, "split the graph", "there are more than %d shaders, templates counted", MaxNodes)
			return
		}
		o := o
		if auto {
			var err error
			if o.Resources, err = variant.Place(o.Type, o.Template, o.Body); err != nil {
				l.fail(e.val.get("groups").val.pos, about, "write the groups", "the bindings cannot be placed: %v", err)
				return
			}
		}
		s, err := variant.NewShader(o)
		if err != nil {
			l.fail(e.pos, about, "correct the shader's groups", "%s", strings.TrimPrefix(err.Error(), fmt.Sprintf("shader %q: ", o.Label)))
			return
		}
		for _, x := range l.g.Shaders {
			if x.Label() == o.Label {
				l.fail(e.pos, about, "give it another label", "shader %q has the label %q too", x.Key, o.Label)
				return
			}
		}
		out := &Shader{Shader: s, Key: key, Template: template, At: e.pos}
		if template != "" {
			out.Pass = e.name
		}
		l.g.Shaders = append(l.g.Shaders, out)
	}
	if len(templates) == 0 {
		add(e.name, "")
	}
	label := o.Label
	for _, v := range templates {
		if o.Template = l.node(v, about, "the template"); o.Template != nil {
			o.Label = label + ": " + v.text
			add(e.name+"/"+v.text, v.text)
		}
	}
}

// placeOf is where a key of a table has its value, or the table.
func placeOf(t *value, key string) Pos {
	if e := t.get(key); e != nil {
		return e.val.pos
	}
	return t.pos
}

func (l *loader) sets(e *entry) {
	out := &Sets{Key: e.name, At: e.pos, Sets: []*variant.Set{variant.Empty}}
	for _, k := range e.val.keys {
		s := l.switches[k.name]
		if s == nil {
			if t := l.root.get("switches"); t != nil && t.val.get(k.name) != nil { // it has its own error
				continue
			}
			l.fail(k.pos, Error{Switch: k.name}, diag.Hint(k.name, names(l.switches)), "set %q names a switch that is not there", e.name)
			continue
		}
		values := l.values(s, k.val, e.name)
		if len(values)*len(out.Sets) > MaxSets {
			l.fail(k.pos, Error{Switch: k.name}, "name fewer values", "set %q stands for more than %d sets", e.name, MaxSets)
			return
		}
		var next []*variant.Set
		for _, t := range out.Sets {
			for _, v := range values {
				if to, err := t.With(s.Switch, v); err == nil {
					next = append(next, to)
				}
			}
		}
		if len(values) > 0 {
			out.Sets = next
		}
	}
	l.g.Sets = append(l.g.Sets, out)
}

// values reads the value, or values, of a switch in a set.
func (l *loader) values(s *Switch, v *value, set string) []int {
	var have []string
	var all []int
	for _, m := range s.Members() {
		have, all = append(have, m.Name), append(all, m.Value)
	}
	one := func(v *value) []int {
		name := v.text
		switch {
		case v.kind == kindBool && s.IsBool():
			name = strconv.FormatBool(v.yes)
		case v.kind != kindText:
			l.fail(v.pos, Error{Switch: s.Key}, "write a member's name", "set %q: the value is %s", set, kindNames[v.kind])
			return nil
		}
		n, ok := s.Parse(name)
		if !ok {
			l.fail(v.pos, Error{Switch: s.Key, Member: name}, diag.Hint(name, have), "set %q: the switch has no such member", set)
			return nil
		}
		return []int{n}
	}
	if v.kind == kindText && v.text == "*" {
		return all
	}
	if v.kind != kindList {
		return one(v)
	}
	var out []int
	for _, x := range v.list {
		for _, n := range one(x) {
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	return out
}

// unused collects what no shader reaches. That is no error: a library of chunks may
// have more than one graph uses.
func (l *loader) unused() {
	reached := map[variant.Node]bool{}
	decided := map[*variant.Switch]bool{}
	for _, s := range l.g.Shaders {
		s.Walk(func(n variant.Node) {
			reached[n] = true
			if c, ok := n.(*variant.Choice); ok {
				decided[c.Switch()] = true
			}
		})
	}
	add := func(at Pos, about Error, format string, args ...any) {
		about.Pos, about.Text, about.Remedy = at, fmt.Sprintf(format, args...), "use it or take it away"
		l.g.Unused = append(l.g.Unused, &about)
	}
	for _, s := range l.g.Switches {
		if !decided[s.Switch] {
			add(s.At, Error{Switch: s.Key}, "no shader depends on the switch")
		}
	}
	for _, c := range l.g.Chunks {
		if !reached[c.Chunk] {
			add(c.At, Error{Chunk: c.Key}, "no shader reaches the chunk")
		}
	}
	for _, c := range l.g.Choices {
		if !reached[c.Choice] {
			add(c.At, Error{Switch: c.Switch().Label()}, "no shader reaches choice %q", c.Key)
		}
	}
	for _, r := range l.g.Resources {
		if !l.used[r.Name] {
			add(r.At, Error{}, "nothing reads or binds resource %q", r.Name)
		}
	}
	for _, n := range names(l.groups) {
		if !l.used["group "+n] {
			add(l.groups[n].at, Error{}, "no shader has group %q", n)
		}
	}
	Errors(l.g.Unused).sort()
}
