package tui

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"fxlens/core/files"
	"fxlens/core/pack/cewgpu"
	"fxlens/views"
)

// maxPackage bounds what is read back and what is looked at before it is replaced.
const maxPackage = 1 << 30

// oldFile is what lies at the path already.
type oldFile struct {
	size   int64
	sha256 string
}

// exportName is the proposed path: beside nothing else, named after file and permutation.
func (m *Model) exportName() string {
	base := m.exportBase()
	if m.sess.Permutations() > 1 {
		base += fmt.Sprintf(".%d", m.sel.perm)
	}
	return base + ".cewgpu"
}

// exportBase is the part of proposed paths that names folder and file.
func (m *Model) exportBase() string {
	return m.inExportDir(exportStem(m.fileName()))
}

// inExportDir is a path in the folder that is proposed.
func (m *Model) inExportDir(name string) string { return filepath.Join(m.exportDir(), name) }

// exportStem is the name of a package without its ending, by that of its source.
func exportStem(name string) string {
	ext := filepath.Ext(name)
	stem := strings.TrimSuffix(name, ext) + strings.ReplaceAll(ext, ".", "_")
	if stem == "" {
		return "package"
	}
	return stem
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
	return &oldFile{int64(len(b)), digest(b)}, nil
}

// digest is the SHA-256 of a file's content in hexadecimal digits.
func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// writeBack writes a file and reads it back: it must hold what was written, and open must
// accept it unless it is nil. old is what lies at the path, or nil: then nothing may have
// come there meanwhile.
func writeBack(path string, data []byte, old *oldFile, open func([]byte) error) error {
	if err := files.Write(path, data, old != nil); err != nil {
		return err
	}
	b, err := files.Read(path, maxPackage)
	if err != nil {
		return fmt.Errorf("written, and not readable: %w", err)
	}
	if !bytes.Equal(b, data) {
		return fmt.Errorf("%s: the file does not hold what was written (SHA-256 %s instead of %s)", path, digest(b), digest(data))
	}
	if open == nil {
		return nil
	}
	if err := open(b); err != nil {
		return fmt.Errorf("written, and refused by the strict reader: %w", err)
	}
	return nil
}

// openPackage is the strict reader of packages.
func openPackage(b []byte) error {
	_, err := cewgpu.Open(b)
	return err
}

func doneLines(size int, sum string) []views.Line {
	return []views.Line{
		{Ref: views.NoRef, Spans: []views.Span{sp(views.RoleTitle, "size    "), sp(views.RoleText, fmt.Sprintf("%d bytes (%s)", size, files.Size(int64(size))))}},
		{Ref: views.NoRef, Spans: []views.Span{sp(views.RoleTitle, "SHA-256 "), sp(views.RoleText, sum)}},
	}
}
