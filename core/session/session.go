// Package session is one opened file: the selection in it and everything that
// the compiler finds out about it, computed when asked for and remembered. A
// subcommand and a pane agree because both ask here.
package session

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/effect"
	"fxlens/core/ir"
	"fxlens/core/pack/carbon"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/variant/bundle"
)

// FileKind says what an opened file is.
type FileKind uint8

// The file kinds.
const (
	EffectFile  FileKind = iota // a compiled effect
	ProgramFile                 // one bare DXBC container
	PackageFile                 // a CEWGPU package or a Carbon WebGPU container
)

var fileKindNames = [...]string{"effect", "program", "package"}

func (k FileKind) String() string { return fileKindNames[k] }

// MarshalText makes JSON print the word.
func (k FileKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// PassRef names a pass of a body.
type PassRef struct {
	Technique string // raw name; empty for a bare program
	TechIndex int    // place of the technique in the body
	Nth       int    // how many techniques before it have the same name
	Pass      int
}

// String is the pass as deep links write it: "Main/0".
func (r PassRef) String() string {
	return techniqueText(r.Technique, r.Nth) + "/" + strconv.Itoa(r.Pass)
}

// Session is an opened file. It is safe for concurrent use; the selection is
// the caller's (permutations and passes are parameters, not state).
type Session struct {
	Name   string // as the user gave it
	Kind   FileKind
	Data   []byte
	SHA256 [32]byte
	// Effect is that of an EffectFile, and what a PackageFile describes; nil where
	// that is no effect.
	Effect    *effect.Effect
	Program   *dxbc.Shader    // ProgramFile
	Package   *cewgpu.Package // PackageFile, one of the two
	Container *carbon.File
	Variants  *bundle.Opened  // of a package of shader variants
	Options   compile.Options // set them before the first Compile

	compiler  *compile.Compiler
	said      []diag.Diag                 // found on opening
	container []byte                      // ProgramFile: the container, which need not be the whole of Data
	selected  int                         // PackageFile: the permutation that it was built for
	programs  bool                        // PackageFile: source programs are in it
	compiled  map[storedKey]*compile.Pass // PackageFile: by the options of this session; under mu

	*known // shared by the sessions that With makes
}

// known is what has been read of a file, whatever the options.
type known struct {
	mu     sync.Mutex
	inputs map[inputKey]*compile.PassInput
	facts  map[int]*compile.Facts // by unique body

	ofEffect func() []diag.Diag // EffectFile: what is odd in it, found on the first call
}

// Findings returns what is odd in the file as a whole: warnings and notes in file order,
// and of an effect those of every unique body. The first call on an effect reads all its
// bodies, which takes 10 ms for a hundred of them; opening the file does not.
func (s *Session) Findings() []diag.Diag {
	if s.ofEffect == nil {
		return s.said
	}
	return s.ofEffect()
}

// inputKey is a pass of a body; permutations that share a body share its passes.
type inputKey struct{ body, technique, pass int }

// Permutations is the number of permutations, 1 for a bare program.
func (s *Session) Permutations() int {
	if s.Effect == nil {
		return 1
	}
	return s.Effect.PermutationCount()
}

// DefaultPermutation is the permutation of all axes' defaults, or the one that a
// package was built for.
func (s *Session) DefaultPermutation() int {
	if s.Effect == nil {
		return 0
	}
	if s.Kind == PackageFile {
		return s.selected
	}
	return s.Effect.DefaultIndex()
}

// ErrNoPrograms marks a request for a pass's programs on a file without any.
var ErrNoPrograms = fmt.Errorf("a package holds translated modules, not programs to translate")

// Passes lists the passes of a permutation in file order, empty ones too.
func (s *Session) Passes(perm int) ([]PassRef, error) { return s.passes(perm) }

func (s *Session) passes(perm int) ([]PassRef, error) {
	switch s.Kind {
	case ProgramFile:
		if perm != 0 {
			return nil, fmt.Errorf("%s: no permutation %d: a bare program has one", s.Name, perm)
		}
		return []PassRef{{}}, nil
	}
	if s.Effect == nil {
		return nil, fmt.Errorf("%s: %w", s.Name, ErrNoPrograms)
	}
	body, err := s.Effect.Body(perm)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	var out []PassRef
	seen := make(map[string]int, len(body.Techniques))
	for t := range body.Techniques {
		tech := &body.Techniques[t]
		for p := range tech.Passes {
			out = append(out, PassRef{Technique: tech.Name, TechIndex: t, Nth: seen[tech.Name], Pass: p})
		}
		seen[tech.Name]++
	}
	return out, nil
}

// Input returns what the compiler gets for a pass. It is shared: callers must
// not change it. Equal requests give the same pointer.
func (s *Session) Input(perm int, ref PassRef) (*compile.PassInput, error) {
	return s.input(perm, ref)
}

func (s *Session) input(perm int, ref PassRef) (*compile.PassInput, error) {
	key := inputKey{technique: ref.TechIndex, pass: ref.Pass}
	switch s.Kind {
	case ProgramFile:
		if perm != 0 || ref != (PassRef{}) {
			return nil, fmt.Errorf("%s: no pass %s: a bare program has one, without a name", s.Name, ref)
		}
	default:
		if s.Effect == nil {
			return nil, fmt.Errorf("%s: %w", s.Name, ErrNoPrograms)
		}
		if key.body = s.Effect.BodyOf(perm); key.body < 0 {
			return nil, fmt.Errorf("%s: no permutation %d: there are %d", s.Name, perm, s.Permutations())
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if in := s.inputs[key]; in != nil {
		return in, nil
	}
	var in *compile.PassInput
	if s.Kind == ProgramFile {
		in = &compile.PassInput{Stages: []compile.StageInput{{Kind: s.Program.Program.Kind, Program: s.container}}}
	} else {
		body, err := s.Effect.UniqueBody(key.body)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		if ref.TechIndex < 0 || ref.TechIndex >= len(body.Techniques) || ref.Pass < 0 || ref.Pass >= len(body.Techniques[ref.TechIndex].Passes) {
			return nil, fmt.Errorf("%s: no pass %s in permutation %d", s.Name, ref, perm)
		}
		in = compile.EffectPass(&body.Techniques[ref.TechIndex].Passes[ref.Pass])
		in.LayoutKey = fmt.Sprintf("%s.pass%d", body.Techniques[ref.TechIndex].Name, ref.Pass)
		if !s.HasPrograms() {
			for i := range in.Stages {
				in.Stages[i].Program = nil // a container has WGSL there
			}
		} else if in.NeedsFacts() {
			s.bodyFacts(key.body, body).Apply(ref.TechIndex, ref.Pass, in)
		}
	}
	if s.inputs == nil {
		s.inputs = make(map[inputKey]*compile.PassInput)
	}
	s.inputs[key] = in
	return in, nil
}

// bodyFacts searches a body once. The caller holds the lock.
func (s *Session) bodyFacts(key int, body *effect.Body) *compile.Facts {
	f := s.facts[key]
	if f == nil {
		f = compile.BodyFacts(body)
		if s.facts == nil {
			s.facts = make(map[int]*compile.Facts)
		}
		s.facts[key] = f
	}
	return f
}

// Compile translates a pass of a permutation. Passes that are equal in content
// are compiled once, in whatever permutation they occur. Diagnostics in the
// result have no technique and pass, since it may be shared: see Place. Modules and
// plan of a package are those that it stores.
func (s *Session) Compile(ctx context.Context, perm int, ref PassRef) (*compile.Pass, error) {
	in, err := s.input(perm, ref)
	if err != nil {
		return nil, err
	}
	if s.Kind == PackageFile {
		return s.compileStored(ctx, perm, ref, in)
	}
	return s.compiler.Pass(ctx, in, s.optionsFor(ref))
}

// Phases returns snapshots of one stage's SSA after every phase. stage is an
// index into the input's stages.
func (s *Session) Phases(ctx context.Context, perm int, ref PassRef, stage int) ([]compile.Phase, error) {
	in, err := s.input(perm, ref)
	if err != nil {
		return nil, err
	}
	if !s.HasPrograms() {
		return nil, fmt.Errorf("%s: %w", s.Name, ErrNoPrograms)
	}
	if stage < 0 || stage >= len(in.Stages) {
		return nil, fmt.Errorf("%s: no stage %d in pass %s, which has %d", s.Name, stage, ref, len(in.Stages))
	}
	return s.compiler.Phases(ctx, in, stage, s.optionsFor(ref))
}

// optionsFor returns the options of one pass. The compiler knows registers
// ("t3") and stages ("ps/t3") but not the names of passes, so "Main/0/ps/t3" is
// "ps/t3" for pass Main/0 and nothing for the others.
func (s *Session) optionsFor(ref PassRef) *compile.Options {
	named := false
	for k := range s.Options.Views {
		named = named || strings.Count(k, "/") > 1
	}
	if !named {
		return &s.Options
	}
	o := s.Options
	o.Views = make(map[string]string, len(s.Options.Views))
	prefix := ref.String() + "/"
	for k, v := range s.Options.Views {
		if strings.Count(k, "/") <= 1 {
			if _, set := o.Views[k]; !set {
				o.Views[k] = v
			}
		} else if rest, ok := strings.CutPrefix(k, prefix); ok {
			o.Views[rest] = v // the more exact key wins
		}
	}
	return &o
}

// Program returns the DXBC container of one stage of a pass, or nil if the pass
// has no such stage.
func (s *Session) StageProgram(perm int, ref PassRef, stage string) ([]byte, error) {
	in, err := s.input(perm, ref)
	if err != nil {
		return nil, err
	}
	if i := StageIndex(in, stage); i >= 0 {
		return in.Stages[i].Program, nil
	}
	return nil, nil
}

// StageIndex returns the index of the stage with a short name ("ps"), or -1.
func StageIndex(in *compile.PassInput, stage string) int {
	return slices.IndexFunc(in.Stages, func(st compile.StageInput) bool { return st.Kind.String() == stage })
}

// Permutation is the name of a permutation in links: "QUALITY=HIGH&SKINNED=ON",
// all axes in order, percent-escaped; empty without axes.
func (s *Session) Permutation(perm int) string {
	return strings.TrimPrefix(Link{Options: s.optionsOf(perm), Pass: -1, Instr: -1}.Inside(), "?")
}

func (s *Session) optionsOf(perm int) []effect.Option {
	if s.Effect == nil {
		return nil
	}
	choice := s.Effect.Choice(perm)
	out := make([]effect.Option, len(choice))
	for i, c := range choice {
		a := &s.Effect.Axes[i]
		out[i] = effect.Option{Axis: a.Name, Value: a.Options[c]}
	}
	return out
}

// Link returns the link to a place: stage "" is the whole pass, instr -1 the
// whole stage.
func (s *Session) Link(perm int, ref PassRef, stage string, instr int) Link {
	l := Link{File: s.Name, Options: s.optionsOf(perm), Technique: ref.Technique, Nth: ref.Nth, Pass: ref.Pass, Stage: stage, Instr: instr}
	if s.Kind == ProgramFile {
		l.Pass = -1
	}
	return l
}

// Place completes the places of a diagnostic of a pass, so that they print as
// links into this file.
func (s *Session) Place(perm int, ref PassRef, stage string, d diag.Diag) diag.Diag {
	at := func(l diag.Loc) diag.Loc {
		l.Permutation = s.Permutation(perm)
		if s.Kind != ProgramFile {
			// The nameless technique has no text: its pass would not print.
			l.Technique, l.Pass = techniqueText(ref.Technique, ref.Nth), ref.Pass
		}
		if l.Stage == "" {
			l.Stage = stage
		}
		return l
	}
	d.At = at(d.At)
	if len(d.Notes) > 0 {
		d.Notes = slices.Clone(d.Notes)
		for i := range d.Notes {
			d.Notes[i].At = at(d.Notes[i].At)
		}
	}
	return d
}

// Premises returns what a compiled stage takes for granted, placed.
func (s *Session) Premises(perm int, ref PassRef, st *compile.Stage) []ir.Premise {
	out := slices.Clone(st.Premises)
	for i := range out {
		out[i].At = s.Place(perm, ref, st.Kind.String(), diag.Diag{At: out[i].At}).At
	}
	return out
}

// Diags returns all diagnostics of a compiled pass, placed: those of the pass,
// then those of its stages in order.
func (s *Session) Diags(perm int, ref PassRef, p *compile.Pass) []diag.Diag {
	var out []diag.Diag
	for _, d := range p.Diags {
		out = append(out, s.Place(perm, ref, "", d))
	}
	for _, st := range p.Stages {
		for _, d := range st.Diags {
			out = append(out, s.Place(perm, ref, st.Kind.String(), d))
		}
	}
	return out
}
