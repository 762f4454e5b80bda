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
	name := m.fileName()
	ext := filepath.Ext(name)
	base := strings.TrimSuffix(name, ext) + strings.ReplaceAll(ext, ".", "_")
	if base == "" {
		base = "package"
	}
	return filepath.Join(m.opt.ExportDir, base)
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

func doneLines(size int, sum string) []views.Line {
	return []views.Line{
		{Ref: views.NoRef, Spans: []views.Span{sp(views.RoleTitle, "size    "), sp(views.RoleText, fmt.Sprintf("%d bytes (%s)", size, files.Size(int64(size))))}},
		{Ref: views.NoRef, Spans: []views.Span{sp(views.RoleTitle, "SHA-256 "), sp(views.RoleText, sum)}},
	}
}
