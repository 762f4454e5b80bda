package session

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/effect"
	"fxlens/core/ir"
	"fxlens/core/wgsl/layout"
)

// Remedy is what can be set to answer a diagnostic: one of several values for one
// option of the compiler.
type Remedy struct {
	Kind    SettingKind
	Key     string         // of views and classes
	What    string         // what is asked for, raw text with names of the file
	Choices []RemedyChoice // the likeliest first; at least one
}

// RemedyChoice is one value of a remedy.
type RemedyChoice struct {
	Value string
	Note  string // why, or what it means; may be empty
}

// Setting is choice number i as a setting.
func (r *Remedy) Setting(i int) Setting { return Setting{r.Kind, r.Key, r.Choices[i].Value} }

// The codes that a setting answers.
var (
	viewCodes  = []diag.Code{"bind.view-format", "bind.format-assumed", "bind.format-unknown", "bind.format-mismatch", "bind.storage-format"}
	classCodes = []diag.Code{"lower.interface-call"}
	limitCodes = []diag.Code{"bind.limits", "wgsl.limits"}
	// strictCodes are warnings that --strict makes errors of.
	strictCodes = []diag.Code{"lower.undefined-read", "bind.format-assumed"}
)

// Remedy returns what can be set to answer a diagnostic of a compiled pass, or nil
// where nothing that can be set helps. p is the pass that s compiled for ref, and d
// one of s.Diags of it.
func (s *Session) Remedy(ref PassRef, p *compile.Pass, d *diag.Diag) *Remedy {
	i := slices.IndexFunc(p.Stages, func(st *compile.Stage) bool { return st.Kind.String() == d.At.Stage })
	var st *compile.Stage
	if i >= 0 {
		st = p.Stages[i]
	}
	has := func(codes []diag.Code) bool { return slices.Contains(codes, d.Code) }
	switch {
	case has(classCodes) && st != nil && st.Shader != nil:
		return s.classRemedy(st.Shader, d)
	case has(limitCodes) && d.Sev == diag.Error && s.Options.Limits:
		return &Remedy{Kind: SetLimits, What: "limits", Choices: []RemedyChoice{{"any", "use what the device offers beyond WebGPU's default limits; the result lists it"}}}
	case has(viewCodes) && st != nil && st.Func != nil:
		if r := s.viewRemedy(ref, st, d); r != nil {
			return r
		}
	}
	if has(strictCodes) && d.Sev == diag.Error && s.Options.Strict {
		return &Remedy{Kind: SetStrict, What: "strictness", Choices: []RemedyChoice{{"off", "take it as a warning"}}}
	}
	return nil
}

// viewRemedy asks for the view format of the resource that the diagnostic's
// instruction declares.
func (s *Session) viewRemedy(ref PassRef, st *compile.Stage, d *diag.Diag) *Remedy {
	f := st.Func
	res := slices.IndexFunc(f.Resources, func(r ir.Resource) bool {
		return (r.Class == ir.SRV || r.Class == ir.UAV) && int(r.Instr) == d.At.Index()
	})
	allowed := layout.Allowed(f, res)
	if len(allowed) == 0 {
		return nil
	}
	r := &f.Resources[res]
	symbol := "t" + strconv.Itoa(int(r.Register))
	if r.Class == ir.UAV {
		symbol = "u" + strconv.Itoa(int(r.Register))
	}
	out := &Remedy{Kind: SetView, Key: s.viewKey(ref, st.Kind, symbol), What: "view format of " + symbol}
	if r.Name != "" {
		out.What += " (" + strconv.Quote(r.Name) + ")"
	}
	out.What += fmt.Sprintf(", declared %s of %s", r.Dim, r.Return[0])
	for i, name := range allowed {
		c := RemedyChoice{Value: name}
		x, _ := layout.LookupFormat(name)
		if x != nil {
			c.Note = fmt.Sprintf("%d x %s, %d bits", x.Channels(), x.Type, 8*x.Bytes)
		}
		if i == 0 {
			c.Note += "; the likeliest"
		}
		if name == r.Format {
			c.Note += "; in force"
		}
		out.Choices = append(out.Choices, c)
	}
	return out
}

// viewKey is the most exact key of a view: that of its pass and stage.
func (s *Session) viewKey(ref PassRef, kind dxbc.ProgramKind, symbol string) string {
	key := kind.String() + "/" + symbol
	if s.Kind != ProgramFile {
		key = ref.String() + "/" + key
	}
	return key
}

// classRemedy asks for the instance of the first slot that the call needs and
// nobody chose.
func (s *Session) classRemedy(sh *dxbc.Shader, d *diag.Diag) *Remedy {
	l := sh.Interfaces
	if l == nil {
		return nil
	}
	fp := int64(-1)
	if i := d.At.Index(); i >= 0 && i < len(sh.Program.Instrs) {
		if in := &sh.Program.Instrs[i]; in.Op == dxbc.OpFcall && len(in.Operands) > 0 && in.Operands[0].NumIndex > 0 {
			fp = int64(in.Operands[0].Index(0).Imm)
		}
	}
	for i := range l.Slots {
		r := &l.Slots[i]
		if fp >= 0 && int64(r.First) != fp {
			continue
		}
		for e := range min(r.Span, 1024) {
			key := strconv.FormatUint(uint64(r.First)+uint64(e), 10)
			if _, set := s.Options.Classes[key]; set {
				continue
			}
			out := &Remedy{Kind: SetClass, Key: key, What: "class instance of interface slot " + key}
			for k := range l.Instances {
				in := &l.Instances[k]
				if !slices.Contains(r.Types, in.Type) || int(in.Type) >= len(l.Types) {
					continue
				}
				if slices.ContainsFunc(out.Choices, func(c RemedyChoice) bool { return c.Value == in.Name }) {
					continue // the option finds the first of a name
				}
				out.Choices = append(out.Choices, RemedyChoice{in.Name, "class " + l.Types[in.Type].Name})
			}
			if len(out.Choices) == 0 {
				return nil
			}
			return out
		}
	}
	return nil
}

// Gain is what other options would change, over all permutations.
type Gain struct {
	Stages       int // distinct stages that would be translated and are not
	Lost         int // distinct stages that are translated and would not be
	Permutations int // permutations in which a stage would be translated
	Reasons      int // refusals that would be gone, in distinct stages
	Done, Total  int // distinct passes looked at, and those there are
}

// Gain compiles every distinct pass with the options of s and with those of t and
// counts the difference. See is called with what is known so far, after each pass;
// it may be nil. It fails with ctx's error, or on a bug of ours.
func (s *Session) Gain(ctx context.Context, t *Session, see func(Gain)) (Gain, error) {
	var g Gain
	units := s.units()
	g.Total = len(units)
	freed := map[int]bool{} // bodies
	for _, u := range units {
		a, err := s.Compile(ctx, u.perm, u.ref)
		if err != nil {
			return g, err
		}
		b, err := t.Compile(ctx, u.perm, u.ref)
		if err != nil {
			return g, err
		}
		g.Done++
		if a != b {
			for i, st := range a.Stages {
				was, is := st.Status == compile.Translated, b.Stages[i].Status == compile.Translated
				if !was && is {
					g.Stages++
					freed[u.body] = true
				}
				if was && !is {
					g.Lost++
				}
				g.Reasons += max(refusals(st.Diags)-refusals(b.Stages[i].Diags), 0)
			}
			g.Reasons += max(refusals(a.Diags)-refusals(b.Diags), 0)
		}
		g.Permutations = 0
		for body := range freed {
			g.Permutations += s.sharing(body)
		}
		if see != nil {
			see(g)
		}
	}
	return g, nil
}

func refusals(ds []diag.Diag) int {
	n := 0
	for i := range ds {
		if ds[i].Sev == diag.Error {
			n++
		}
	}
	return n
}

// bodyUnit is a pass of a unique body, with the lowest permutation that has it.
type bodyUnit struct {
	body, perm int
	ref        PassRef
}

// units lists the passes of all unique bodies, those of the first body first.
func (s *Session) units() []bodyUnit {
	bodies := []effect.UniqueBody{{Permutations: []int{0}}}
	if s.Effect != nil {
		bodies = s.Effect.Bodies()
	}
	var out []bodyUnit
	for i := range bodies {
		perm := bodies[i].Permutations[0]
		refs, err := s.passes(perm)
		if err != nil {
			continue // a package: it has no programs
		}
		for _, r := range refs {
			out = append(out, bodyUnit{i, perm, r})
		}
	}
	return out
}

// sharing is the number of permutations that have a body.
func (s *Session) sharing(body int) int {
	if s.Effect == nil {
		return 1
	}
	return len(s.Effect.Bodies()[body].Permutations)
}

// Reason is a refusal that stands in one or more stages: the same code and the same
// text.
type Reason struct {
	Code         diag.Code
	Text         string
	Remedy       string
	Stages       int       // distinct stages that have it, over all bodies
	Permutations int       // permutations that have it
	First        diag.Diag // the first one, placed
	Perm         int       // of First
	Ref          PassRef   // of First
	Settable     bool      // Session.Remedy answers First

	bodies map[int]bool
	units  map[string]bool
}

// Census is the refusals of a file over all permutations, those that block the most
// stages first, then the most permutations, then by place.
type Census struct {
	Reasons     []Reason
	Stages      int // distinct stages that are not translated
	Done, Total int // distinct passes looked at, and those there are
}

// Census compiles every distinct pass and counts why stages are refused, those of
// permutation first before the others. see is called after each pass with what is
// known so far; the census that it gets is its own. It fails with ctx's error, or on
// a bug of ours.
func (s *Session) Census(ctx context.Context, first int, see func(Census)) (Census, error) {
	units := s.units()
	at := -1
	if s.Effect != nil {
		at = s.Effect.BodyOf(first)
	}
	slices.SortStableFunc(units, func(a, b bodyUnit) int { return boolInt(a.body != at) - boolInt(b.body != at) })
	c := Census{Total: len(units)}
	index := map[string]int{}
	for _, u := range units {
		perm := u.perm
		if u.body == at {
			perm = first
		}
		p, err := s.Compile(ctx, perm, u.ref)
		if err != nil {
			return c, err
		}
		c.Done++
		for _, st := range p.Stages {
			if st.Status != compile.Translated {
				c.Stages++
			}
		}
		for _, d := range s.Diags(perm, u.ref, p) {
			if d.Sev != diag.Error {
				continue
			}
			key := string(d.Code) + "\x00" + d.Text
			i, ok := index[key]
			if !ok {
				i = len(c.Reasons)
				index[key] = i
				c.Reasons = append(c.Reasons, Reason{Code: d.Code, Text: d.Text, Remedy: d.Remedy, First: d, Perm: perm, Ref: u.ref,
					Settable: s.Remedy(u.ref, p, &d) != nil, bodies: map[int]bool{}, units: map[string]bool{}})
			}
			r := &c.Reasons[i]
			if unit := fmt.Sprintf("%d %s %s", u.body, u.ref, d.At.Stage); !r.units[unit] {
				r.units[unit] = true
				r.Stages++
			}
			if !r.bodies[u.body] {
				r.bodies[u.body] = true
				r.Permutations += s.sharing(u.body)
			}
		}
		if see != nil {
			see(c.ranked())
		}
	}
	return c.ranked(), nil
}

// ranked is a copy in the order of the rank.
func (c *Census) ranked() Census {
	out := *c
	out.Reasons = slices.Clone(c.Reasons)
	slices.SortStableFunc(out.Reasons, func(a, b Reason) int {
		if d := b.Stages - a.Stages; d != 0 {
			return d
		}
		return b.Permutations - a.Permutations
	})
	return out
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
