package files

import (
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// createUnnamed makes a file in a folder without a name, which is gone when the
// process is, however it ends. It returns nil where the file system or the system
// cannot do that.
func createUnnamed(dir string, mode fs.FileMode) *os.File {
	if dir == "" {
		dir = "."
	}
	// Without /proc the file could not get a name later.
	if _, err := os.Lstat("/proc/self/fd"); err != nil {
		return nil
	}
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, uint32(mode.Perm()))
	if err != nil {
		return nil
	}
	f := os.NewFile(uintptr(fd), "")
	if mode != 0o666 {
		if err := f.Chmod(mode); err != nil { // the umask is not for a file that had its permissions already
			f.Close()
			return nil
		}
	}
	return f
}

// nameUnnamed gives the file a name that must not exist.
func nameUnnamed(f *os.File, path string) error {
	err := unix.Linkat(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(int(f.Fd())), unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW)
	if err != nil {
		return &os.LinkError{Op: "link", Old: "", New: path, Err: err}
	}
	return nil
}
