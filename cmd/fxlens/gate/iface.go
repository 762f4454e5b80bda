package gate

import "fxlens/core/wgsl/syntax"

// io is a located input or output of an entry point: how many components of a scalar.
type io struct {
	location int
	scalar   string // f32, i32, u32, f16
	width    int
}

// entry returns an entry point of a module, or nil: also of a module with errors, about
// which the browser says more.
func entry(m *syntax.Module, errs syntax.Errors, name string) *syntax.EntryPoint {
	if m == nil || errs.Fatal() {
		return nil
	}
	for _, e := range m.EntryPoints {
		if e.Name == name {
			return e
		}
	}
	return nil
}

// located are the inputs or outputs with a location, in the order of the source. Sources
// that are blended are one.
func located(vars []syntax.IOVariable) []io {
	var out []io
	for _, v := range vars {
		if !v.HasLocation || v.BlendSrc > 0 {
			continue
		}
		t, width := v.Type, 1
		if t.Kind == syntax.TypeVec {
			t, width = t.Elem, int(t.N)
		}
		out = append(out, io{v.Location, t.String(), width})
	}
	return out
}

// interfaceOf returns the located inputs and outputs of an entry point.
func interfaceOf(code, name string) (in, out []io) {
	m, errs := syntax.Validate(code)
	if e := entry(m, errs, name); e != nil {
		in, out = located(e.Inputs), located(e.Outputs)
	}
	return in, out
}
