package main

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/spf13/cobra"

	"fxlens/core/dxbc"
	"fxlens/core/session"
)

// disasmDoc is the JSON of one stage's disassembly.
type disasmDoc struct {
	Schema       string      `json:"schema"` // fxlens.disasm/1
	Link         string      `json:"link"`
	Stage        string      `json:"stage"`   // vertex, pixel, compute, geometry, hull, domain
	Profile      string      `json:"profile"` // ps_5_0
	SHA256       string      `json:"sha256"`  // of the container
	Size         int         `json:"size"`    // of the container in bytes
	Text         string      `json:"text,omitempty"`
	Instructions []instrLine `json:"instructions"`
}

// instrLine is one instruction or declaration.
type instrLine struct {
	Index  int    `json:"index"`  // as deep links count
	Offset uint32 `json:"offset"` // dwords from the start of the program
	Length uint32 `json:"length"` // dwords
	Op     string `json:"op"`
	Text   string `json:"text"`
}

// listDoc is the JSON of a command that was asked for more than one document.
type listDoc struct {
	Schema    string `json:"schema"` // that of the documents with "-list" before the version
	Link      string `json:"link"`
	Documents []any  `json:"documents"`
}

// printDocs prints one document as it is, and several in an envelope.
func (a *app) printDocs(schema, link string, one bool, docs []any) error {
	if one {
		return a.printJSON(docs[0])
	}
	if docs == nil {
		docs = []any{}
	}
	name, version, _ := strings.Cut(schema, "/")
	return a.printJSON(listDoc{name + "-list/" + version, link, docs})
}

// disasmFlags are the flags of disasm.
type disasmFlags struct{ numbers, exact bool }

func (a *app) disasmCommand() *cobra.Command {
	var f disasmFlags
	cmd := &cobra.Command{
		Use:   "disasm FILE[LINK]",
		Short: "print DXBC assembly, equal to Microsoft's",
		Long: `disasm prints the assembly of every stage that the link selects, character for
character as Microsoft's disassembler does. A link with an instruction (#ps@42)
prints that instruction alone. --numbers puts before every instruction the number
by which links and diagnostics name it, and its offset in dwords.`,
		Args:              exactly(1, "name one file"),
		ValidArgsFunction: a.completeLink,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, t, err := a.at(args[0])
			if err != nil {
				return err
			}
			return a.disasm(s, t, &f)
		},
	}
	cmd.Flags().BoolVar(&f.exact, "exact", false, "print literals so that fxlens asm gives every bit back")
	cmd.Flags().BoolVar(&f.numbers, "numbers", false, "put instruction numbers and dword offsets before the lines")
	return cmd
}

func (a *app) disasm(s *session.Session, t session.Target, f *disasmFlags) error {
	refs, err := stages(s, t)
	if err != nil {
		return err
	}
	var docs []any
	failed := false
	for i, r := range refs {
		sh, err := dxbc.OpenToList(r.input.Program)
		if err != nil {
			a.problem("%s: the program cannot be decoded: %v; take the file from its source again", text(r.link(s)), err)
			failed = true
			continue
		}
		p := sh.Program
		if a.json {
			docs = append(docs, disasmOf(s, &r, sh, t.Instr, f.exact))
			continue
		}
		if len(refs) > 1 {
			a.heading(i == 0, "//", r.link(s))
		}
		switch {
		case t.Instr >= 0:
			a.print("%s\n", text(p.Text(t.Instr)))
		case f.numbers:
			a.numbered(p)
		default:
			a.print("%s", text(dxbc.Disassemble(sh, dxbc.ListOptions{Exact: f.exact})))
		}
	}
	if a.json && (len(docs) > 0 || !failed) {
		if err := a.printDocs("fxlens.disasm/1", linkOf(s, t), single(t, len(refs)), docs); err != nil {
			return err
		}
	}
	if failed {
		return errRefused
	}
	return nil
}

// fileLink is the file of a session as links write it.
func fileLink(s *session.Session) string { return session.FileLink(s.Name).String() }

// linkOf is the link to all that a target selects.
func linkOf(s *session.Session, t session.Target) string {
	if len(t.Passes) == 0 {
		l := s.Link(t.Perm, session.PassRef{Pass: -1}, "", -1)
		return l.String()
	}
	l := s.Link(t.Perm, t.Passes[0], t.Stage, t.Instr)
	if len(t.Passes) > 1 {
		one := true
		for _, p := range t.Passes {
			one = one && p.TechIndex == t.Passes[0].TechIndex
		}
		l.Pass, l.Stage = -1, ""
		if !one {
			l.Technique, l.Nth = "", 0
		}
	}
	return l.String()
}

func disasmOf(s *session.Session, r *stageRef, sh *dxbc.Shader, only int, exact bool) *disasmDoc {
	sum := sha256.Sum256(r.input.Program)
	p := sh.Program
	d := &disasmDoc{
		Schema: "fxlens.disasm/1", Link: r.link(s), Stage: p.Kind.Long(), Profile: p.Profile(),
		SHA256: hex.EncodeToString(sum[:]), Size: len(r.input.Program), Instructions: []instrLine{},
	}
	if only < 0 {
		d.Text = dxbc.Disassemble(sh, dxbc.ListOptions{Exact: exact})
	} else {
		d.Link = s.Link(r.perm, r.pass, r.stage, only).String()
	}
	for i := range p.Instrs {
		if only >= 0 && i != only {
			continue
		}
		in := &p.Instrs[i]
		d.Instructions = append(d.Instructions, instrLine{i, in.Offset, in.Length, in.Op.String(), p.Text(i)})
	}
	return d
}

// numbered prints a program with the numbers that links use.
func (a *app) numbered(p *dxbc.Program) {
	a.print("%s\n", p.Profile())
	levels := p.Indents()
	for i := range p.Instrs {
		indent := strings.Repeat("  ", levels[i])
		a.print("%5d  0x%04x  %s%s\n", i, p.Instrs[i].Offset, indent, text(p.Text(i)))
	}
}
