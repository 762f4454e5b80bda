package files

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Write puts data into the file at path so that nobody ever sees part of it: a
// temporary file beside it is written, synced and closed, and only then takes
// the name. Whatever fails, the temporary file is gone and an older file at path
// is as it was. Without replace an existing target is refused with ErrExists,
// even one that appears while the data is being written. A symbolic link is
// followed: the file that it names is written. A replaced file keeps its
// permissions.
func Write(path string, data []byte, replace bool) error {
	p, err := Create(path, replace)
	if err != nil {
		return err
	}
	defer p.Discard()
	if _, err := p.Write(data); err != nil {
		return err
	}
	return p.Commit()
}

// writeTarget finds out what path stands for and whether it may be written. The
// permissions are those of the file there, or the usual ones of a new file.
func writeTarget(path string, replace bool) (string, fs.FileMode, error) {
	if path == "" {
		return "", 0, &Error{Op: "write", Path: path, Reason: "the path is empty", Remedy: "name a file", Err: fs.ErrInvalid}
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		// A link that leads nowhere yet: a rename would replace the link itself.
		if l, err := os.Lstat(path); err == nil && l.Mode()&fs.ModeSymlink != 0 {
			return "", 0, &Error{Op: "write", Path: path, Err: fs.ErrNotExist,
				Reason: "is a symbolic link to nothing", Remedy: "remove the link or name its target"}
		}
		if d, err := os.Stat(filepath.Dir(path)); err != nil || !d.IsDir() {
			return "", 0, &Error{Op: "write", Path: path, Err: fs.ErrNotExist,
				Reason: "its folder does not exist", Remedy: "make the folder first"}
		}
		return path, 0o666, nil
	}
	if err != nil {
		return "", 0, osError("write", path, err)
	}
	if !info.Mode().IsRegular() {
		return "", 0, notRegular("write", path, info.Mode())
	}
	if !replace {
		return "", 0, exists(path)
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", 0, osError("write", path, err)
	}
	return target, info.Mode().Perm(), nil
}

func exists(path string) *Error {
	return &Error{Op: "write", Path: path, Err: ErrExists,
		Reason: "exists already", Remedy: "name another file or allow replacing it"}
}

// createBeside makes a new file with a hidden, random name in target's folder.
// os.CreateTemp is not used because it makes files that only their owner reads.
func createBeside(target string, mode fs.FileMode) (*os.File, error) {
	for try := 0; ; try++ {
		name, err := besideName(target)
		if err != nil {
			return nil, err
		}
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) && try < 100 {
			continue
		}
		if err == nil && mode != 0o666 {
			// The umask is not for a file that had its permissions already.
			if err := f.Chmod(mode); err != nil {
				f.Close()
				os.Remove(name)
				return nil, err
			}
		}
		return f, err
	}
}

// besideParts are what stands before and behind the random part of the name of a
// temporary file for target.
func besideParts(target string) (dir, before, behind string) {
	dir, base := filepath.Split(target)
	// A long name must not become too long for the file system.
	if len(base) > 128 {
		base = base[:128]
	}
	return dir, "." + base + ".", ".tmp"
}

const besideRandom = 6 // bytes

func besideName(target string) (string, error) {
	var r [besideRandom]byte
	if _, err := rand.Read(r[:]); err != nil {
		return "", err
	}
	dir, before, behind := besideParts(target)
	return filepath.Join(dir, before+hex.EncodeToString(r[:])+behind), nil
}

// staleAge is how old a temporary file is when nobody writes it any more.
const staleAge = time.Hour

// sweep removes temporary files for target that a process left behind which was
// killed before it could. Nothing fails where it cannot.
func sweep(target string) {
	dir, before, behind := besideParts(target)
	if dir == "" {
		dir = "."
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		random, mine := strings.CutPrefix(e.Name(), before)
		random, temporary := strings.CutSuffix(random, behind)
		if !mine || !temporary || len(random) != 2*besideRandom {
			continue
		}
		if _, err := hex.DecodeString(random); err != nil || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > staleAge {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// place gives the finished file its name. A rename replaces what is there; a
// hard link does not, so that is how a target that must not exist is made.
func place(tmp, target string, replace bool) error {
	if replace {
		return os.Rename(tmp, target)
	}
	err := os.Link(tmp, target)
	if err == nil {
		return os.Remove(tmp)
	}
	if errors.Is(err, fs.ErrExist) {
		return err
	}
	// No hard links here (FAT, some network drives): look, then rename.
	if _, err := os.Lstat(target); err == nil {
		return fs.ErrExist
	}
	return os.Rename(tmp, target)
}

// syncFolder makes the new name durable where the system can do that. The file
// is complete under its name either way, so a failure is not reported.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}

// MakeDir makes a folder where there is none; the folder above it must exist. It
// fails with an *Error, also where something else has that name.
func MakeDir(path string) error {
	err := os.Mkdir(path, 0o777)
	if errors.Is(err, fs.ErrExist) {
		if info, serr := os.Stat(path); serr == nil && info.IsDir() {
			return nil
		}
		return &Error{Op: "make", Path: path, Reason: "exists and is no folder", Remedy: "name another folder", Err: fs.ErrExist}
	}
	if err != nil {
		return osError("make", path, err)
	}
	return nil
}
