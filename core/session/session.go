// Package session is one opened file: the selection in it and everything that
// the compiler finds out about it, computed when asked for and remembered. A
// subcommand and a pane agree because both ask here.
package session

import (
	"context"
	"fmt"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/effect"
)

// FileKind says what an opened file is.
type FileKind uint8

// The file kinds.
const (
	EffectFile  FileKind = iota // a compiled effect
	ProgramFile                 // one bare DXBC container
	PackageFile                 // a CEWGPU package
)

// PassRef names a pass of a body.
type PassRef struct {
	Technique string // raw name; empty for a bare program
	TechIndex int
	Pass      int
}

// String is the pass as deep links write it: "Main/0".
func (r PassRef) String() string { return fmt.Sprintf("%s/%d", r.Technique, r.Pass) }

// Session is an opened file. It is safe for concurrent use; the selection is
// the caller's (permutations and passes are parameters, not state).
type Session struct {
	Name     string // as the user gave it
	Kind     FileKind
	Data     []byte
	SHA256   [32]byte
	Effect   *effect.Effect // EffectFile
	Program  *dxbc.Shader   // ProgramFile
	Findings []diag.Diag    // of the file as a whole
	Options  compile.Options

	compiler *compile.Compiler
}

// Permutations is the number of permutations, 1 for a bare program.
func (s *Session) Permutations() int {
	if s.Effect == nil {
		return 1
	}
	return s.Effect.PermutationCount()
}

// Passes lists the passes of a permutation in file order, empty ones too.
func (s *Session) Passes(perm int) ([]PassRef, error) { return s.passes(perm) }

// Input returns what the compiler gets for a pass.
func (s *Session) Input(perm int, ref PassRef) (*compile.PassInput, error) {
	return s.input(perm, ref)
}

// Compile translates a pass of a permutation. Passes that are equal in content
// are compiled once, in whatever permutation they occur.
func (s *Session) Compile(ctx context.Context, perm int, ref PassRef) (*compile.Pass, error) {
	in, err := s.input(perm, ref)
	if err != nil {
		return nil, err
	}
	return s.compiler.Pass(ctx, in, &s.Options)
}
