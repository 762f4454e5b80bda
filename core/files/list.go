package files

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Extensions are the endings of the files that fxlens opens, lower case.
var Extensions = []string{".sm_hi", ".sm_lo", ".sm_depth", ".dxbc", ".cso", ".fxo", ".o", ".cewgpu", ".carbonwebgpu"}

// IsShader reports whether a file name has one of the known endings. Compiled
// effects also have older endings with a model in them (".sm_3_0_hi").
func IsShader(name string) bool {
	ext := strings.ToLower(filepath.Ext(name))
	return slices.Contains(Extensions, ext) || strings.HasPrefix(ext, ".sm_")
}

// Entry is one file that List found.
type Entry struct {
	Path string // the folder given, a slash, and the path below it
	Size int64  // bytes
}

// List returns the shader files below dir, sorted by path. It goes into
// folders except hidden ones, does not follow links to folders (except dir
// itself, which a person named), and goes on after folders that cannot be read:
// those failures come back in skipped. It fails when dir itself cannot be
// listed and when ctx ends.
func List(ctx context.Context, dir string) (found []Entry, skipped []error, err error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, nil, osError("list", dir, err)
	}
	if !info.IsDir() {
		return nil, nil, &Error{Op: "list", Path: dir, Reason: "is not a folder", Err: fs.ErrInvalid}
	}
	root, err := walkRoot(dir)
	if err != nil {
		return nil, nil, osError("list", dir, err)
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		top := path == root
		if root != dir { // the paths stay those below the name given
			path = filepath.Join(dir, strings.TrimPrefix(path, root))
		}
		if err != nil {
			if top {
				return osError("list", path, err)
			}
			skipped = append(skipped, osError("list", path, err))
			return nil
		}
		name := d.Name()
		if d.IsDir() {
			if !top && strings.HasPrefix(name, ".") {
				return fs.SkipDir
			}
			return nil
		}
		if strings.HasPrefix(name, ".") || !IsShader(name) {
			return nil
		}
		info, err := os.Stat(path) // a link to a file counts as the file
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) { // it went away meanwhile
				skipped = append(skipped, osError("list", path, err))
			}
			return nil
		}
		if info.Mode().IsRegular() {
			found = append(found, Entry{Path: path, Size: info.Size()})
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	slices.SortFunc(found, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	return found, skipped, nil
}

// walkRoot is dir as filepath.WalkDir has to get it, which does not enter a root that
// is a link: the folder that the link leads to.
func walkRoot(dir string) (string, error) {
	if info, err := os.Lstat(dir); err != nil || info.IsDir() {
		return dir, err
	}
	return filepath.EvalSymlinks(dir)
}
