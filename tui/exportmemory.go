package tui

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"fxlens/core/files"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
)

// exportMemoryName is the file below Options.StateDir that keeps how packages are
// exported. It is no state of a file, which end in .json and are swept.
const exportMemoryName = "export.choice"

// exportMemory is the part of a choice that outlives the program: not the scope, which
// is about the opened file.
type exportMemory struct {
	Version int            `json:"version"`
	Profile cewgpu.Profile `json:"profile"`
	Format  session.Format `json:"format"`
	Order   cewgpu.Order   `json:"order"`
	Dir     string         `json:"folder,omitempty"` // absolute; empty: the proposed one
}

const exportMemoryVersion = 1

func (c exportChoice) memory() exportMemory {
	c = c.filled()
	return exportMemory{exportMemoryVersion, c.profile, c.format, c.order, c.dir}
}

// recallExport takes the choice of the last visit. What is not known, or a folder that
// is no more, leaves the default.
func (m *Model) recallExport() {
	if m.recallDone {
		return
	}
	m.recallDone = true
	if m.opt.StateDir == "" || m.cfg != nil && m.cfg.Restore != nil && !*m.cfg.Restore {
		return
	}
	data, err := files.Read(filepath.Join(m.opt.StateDir, exportMemoryName), 1<<16)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			m.fail("the last export's choice is not known: %v", err)
		}
		return
	}
	var x exportMemory
	if json.Unmarshal(data, &x) != nil || x.Version != exportMemoryVersion {
		return
	}
	c := &m.exportChoice
	if _, ok := profileText[x.Profile]; ok {
		c.profile = x.Profile
	}
	if _, ok := formatText[x.Format]; ok {
		c.format = x.Format
	}
	if _, ok := orderText[x.Order]; ok {
		c.order = x.Order
	}
	if info, err := os.Stat(x.Dir); err == nil && info.IsDir() && filepath.IsAbs(x.Dir) {
		c.dir = x.Dir
	}
	m.recalled = c.memory()
}

// rememberExport writes the choice where it is another one than was recalled.
func (m *Model) rememberExport() error {
	x := m.exportChoice.memory()
	if m.opt.StateDir == "" || x == m.recalled || m.recalled == (exportMemory{}) && x == (exportChoice{}).memory() {
		return nil
	}
	b, err := json.Marshal(x)
	if err != nil {
		return fmt.Errorf("remember the export: %w", err)
	}
	return files.WriteIn(m.opt.StateDir, exportMemoryName, append(b, '\n'))
}

// exportDir is the folder that is proposed.
func (m *Model) exportDir() string {
	if d := m.exportChoice.dir; d != "" {
		return d
	}
	return m.opt.ExportDir
}

// keepDir remembers the folder that a package was written to on purpose.
func (m *Model) keepDir(path string) {
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return
	}
	if usual, err := filepath.Abs(m.opt.ExportDir); err == nil && usual == dir {
		dir = ""
	}
	m.exportChoice.dir = dir
}
