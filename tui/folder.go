package tui

import (
	"os"
	"path/filepath"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"fxlens/core/files"
	"fxlens/views"
)

// maxFolder is how many files of a folder are listed.
const maxFolder = 5000

// shaderExts are the endings of files that the program reads.
var shaderExts = []string{".sm_hi", ".sm_lo", ".sm_depth", ".dxbc", ".cso", ".fxo", ".o", ".cewgpu", ".carbonwebgpu"}

func shaderFile(name string) bool {
	for _, e := range shaderExts {
		if strings.HasSuffix(name, e) {
			return true
		}
	}
	return false
}

func (m *Model) whyNoFolder() string {
	if m.opt.Path == "" || m.opt.Path == "-" {
		return "the file came from a stream: it has no folder"
	}
	return ""
}

// openFolder lists the shader files of the opened file's folder and of those below it by
// one; typing narrows the list.
func (m *Model) openFolder() tea.Cmd {
	dir, now := filepath.Dir(m.opt.Path), m.opt.Path
	return func() tea.Msg {
		var items []item
		add := func(path, name string, size int64) {
			if len(items) >= maxFolder {
				return
			}
			it := item{text: views.Clip(name, 100), note: files.Size(size), apply: func(m *Model) tea.Cmd { return m.openFile(path) }}
			if path == now {
				it.key, it.why = "●", "it is open"
			}
			items = append(items, it)
		}
		list := func(dir, prefix string) []os.DirEntry {
			es, err := os.ReadDir(dir)
			if err != nil {
				return nil
			}
			for _, e := range es {
				if info, err := e.Info(); err == nil && info.Mode().IsRegular() && shaderFile(e.Name()) {
					add(filepath.Join(dir, e.Name()), prefix+e.Name(), info.Size())
				}
			}
			return es
		}
		for _, e := range list(dir, "") {
			if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
				list(filepath.Join(dir, e.Name()), e.Name()+"/")
			}
		}
		return applyMsg(func(m *Model) tea.Cmd {
			if m.over != nil {
				return nil
			}
			if len(items) == 0 {
				m.fail("there are no shader files in %s", dir)
				return nil
			}
			m.openList(overList, "Open a file of "+views.Clip(dir, 50), items)
			return nil
		})
	}
}
