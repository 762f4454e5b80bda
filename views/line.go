package views

import (
	"strings"

	"fxlens/core/ir"
)

// Role says what a span of text is. A theme gives every role a colour and attributes.
type Role uint8

// The roles. Those from RoleCode on are code roles: a theme takes them from its chroma
// style unless it sets them itself.
const (
	RoleText      Role = iota // ordinary text
	RoleDim                   // less important text: units, counts, explanations
	RoleTitle                 // a heading inside a pane
	RoleName                  // a name that gives structure: axis, technique, resource
	RoleChosen                // the option in force
	RoleOK                    // translated
	RoleRefused               // an error, a refused stage
	RoleMissing               // a stage without counterpart in WebGPU
	RolePending               // not known yet
	RoleWarning               // an assumption or adaptation
	RoleNote                  // worth knowing
	RoleLineNo                // numbers beside a listing
	RoleBorder                // lines between panes
	RolePane                  // title of a pane
	RolePaneOn                // title of the focused pane
	RoleStatus                // the status line
	RoleKey                   // a key in a hint
	RolePrompt                // what the user types
	RoleLink                  // a deep link, a path
	RoleCode                  // code: white space and what has no role of its own
	RoleKeyword               // var, if, loop
	RoleType                  // vec4<f32>, f32
	RoleFunction              // textureSample, an SSA operation
	RoleVariable              // a local
	RoleResource              // a binding: t0, cb1
	RoleStageIO               // stage inputs and outputs: v1, o0
	RoleLiteral               // numbers
	RoleOperator              // + * =
	RolePunct                 // ( , ;
	RoleAttribute             // @group(0)
	RoleComment               // comments
	RoleMember                // .xyz, struct members
	RoleRegister              // r0, x0
	RoleOpcode                // DXBC mnemonics
	RoleDecl                  // DXBC declarations
	RoleValue                 // v42
	NumRoles      = iota
)

var roleNames = [NumRoles]string{
	"text", "dim", "title", "name", "chosen", "ok", "refused", "missing", "pending", "warning",
	"note", "lineno", "border", "pane", "pane-on", "status", "key", "prompt", "link", "code",
	"keyword", "type", "function", "variable", "resource", "stage-io", "literal", "operator",
	"punct", "attribute", "comment", "member", "register", "opcode", "decl", "value",
}

// String returns the role's name as theme files write it.
func (r Role) String() string {
	if int(r) < len(roleNames) {
		return roleNames[r]
	}
	return "role?"
}

// IsCode reports whether a theme may leave the role to its chroma style.
func (r Role) IsCode() bool { return r >= RoleCode }

// Emph is what the selection adds to a span. A theme gives every emphasis a background
// and attributes that lie over the role's own.
type Emph uint8

// The emphases, weakest first: a later one covers an earlier one.
const (
	EmphNone   Emph = iota
	EmphIdle        // the cursor line of a pane that is not focused
	EmphLinked      // a line that belongs to what the cursor is on
	EmphCursor      // the cursor line of the focused listing
	EmphRow         // the cursor row of the focused list
	EmphTied        // a token that belongs to what the cursor is on
	EmphOccur       // the same register lanes or value
	EmphHit         // a search hit
	EmphToken       // the token under the cursor
	EmphHitOn       // the search hit under the cursor
	NumEmphs   = iota
)

var emphNames = [NumEmphs]string{
	"none", "idle", "linked", "cursor", "row", "tied", "occurrence", "hit", "token", "hit-on",
}

// String returns the emphasis' name as theme files write it.
func (e Emph) String() string {
	if int(e) < len(emphNames) {
		return emphNames[e]
	}
	return "emph?"
}

// Mark is a set of things that a line's gutter shows as glyphs, so that no state rests
// on colour alone.
type Mark uint8

// The marks.
const (
	MarkCursor  Mark = 1 << iota // the cursor is here
	MarkLinked                   // belongs to what the cursor is on
	MarkError                    // an error is located here
	MarkWarning                  // a warning is located here
	MarkChanged                  // differs from what was there before
	MarkMore                     // continues the line above (wrapped)
	MarkFolded                   // heads a closed region
	MarkChosen                   // in the range that the user selects
)

// Span is a run of text with one role.
type Span struct {
	Role Role
	Emph Emph
	// Tok numbers the selectable tokens of a line from 1; 0 for what the cursor
	// cannot stand on.
	Tok  uint16
	Text string
}

// RefKind says what a line stands for.
type RefKind uint8

// The kinds of reference.
const (
	RefNone RefKind = iota
	RefInstr
	RefValue
	RefNode
	RefCode // a line of a module
	RefAxis
	RefOption
	RefTechnique
	RefPass
	RefStage
	RefBinding
	RefDiag
	RefAction
)

// Ref is what a line stands for, so that clicking, jumping and highlighting need no
// parsing of text. Fields that the kind does not use are -1.
type Ref struct {
	Kind  RefKind
	Instr int32
	Value ir.ValueID
	Node  ir.NodeID
	Index int32 // axis, technique, binding, diagnostic, action: its index
	Sub   int32 // option of the axis, pass of the technique
	Part  int32 // stage of the pass
}

// NoRef stands for nothing.
var NoRef = Ref{Instr: -1, Value: ir.NoValue, Node: ir.NoNode, Index: -1, Sub: -1, Part: -1}

// Line is one line of a listing.
type Line struct {
	Ref    Ref
	Mark   Mark
	Gutter string // number beside the line, padded; stays put when the listing scrolls sideways
	Spans  []Span
}

// Text returns the line without its gutter.
func (l *Line) Text() string {
	if len(l.Spans) == 1 {
		return l.Spans[0].Text
	}
	var b strings.Builder
	for _, s := range l.Spans {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Width is the number of cells that the line takes, without its gutter.
func (l *Line) Width() int {
	n := 0
	for _, s := range l.Spans {
		n += Width(s.Text)
	}
	return n
}

// Window is the part of a listing that is wanted: Rows lines from First on, laid out
// for Cols cells where a view lays out columns.
type Window struct {
	First, Rows, Cols int
}

// clip returns the range of lines of a listing of n lines inside the window.
func (w Window) clip(n int) (first, last int) {
	first = max(w.First, 0)
	last = min(first+max(w.Rows, 0), n)
	return min(first, last), last
}

// Listing is a virtual text with a cursor.
type Listing interface {
	// Len is the number of lines.
	Len() int
	// Lines returns the lines inside w, marked for sel.
	Lines(w Window, sel *Selection) []Line
	// Tokens is the number of selectable tokens of a line.
	Tokens(line int) int
	// Focus says what a line stands for or, with tok above 0, that token of it.
	Focus(line, tok int) Focus
	// Seek returns the line to show for a selection made elsewhere, or -1 where
	// nothing here belongs to it. It prefers a line near near.
	Seek(sel *Selection, near int) int
	// Text returns a line as plain text, for searching and copying.
	Text(line int) string
}

// span makes a span without a token.
func span(r Role, s string) Span { return Span{Role: r, Text: s} }

// padded makes a span of s in n cells, clipped or filled with spaces.
func padded(r Role, s string, n int) Span { return Span{Role: r, Text: Pad(Clip(s, n), n)} }
