package files

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settle is how long a file must stay as it is before its change is reported: tools write
// in several steps.
const settle = 120 * time.Millisecond

// Watcher reports changes of files. It watches their folders, because tools replace a
// file by renaming another over it.
type Watcher struct {
	w     *fsnotify.Watcher
	paths map[string]string // cleaned absolute path to the path as given
	dirs  map[string]bool   // folders whose every file counts
	last  map[string]stamp
}

// stamp tells one state of a file from another.
type stamp struct {
	size int64
	at   time.Time
	ok   bool
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime(), true}
}

// Watch begins to watch files, which need not exist, and all files of folders. Folders
// that do not exist are left out. Close ends it.
func Watch(paths ...string) (*Watcher, error) {
	fw, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, &Error{Op: "watch", Path: "files", Reason: err.Error(), Remedy: "changes are not noticed; reload by key", Err: err}
	}
	w := &Watcher{w: fw, paths: make(map[string]string), dirs: make(map[string]bool), last: make(map[string]stamp)}
	var first error
	for _, p := range paths {
		abs, err := filepath.Abs(p)
		if err != nil {
			continue
		}
		dir := filepath.Dir(abs)
		if info, err := os.Stat(abs); err == nil && info.IsDir() {
			dir = abs
			w.dirs[abs] = true
		} else {
			w.paths[abs] = p
			w.last[abs] = stampOf(abs)
		}
		if err := fw.Add(dir); err != nil && !errors.Is(err, os.ErrNotExist) && first == nil {
			first = &Error{Op: "watch", Path: dir, Reason: err.Error(), Remedy: "changes are not noticed; reload by key", Err: err}
		}
	}
	if first != nil && len(fw.WatchList()) == 0 {
		_ = fw.Close()
		return nil, first
	}
	return w, nil
}

// Next waits until one of the files has changed and has come to rest, and returns its
// path as it was given, or its full path in a watched folder. A file that was removed is
// waited for. It fails with ctx's error, and after Close.
func (w *Watcher) Next(ctx context.Context) (string, error) {
	var rest <-chan time.Time
	hot := ""
	for {
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case err, ok := <-w.w.Errors:
			if !ok {
				return "", os.ErrClosed
			}
			if err != nil && !errors.Is(err, fsnotify.ErrEventOverflow) {
				return "", err
			}
		case e, ok := <-w.w.Events:
			if !ok {
				return "", os.ErrClosed
			}
			if _, mine := w.paths[e.Name]; (mine || w.dirs[filepath.Dir(e.Name)]) && !e.Has(fsnotify.Chmod) {
				hot = e.Name
				rest = time.After(settle)
			}
		case <-rest:
			rest = nil
			now := stampOf(hot)
			given, mine := w.paths[hot]
			switch {
			case !mine:
				return hot, nil
			case now.ok && now != w.last[hot]:
				w.last[hot] = now
				return given, nil
			}
		}
	}
}

// Close ends the watching; Next returns.
func (w *Watcher) Close() error { return w.w.Close() }
