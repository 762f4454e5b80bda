package tui

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/diag"
	"fxlens/core/files"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
	"fxlens/views"
)

// isPackage reports whether the open file is a package or container: the Package screen
// then shows what it has instead of what would be written.
func (m *Model) isPackage() bool { return m.sess != nil && m.sess.Kind == session.PackageFile }

func (m *Model) whyNoPackageScreen() string {
	if m.isPackage() {
		return ""
	}
	return m.whyNoExport()
}

// whyNoWrite is whyNoExport where an opened package can be converted.
func (m *Model) whyNoWrite() string {
	if m.isPackage() && m.sess.Converts() == "" {
		return "only effect packages have another container"
	}
	return m.whyNoPackageScreen()
}

// openConvert shows the dialog for the other container of the opened package.
func (m *Model) openConvert() tea.Cmd {
	m.exportChoice = m.exportChoice.ofOpen()
	m.exportChoice.convert = true
	m.plan.job.stop()
	m.plan.of = planKey{} // its side file may be another by now
	return m.openDialog()
}

// ofOpen is the choice without what one call of the dialog was about.
func (c exportChoice) ofOpen() exportChoice {
	c.other, c.files, c.convert = 0, "", false
	return c
}

// convertItem is the file that a conversion writes, named after the package.
func (m *Model) convertItem() exportItem {
	name := m.fileName()
	stem := strings.TrimSuffix(strings.TrimSuffix(name, ".cewgpu"), ".carbonwebgpu")
	if stem == "" || stem == name {
		stem = exportStem(name)
	}
	ext := ".cewgpu"
	if m.sess.Converts() == session.Carbon {
		ext = ".carbonwebgpu"
	}
	return exportItem{convert: true, what: "the package in the other container", path: m.inExportDir(stem) + ext}
}

// convertOf builds the item, with the side file that lies beside the container at path.
func (it *exportItem) convertOf(ctx context.Context, s *session.Session, path, version string) {
	o := session.ConvertOptions{Version: version}
	if s.Container != nil && path != "" {
		side, err := files.Read(path+session.SideSuffix, maxPackage)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			it.err = err
			return
		}
		o.Side = side
	}
	it.out, it.err = s.Convert(ctx, o)
}

// lostLines list what the target of a conversion cannot say.
func lostLines(it *exportItem, cols int) []views.Line {
	if len(it.out.Lost) == 0 {
		return []views.Line{views.Say(views.RoleOK, "✓ nothing is lost")}
	}
	var out []views.Line
	for i := range it.out.Lost {
		role, mark := views.RoleWarning, "▲ lost: "
		if it.out.Lost[i].Kept {
			role, mark = views.RoleDim, "  "
		}
		out = append(out, views.Say(role, views.Clip(mark+views.Text(it.out.Lost[i].String()), cols)))
	}
	return out
}

// layoutStored makes the lines of what the opened package has.
func (s *packageScreen) layoutStored(m *Model, cols int, add func(...views.Line), head func(string)) {
	sess := m.sess
	add(label("file", "", views.RoleText, views.Clip(m.fileName(), cols-10)))
	add(label("size", "", views.RoleText, fmt.Sprintf("%d bytes (%s)   SHA-256 %s", len(sess.Data), files.Size(int64(len(sess.Data))), views.Clip(digest(sess.Data), max(cols-50, 8)))))
	if to := sess.Converts(); to != "" {
		add(label("convert", "f", views.RoleText, views.Clip("to a "+formatText[to], cols-10)))
	}
	if c := sess.Container; c != nil {
		i := c.Info()
		add(label("format", "", views.RoleText, formatText[session.Carbon]))
		head("Coverage")
		add(views.Say(views.RoleText, fmt.Sprintf("%d of %d bodies have modules, for %s; %s in all", i.TranslatedBodyCount, i.UniqueBodyCount, plural(i.PermutationCount, "permutation"), plural(i.BlockCount, "block"))),
			views.Say(views.RoleText, fmt.Sprintf("the selected body: %d of %d stages, %s", i.ShaderCount, i.StageCount, plural(i.LayoutCount, "layout"))))
	}
	if p := sess.Package; p != nil {
		if s.stored == nil {
			s.stored = session.StoredReport(p, nil)
		}
		s.storedPackage(p, cols, add, head)
	}
	found := sess.Findings()
	head("Validation")
	if !slices.ContainsFunc(found, func(d diag.Diag) bool { return d.Sev != diag.Note }) {
		add(views.Say(views.RoleOK, "✓ the strict reader takes it"))
	}
	for i := range found {
		add(views.Detail(&found[i], i, len(found), cols)...)
	}
}

// storedPackage is the part of a CEWGPU package.
func (s *packageScreen) storedPackage(p *cewgpu.Package, cols int, add func(...views.Line), head func(string)) {
	r := s.stored
	what := "generic: a container of chunks"
	if text, ok := profileText[r.Profile]; ok {
		what = text
	}
	add(label("profile", "", views.RoleText, views.Clip(what, cols-10)))
	if info, err := p.Info(); err == nil && p.Kind == cewgpu.EffectPackage {
		add(label("source", "", views.RoleText, views.Clip(fmt.Sprintf("%s, %d bytes", views.Text(info.SourcePath), info.SourceIdentity.ByteLength), cols-10)),
			label("modules", "", views.RoleText, fmt.Sprintf("%d of %d stages, %s; bodies: %s", info.ShaderCount, info.StageCount, plural(info.LayoutCount, "layout"), views.Text(string(info.BodyMode)))))
	}
	head("Chunks")
	add(chunkLines(r.Chunks, cols)...)
	s.coverage(r, cols, add, head)
}

// coverage lists bodies and what sharing saves.
func (s *packageScreen) coverage(r *cewgpu.Report, cols int, add func(...views.Line), head func(string)) {
	if len(r.Bodies) > 0 {
		head("Bodies")
		add(bodyLines(r, cols)...)
	}
	if sh := r.Sharing; sh != nil {
		head("Sharing")
		add(views.Say(views.RoleText, fmt.Sprintf("%d passes of translated bodies are %d units: %s of WGSL instead of %s, %s saved", sh.Passes, sh.Units,
			files.Size(int64(sh.Bytes)), files.Size(int64(sh.Bytes+sh.Saved)), percent(sh.Saved, sh.Bytes+sh.Saved))))
	}
}

// convertChoice says in the dialog what is converted.
func (m *Model) convertChoice(cols int) []views.Line {
	return []views.Line{
		label("what", "", views.RoleText, views.Clip("the package "+filepath.Base(m.fileName())+" as it is", cols-10)),
		label("format", "", views.RoleText, views.Clip(formatText[m.sess.Converts()], cols-10)),
	}
}
