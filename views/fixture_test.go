package views_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/effect"
	"fxlens/core/ir"
	"fxlens/core/wgsl"
	"fxlens/core/wgsl/layout"
	"fxlens/views"
)

// sprite is the pixel stage of ui/sprite2d in every form, kept as files so that these
// tests are about views and not about what the compiler makes today.
type sprite struct {
	shader, before *dxbc.Shader
	f              *ir.Function
	module         *wgsl.Module
	plan           *layout.Plan
	diags          []diag.Diag
}

func file(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	return b
}

// lineOf says which instruction the tokens of a WGSL line are of, by the text that the
// line starts with. Their value is the last one of the instruction.
var lineOf = []struct {
	start string
	instr int32
}{
	{"  let sprite", 10}, {"  var second", 11}, {"  switch", 12}, {"      second = sprite;", 14},
	{"      second += sprite", 17}, {"      second *= sprite", 20}, {"      second = sprite - second", 23},
	{"      second = second.w", 27}, {"      second = max", 30}, {"  let r1 =", 35}, {"  if (bitcast", 36},
	{"    let r0_x", 37}, {"    let r0_y", 38}, {"    color2 =", 41}, {"  return", 44},
}

func load(t testing.TB) *sprite {
	t.Helper()
	s := new(sprite)
	var err error
	s.shader, err = dxbc.Open(file(t, "sprite.ps.dxbc"))
	require.NoError(t, err)
	s.before, err = dxbc.Open(file(t, "sprite.vs.dxbc"))
	require.NoError(t, err)
	s.f, err = ir.Parse(string(file(t, "sprite.ssa")))
	require.NoError(t, err)
	s.f.Program = s.shader.Program
	s.module = &wgsl.Module{Stage: layout.Fragment, EntryPoint: "main", Code: string(file(t, "sprite.wgsl"))}
	s.module.Tokens = lex(s.module.Code, s.f)
	binding := func(k layout.Kind, reg uint32, slot int, name, typ string, res int32) layout.Binding {
		b := layout.Binding{Identity: fmt.Sprintf("%s:0:%d", k, reg), Kind: k, Register: reg, Binding: slot, Name: name, Type: typ,
			Visibility: []layout.Stage{layout.Fragment}, Resources: [3]int32{-1, res, -1}}
		switch k {
		case layout.UniformBuffer:
			b.Buffer = &layout.Buffer{Type: "uniform", MinBindingSize: 272}
		case layout.SampledResource:
			b.Texture = &layout.Texture{SampleType: "float", ViewDimension: "2d"}
		case layout.Sampler:
			b.Sampler = &layout.SamplerState{Type: "filtering"}
		}
		return b
	}
	s.plan = &layout.Plan{Bindings: []layout.Binding{
		binding(layout.UniformBuffer, 0, 1, "", "array<vec4<f32>, 17>", 0),
		binding(layout.SampledResource, 0, 2, "Sprite", "texture_2d<f32>", 2),
		binding(layout.SampledResource, 1, 3, "Second", "texture_2d<f32>", 3),
		binding(layout.Sampler, 0, 4, "SpriteSampler", "sampler", 1),
	}}
	s.diags = []diag.Diag{
		{Code: "test.refused", Sev: diag.Error, At: diag.At(36), Text: "the condition is not known", Remedy: "none"},
		{Code: "test.assumed", Sev: diag.Warning, At: diag.At(11).InStage("Main", 0, "ps"), Text: "the format of t1 is assumed",
			Remedy: "give it with --view t1=R32_UINT", Notes: []diag.Related{{At: diag.At(4), Text: "declared here"}}},
		{Code: "test.note", Sev: diag.Note, Text: "worth knowing", Remedy: "none"},
	}
	return s
}

// lex makes tokens of a module: words, numbers and punctuation, with the roles and the
// source map that lineOf gives.
func lex(code string, f *ir.Function) []wgsl.Token {
	word := func(c byte) bool {
		return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	var out []wgsl.Token
	off := 0
	for _, line := range strings.SplitAfter(code, "\n") {
		instr, value := int32(-1), ir.NoValue
		for _, l := range lineOf {
			if strings.HasPrefix(line, l.start) {
				instr = l.instr
				for v := range f.Values {
					if f.Values[v].Instr == instr && f.Values[v].Node >= 0 {
						value = ir.ValueID(v)
					}
				}
			}
		}
		for i := 0; i < len(line); {
			c := line[i]
			j := i + 1
			role := wgsl.RolePunct
			switch {
			case c == ' ' || c == '\n':
				i = j
				continue
			case strings.HasPrefix(line[i:], "//"):
				j, role = len(strings.TrimRight(line, "\n")), wgsl.RoleComment
			case word(c):
				for j < len(line) && word(line[j]) {
					j++
				}
				role = wgsl.RoleVariable
				switch w := line[i:j]; {
				case c >= '0' && c <= '9':
					role = wgsl.RoleLiteral
				case w == "let" || w == "var" || w == "fn" || w == "if" || w == "switch" || w == "case" || w == "default" || w == "return":
					role = wgsl.RoleKeyword
				case strings.HasPrefix(w, "vec") || w == "f32" || w == "u32":
					role = wgsl.RoleType
				}
			case strings.IndexByte("+-*=<>", c) >= 0:
				role = wgsl.RoleOperator
			}
			out = append(out, wgsl.Token{Off: uint32(off + i), Len: uint32(j - i), Role: role, Instr: instr, Value: value})
			i = j
		}
		off += len(line)
	}
	return out
}

func (s *sprite) links() *views.Links { return views.NewLinks(s.f, s.plan, layout.Fragment) }

func (s *sprite) pass() *compile.Pass {
	return &compile.Pass{Plan: s.plan, Stages: []*compile.Stage{
		{Kind: dxbc.Vertex, Shader: s.before, Status: compile.Translated},
		{Kind: dxbc.Pixel, Shader: s.shader, Func: s.f, Module: s.module, Status: compile.Translated},
	}}
}

// axes are those of a small effect.
var axes = []effect.Axis{
	{Name: "BLEND_MODE", Description: "Output blending", Options: []string{"BLEND_OPAQUE", "BLEND_ALPHA", "BLEND_ADD"}},
	{Name: "SKINNED", Default: 1, Type: 1, Options: []string{"SKINNED_OFF", "SKINNED_ON"}},
	{Name: "A_NAME_THAT_IS_LONGER_THAN_ANY_COLUMN_SHOULD_EVER_BE", Description: "and a description that goes on and on", Options: []string{"ON"}},
}

func nodes() []views.PassNode {
	stage := func(k dxbc.ProgramKind, s compile.Status, instrs, errs, warns int) views.StageNode {
		return views.StageNode{Kind: k, Known: true, Status: s, Instrs: instrs, Errors: errs, Warnings: warns}
	}
	return []views.PassNode{
		{Technique: "Main", Pass: 0, Known: true, Status: compile.Translated, Stages: []views.StageNode{
			stage(dxbc.Vertex, compile.Translated, 39, 0, 0), stage(dxbc.Pixel, compile.Translated, 106, 0, 2)}},
		{Technique: "Main", Pass: 1, Known: true, Status: compile.Refused, Stages: []views.StageNode{
			stage(dxbc.Vertex, compile.Refused, 12, 1, 0), stage(dxbc.Geometry, compile.NoCounterpart, 30, 0, 0), stage(dxbc.Pixel, compile.Undecodable, 0, 0, 0)}},
		{Technique: "Depth", TechIndex: 1, Pass: 0, Stages: []views.StageNode{{Kind: dxbc.Vertex}}},
		{Technique: "States", TechIndex: 2, Pass: 0, Known: true},
		{Technique: "Empty", TechIndex: 3, Pass: -1},
		{Technique: "Broken", TechIndex: 4, Pass: 0, Known: true, Err: "the body cannot be read"},
	}
}

// text shows lines as a pane would: marks, number, text, clipped to w cells.
func text(lines []views.Line, w int) string {
	var b strings.Builder
	for i := range lines {
		l := &lines[i]
		mark := " "
		switch {
		case l.Mark&views.MarkMore != 0:
			mark = "+"
		case l.Mark&views.MarkCursor != 0:
			mark = ">"
		case l.Mark&views.MarkLinked != 0:
			mark = "="
		}
		switch {
		case l.Mark&views.MarkError != 0:
			mark += "!"
		case l.Mark&views.MarkWarning != 0:
			mark += "^"
		default:
			mark += " "
		}
		head, _ := views.Cut(mark+l.Gutter+" "+l.Text(), w)
		b.WriteString(strings.TrimRight(head, " ") + "\n")
	}
	return b.String()
}

// roles shows lines span by span: role, emphasis and token beside the text.
func roles(lines []views.Line) string {
	var b strings.Builder
	for i := range lines {
		for _, s := range lines[i].Spans {
			fmt.Fprintf(&b, "%s", s.Role)
			if s.Emph != views.EmphNone {
				fmt.Fprintf(&b, "/%s", s.Emph)
			}
			if s.Tok > 0 {
				fmt.Fprintf(&b, "#%d", s.Tok)
			}
			fmt.Fprintf(&b, "[%s] ", s.Text)
		}
		b.WriteString("\n")
	}
	return b.String()
}
