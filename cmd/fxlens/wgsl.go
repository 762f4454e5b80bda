package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/ir"
	"fxlens/core/session"
	"fxlens/core/wgsl"
	"fxlens/core/wgsl/layout"
)

// wgslDoc is the JSON of one stage's translation. A refusal has no WGSL.
type wgslDoc struct {
	Schema        string           `json:"schema"` // fxlens.wgsl/1
	Link          string           `json:"link"`
	Status        compile.Status   `json:"status"`
	Stage         string           `json:"stage"` // vertex, fragment, compute; or the D3D stage that has no counterpart
	EntryPoint    string           `json:"entryPoint"`
	WGSL          string           `json:"wgsl,omitempty"`
	WorkgroupSize *[3]uint32       `json:"workgroupSize,omitempty"`
	Bindings      []layout.Binding `json:"bindings"`
	IO            []wgsl.IO        `json:"io"`
	Requires      wgsl.Requires    `json:"requires"`
	Premises      []ir.Premise     `json:"premises"`
	SourceMap     []mapping        `json:"sourceMap"`
	Diagnostics   []diag.Diag      `json:"diagnostics"`
}

// mapping says where a run of the module's text came from.
type mapping struct {
	Line        int         `json:"line"`            // from 1
	Column      int         `json:"column"`          // from 1, in bytes
	Length      int         `json:"length"`          // in bytes
	Instruction int32       `json:"instruction"`     // as deep links count
	DXBCOffset  uint32      `json:"dxbcOffset"`      // of the instruction, in dwords from the start of the program
	Value       *ir.ValueID `json:"value,omitempty"` // of the SSA form
}

func (a *app) wgslCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "wgsl FILE[LINK]",
		Short: "translate stages to WGSL",
		Long: `wgsl prints the module of every stage that the link selects. Warnings and the
reasons of a refusal go to stderr; a refusal makes the exit code 1. With --json one
stage is one object, more than one are the "documents" of an envelope. Of a package it
prints the modules that are in it, and what is wrong with them as WGSL.`,
		Args:              exactly(1, "name one file"),
		ValidArgsFunction: a.completeLink,
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := parseArg(args[0])
			if err != nil {
				return err
			}
			s, err := a.open(l)
			if err != nil {
				return err
			}
			if s.Kind == session.PackageFile {
				return a.packageWGSL(s, l)
			}
			t, err := s.Resolve(l)
			if err != nil {
				return err
			}
			return a.wgsl(cmd.Context(), s, t)
		},
	}
	a.compileFlags.add(cmd)
	return cmd
}

// compilePass compiles a pass and reports its diagnostics, placed.
func compilePass(ctx context.Context, s *session.Session, perm int, ref session.PassRef) (*compile.Pass, error) {
	p, err := s.Compile(ctx, perm, ref)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Link(perm, ref, "", -1), err)
	}
	return p, nil
}

func (a *app) wgsl(ctx context.Context, s *session.Session, t session.Target) error {
	var docs []any
	var found []diag.Diag
	refused, printed := false, 0
	refs, err := stages(s, t)
	if err != nil {
		return err
	}
	if len(refs) == 0 && !a.json {
		a.problem("%s: the selection has no stages", text(linkOf(s, t)))
	}
	for _, ref := range t.Passes {
		pass, err := compilePass(ctx, s, t.Perm, ref)
		if err != nil {
			return err
		}
		for _, d := range pass.Diags {
			found = append(found, s.Place(t.Perm, ref, "", d))
		}
		for _, st := range pass.Stages {
			name := st.Kind.String()
			if t.Stage != "" && name != t.Stage {
				continue
			}
			doc := wgslOf(s, t.Perm, ref, pass, st)
			refused = refused || st.Status != compile.Translated
			if a.json {
				docs = append(docs, doc)
				continue
			}
			for _, d := range st.Diags {
				found = append(found, s.Place(t.Perm, ref, name, d))
			}
			if len(refs) > 1 {
				a.heading(printed == 0, "//", doc.Link+" "+st.Status.String())
			}
			printed++
			a.print("%s", text(doc.WGSL))
			if doc.WGSL != "" && !strings.HasSuffix(doc.WGSL, "\n") {
				a.print("\n")
			}
		}
	}
	if a.json {
		if err := a.printDocs("fxlens.wgsl/1", linkOf(s, t), single(t, len(docs)), docs); err != nil {
			return err
		}
	} else {
		a.diagnostics(fileLink(s), found)
	}
	if refused {
		return errRefused
	}
	return nil
}

// wgslOf makes the document of a stage. Its diagnostics are those of the pass and its own.
func wgslOf(s *session.Session, perm int, ref session.PassRef, pass *compile.Pass, st *compile.Stage) *wgslDoc {
	d := &wgslDoc{
		Schema: "fxlens.wgsl/1", Link: s.Link(perm, ref, st.Kind.String(), -1).String(), Status: st.Status,
		Stage: st.Kind.Long(), EntryPoint: entryPoint,
		Bindings: []layout.Binding{}, IO: []wgsl.IO{}, Premises: []ir.Premise{}, SourceMap: []mapping{}, Diagnostics: []diag.Diag{},
		Requires: wgsl.Requires{Features: []string{}, Language: []string{}, Limits: map[string]int{}},
	}
	if stage, ok := layout.StageOf(st.Kind); ok {
		d.Stage = stage.String()
		if pass.Plan != nil {
			for _, b := range pass.Plan.Bindings {
				if slices.Contains(b.Visibility, stage) {
					d.Bindings = append(d.Bindings, b)
				}
			}
		}
	}
	if m := st.Module; m != nil {
		d.EntryPoint, d.WGSL = m.EntryPoint, m.Code
		d.IO = append(d.IO, m.IO...)
		d.Requires.Features = append(d.Requires.Features, m.Requires.Features...)
		d.Requires.Language = append(d.Requires.Language, m.Requires.Language...)
		for k, v := range m.Requires.Limits {
			d.Requires.Limits[k] = v
		}
		if m.Stage == layout.Compute {
			d.WorkgroupSize = &m.Workgroup
		}
		d.SourceMap = sourceMap(m, st.Shader)
	} else if st.Func != nil && st.Kind == dxbc.Compute {
		d.WorkgroupSize = &st.Func.ThreadGroup
	}
	d.Premises = append(d.Premises, s.Premises(perm, ref, st)...)
	for _, g := range pass.Diags {
		d.Diagnostics = append(d.Diagnostics, s.Place(perm, ref, "", g))
	}
	for _, g := range st.Diags {
		d.Diagnostics = append(d.Diagnostics, s.Place(perm, ref, st.Kind.String(), g))
	}
	return d
}

// entryPoint is the entry point that a refused stage would have had; it is that of
// every emitted module.
const entryPoint = "main"

// sourceMap turns the tokens of a module into runs: neighbours on a line that come
// from the same instruction and value are one.
func sourceMap(m *wgsl.Module, sh *dxbc.Shader) []mapping {
	out := []mapping{}
	line, start, at := 1, 0, 0 // start is where the line starts
	for _, t := range m.Tokens {
		off := int(t.Off)
		if off < at || off+int(t.Len) > len(m.Code) {
			break // cannot be: tokens are in order and inside the text
		}
		for {
			i := strings.IndexByte(m.Code[at:off], '\n')
			if i < 0 {
				break
			}
			at += i + 1
			line, start = line+1, at
		}
		at = off
		if t.Instr < 0 {
			continue
		}
		if n := len(out); n > 0 {
			last := &out[n-1]
			same := last.Value == nil && t.Value == ir.NoValue || last.Value != nil && *last.Value == t.Value
			if end := start + last.Column - 1 + last.Length; last.Line == line && last.Instruction == t.Instr &&
				same && strings.Trim(m.Code[end:off], " ") == "" {
				last.Length += off + int(t.Len) - end
				continue
			}
		}
		x := mapping{Line: line, Column: off - start + 1, Length: int(t.Len), Instruction: t.Instr}
		if sh != nil && int(t.Instr) < len(sh.Program.Instrs) {
			x.DXBCOffset = sh.Program.Instrs[t.Instr].Offset
		}
		if t.Value != ir.NoValue {
			v := t.Value
			x.Value = &v
		}
		out = append(out, x)
	}
	return out
}
