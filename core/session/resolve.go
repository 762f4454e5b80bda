package session

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/effect"
)

// Target is what a link selects in a file.
type Target struct {
	Perm   int
	Passes []PassRef // in file order; none only where the permutation has none
	Stage  string    // "ps"; empty: every stage
	Instr  int       // -1: none; else Passes has one element and Stage is set
}

// Resolve finds what a link selects. Axes that it does not name have their
// defaults. An option may be written without the axis's prefix where that is
// unambiguous: SKINNED=ON for the option SKINNED_ON. It fails with a *LinkError
// that says what was probably meant.
func (s *Session) Resolve(l Link) (Target, error) {
	t := Target{Stage: l.Stage, Instr: l.Instr}
	var err error
	if t.Perm, err = s.permutation(l); err != nil {
		return Target{}, err
	}
	if s.Kind == PackageFile && s.Effect == nil {
		return Target{}, &LinkError{l.Inside(), "the file is no effect package: it has no passes", "name an effect package, or inspect this one"}
	}
	all, err := s.passes(t.Perm)
	if err != nil {
		return Target{}, err
	}
	if s.Kind == ProgramFile && l.HasTechnique() {
		return Target{}, &LinkError{l.Inside(), "a bare program has no techniques and passes", "write #@INSTRUCTION or nothing"}
	}
	if t.Passes, err = pick(l, all, s.techniques(t.Perm)); err != nil {
		return Target{}, err
	}
	if t.Stage != "" {
		if err := s.pickStage(&t, l); err != nil {
			return Target{}, err
		}
	}
	if t.Instr >= 0 {
		if err := s.pickInstr(&t, l); err != nil {
			return Target{}, err
		}
	}
	return t, nil
}

// PermutationOfLink returns the permutation that a link's options name. A package's
// own stands for those that no option names. It fails with a *LinkError.
func (s *Session) PermutationOfLink(l Link) (int, error) { return s.permutation(l) }

func (s *Session) permutation(l Link) (int, error) {
	if s.Kind == PackageFile && len(l.Options) == 0 {
		return s.DefaultPermutation(), nil // axes without an option have the package's own
	}
	if s.Effect == nil {
		if len(l.Options) > 0 {
			return 0, &LinkError{l.Inside(), fmt.Sprintf("a %s has no axes", s.Kind), "leave out ?" + l.Options[0].Axis + "=..."}
		}
		return 0, nil
	}
	return s.PermutationOf(l.Options)
}

// PermutationOf returns the permutation that the options name. It fails with a
// *LinkError on axes and options that the effect does not have. Axes that are
// not named have their default.
func (s *Session) PermutationOf(options []effect.Option) (int, error) {
	if s.Effect == nil {
		if len(options) > 0 {
			return 0, &LinkError{options[0].Axis, fmt.Sprintf("a %s has no axes", s.Kind), ""}
		}
		return 0, nil
	}
	full := make([]effect.Option, len(options))
	for i, o := range options {
		full[i] = s.fullOption(o)
	}
	choice, err := s.Effect.Select(full...)
	if err != nil {
		var oe *effect.OptionError
		if errors.As(err, &oe) {
			return 0, &LinkError{oe.Request, oe.Reason, oe.Hint}
		}
		return 0, err
	}
	return s.Effect.Index(choice)
}

// fullOption completes an option written without its prefix.
func (s *Session) fullOption(o effect.Option) effect.Option {
	for i := range s.Effect.Axes {
		a := &s.Effect.Axes[i]
		if a.Name != o.Axis || o.Value == "" || slices.Contains(a.Options, o.Value) {
			continue
		}
		found := ""
		for _, v := range a.Options {
			if strings.HasSuffix(v, "_"+o.Value) {
				if found != "" {
					return o // ambiguous: Select refuses it with the list
				}
				found = v
			}
		}
		if found != "" {
			o.Value = found
		}
	}
	return o
}

// techniques lists the techniques of a permutation as links write them, those
// without passes too.
func (s *Session) techniques(perm int) []string {
	if s.Effect == nil {
		return nil
	}
	body, err := s.Effect.Body(perm)
	if err != nil {
		return nil
	}
	seen := make(map[string]int)
	out := make([]string, len(body.Techniques))
	for i := range body.Techniques {
		n := body.Techniques[i].Name
		out[i] = techniqueText(n, seen[n])
		seen[n]++
	}
	return out
}

func pick(l Link, all []PassRef, techniques []string) ([]PassRef, error) {
	if !l.HasTechnique() {
		return all, nil // none in an effect of ray tracing libraries alone
	}
	var of, out []PassRef
	for _, r := range all {
		if r.Technique == l.Technique && r.Nth == l.Nth {
			of = append(of, r)
			if l.Pass < 0 || r.Pass == l.Pass {
				out = append(out, r)
			}
		}
	}
	if len(out) > 0 {
		return out, nil
	}
	want := techniqueText(l.Technique, l.Nth)
	if !slices.Contains(techniques, want) {
		return nil, &LinkError{l.Inside(), fmt.Sprintf("there is no technique %q", want), Hint(want, techniques)}
	}
	if len(of) == 0 {
		return nil, &LinkError{l.Inside(), fmt.Sprintf("technique %q has no passes", want), ""}
	}
	return nil, &LinkError{l.Inside(), fmt.Sprintf("technique %q has no pass %d", want, l.Pass), fmt.Sprintf("it has passes 0 to %d", len(of)-1)}
}

// pickStage keeps the passes that have the stage.
func (s *Session) pickStage(t *Target, l Link) error {
	var with []PassRef
	var have []string
	for _, r := range t.Passes {
		in, err := s.input(t.Perm, r)
		if err != nil {
			return err
		}
		if StageIndex(in, t.Stage) >= 0 {
			with = append(with, r)
		}
		for _, st := range in.Stages {
			if k := st.Kind.String(); !slices.Contains(have, k) {
				have = append(have, k)
			}
		}
	}
	if len(with) == 0 {
		hint := "there are no stages"
		if len(have) > 0 {
			hint = "there are: " + strings.Join(have, ", ")
		}
		return &LinkError{l.Inside(), fmt.Sprintf("there is no %s stage", t.Stage), hint}
	}
	t.Passes = with
	return nil
}

// pickInstr checks that the link leads to one program and the instruction exists.
func (s *Session) pickInstr(t *Target, l Link) error {
	if t.Stage == "" && len(t.Passes) == 1 {
		in, err := s.input(t.Perm, t.Passes[0])
		if err != nil {
			return err
		}
		if len(in.Stages) == 1 {
			t.Stage = in.Stages[0].Kind.String()
		}
	}
	if t.Stage == "" || len(t.Passes) != 1 {
		return &LinkError{l.Inside(), "an instruction needs one technique, pass and stage before it", "as in #Main/0/ps@42"}
	}
	program := s.Program
	if !s.HasPrograms() {
		return &LinkError{l.Inside(), ErrNoPrograms.Error(), "leave out the instruction"}
	}
	if s.Kind != ProgramFile {
		b, err := s.StageProgram(t.Perm, t.Passes[0], t.Stage)
		if err != nil {
			return err
		}
		if program, err = dxbc.Open(b); err != nil {
			return &LinkError{l.Inside(), fmt.Sprintf("the program cannot be decoded: %v", err), "leave out the instruction"}
		}
	}
	if n := len(program.Program.Instrs); t.Instr >= n {
		return &LinkError{l.Inside(), fmt.Sprintf("there is no instruction %d", t.Instr), fmt.Sprintf("the program has 0 to %d", n-1)}
	}
	return nil
}

// Hint says which of the names was probably meant by got, or lists them.
func Hint(got string, names []string) string { return diag.Hint(got, names) }
