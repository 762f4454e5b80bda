package tui

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/themes"
	"fxlens/views"
)

func copied(t testing.TB, o *Options, to *[]string) {
	t.Helper()
	o.Getenv = func(k string) string { return map[string]string{"TERM": "linux"}[k] } // no OSC 52 there
	o.Clipboard = func(s string) error { *to = append(*to, s); return nil }
}

func TestCopyMenu(t *testing.T) {
	var got []string
	r := newRig(t, textSession(t, nestedText), 120, 40, func(o *Options) { copied(t, o, &got) })
	last := func() string { require.NotEmpty(t, got); return got[len(got)-1] }
	r.at("add r0.x, r0.x, cb0", "r0.x")
	r.keys("c", "block", "enter")
	assert.Equal(t, "if_nz r1.x\n  add r0.x, r0.x, cb0[0].x", last())
	r.keys("c", "whole listing", "enter")
	assert.Equal(t, 21, strings.Count(last(), "\n"))
	r.keys("c", "link", "enter")
	assert.Equal(t, "nested.dxbc#ps@9", last())
	r.keys("c", "json", "enter")
	var j map[string]any
	require.NoError(t, json.Unmarshal([]byte(last()), &j))
	assert.EqualValues(t, 1, j["version"])
	assert.EqualValues(t, 9, j["instruction"])
	assert.Equal(t, "r0", j["register"])
	assert.Equal(t, "x", j["lanes"])
	r.keys("c", "command", "enter")
	assert.Equal(t, "fxlens disasm 'nested.dxbc#ps'", last())
	r.keys("c", "selected", "enter")
	assert.Contains(t, r.row(r.m.arr.chrome.status), "v begins")
	r.at("mov r0.xy", "")
	r.keys("v", "j", "c", "selected", "enter")
	assert.Equal(t, "mov r0.xy, v1.xyxx\nmov r0.z, l(0)", last())
	assert.Contains(t, r.row(r.m.arr.chrome.status), "by the system clipboard", "it says which way was used")
}

// A pane is written in every form; what the file says is what the pane shows.
func TestPaneExport(t *testing.T) {
	r := newRig(t, openSession(t, effectFile), 120, 40)
	r.m.opt.Version = "test"
	l := r.m.listing(slotCode)
	want := linesText(l, 0, l.Len()-1)
	file := func(ext string) string {
		r.keys("E", ext, "enter", "enter")
		path := filepath.Join(r.m.opt.ExportDir, "quadv5_sm_hi.57.Main_0.ps.dxbc."+map[string]string{"text": "txt"}[ext])
		if ext != "text" {
			path += ext
		}
		require.Contains(t, r.row(r.m.arr.chrome.status), "wrote ", ext)
		return read(t, path)
	}
	assert.Equal(t, want, file("text"))
	strip := regexp.MustCompile(`(?m)^ *\d*  ((?:│ )*)`)
	plain := func(s string) string {
		return strip.ReplaceAllStringFunc(s, func(m string) string { return strings.Repeat("  ", strings.Count(m, "│")) })
	}
	assert.Equal(t, want, plain(ansi.Strip(file("ansi"))))
	page := file("html")
	assert.Contains(t, page, `<span class="r-opcode">mul</span>`)
	assert.Contains(t, page, `<span id="L1">`)
	var texts int
	for d := xml.NewDecoder(strings.NewReader(file("svg"))); ; {
		tok, err := d.Token()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		if e, ok := tok.(xml.StartElement); ok && e.Name.Local == "text" {
			texts++
		}
	}
	assert.Greater(t, texts, l.Len())
	var j struct {
		Version int
		Form    string
		Lines   []struct {
			Text        string
			Instruction *int32
		}
	}
	require.NoError(t, json.Unmarshal([]byte(file("json")), &j))
	assert.Equal(t, 1, j.Version)
	require.Len(t, j.Lines, l.Len())
	assert.Equal(t, l.Text(30), j.Lines[30].Text)
	assert.Equal(t, l.Focus(30, 0).Instr, *j.Lines[30].Instruction)
}

// Nothing is replaced before both files were shown.
func TestPaneExportAsksFirst(t *testing.T) {
	r := newRig(t, openSession(t, effectFile), 120, 40)
	path := filepath.Join(r.m.opt.ExportDir, "quadv5_sm_hi.57.Main_0.ps.dxbc.txt")
	require.NoError(t, os.WriteFile(path, []byte("mine"), 0o600))
	r.keys("E", "text", "enter", "enter")
	assert.Contains(t, r.screen(), "is there already")
	r.keys("enter") // the first choice leaves it
	assert.Equal(t, "mine", read(t, path))
	r.keys("E", "text", "enter", "enter", "replace", "enter")
	assert.Contains(t, read(t, path), "ps_5_0")
	r.keys("E", "text", "enter", "enter")
	assert.Contains(t, r.row(r.m.arr.chrome.status), "exactly this already")
}

// Hostile text stays text in every form.
func TestPaneExportEscapes(t *testing.T) {
	th, err := themes.Load("dark")
	require.NoError(t, err)
	s := &paneShot{l: views.Message(views.Span{Text: "</pre><script>\x1b]0;x\x07"}), title: "<b>\x1b", theme: th, painter: newPainter(th, termenv.TrueColor, false, false)}
	for _, f := range paneFormats() {
		b := string(f.make(s))
		assert.NotContains(t, b, "\x1b]", f.key)
		assert.NotContains(t, b, "\x07", f.key)
		if f.key == "html" || f.key == "svg" {
			assert.NotContains(t, b, "<script>", f.key)
			assert.NotContains(t, b, "<b>", f.key)
		}
	}
}

func TestHistoryList(t *testing.T) {
	r := newRig(t, openSession(t, effectFile), 120, 40)
	r.keys("J")
	assert.Contains(t, r.row(r.m.arr.chrome.status), "not jumped")
	r.keys("/", "mad", "enter", "n", "n")
	end := r.line()
	r.keys("J")
	assert.Contains(t, r.screen(), "History")
	assert.Contains(t, r.screen(), "Main/0/ps  DXBC line")
	n := len(r.m.hist.back)
	r.keys("down", "enter")
	assert.Len(t, r.m.hist.back, n-2)
	assert.NotEqual(t, end, r.line())
	r.keys("J", "up", "up", "up", "enter")
	assert.Equal(t, end, r.line(), "and forward again")
}

// Everything that has the words, in all bodies; the list stays to be walked.
func TestFindAll(t *testing.T) {
	s := openSession(t, effectFile)
	r := newRig(t, s, 120, 40)
	r.keys("F", "dp3", "enter")
	require.NotNil(t, r.m.over)
	want, passes := 0, 0
	for _, x := range targets(s, r.m.sel.perm, 0) {
		passes++
		in, err := s.Input(x.perm, x.ref)
		require.NoError(t, err)
		for i := range in.Stages {
			v := newPassViewOf(t, s, x)
			l := v.stages[i].forms[formDXBC]
			for k := range l.Len() {
				if strings.Contains(l.Text(k), "dp3") {
					want++
				}
			}
		}
	}
	require.NotZero(t, want)
	assert.Equal(t, want, r.m.findall.hits)
	assert.Contains(t, r.screen(), fmt.Sprintf("dp3 in DXBC: %d in %d passes", want, passes))
	r.keys("enter")
	assert.Contains(t, r.line(), "dp3")
	r.keys("tab", ".", ".")
	assert.Contains(t, r.line(), "dp3")
	assert.Contains(t, r.row(r.m.arr.chrome.status), "2 of ")
	r.keys("F")
	for range 10 {
		r.keys("backspace")
	}
	r.keys("nosuchthing", "enter")
	assert.Contains(t, r.row(r.m.arr.chrome.status), "does not occur")
}

// Esc stops the search and shows what there is.
func TestFindAllStops(t *testing.T) {
	r := newRig(t, openSession(t, effectFile), 120, 40)
	r.hold = true
	r.keys("F", "mul", "enter")
	step := r.held
	r.held = nil
	for _, c := range step { // one pass
		msg := c()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for _, c := range batch {
				r.send(c())
			}
			continue
		}
		r.send(msg)
	}
	assert.Contains(t, r.row(r.m.arr.chrome.status), "finding: ")
	r.keys("esc")
	assert.Contains(t, r.screen(), "(stopped; there are")
}
