package files

import (
	"os"
	"path/filepath"
	"slices"
	"time"
)

// ConfigDir returns the folder of the user's configuration of fxlens, which need not
// exist: FXLENS_CONFIG_DIR, or fxlens in the user's configuration folder.
func ConfigDir() (string, error) {
	if d := os.Getenv("FXLENS_CONFIG_DIR"); d != "" {
		return d, nil
	}
	d, err := os.UserConfigDir()
	if err != nil {
		return "", &Error{Op: "find", Path: "the configuration folder", Reason: err.Error(), Remedy: "set FXLENS_CONFIG_DIR", Err: err}
	}
	return filepath.Join(d, "fxlens"), nil
}

// StateDir returns the folder of what fxlens remembers between visits, which need not
// exist: FXLENS_STATE_DIR, or fxlens below XDG_STATE_HOME (XDG Base Directory
// Specification), or ~/.local/state; on systems without it the cache folder.
func StateDir() (string, error) {
	if d := os.Getenv("FXLENS_STATE_DIR"); d != "" {
		return d, nil
	}
	if d := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(d) {
		return filepath.Join(d, "fxlens"), nil
	}
	if h, err := os.UserHomeDir(); err == nil && filepath.Separator == '/' {
		return filepath.Join(h, ".local", "state", "fxlens"), nil
	}
	d, err := os.UserCacheDir()
	if err != nil {
		return "", &Error{Op: "find", Path: "the state folder", Reason: err.Error(), Remedy: "set FXLENS_STATE_DIR", Err: err}
	}
	return filepath.Join(d, "fxlens", "state"), nil
}

// WriteIn writes a file as Write does, replacing an older one, and makes its folder
// where there is none.
func WriteIn(dir, name string, data []byte) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return osError("make", dir, err)
	}
	return Write(filepath.Join(dir, name), data, true)
}

// Keep removes the oldest files of a folder that match a pattern of filepath.Match until
// n are left. What cannot be removed stays.
func Keep(dir, pattern string, n int) {
	names, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(names) <= n {
		return
	}
	type file struct {
		path string
		at   time.Time
	}
	var all []file
	for _, p := range names {
		if info, err := os.Lstat(p); err == nil && info.Mode().IsRegular() {
			all = append(all, file{p, info.ModTime()})
		}
	}
	slices.SortFunc(all, func(a, b file) int { return b.at.Compare(a.at) })
	for i := n; i < len(all); i++ {
		_ = os.Remove(all[i].path)
	}
}
