package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"fxlens/core/switches"
	"fxlens/core/variant/manifest"
)

// IsGraph reports whether a path is that of a switch graph: a folder with a manifest, or
// a TOML file that is no sidecar of another file.
func IsGraph(path string) bool {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return false
	case info.IsDir():
		info, err = os.Stat(filepath.Join(path, manifest.FileName))
		return err == nil && info.Mode().IsRegular()
	}
	return strings.EqualFold(filepath.Ext(path), ".toml") && !strings.HasSuffix(path, ".fxlens.toml")
}

// OpenGraph opens the switch graph of a folder or of a manifest. Nothing outside the
// manifest's folder is read, through links neither. It fails with an *Error where the
// manifest cannot be read, and with manifest.Errors, whose places are paths as the user
// would write them.
func OpenGraph(path string) (*switches.Workspace, error) {
	dir, name := path, manifest.FileName
	info, err := os.Stat(path)
	if err != nil {
		return nil, osError("read", path, err)
	}
	if !info.IsDir() {
		dir, name = filepath.Dir(path), filepath.Base(path)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, osError("read", dir, err)
	}
	defer root.Close()
	w, err := switches.Open(root.FS(), name, filepath.ToSlash(dir), path)
	var faults manifest.Errors
	switch {
	case err == nil:
		return w, nil
	case errors.As(err, &faults):
		return nil, faults
	}
	e := osError("read", filepath.Join(dir, name), err)
	if errors.Is(err, fs.ErrNotExist) {
		e.Remedy = "name a folder with " + manifest.FileName + ", or a manifest"
	}
	return nil, e
}
