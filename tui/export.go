package tui

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/files"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
	"fxlens/views"
)

// built is a package in memory.
type built struct {
	data   []byte
	report *cewgpu.Report
}

// build makes the package of a permutation with the options that `fxlens build` has by
// default, so that the same selection gives the same bytes.
func build(ctx context.Context, s *session.Session, perm int, version string) (*built, error) {
	data, report, err := s.BuildPackage(ctx, session.PackageOptions{
		Perm: perm, Mode: cewgpu.Selected, Profile: cewgpu.Strict, Version: version})
	if err != nil {
		return nil, err
	}
	return &built{data, report}, nil
}

// maxPackage bounds what is read back and what is looked at before it is replaced.
const maxPackage = 1 << 30

// exportStage is how far an export is.
type exportStage uint8

const (
	exPath    exportStage = iota // the path can be edited
	exLooking                    // what lies there is looked at, and the package built
	exReplace                    // something else lies there: replace it?
	exWriting
	exDone
	exFailed
)

// exporter is the dialog that writes a package. Nothing is written before the user has
// seen the path, and nothing replaced before both digests were shown.
type exporter struct {
	stage exportStage
	path  textinput.Model
	built *built
	old   *oldFile
	job   job
	lines []views.Line // what happened
}

// oldFile is what lies at the path already.
type oldFile struct {
	size   int64
	sha256 string
}

type lookedMsg struct {
	gen   int
	built *built
	old   *oldFile
	err   error
}

type writtenMsg struct {
	gen    int
	size   int
	sha256 string
	err    error
}

// exportName is the proposed path: beside nothing else, named after file and permutation.
func (m *Model) exportName() string {
	name := m.fileName()
	ext := filepath.Ext(name)
	base := strings.TrimSuffix(name, ext) + strings.ReplaceAll(ext, ".", "_")
	if base == "" {
		base = "package"
	}
	if m.sess.Permutations() > 1 {
		base += fmt.Sprintf(".%d", m.sel.perm)
	}
	return filepath.Join(m.opt.ExportDir, base+".cewgpu")
}

// openExport shows where the package of the selected permutation would go.
func (m *Model) openExport() tea.Cmd {
	o := newOverlay(overExport, "Export package", "")
	in := textinput.New()
	in.Prompt = ""
	in.CharLimit = 4096
	in.SetValue(m.exportName())
	in.CursorEnd()
	in.Focus()
	m.export = &exporter{path: in}
	m.over = o
	m.dirty = true
	return nil
}

// exportKey handles keys in the dialog. Esc at any moment leaves the folder as it was:
// writing itself is one rename.
func (m *Model) exportKey(k tea.KeyMsg) tea.Cmd {
	x := m.export
	switch name := keyName(k); {
	case name == "esc" || name == "ctrl+c":
		if x.stage == exWriting {
			return nil // it is one rename away; its result shows in a moment
		}
		x.job.stop()
		m.over = nil
		return nil
	case x.stage == exPath && name == "enter":
		return m.exportLook()
	case x.stage == exPath:
		if k.Type == tea.KeyRunes {
			k.Runes = []rune(strings.Map(func(r rune) rune {
				if r < ' ' {
					return -1
				}
				return r
			}, string(k.Runes)))
		}
		x.path, _ = x.path.Update(k)
	case x.stage == exReplace:
		switch name {
		case "y", "Y":
			return m.exportWrite(true)
		case "n", "N", "enter":
			x.stage = exPath
		}
	case x.stage == exDone:
		m.over = nil
		if name == "y" {
			return m.yank(x.path.Value(), "path")
		}
	case x.stage == exFailed:
		if name == "enter" {
			x.stage = exPath
			x.lines = nil
		}
	}
	return nil
}

// exportLook builds the package and looks at what lies at the path.
func (m *Model) exportLook() tea.Cmd {
	x := m.export
	path := x.path.Value()
	if strings.TrimSpace(path) == "" {
		m.fail("name a file first")
		return nil
	}
	x.stage = exLooking
	ctx, gen := x.job.next(m.ctx)
	s, perm, version := m.sess, m.sel.perm, m.opt.Version
	return func() tea.Msg {
		if sameFile(path, s.Name) {
			return lookedMsg{gen: gen, err: fmt.Errorf("%s is the opened file itself; name another", path)}
		}
		b, err := build(ctx, s, perm, version)
		if err != nil {
			return lookedMsg{gen: gen, err: err}
		}
		old, err := look(path)
		return lookedMsg{gen, b, old, err}
	}
}

// sameFile reports whether two paths name one file.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// look returns size and digest of the file at path, or nil where there is none.
func look(path string) (*oldFile, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	b, err := files.Read(path, maxPackage)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b)
	return &oldFile{int64(len(b)), hex.EncodeToString(sum[:])}, nil
}

// exportWrite writes the package, reads it back strictly and reports.
func (m *Model) exportWrite(replace bool) tea.Cmd {
	x := m.export
	x.stage = exWriting
	_, gen := x.job.next(m.ctx)
	path, data := x.path.Value(), x.built.data
	return func() tea.Msg {
		if err := files.Write(path, data, replace); err != nil {
			return writtenMsg{gen: gen, err: err}
		}
		b, err := files.Read(path, maxPackage)
		if err != nil {
			return writtenMsg{gen: gen, err: fmt.Errorf("written, and not readable: %w", err)}
		}
		sum := sha256.Sum256(b)
		if want := sha256.Sum256(data); sum != want {
			return writtenMsg{gen: gen, err: fmt.Errorf("%s: the file does not hold what was written (SHA-256 %x instead of %x)", path, sum, want)}
		}
		if _, err := cewgpu.Open(b); err != nil {
			return writtenMsg{gen: gen, err: fmt.Errorf("written, and refused by the strict reader: %w", err)}
		}
		return writtenMsg{gen, len(b), hex.EncodeToString(sum[:]), nil}
	}
}

// exportMsg takes the answers of the dialog's commands.
func (m *Model) exportMsg(msg tea.Msg) tea.Cmd {
	x := m.export
	if x == nil || m.over == nil || m.over.kind != overExport {
		return nil
	}
	m.dirty = true
	switch msg := msg.(type) {
	case lookedMsg:
		if msg.gen != x.job.gen {
			return nil
		}
		if msg.err != nil {
			m.exportFailed(msg.err)
			return nil
		}
		x.built, x.old = msg.built, msg.old
		sum := sha256.Sum256(msg.built.data)
		switch {
		case msg.old == nil:
			return m.exportWrite(false)
		case msg.old.sha256 == hex.EncodeToString(sum[:]):
			x.stage = exDone
			x.lines = append([]views.Line{views.Say(views.RoleOK, "✓ the file holds exactly this package already; nothing was written")}, doneLines(len(msg.built.data), msg.old.sha256)...)
		default:
			x.stage = exReplace
		}
	case writtenMsg:
		if msg.gen != x.job.gen {
			return nil
		}
		if msg.err != nil {
			m.exportFailed(msg.err)
			return nil
		}
		x.stage = exDone
		x.lines = append([]views.Line{views.Say(views.RoleOK, "✓ written, read back and checked by the strict reader")}, doneLines(msg.size, msg.sha256)...)
		for _, p := range x.built.report.Passes {
			if p.Reason != "" {
				x.lines = append(x.lines, views.Say(views.RoleWarning, "▲ pass "+views.Clip(p.Key, 40)+" is not in it: "+views.Clip(p.Reason, 200)))
			}
		}
	}
	return nil
}

func doneLines(size int, sum string) []views.Line {
	return []views.Line{
		{Ref: views.NoRef, Spans: []views.Span{sp(views.RoleTitle, "size    "), sp(views.RoleText, fmt.Sprintf("%d bytes (%s)", size, files.Size(int64(size))))}},
		{Ref: views.NoRef, Spans: []views.Span{sp(views.RoleTitle, "SHA-256 "), sp(views.RoleText, sum)}},
	}
}

// exportFailed shows why nothing was written, every reason with its remedy.
func (m *Model) exportFailed(err error) {
	x := m.export
	x.stage = exFailed
	x.lines = []views.Line{views.Say(views.RoleRefused, "✗ nothing was written")}
	var be *cewgpu.BuildError
	if errors.As(err, &be) {
		for i := range be.Findings {
			d := be.Findings[i].Diag()
			x.lines = append(x.lines, views.Detail(&d, i, len(be.Findings), m.overRect().w-4)...)
		}
		return
	}
	x.lines = append(x.lines, views.WrapWords(views.Say(views.RoleText, views.Text(err.Error())), m.overRect().w-4, 0)...)
}

// composeExport draws the dialog.
func (m *Model) composeExport(c *canvas) {
	x := m.export
	r := m.overRect()
	hints := map[exportStage]string{
		exPath: "enter write   esc leave everything as it is", exLooking: "building   esc stop", exReplace: "y replace   n another name   esc leave everything as it is",
		exWriting: "writing", exDone: "y copy the path   any key closes", exFailed: "enter try again   esc close",
	}
	r.h = min(r.h, 12+len(x.lines))
	box(c, r, "Export package", hints[x.stage])
	y := r.y + 1
	line := func(spans ...views.Span) {
		if y < r.y+r.h-1 {
			c.put(r.x+2, y, r.w-4, spans, 0, blank)
		}
		y++
	}
	line(sp(views.RoleTitle, "what    "), sp(views.RoleText, "the selected body with all its passes, profile strict"))
	line(sp(views.RoleTitle, "from    "), sp(views.RoleText, views.Clip(m.fileName(), 60)+"  "+m.permText()))
	if p := m.sess.Permutation(m.sel.perm); p != "" {
		for _, l := range views.WrapWords(views.Say(views.RoleDim, strings.ReplaceAll(views.Clip(p, 6*r.w), "&", " ")), r.w-12, 0) {
			line(append([]views.Span{sp(views.RoleText, "        ")}, l.Spans...)...)
		}
	}
	line()
	if x.stage == exPath {
		m.composePrompt(c, r.x+2, y, r.w-4, "to      ", &x.path)
		y++
	} else {
		line(sp(views.RoleTitle, "to      "), sp(views.RoleLink, views.Clip(x.path.Value(), r.w-12)))
	}
	if refused := m.refusedPasses(); refused != "" && x.stage == exPath {
		line(sp(views.RoleWarning, "▲ "+views.Clip(refused, r.w-6)))
	}
	line()
	if x.stage == exReplace {
		sum := sha256.Sum256(x.built.data)
		line(sp(views.RoleWarning, "▲ another file lies there. Replace it?"))
		line(sp(views.RoleTitle, "old     "), sp(views.RoleText, fmt.Sprintf("%9d bytes  %s", x.old.size, x.old.sha256)))
		line(sp(views.RoleTitle, "new     "), sp(views.RoleText, fmt.Sprintf("%9d bytes  %s", len(x.built.data), hex.EncodeToString(sum[:]))))
	}
	for i := range x.lines {
		line(x.lines[i].Spans...)
	}
}

// refusedPasses names what of the selection cannot be translated.
func (m *Model) refusedPasses() string {
	var names []string
	for i, r := range m.passes {
		k, _ := m.key(m.sel.perm, i)
		if v := m.cache[k]; v != nil && v.pass != nil && v.pass.Status != 0 {
			names = append(names, views.Clip(r.String(), 30))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "not translated: " + strings.Join(names, ", ") + " (] lists why)"
}
