package trial

import (
	"fmt"
	"maps"
	"math"
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"fxlens/core/dxbc"
	"fxlens/core/gpu"
)

// A fragment module is run without interpolation: its entry point becomes an
// ordinary function, and a fragment entry point of ours calls it for every pixel
// of a small image with inputs from one buffer and writes the outputs to another.
// Quads and derivatives stay those of the driver.

// declaration is "@location(1) @interpolate(flat) uv: vec2<f32>".
type declaration struct {
	attrs map[string]string
	name  string
	typ   string
}

var attrPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`@\s*(\w+)\s*(?:\(([^()]*)\))?`) })
var commentPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`//[^\n]*`) })

func declarations(s string) []declaration {
	var out []declaration
	depth, from := 0, 0
	add := func(part string) {
		part = strings.TrimSpace(part)
		if part == "" {
			return
		}
		d := declaration{attrs: map[string]string{}}
		rest := attrPattern().ReplaceAllStringFunc(part, func(a string) string {
			m := attrPattern().FindStringSubmatch(a)
			d.attrs[m[1]] = strings.TrimSpace(m[2])
			return ""
		})
		if name, typ, ok := strings.Cut(rest, ":"); ok {
			d.name, d.typ = strings.TrimSpace(name), strings.TrimSpace(typ)
		} else {
			d.typ = strings.TrimSpace(rest)
		}
		out = append(out, d)
	}
	for i, c := range s {
		switch c {
		case '(', '<', '[':
			depth++
		case ')', '>', ']':
			depth--
		case ',':
			if depth == 0 {
				add(s[from:i])
				from = i + 1
			}
		}
	}
	add(s[from:])
	return out
}

// place is what a declaration connects to: "location3", "position", or empty for
// a structure.
func (d *declaration) place() string {
	if l, ok := d.attrs["location"]; ok {
		if b, ok := d.attrs["blend_src"]; ok {
			return "location" + l + "b" + b
		}
		return "location" + l
	}
	if b, ok := d.attrs["builtin"]; ok {
		b, _, _ = strings.Cut(b, ",")
		return strings.TrimSpace(b)
	}
	return ""
}

// header finds the entry point: the text before its attributes, its parameters
// and result, and the text from its body on.
type header struct {
	before, after string
	params        []declaration
	result        declaration
	hasResult     bool
}

func parseHeader(code, entry string) (*header, error) {
	blank := commentPattern().ReplaceAllStringFunc(code, func(s string) string { return strings.Repeat(" ", len(s)) })
	at := regexp.MustCompile(`@fragment\s+fn\s+` + entry + `\s*\(`).FindStringIndex(blank)
	if at == nil {
		return nil, fmt.Errorf("no fragment entry point %s", entry)
	}
	open := at[1] - 1
	end, depth := open, 0
	for ; end < len(blank); end++ {
		if blank[end] == '(' {
			depth++
		} else if blank[end] == ')' {
			if depth--; depth == 0 {
				break
			}
		}
	}
	body := strings.IndexByte(blank[end:], '{')
	if body < 0 {
		return nil, fmt.Errorf("no body of %s", entry)
	}
	body += end
	h := &header{before: code[:at[0]], after: code[body:], params: declarations(blank[open+1 : end])}
	if r := strings.TrimSpace(strings.Replace(blank[end+1:body], "->", "", 1)); r != "" {
		h.result, h.hasResult = declarations(r)[0], true
	}
	return h, nil
}

func members(code, name string) []declaration {
	blank := commentPattern().ReplaceAllString(code, "")
	m := regexp.MustCompile(`\bstruct\s+` + regexp.QuoteMeta(name) + `\s*\{([^}]*)\}`).FindStringSubmatch(blank)
	if m == nil {
		return nil
	}
	return declarations(m[1])
}

// fragmentIO says where the words of a pixel are in the buffers of the harness.
type fragmentIO struct {
	stride  int
	in      []string // places of the inputs, four words each
	outs    []string // places of the outputs, four words each, behind the marker
	outSize int
}

// wrap returns the module with the harness around it; group is a free bind group.
func wrap(code, entry string, group int) (string, *fragmentIO, error) {
	h, err := parseHeader(code, entry)
	if err != nil {
		return "", nil, err
	}
	io := &fragmentIO{}
	var pre, post strings.Builder
	load := func(d *declaration) string {
		p := d.place()
		i := slices.Index(io.in, p)
		if i < 0 {
			i = len(io.in)
			io.in = append(io.in, p)
		}
		if d.typ == "bool" {
			return fmt.Sprintf("fx_in[fx_at + %du] != 0u", 4*i)
		}
		n, scalar := width(d.typ)
		one := func(k int) string {
			e := fmt.Sprintf("fx_in[fx_at + %du]", 4*i+k)
			if scalar != "u32" {
				e = "bitcast<" + scalar + ">(" + e + ")"
			}
			return e
		}
		if n == 1 {
			return one(0)
		}
		var parts []string
		for k := range n {
			parts = append(parts, one(k))
		}
		return d.typ + "(" + strings.Join(parts, ", ") + ")"
	}
	var args, params []string
	for k := range h.params {
		d := &h.params[k]
		params = append(params, d.name+": "+d.typ)
		args = append(args, fmt.Sprintf("fx_p%d", k))
		if d.place() != "" {
			fmt.Fprintf(&pre, "  let fx_p%d = %s;\n", k, load(d))
			continue
		}
		fmt.Fprintf(&pre, "  var fx_p%d: %s;\n", k, d.typ)
		ms := members(code, d.typ)
		for i := range ms {
			fmt.Fprintf(&pre, "  fx_p%d.%s = %s;\n", k, ms[i].name, load(&ms[i]))
		}
	}
	store := func(d *declaration, path string) {
		i := len(io.outs)
		io.outs = append(io.outs, d.place())
		n, scalar := width(d.typ)
		for k := range n {
			e := path
			if n > 1 {
				e += fmt.Sprintf("[%d]", k)
			}
			if scalar != "u32" {
				e = "bitcast<u32>(" + e + ")"
			}
			fmt.Fprintf(&post, "  fx_out[fx_to + %du] = %s;\n", 4+4*i+k, e)
		}
	}
	call := "  " + entry + "(" + strings.Join(args, ", ") + ");\n"
	sig := "fn " + entry + "(" + strings.Join(params, ", ") + ") "
	if h.hasResult {
		call = "  let fx_r = " + strings.TrimSpace(call) + "\n"
		sig += "-> " + h.result.typ + " "
		if h.result.place() != "" {
			store(&h.result, "fx_r")
		} else {
			ms := members(code, h.result.typ)
			for i := range ms {
				store(&ms[i], "fx_r."+ms[i].name)
			}
		}
	}
	io.stride, io.outSize = 4*len(io.in), 4+4*len(io.outs)
	return fmt.Sprintf(`%s%s%s
@group(%d) @binding(0) var<storage, read> fx_in: array<u32>;
@group(%d) @binding(1) var<storage, read_write> fx_out: array<u32>;
@fragment
fn fx_main(@builtin(position) fx_p: vec4<f32>) {
  let fx_i = u32(fx_p.y) * %du + u32(fx_p.x);
  let fx_at = fx_i * %du;
  let fx_to = fx_i * %du;
%s%s  fx_out[fx_to] = 1u;
%s}
`, h.before, sig, h.after, group, group, pixelsX, io.stride, io.outSize, pre.String(), call, post.String()), io, nil
}

// fragment completes the pass of a pixel program.
func (t *Trial) fragment(j *gpu.Job, p *gpu.Pass, code gpu.Module) error {
	group := len(p.Layout)
	wrapped, io, err := wrap(code.Code, code.EntryPoint, group)
	if err != nil {
		return err
	}
	data := make([]byte, 0, t.n*io.stride*4)
	height := t.n / pixelsX
	for y := range height {
		for x := range pixelsX {
			i := lane(x, y)
			locs := t.locations(i)
			for _, place := range io.in {
				var w [4]uint32
				switch place {
				case "position":
					w = t.position[i]
					w[3] = math.Float32bits(1 / math.Float32frombits(w[3]))
				case "front_facing", "sample_index", "primitive_index":
					w[0] = t.builtin(place, i)
				case "sample_mask":
					w[0] = 1
					if c := t.special[dxbc.RegInputCoverage]; t.helper != nil && c != nil {
						w[0] = c[i]
					}
				default:
					n, err := strconv.Atoi(strings.TrimPrefix(place, "location"))
					if err != nil {
						return &ErrUnavailable{"input " + place}
					}
					w = locs[n]
				}
				for _, x := range w {
					data = put(data, x)
				}
			}
		}
	}
	j.Buffers = append(j.Buffers, gpu.Buffer{Name: "fx:in", Data: data, Size: 16}, gpu.Buffer{Name: "fx:out", Size: t.n * io.outSize * 4, Read: true})
	p.Bind = append(p.Bind, gpu.Bind{Group: group, Binding: 0, Resource: "fx:in"}, gpu.Bind{Group: group, Binding: 1, Resource: "fx:out"})
	p.Layout = append(slices.Clone(p.Layout), []gpu.Entry{
		{Binding: 0, Visibility: []string{gpu.Fragment}, Buffer: &gpu.BufferLayout{Type: "read-only-storage"}},
		{Binding: 1, Visibility: []string{gpu.Fragment}, Buffer: &gpu.BufferLayout{Type: "storage"}},
	})
	p.Modules = []gpu.Module{
		{Stage: gpu.Vertex, EntryPoint: "fx_vertex", Code: "@vertex fn fx_vertex(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> { return vec4<f32>(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0, 0.5, 1.0); }"},
		{Stage: gpu.Fragment, EntryPoint: "fx_main", Code: wrapped},
	}
	p.Draw = &gpu.Draw{VertexCount: 3, Width: pixelsX, Height: height}
	return nil
}

// builtin is a built-in input of a pixel: the register of its system value, or zero.
func (t *Trial) builtin(place string, i int) uint32 {
	if p := t.special[dxbc.RegPrimitiveID]; place == "primitive_index" && p != nil {
		return p[i]
	}
	sys := map[string]uint32{"front_facing": 9, "sample_index": 10, "primitive_index": 7}[place]
	for _, e := range t.Stage.decl.Inputs {
		if e.SysValue == sys && e.RegType == dxbc.RegInput && t.in[e.Register] != nil {
			return t.in[e.Register][i][bits.TrailingZeros8(e.Mask)&3]
		}
	}
	return 0
}

// lane is the invocation of a pixel, the inverse of pixel.
func lane(x, y int) int { return (y/2*(pixelsX/2)+x/2)*4 + y&1*2 + x&1 }

func sortedKeys[K string | int, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
