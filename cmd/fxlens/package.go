package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"fxlens/core/diag"
	"fxlens/core/effect"
	"fxlens/core/files"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
	"fxlens/core/variant/bundle"
	"fxlens/views"
)

// inspectPackage prints what a package or container is, its chunks, and the effect
// that it describes.
func (a *app) inspectPackage(s *session.Session, t session.Target) error {
	d := packageDoc{
		Schema: effect.InspectionSchema, File: s.Name, FileSize: len(s.Data), FileSHA256: hex.EncodeToString(s.SHA256[:]),
		Kind: s.Kind.String(), Format: session.Carbon, Chunks: []chunkDoc{}, Findings: []diag.Diag{},
	}
	title := "Carbon WebGPU container"
	if p := s.Package; p != nil {
		d.Format = session.CEWGPU
		sum := p.Summary()
		d.Summary = &sum
		title = "CEWGPU package"
		if p.Kind == cewgpu.Generic {
			title = "generic CEWGPU container"
		}
		if v := s.Variants; v != nil {
			title = "CEWGPU package of shader variants"
			d.Variants = &v.Package
		}
		for _, c := range p.Chunks {
			d.Chunks = append(d.Chunks, newChunk(c.Tag, c.Offset, c.Data, session.ChunkDoc(p.Chunks, c.Tag)))
			switch {
			case c.Tag == "INFO" && json.Valid(c.Data):
				d.Info = c.Data
			case c.Tag == "META" && json.Valid(c.Data):
				d.Meta = c.Data
			}
		}
	} else {
		var err error
		if d.Info, err = json.Marshal(s.Container.Info()); err != nil {
			return fmt.Errorf("print JSON: %w", err)
		}
	}
	d.Findings = append(d.Findings, s.Findings()...)
	if a.json {
		if s.Effect != nil {
			d.Effect = s.Effect.Inspect(s.Name)
		}
		return a.printJSON(d)
	}
	a.print("%s: %s\n", views.Text(s.Name), title)
	facts := table{indent: "  "}
	facts.add("size", fmt.Sprintf("%d bytes (%s)", d.FileSize, files.Size(int64(d.FileSize))))
	facts.add("sha256", d.FileSHA256)
	storedFacts(&facts, s)
	if v := s.Variants; v != nil {
		facts.add("graph", v.Graph+", "+v.Source)
		facts.add("profile", string(v.Profile))
	}
	a.print("%s", facts.String())
	if s.Package != nil {
		a.print("\nchunks: %d\n", len(d.Chunks))
		rows := table{indent: "  "}
		for _, c := range d.Chunks {
			rows.add(c.Tag, fmt.Sprintf("%#08x", c.Offset), fmt.Sprintf("%d bytes", c.Size), c.Meaning)
		}
		a.print("%s", rows.String())
	}
	if s.Effect == nil {
		if s.Variants != nil {
			a.printStored(s.Variants)
		}
		a.printFindings(s)
		return nil
	}
	return a.inspectContent(s, t)
}

// printStored lists switches, shaders and variants of a package of them.
func (a *app) printStored(v *bundle.Opened) {
	a.print("\nswitches: %d\n", len(v.Switches))
	rows := table{indent: "  "}
	for _, s := range v.Switches {
		var names []string
		for _, m := range s.Members {
			name := m.Name
			if m.Value == 0 {
				name += "*"
			}
			names = append(names, name)
		}
		rows.add(s.Label, strings.Join(names, " "))
	}
	a.print("%s", rows.String())
	a.print("\nshaders: %d\n", len(v.Shaders))
	rows = table{indent: "  "}
	for i, s := range v.Shaders {
		n := 0
		for _, x := range v.Variants {
			if x.Shader == i {
				n++
			}
		}
		rows.add(s.Label, s.Type, plural(n, "variant", "variants"), plural(len(s.Bindings), "binding", "bindings"), strings.Join(s.Switches, " "))
	}
	a.print("%s", rows.String())
	a.print("\nvariants: %d, %s\n", len(v.Variants), plural(len(v.Modules), "distinct module", "distinct modules"))
	rows = table{indent: "  "}
	for _, x := range v.Variants {
		size := 0
		for _, m := range x.Modules {
			size += len(v.Modules[m.Module].Text())
		}
		rows.add(x.Label, fmt.Sprintf("%d bytes", size))
	}
	a.print("%s", rows.String())
}

// storedFacts says what a package or container has of its effect.
func storedFacts(t *table, s *session.Session) {
	e := s.Effect
	if e == nil {
		return
	}
	if p := s.Package; p != nil {
		if info, err := p.Info(); err == nil {
			t.add("profile", p.Summary().Profile+", bodies "+string(info.BodyMode))
			t.add("source", fmt.Sprintf("%s, %d bytes, SHA-256 %s", info.SourcePath, info.SourceIdentity.ByteLength, info.SourceIdentity.SHA256))
			t.add("modules", fmt.Sprintf("%d of %d stages, %s", info.ShaderCount, info.StageCount, plural(info.LayoutCount, "layout", "layouts")))
			if b := info.BackendBodySet; b != nil {
				t.add("", fmt.Sprintf("%d of %d bodies, %s", b.TranslatedBodyCount, b.BodyCount, plural(b.PassUnitCount, "shared pass", "shared passes")))
			}
		}
	} else {
		i := s.Container.Info()
		t.add("modules", fmt.Sprintf("%d of %d stages, %s", i.ShaderCount, i.StageCount, plural(i.LayoutCount, "layout", "layouts")))
		t.add("", fmt.Sprintf("%d of %d bodies, %s", i.TranslatedBodyCount, i.UniqueBodyCount, plural(i.BlockCount, "block", "blocks")))
	}
	programs := "none: modules alone"
	if s.HasPrograms() {
		programs = "in it"
	}
	t.add("programs", programs)
	t.add("permutations", fmt.Sprintf("%d, %s", e.PermutationCount(), plural(len(e.Bodies()), "distinct body", "distinct bodies")))
}
