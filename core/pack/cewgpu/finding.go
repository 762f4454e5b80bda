package cewgpu

import (
	"fmt"
	"slices"

	"fxlens/core/diag"
)

type ruleID = diag.Code

// Finding is one broken rule, or something worth knowing, in a package.
type Finding struct {
	Rule     diag.Code     `json:"rule"`
	Severity diag.Severity `json:"severity"`
	Chunk    string        `json:"chunk,omitempty"` // tag; empty for the container
	Path     string        `json:"path,omitempty"`  // inside the chunk's document: "stages[1].bindings[0].registerCount"; raw keys of the file
	Offset   int           `json:"offset"`          // byte in the package file, or -1 where no byte stands for it
	Reason   string        `json:"reason"`
	Remedy   string        `json:"remedy"`
}

// Error findings are broken rules of the format: the package is refused. Warnings
// are facts that the format's other readers don't check and that make a package
// useless all the same. Notes are harmless.

func (f Finding) String() string {
	where := f.Chunk
	if f.Path != "" {
		where += " " + f.Path
	}
	if where == "" {
		where = "container"
	}
	if f.Offset >= 0 {
		where += fmt.Sprintf(" (byte %d)", f.Offset)
	}
	return fmt.Sprintf("%s: %s: %s [%s]", where, f.Severity, f.Reason, f.Rule)
}

// Diag returns the finding as a diagnostic.
func (f Finding) Diag() diag.Diag {
	d := diag.New(f.Severity, f.Rule, diag.Loc{}, "%s", f.Reason)
	if where := f.Chunk; where != "" {
		if f.Path != "" {
			where += " " + f.Path
		}
		d.Text = where + ": " + d.Text
	}
	if f.Offset >= 0 {
		d.At = diag.AtOffset(f.Offset)
	}
	if f.Remedy != "" {
		d.Remedy = f.Remedy
	}
	return d
}

// HasErrors reports whether any finding refuses the package.
func HasErrors(fs []Finding) bool {
	return slices.ContainsFunc(fs, func(f Finding) bool { return f.Severity == diag.Error })
}

func newFinding(rule ruleID, chunk, path string, off int, reason string) Finding {
	return NewFinding(severityOf(rule), rule, chunk, path, off, reason)
}

// NewFinding is a finding of a registered code, with the code's remedy.
func NewFinding(sev diag.Severity, code diag.Code, chunk, path string, off int, reason string) Finding {
	d := diag.New(sev, code, diag.Loc{}, "%s", reason)
	return Finding{Rule: code, Severity: sev, Chunk: chunk, Path: path, Offset: off, Reason: d.Text, Remedy: d.Remedy}
}

// InvalidError is a package that breaks rules.
type InvalidError struct {
	Findings []Finding // all of the package's, with at least one of severity Error
}

func (e *InvalidError) Error() string {
	n, first := 0, ""
	for _, f := range e.Findings {
		if f.Severity == diag.Error {
			if n == 0 {
				first = f.String()
			}
			n++
		}
	}
	if n > 1 {
		return fmt.Sprintf("invalid package: %d findings, the first: %s", n, first)
	}
	return "invalid package: " + first
}

// BuildError is a package that was not written: what the profile cannot carry, or
// what the input gets wrong, all in one list.
type BuildError struct {
	Findings []Finding
}

func (e *BuildError) Error() string {
	if len(e.Findings) == 0 {
		return "package not built"
	}
	s := "package not built: " + e.Findings[0].String()
	if r := e.Findings[0].Remedy; r != "" && r != "none" {
		s += "; " + r
	}
	if n := len(e.Findings) - 1; n > 0 {
		s += fmt.Sprintf(" (and %d more)", n)
	}
	return s
}

// Diags returns the findings as diagnostics.
func (e *BuildError) Diags() []diag.Diag {
	out := make([]diag.Diag, len(e.Findings))
	for i, f := range e.Findings {
		out[i] = f.Diag()
	}
	return out
}

// WrongKind is the finding for a caller that wants the other kind of package.
func (p *Package) WrongKind() Finding {
	if p.Kind == EffectPackage {
		return newFinding(ruleKind, "INFO", "packageKind", -1, "this is an effect package, and a generic container was asked for")
	}
	return newFinding(ruleKind, "INFO", "packageKind", -1, "this is a generic container, which no rule of effect packages was applied to: INFO does not have the marker of effect packages")
}
