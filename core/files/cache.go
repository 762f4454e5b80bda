package files

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// DefaultCacheSize is the most bytes that a cache keeps unless told otherwise.
const DefaultCacheSize = 512 << 20

// cacheMagic begins every entry; the SHA-256 of the value follows, then the value.
const cacheMagic = "fxlens cache 1\n"

// Cache keeps values by key in a folder, one file each. Several processes may use one
// folder at a time: an entry appears whole or not at all, and a damaged one counts as
// missing. Keys hold everything that a value depends on, so values never go stale; the
// ones not used for the longest time go when the folder gets too large.
type Cache struct {
	dir     string
	max     int64
	written atomic.Int64
	hits    atomic.Int64
	misses  atomic.Int64
}

// CacheDir is the folder for cached values of this user, by the rules of the operating
// system. It fails where the system knows none.
func CacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", &Error{Op: "cache", Path: "", Reason: err.Error(), Remedy: "set XDG_CACHE_HOME or HOME, or go without a cache", Err: err}
	}
	return filepath.Join(dir, "fxlens", "qualify"), nil
}

// OpenCache makes the folder where it is missing. A max of 0 means DefaultCacheSize.
func OpenCache(dir string, max int64) (*Cache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, osError("cache", dir, err)
	}
	return &Cache{dir: dir, max: cmp.Or(max, DefaultCacheSize)}, nil
}

// path is where a key's entry is. Keys become names by their digest where they could be
// none themselves.
func (c *Cache) path(key string) string {
	if len(key) < 8 || strings.Trim(key, "0123456789abcdef") != "" {
		sum := sha256.Sum256([]byte(key))
		key = hex.EncodeToString(sum[:])
	}
	return filepath.Join(c.dir, key[:2], key[2:])
}

// Get returns the value of a key, or false where there is none or it is damaged.
func (c *Cache) Get(key string) ([]byte, bool) {
	path := c.path(key)
	b, err := os.ReadFile(path)
	if err != nil {
		c.misses.Add(1)
		return nil, false
	}
	n := len(cacheMagic) + sha256.Size
	if len(b) < n || !bytes.HasPrefix(b, []byte(cacheMagic)) || sha256.Sum256(b[n:]) != [sha256.Size]byte(b[len(cacheMagic):n]) {
		c.misses.Add(1)
		os.Remove(path)
		return nil, false
	}
	c.hits.Add(1)
	if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > time.Hour {
		now := time.Now()
		_ = os.Chtimes(path, now, now) // the order of eviction; nothing is lost without it
	}
	return b[n:], true
}

// Put stores a value. A failure, as on a full disk, only means that Get will not find it.
// The file is not synced: a crash of the machine may damage it, and Get sees that.
func (c *Cache) Put(key string, value []byte) {
	path := c.path(key)
	dir := filepath.Dir(path)
	if os.MkdirAll(dir, 0o700) != nil {
		return
	}
	var r [6]byte
	if _, err := rand.Read(r[:]); err != nil {
		return
	}
	tmp := filepath.Join(dir, tmpPrefix+hex.EncodeToString(r[:]))
	sum := sha256.Sum256(value)
	b := append(append([]byte(cacheMagic), sum[:]...), value...)
	if os.WriteFile(tmp, b, 0o600) != nil || os.Rename(tmp, path) != nil {
		os.Remove(tmp)
		return
	}
	c.written.Add(int64(len(b)))
}

const tmpPrefix = ".tmp-"

// CacheStats says what a cache did since it was opened.
type CacheStats struct{ Hits, Misses, Written int64 } // Written in bytes

// Stats returns the counts so far.
func (c *Cache) Stats() CacheStats {
	return CacheStats{c.hits.Load(), c.misses.Load(), c.written.Load()}
}

// Trim removes the entries not used for the longest time until nine tenths of the limit
// are left, if the limit is exceeded, and what killed processes left half written. It
// does nothing when nothing was written.
func (c *Cache) Trim() error {
	if c.written.Load() == 0 {
		return nil
	}
	type entry struct {
		path string
		size int64
		used time.Time
	}
	var all []entry
	var total int64
	root, err := walkRoot(c.dir)
	if err != nil {
		return osError("cache", c.dir, err)
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // another process removes too
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		if strings.HasPrefix(d.Name(), tmpPrefix) {
			if time.Since(info.ModTime()) > time.Hour {
				os.Remove(path)
			}
			return nil
		}
		all = append(all, entry{path, info.Size(), info.ModTime()})
		total += info.Size()
		return nil
	})
	if err != nil {
		return osError("cache", c.dir, err)
	}
	if total <= c.max {
		return nil
	}
	slices.SortFunc(all, func(a, b entry) int { return cmp.Or(a.used.Compare(b.used), strings.Compare(a.path, b.path)) })
	for _, e := range all {
		if total <= c.max/10*9 {
			return nil
		}
		if err := os.Remove(e.path); err == nil {
			total -= e.size
		}
	}
	return nil
}

// ParseSize reads a number of bytes: "512M", "2G", "64k", "1048576".
func ParseSize(s string) (int64, error) {
	var n int64
	var unit string
	if k, err := fmt.Sscanf(s, "%d%s", &n, &unit); k < 1 || err != nil && k != 1 || n < 0 {
		return 0, fmt.Errorf("%q is no size; write a number with K, M or G", s)
	}
	shift, ok := map[string]int{"": 0, "B": 0, "K": 10, "M": 20, "G": 30}[strings.ToUpper(strings.TrimSuffix(strings.TrimSuffix(unit, "iB"), "B"))]
	if !ok || n > 1<<62>>shift {
		return 0, fmt.Errorf("%q is no size; write a number with K, M or G", s)
	}
	return n << shift, nil
}
