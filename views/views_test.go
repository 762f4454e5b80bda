package views_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/ir"
	"fxlens/core/wgsl"
	"fxlens/views"
)

var sizes = []struct{ w, h int }{{80, 24}, {120, 40}, {220, 60}}

// Every view has a golden text at the three sizes, with the cursor somewhere and what
// belongs to it marked. Run with -update after a change and look at the difference.
func TestGolden(t *testing.T) {
	s := load(t)
	links := s.links()
	d, f, w := views.NewDXBC(s.shader.Program, s.diags), views.NewSSA(s.f, s.diags), views.NewWGSL(s.module)
	at := links.Select(d.Focus(d.Row(35), 3))
	cursor := at.At(d.Row(35), 3, true)
	other := func(l views.Listing) *views.Selection { return at.At(l.Seek(&at, 0), 0, false) }
	for _, c := range []struct {
		name string
		l    views.Listing
		sel  *views.Selection
	}{
		{"axes", views.NewAxes(axes, []int{1, 1, 0}, false), (&views.Selection{}).At(2, 0, true)},
		{"axes-compact", views.NewAxes(axes, []int{1, 1, 0}, true), (&views.Selection{}).At(1, 0, true)},
		{"tree", views.NewTree(nodes(), map[int]bool{1: true}), (&views.Selection{}).At(3, 0, true)},
		{"dxbc", d, cursor},
		{"ssa", f, other(f)},
		{"wgsl", w, other(w)},
		{"interleaved", views.NewMixed(d, w), other(views.NewMixed(d, w))},
		{"bindings", views.Bindings(s.plan), other(views.Bindings(s.plan))},
		{"signatures", views.Signatures(s.pass(), 1), nil},
		{"diagnostics", views.Diagnostics(s.diags), (&views.Selection{}).At(0, 0, true)},
	} {
		for _, z := range sizes {
			t.Run(fmt.Sprintf("%s-%dx%d", c.name, z.w, z.h), func(t *testing.T) {
				first := 0
				if c.sel != nil {
					first = max(min(c.sel.Line-z.h/2, c.l.Len()-z.h), 0)
				}
				lines := c.l.Lines(views.Window{First: first, Rows: z.h, Cols: z.w - 8}, c.sel)
				assert.LessOrEqual(t, len(lines), z.h)
				golden.RequireEqual(t, []byte(text(lines, z.w)))
			})
		}
		t.Run(c.name+"-roles", func(t *testing.T) {
			golden.RequireEqual(t, []byte(roles(c.l.Lines(views.Window{First: 0, Rows: 60, Cols: 72}, c.sel))))
		})
	}
}

func TestGoldenDetail(t *testing.T) {
	s := load(t)
	var all []views.Line
	for i := range s.diags {
		all = append(all, views.Detail(&s.diags[i], i, len(s.diags), 60)...)
	}
	d := views.NewDXBC(s.shader.Program, nil)
	for _, i := range []int32{0, 10, 14, 35, 41} {
		all = append(all, views.InstrDetail(d, s.links(), d.Row(i), 3, 60)...)
	}
	for _, id := range []ir.ValueID{1, 14, 15} {
		all = append(all, views.ValueDetail(s.links(), id, 60)...)
	}
	for i := range s.plan.Bindings {
		f := views.NoFocus
		f.Binding = int32(i)
		sel := s.links().Select(f)
		all = append(all, views.BindingDetail(&s.plan.Bindings[i], s.links(), &sel, 60)...)
	}
	golden.RequireEqual(t, []byte(text(all, 64)))
}

// A window of a listing is what the whole listing has there.
func TestWindows(t *testing.T) {
	s := load(t)
	d, w := views.NewDXBC(s.shader.Program, s.diags), views.NewWGSL(s.module)
	for name, l := range map[string]views.Listing{
		"dxbc": d, "ssa": views.NewSSA(s.f, nil), "wgsl": w, "mixed": views.NewMixed(d, w), "bindings": views.Bindings(s.plan),
		"axes": views.NewAxes(axes, []int{0, 0, 0}, false), "tree": views.NewTree(nodes(), nil),
	} {
		t.Run(name, func(t *testing.T) {
			whole := l.Lines(views.Window{Rows: l.Len(), Cols: 80}, nil)
			require.Len(t, whole, l.Len())
			for first := range l.Len() {
				part := l.Lines(views.Window{First: first, Rows: 3, Cols: 80}, nil)
				require.Equal(t, whole[first:min(first+3, l.Len())], part, "from %d", first)
			}
			for _, out := range []views.Window{{First: -5, Rows: 2}, {First: l.Len(), Rows: 5}, {First: 1 << 30, Rows: 5}, {Rows: -1}} {
				assert.LessOrEqual(t, len(l.Lines(out, nil)), max(out.Rows, 0))
			}
			for _, n := range []int{-1, l.Len(), 1 << 30} {
				assert.Zero(t, l.Tokens(n))
				assert.Empty(t, l.Text(n))
				f := l.Focus(n, 1)
				assert.True(t, f.Empty())
			}
		})
	}
}

// What a pane shows is what search and copy see.
func TestTextIsWhatIsShown(t *testing.T) {
	s := load(t)
	d, w := views.NewDXBC(s.shader.Program, s.diags), views.NewWGSL(s.module)
	for name, l := range map[string]views.Listing{"dxbc": d, "wgsl": w, "mixed": views.NewMixed(d, w), "ssa": views.NewSSA(s.f, nil)} {
		lines := l.Lines(views.Window{Rows: l.Len(), Cols: 80}, nil)
		for i := range lines {
			shown := lines[i].Text()
			if name == "ssa" { // names behind the line are not part of the text form
				shown, _, _ = strings.Cut(shown, "  ;")
			}
			assert.Equal(t, l.Text(i), shown, "%s line %d", name, i)
		}
	}
	listing := s.shader.Program.Text(35)
	assert.Equal(t, listing, d.Text(d.Row(35)))
	assert.Equal(t, ir.Print(s.f), allText(views.NewSSA(s.f, nil)))
}

func allText(l views.Listing) string {
	var b strings.Builder
	for i := range l.Len() {
		b.WriteString(l.Text(i) + "\n")
	}
	return b.String()
}

// The source map carries the cursor from any form to any other.
func TestLinks(t *testing.T) {
	s := load(t)
	k := s.links()
	d, f, w := views.NewDXBC(s.shader.Program, nil), views.NewSSA(s.f, nil), views.NewWGSL(s.module)
	forms := map[string]views.Listing{"dxbc": d, "ssa": f, "wgsl": w}
	text := map[string]string{"dxbc": "mul r1.xyzw, r1.xyzw, v1.xyzw", "ssa": "xyzw, in1.xyzw @35", "wgsl": "let r1 = second * color;"}
	for from, l := range forms {
		sel := views.NoSelection
		for i := range l.Len() {
			if strings.Contains(l.Text(i), text[from]) {
				sel = k.Select(l.Focus(i, 0))
			}
		}
		for to, o := range forms {
			n := o.Seek(&sel, 0)
			require.GreaterOrEqual(t, n, 0, "from %s to %s", from, to)
			assert.Contains(t, o.Text(n), text[to], "from %s to %s", from, to)
			ls := o.Lines(views.Window{First: n, Rows: 1}, sel.At(-1, 0, false))
			assert.NotZero(t, ls[0].Mark&views.MarkLinked, "from %s to %s: not marked", from, to)
		}
	}
}

func TestLinksToBindings(t *testing.T) {
	s := load(t)
	k := s.links()
	d := views.NewDXBC(s.shader.Program, nil)
	for _, c := range []struct {
		token string
		want  string
	}{{"t0", "Sprite"}, {"t1", "Second"}, {"s0", "SpriteSampler"}} {
		line, tok := find(t, d, c.token)
		sel := k.Select(d.Focus(line, tok))
		require.GreaterOrEqual(t, sel.Binding, int32(0), c.token)
		assert.Equal(t, c.want, s.plan.Bindings[sel.Binding].Name)
		b := views.Bindings(s.plan)
		assert.Equal(t, int(sel.Binding)+1, b.Seek(&sel, 0))
	}
	// And back: a binding lights up its declaration and every use.
	f := views.NoFocus
	f.Binding = 1
	sel := k.Select(f)
	assert.Contains(t, sel.Instrs, int32(3), "the declaration of t0")
	assert.Contains(t, sel.Instrs, int32(10), "the sample of t0")
	assert.NotContains(t, sel.Instrs, int32(11), "the sample of t1")
	require.Len(t, sel.Values, 1)
	assert.Equal(t, int32(10), s.f.Values[sel.Values[0]].Instr)
}

// find returns the last line of a listing with a token of that text, and the token.
func find(t *testing.T, l views.Listing, token string) (line, tok int) {
	t.Helper()
	for i := range l.Len() {
		for _, s := range l.Lines(views.Window{First: i, Rows: 1}, nil)[0].Spans {
			if s.Tok > 0 && s.Text == token {
				line, tok = i, int(s.Tok)
			}
		}
	}
	require.NotZero(t, tok, "no token %s", token)
	return line, tok
}

// A register lights up by its lanes: r0.x is not r0.yz.
func TestLanes(t *testing.T) {
	s := load(t)
	d := views.NewDXBC(s.shader.Program, nil)
	occurs := func(instr int32, tok int) string {
		sel := s.links().Select(d.Focus(d.Row(instr), tok))
		var out []string
		for i, l := range d.Lines(views.Window{Rows: d.Len()}, sel.At(-1, 0, false)) {
			got := ""
			for _, sp := range l.Spans {
				if sp.Emph == views.EmphOccur {
					got += sp.Text
				}
			}
			if got != "" {
				out = append(out, fmt.Sprintf("%d:%s", d.Ref(i).Instr, got))
			}
		}
		return strings.Join(out, " ")
	}
	x, y := occurs(37, 2), occurs(38, 2)
	assert.Contains(t, d.Text(d.Row(37)), "deriv_rtx_coarse r0.x")
	assert.Contains(t, x, "37:r0.x")
	assert.NotContains(t, x, "38:r0.y", "the other lane")
	assert.Contains(t, y, "38:r0.y")
	assert.NotContains(t, y, "37:r0.x", "the other lane")
	// A swizzle reads the lanes that the destination asks for.
	assert.Contains(t, x, "39:r0.x")
}

// A register with an index is one token; a register inside the index is another.
func TestTokensOfIndexedRegisters(t *testing.T) {
	s := load(t)
	d := views.NewDXBC(s.shader.Program, nil)
	units := func(instr int32) []string {
		line := d.Row(instr)
		var out []string
		for tok := 1; tok <= d.Tokens(line); tok++ {
			f := d.Focus(line, tok)
			out = append(out, fmt.Sprintf("%s %s", f.Lanes.Reg, views.MaskText(f.Lanes.Mask)))
		}
		return out
	}
	assert.Equal(t, "if_nz cb0[16].x", d.Text(d.Row(36)))
	assert.Equal(t, []string{" ", "cb0[16] x"}, units(36))
	assert.Equal(t, "  mad r1.xyz, r0.xxxx, cb0[r0.y + 0].xyzx, r1.xyzx", d.Text(d.Row(41)))
	assert.Equal(t, []string{" ", "r1 xyz", "r0 x", "cb0[r0.y + 0] xyz", "r0 y", "r1 xyz"}, units(41))
}

func TestMeets(t *testing.T) {
	for _, c := range []struct {
		a, b views.Lanes
		want bool
	}{
		{views.Lanes{Reg: "r0", Mask: 1}, views.Lanes{Reg: "r0", Mask: 6}, false},
		{views.Lanes{Reg: "r0", Mask: 3}, views.Lanes{Reg: "r0", Mask: 6}, true},
		{views.Lanes{Reg: "r0", Mask: 1}, views.Lanes{Reg: "r1", Mask: 1}, false},
		{views.Lanes{Reg: "s0"}, views.Lanes{Reg: "s0"}, true},
		{views.Lanes{}, views.Lanes{}, false},
	} {
		assert.Equal(t, c.want, c.a.Meets(c.b), "%v %v", c.a, c.b)
	}
}

func TestWriter(t *testing.T) {
	s := load(t)
	d := views.NewDXBC(s.shader.Program, nil)
	assert.Equal(t, d.Row(37), d.Writer(d.Row(39), views.Lanes{Reg: "r0", Mask: 1}))
	assert.Equal(t, d.Row(38), d.Writer(d.Row(39), views.Lanes{Reg: "r0", Mask: 2}))
	assert.Equal(t, -1, d.Writer(d.Row(39), views.Lanes{Reg: "v1", Mask: 1}), "an input is written nowhere")
}

func TestLiteral(t *testing.T) {
	assert.Equal(t, "float 1.000000   int 1065353216   uint 1065353216   hex 0x3f800000", views.LiteralForms(0x3f800000))
	assert.Contains(t, views.LiteralForms(0xffffffff), "int -1   uint 4294967295")
	assert.Contains(t, views.LiteralForms(0x33d6bf95), "(1e-07)", "the fixed digits hide it")
}

// A diff has every changed line, and applied to the old listing it gives the new one.
func TestDiff(t *testing.T) {
	line := func(texts ...string) *views.Static {
		var ls []views.Line
		for _, s := range texts {
			ls = append(ls, views.Say(views.RoleText, s))
		}
		return views.NewStatic(ls, nil)
	}
	old := line("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l")
	new := line("a", "B", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m")
	d := views.NewDiff(old, new)
	assert.Equal(t, "  a\n- b\n+ B\n  c\n  d\n  e\n···\n  j\n  k\n  l\n+ m\n", allText(d))
	assert.Equal(t, [2]int{2, 1}, [2]int{d.Added, d.Removed})
	for i := range d.Len() {
		assert.Equal(t, d.Text(i), d.Lines(views.Window{First: i, Rows: 1}, nil)[0].Text())
	}
	same := views.NewDiff(old, old)
	assert.Zero(t, same.Len())
	s := load(t)
	dx := views.NewDXBC(s.shader.Program, nil)
	d = views.NewDiff(line(), dx)
	assert.Equal(t, dx.Len(), d.Added)
	sel := s.links().Select(dx.Focus(dx.Row(35), 0))
	assert.Contains(t, d.Text(d.Seek(&sel, 0)), "mul r1.xyzw", "the cursor finds its line")
}

// An interleaved listing has every line of both forms once.
func TestMixedIsComplete(t *testing.T) {
	s := load(t)
	d, w := views.NewDXBC(s.shader.Program, nil), views.NewWGSL(s.module)
	m := views.NewMixed(d, w)
	require.Equal(t, d.Len()+w.Len(), m.Len())
	have := map[string]int{}
	for i := range m.Len() {
		have[strings.TrimPrefix(m.Text(i), "    │ ")]++
	}
	want := map[string]int{}
	for _, l := range []views.Listing{d, w} {
		for i := range l.Len() {
			want[l.Text(i)]++
		}
	}
	assert.Equal(t, want, have)
}

// TestMixedComments keeps a comment above the statement that it is about, behind the
// same instruction.
func TestMixedComments(t *testing.T) {
	s := load(t)
	ins := s.shader.Program.Instrs
	first, second := int32(len(ins)-3), int32(len(ins)-2)
	code := "fn main() {\n  a = b;\n  // tint\n  c = d;\n}\n"
	at := func(text string) uint32 { return uint32(strings.Index(code, text)) }
	m := &wgsl.Module{Code: code, Tokens: []wgsl.Token{
		{Off: at("a ="), Len: 1, Instr: first, Value: -1}, {Off: at("// tint"), Len: 7, Instr: -1, Value: -1, Role: wgsl.RoleComment},
		{Off: at("c ="), Len: 1, Instr: second, Value: -1},
	}}
	l := views.NewMixed(views.NewDXBC(s.shader.Program, nil), views.NewWGSL(m))
	var behind []string
	for i := range l.Len() {
		if text, ok := strings.CutPrefix(l.Text(i), "    │ "); ok {
			behind = append(behind, text)
		} else if n := len(behind); n > 0 && behind[n-1] != "" {
			behind = append(behind, "") // an instruction
		}
	}
	assert.Equal(t, []string{"fn main() {", "", "  a = b;", "", "  // tint", "  c = d;", "}", ""}, behind)
}
