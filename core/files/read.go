package files

import (
	"fmt"
	"io"
	"os"
)

// MaxSize is the size in bytes above which Read refuses a file unless told
// otherwise. The largest known effects have about 20 MB; what is far above that
// is a mistake, and holding it would only slow the machine down.
const MaxSize = 256 << 20

// Read returns the content of the regular file at path. A limit of 0 means
// MaxSize. It fails with an *Error on what is no regular file (without opening
// it: opening a pipe would wait for a writer) and on a file above the limit,
// before anything is allocated.
func Read(path string, limit int64) ([]byte, error) {
	if limit <= 0 {
		limit = MaxSize
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, osError("read", path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, notRegular("read", path, info.Mode())
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, osError("read", path, err)
	}
	defer f.Close()
	// What was opened may be another file than what was looked at.
	if info, err = f.Stat(); err != nil {
		return nil, osError("read", path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, notRegular("read", path, info.Mode())
	}
	if info.Size() > limit {
		return nil, tooLarge(path, info.Size(), limit)
	}
	// One byte more than promised, to notice a file that grows while it is read
	// and files of /proc that claim to be empty.
	return readAll(f, path, info.Size()+1, limit)
}

// ReadStream returns everything that r gives, such as standard input; name stands
// for it in errors. A limit of 0 means MaxSize. It fails with an *Error as soon as
// more than the limit has come, and when r fails.
func ReadStream(r io.Reader, name string, limit int64) ([]byte, error) {
	if limit <= 0 {
		limit = MaxSize
	}
	return readAll(r, name, 1<<16, limit)
}

func readAll(r io.Reader, path string, room, limit int64) ([]byte, error) {
	data := make([]byte, 0, room)
	for {
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if int64(len(data)) > limit {
			return nil, tooLarge(path, int64(len(data)), limit)
		}
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return nil, osError("read", path, err)
		}
	}
}

func tooLarge(path string, size, limit int64) *Error {
	return &Error{
		Op: "read", Path: path, Err: ErrTooLarge,
		Reason: fmt.Sprintf("has %d bytes (%s), the limit is %s", size, Size(size), Size(limit)),
		Remedy: "shader files are smaller: check that this is the right file",
	}
}

// Size prints a number of bytes for people: "512 B", "27.5 KiB", "2.0 GiB".
func Size(n int64) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	f, units := float64(n), "KMGTPE"
	i := -1
	for f >= 1024 && i+1 < len(units) {
		f /= 1024
		i++
	}
	return fmt.Sprintf("%.1f %ciB", f, units[i])
}
