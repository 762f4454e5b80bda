package tui

import (
	"fmt"
	"path/filepath"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/files"
	"fxlens/core/variant"
	"fxlens/core/variant/bundle"
	"fxlens/views"
)

// switchScope is what a package of variants holds.
type switchScope uint8

const (
	scopeVariant switchScope = iota // the shown one
	scopeShader                     // all variants of the shader
	scopeBuilt                      // the sets that the graph says are built, of all shaders
	scopeEvery                      // every variant of every shader
	numSwitchScopes
)

// switchChoice is a choice of the export list; the zero value was never made.
type switchChoice struct {
	scope   switchScope
	profile bundle.Profile
}

// Messages of the export.
type (
	switchMade struct { // the package is ready, nothing is written
		gen    int
		file   outFile
		report *bundle.Report
		err    error
	}
	switchWritten struct {
		gen    int
		file   outFile
		report *bundle.Report
		err    error
	}
)

func (switchMade) screen() where    { return inSwitches }
func (switchWritten) screen() where { return inSwitches }

// openExport lists what can be written, the last choice first.
func (s *switchesScreen) openExport(m *Model) tea.Cmd {
	if len(s.w.Shaders) == 0 {
		m.fail("the graph has no shaders")
		return nil
	}
	sh := &s.w.Shaders[s.shader]
	texts := [numSwitchScopes]string{
		s.w.VariantLabel(s.shader, s.set),
		fmt.Sprintf("%s: %s", views.Text(sh.Label), plural(sh.Variants(), "variant")),
		fmt.Sprintf("all shaders, the sets that are built: %d", len(s.w.Built())),
		"all shaders, all variants",
	}
	var items []item
	add := func(c switchChoice) {
		items = append(items, item{key: string(c.profile), text: texts[c.scope], note: filepath.Base(s.path(m, c)), apply: func(m *Model) tea.Cmd { return s.exportNow(m, c) }})
	}
	if s.choice.profile != "" {
		add(s.choice)
	}
	for scope := range numSwitchScopes {
		for _, p := range []bundle.Profile{bundle.Generic, bundle.Extended} {
			if c := (switchChoice{scope, p}); c != s.choice {
				add(c)
			}
		}
	}
	m.openList(overList, "Write a package of", items)
	return nil
}

func (s *switchesScreen) exportAgain(m *Model) tea.Cmd {
	if s.choice.profile == "" {
		return s.openExport(m)
	}
	return s.exportNow(m, s.choice)
}

// path is where a choice is written: named after the graph and, unless it is all of it,
// the shader and its set.
func (s *switchesScreen) path(m *Model, c switchChoice) string {
	base := s.w.Name
	if s.w.Effect {
		base = strings.TrimSuffix(filepath.Base(m.exportBase()), "_")
	}
	switch c.scope {
	case scopeVariant:
		base += "." + s.w.Shaders[s.shader].Key
		if t := s.w.Restricted(s.shader, s.set); t != variant.Empty {
			base += "." + s.w.SetText(t)
		}
	case scopeShader:
		base += "." + s.w.Shaders[s.shader].Key + ".all"
	case scopeEvery:
		base += ".all"
	}
	return filepath.Join(m.opt.ExportDir, fileNameOf(base)+".cewgpu")
}

// fileNameOf makes a file's name of any text: what could lead out of the folder, or is not
// allowed somewhere, becomes a dash.
func fileNameOf(text string) string {
	name := strings.Map(func(r rune) rune {
		if r == '.' || r == '_' || r == '-' || r == '=' || r == ',' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '-'
	}, text)
	name = strings.TrimLeft(name, ".-")
	if len(name) > 120 {
		name = name[:120]
	}
	if name == "" {
		return "switches"
	}
	return name
}

// exportNow makes the package in a command.
func (s *switchesScreen) exportNow(m *Model, c switchChoice) tea.Cmd {
	s.choice = c
	shaders, sets := []int{s.shader}, []*variant.Set{s.set}
	switch c.scope {
	case scopeShader:
		sets = nil
	case scopeBuilt:
		shaders, sets = nil, s.w.Built()
	case scopeEvery:
		shaders, sets = nil, nil
	}
	ctx, gen := s.export.next(m.ctx)
	w, path, version := s.w, s.path(m, c), m.opt.Version
	m.dirty = true
	return func() tea.Msg {
		b, report, err := w.Package(ctx, shaders, sets, c.profile, version, nil)
		f := outFile{path: path, data: b, open: func(b []byte) error { _, err := bundle.Open(b); return err }}
		if err == nil {
			f.old, err = look(path)
		}
		if ctx.Err() != nil {
			return nil
		}
		return switchMade{gen, f, report, err}
	}
}

func (s *switchesScreen) updateExport(m *Model, msg screenMsg) tea.Cmd {
	switch msg := msg.(type) {
	case switchMade:
		if msg.gen != s.export.gen {
			return nil
		}
		s.export.on = false
		m.dirty = true
		f := msg.file
		switch {
		case msg.err != nil:
			m.fail("nothing was written: %s", firstLine(msg.err))
		case f.old != nil && f.old.sha256 == f.sum():
			m.say("%s holds exactly this already", filepath.Base(f.path))
		case f.old != nil:
			m.openList(overList, "Write", []item{
				{head: true, text: "▲ " + views.Clip(filepath.Base(f.path), 60) + " is another file:"},
				{head: true, text: fmt.Sprintf("  old %9d bytes  %s", f.old.size, f.old.sha256)},
				{head: true, text: fmt.Sprintf("  new %9d bytes  %s", len(f.data), f.sum())},
				{text: "leave everything as it is", apply: func(m *Model) tea.Cmd { m.say("nothing was written"); return nil }},
				{text: "replace " + views.Clip(filepath.Base(f.path), 60), apply: func(m *Model) tea.Cmd { return s.write(m, f, msg.report) }},
			})
		default:
			return s.write(m, f, msg.report)
		}
	case switchWritten:
		if msg.gen != s.export.gen {
			return nil
		}
		s.export.on = false
		if msg.err != nil {
			m.fail("%v", msg.err)
			return nil
		}
		r := msg.report
		m.say("written: %s  %s, %s, %s  sha256 %s", filepath.Base(msg.file.path), plural(r.Variants, "variant"), plural(r.Modules, "module"), files.Size(int64(r.Size)), msg.file.sum())
	}
	return nil
}

// write writes the file and reads it back.
func (s *switchesScreen) write(m *Model, f outFile, report *bundle.Report) tea.Cmd {
	_, gen := s.export.next(m.ctx)
	return func() tea.Msg {
		return switchWritten{gen, f, report, writeBack(f.path, f.data, f.old, f.open)}
	}
}
