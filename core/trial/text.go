package trial

import (
	"fmt"
	"maps"
	"strings"

	"fxlens/core/dxbc"
	"fxlens/core/interp"
	"fxlens/core/interp/job"
	"fxlens/core/ir"
	"fxlens/core/wgsl/layout"
)

// Text returns the inputs in the job language; program names the file with the stage's
// bytecode, and others those of a draw's other stages, by stage. FromJob reads it back.
//
// Of a trial that a job made, which is what [Stage.Inputs] gives where the language can
// say it, the text is that job with the changes of SetConstant and SetInput, and gives
// exactly the same run. Of one that [Stage.Trial] made, the pixels of a pixel program are
// those of one triangle over an image of eight by eight, with other values than the
// trial's own, since interpolation makes them. It fails with an [*ErrUnavailable] on what
// the language cannot say.
func (t *Trial) Text(program string, others map[string]string) (string, error) {
	var b strings.Builder
	s := t.Stage
	edited := ""
	if len(t.edited)+len(t.constants()) > 0 {
		edited = ", some of them set by hand"
	}
	if t.Set != Given {
		fmt.Fprintf(&b, "# %s, generated inputs %q, seed %d%s\n", strings.ReplaceAll(s.Name, "\n", " "), t.Set, t.Seed, edited)
	}
	if t.source != nil {
		kind := s.Shader.Program.Kind.String()
		programs := maps.Clone(others)
		if programs == nil {
			programs = map[string]string{}
		}
		programs[kind] = program
		text, err := t.source.job.Text(job.Changes{Stage: kind, Programs: programs, Constants: t.constants(), Inputs: t.inputs()}, t.source.open)
		return b.String() + text, err
	}
	kind := s.Shader.Program.Kind.String()
	fmt.Fprintf(&b, "job %s\nstage %s\ndxbc %s %s\n", strings.Join(strings.Fields(kind+"-"+t.Set.String()), "-"), kind, kind, program)
	slot := func(r *ir.Resource) string {
		return job.SlotText(interp.Slot{Register: r.Register, Space: r.Space})
	}
	data := func(d []byte) { fmt.Fprintf(&b, " hex:%x\n", d) }
	counters := map[interp.Slot][]byte{}
	for _, x := range t.buffers {
		if x.kind == layout.UAVCounter {
			counters[interp.Slot{Register: x.res.Register, Space: x.res.Space}] = x.data
		}
	}
	for _, x := range t.buffers {
		letter := "t"
		switch x.kind {
		case layout.UAVCounter:
			continue
		case layout.UniformBuffer:
			fmt.Fprintf(&b, "cb %s", slot(x.res))
			data(x.data)
			continue
		case layout.StorageResource:
			letter = "u"
		}
		fmt.Fprintf(&b, "buf %s%s ", letter, slot(x.res))
		switch {
		case x.fmt != nil:
			fmt.Fprintf(&b, "typed fmt=%s", x.fmt.Name)
		case x.res.Dim == dxbc.DimStructuredBuffer:
			fmt.Fprintf(&b, "structured stride=%d", x.res.Stride)
		default:
			b.WriteString("raw")
		}
		at := interp.Slot{Register: x.res.Register, Space: x.res.Space}
		if c := counters[at]; c != nil && letter == "u" {
			fmt.Fprintf(&b, " counter=%d", uint32(c[0])|uint32(c[1])<<8|uint32(c[2])<<16|uint32(c[3])<<24)
			delete(counters, at)
		}
		data(x.data)
	}
	if len(counters) > 0 {
		return "", unavailable("a counter without its buffer")
	}
	for _, x := range t.textures {
		letter := "t"
		if x.uav {
			letter = "u"
		}
		word, ok := job.DimText(x.dim)
		if !ok {
			return "", unavailable("a texture (%s%s) of no known kind", letter, slot(x.res))
		}
		depth, layers := 1, x.web.Layers
		if x.dim == dxbc.DimTexture3D {
			depth, layers = layers, 1
		}
		fmt.Fprintf(&b, "tex %s%s %s w=%d h=%d d=%d layers=%d mips=%d fmt=%s", letter, slot(x.res), word, x.web.Width, x.web.Height, depth, layers, x.web.Mips, x.format.Name)
		if x.web.Samples > 1 {
			fmt.Fprintf(&b, " samples=%d", x.web.Samples)
		}
		var all []byte
		for _, img := range x.web.Data {
			all = append(all, img...)
		}
		data(all)
	}
	filters := [...]string{"point", "linear"}
	modes := [...]string{"clamp", "wrap", "mirror"}
	compares := [...]string{"never", "less", "equal", "lequal", "greater", "notequal", "gequal", "always"}
	for _, x := range t.samplers {
		st := &x.state
		fmt.Fprintf(&b, "samp s%s filter=%s mag=%s mip=%s addr=%s,%s,%s cmp=%s minlod=%g maxlod=%g\n", slot(x.res), filters[st.Min], filters[st.Mag], filters[st.Mip],
			modes[st.Addr[0]], modes[st.Addr[1]], modes[st.Addr[2]], compares[st.Cmp], st.MinLOD, st.MaxLOD)
	}
	if len(t.edited) > 0 {
		return "", unavailable("single inputs of a trial that no job made")
	}
	for i := range s.decl.Inputs {
		// Attributes and varyings go by semantic.
		if e := &s.decl.Inputs[i]; e.RegType == dxbc.RegInput && e.Semantic == "" && e.SysValue == 0 {
			return "", unavailable("an input (v%d) that no signature names", e.Register)
		}
	}
	switch s.kind() {
	case layout.Compute:
		fmt.Fprintf(&b, "dispatch %d %d %d\n", t.Groups[0], t.Groups[1], t.Groups[2])
	case layout.Vertex:
		t.attributes(&b)
	default:
		t.varyings(&b)
	}
	return b.String(), nil
}

func (t *Trial) attributes(b *strings.Builder) {
	n := 0
	for _, e := range t.Stage.decl.Inputs {
		if e.RegType != dxbc.RegInput || e.SysValue == 6 || e.SysValue == 8 {
			continue
		}
		format := "R32G32B32A32_FLOAT"
		switch e.CompType {
		case 1:
			format = "R32G32B32A32_UINT"
		case 2:
			format = "R32G32B32A32_SINT"
		}
		var data []byte
		for v := range t.perInstance {
			w := shifted(t.in[e.Register][v], e.Mask)
			for _, x := range w {
				data = put(data, x)
			}
		}
		fmt.Fprintf(b, "vb %d stride=16 hex:%x\nattr %s %d %s slot=%d\n", n, data, e.Semantic, e.Index, format, n)
		n++
	}
	fmt.Fprintf(b, "draw %d %d\n", t.perInstance, t.n/t.perInstance)
}

// shifted moves the components of a mask to the front.
func shifted(row [4]uint32, mask uint8) [4]uint32 {
	var out [4]uint32
	n := 0
	for k := range 4 {
		if mask>>k&1 != 0 {
			out[n] = row[k]
			n++
		}
	}
	return out
}

func (t *Trial) varyings(b *strings.Builder) {
	fmt.Fprintf(b, "size %d %d\npos f:-1,-1,0.25,1,-1,3,0.75,1,3,-1,0.5,1\n", pixelsX, pixelsY)
	r := &source{t.Seed ^ uint64(t.Set)<<56 ^ 0x7661727969}
	for _, e := range t.Stage.decl.Inputs {
		if e.RegType != dxbc.RegInput || e.SysValue != 0 {
			continue
		}
		g := r.fork(fmt.Sprintf("v%d.%d", e.Register, e.Mask))
		var data []byte
		for range 3 {
			for range 4 {
				if e.CompType == 1 || e.CompType == 2 {
					data = put(data, g.integer(t.Set, t.calm))
				} else {
					data = put(data, g.float(t.Set))
				}
			}
		}
		fmt.Fprintf(b, "vary %s %d hex:%x\n", e.Semantic, e.Index, data)
	}
}
