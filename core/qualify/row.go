package qualify

import (
	"crypto/sha256"
	"encoding/hex"
)

// Row is a file in one line: what a table shows, and all that a baseline compares.
type Row struct {
	Path         string   `json:"path"`
	SHA256       string   `json:"sha256"`
	Size         int64    `json:"size"`
	Kind         string   `json:"kind"`
	Status       Status   `json:"status"`
	Selected     Status   `json:"selected"` // of the default permutation
	Digest       string   `json:"digest"`   // of all results in the file: equal digests, nothing changed
	Modules      []Module `json:"modules,omitempty"`
	Package      string   `json:"package,omitempty"` // SHA-256 of the package
	Permutations int      `json:"permutations,omitempty"`
	Bodies       Tally    `json:"bodies"`
	Passes       Tally    `json:"passes"` // distinct ones
	Stages       Tally    `json:"stages"` // distinct ones
	WGSLBytes    int      `json:"wgslBytes,omitempty"`
	Errors       []Kind   `json:"errors,omitempty"`   // distinct diagnostics by code
	Warnings     []Kind   `json:"warnings,omitempty"` // by code
	Notes        []Kind   `json:"notes,omitempty"`    // by code
	Reasons      []string `json:"reasons,omitempty"`  // texts of the errors: "code at place: message"
}

// Module identifies what was emitted for one stage of a distinct pass.
type Module struct {
	At     string `json:"at"`               // "body3#Main/0/ps": the first body that has it
	WGSL   string `json:"wgsl,omitempty"`   // first 16 digits of the SHA-256; empty: none was emitted
	Layout string `json:"layout,omitempty"` // of the pass's binding plan
}

func short(sum string) string { return sum[:min(16, len(sum))] }

// Row sums a file up.
func (f *File) Row() *Row {
	r := &Row{Path: f.Path, SHA256: f.SHA256, Size: f.Size, Kind: f.Kind, Status: f.Status, Selected: f.Selected()}
	if f.Effect != nil {
		r.Permutations = f.Effect.Permutations
	}
	if f.Package != nil {
		r.Package = f.Package.SHA256
	}
	for i := range f.Bodies {
		r.Bodies.add(f.Bodies[i].Status, 1)
	}
	by := map[string]map[string]int{"error": {}, "warning": {}, "note": {}}
	all := digest{sha256.New()}
	see := func(d Diag, at string) {
		if m := by[d.Severity]; m != nil {
			m[d.Code]++
		}
		all.text(d.Code + d.Severity + d.Stage + d.Message)
		if d.Severity == "error" {
			r.Reasons = append(r.Reasons, d.Code+" at "+at+": "+d.Message)
		}
	}
	for _, d := range f.Diagnostics {
		see(d, f.Path)
	}
	uses := f.Uses()
	for i, u := range f.Units {
		r.Passes.add(u.Status, 1)
		all.number(uint64(u.Status))
		for _, s := range u.Stages {
			r.Stages.add(s.Status, 1)
			r.WGSLBytes += s.WGSLBytes
			all.number(uint64(s.Status))
			m := Module{WGSL: short(s.WGSL), Layout: short(u.Layout)}
			if b := uses[i].Body; b != nil && f.Effect != nil {
				m.At = b.Key + "#" + uses[i].Pass.Text() + "/" + s.Stage
			} else {
				m.At = s.Stage
			}
			r.Modules = append(r.Modules, m)
			all.text(s.WGSL + u.Layout)
		}
		for _, d := range u.Diagnostics {
			see(d, f.Link(uses[i], d.Stage, d.Instr))
		}
	}
	for _, b := range f.Bodies {
		all.text(b.Key)
		for _, p := range b.Passes {
			all.text(p.Text())
			all.number(uint64(p.Unit))
		}
	}
	all.text(r.Package)
	all.number(uint64(f.Status))
	r.Digest = hex.EncodeToString(all.Sum(nil))
	r.Errors, r.Warnings, r.Notes = ranked(by["error"], false), ranked(by["warning"], false), ranked(by["note"], false)
	return r
}
