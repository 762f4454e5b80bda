package qualify

import (
	"errors"
	"fmt"
	"io"
	"iter"
)

// Merge gives the files of the reports of shards to add, in the order of their paths, so
// that a [Writer] makes of them the report of the whole run, byte for byte. A file that
// several reports have must be equal in them. It fails, wrapping ErrReport, on reports
// that are brief, incomplete, or of different runs, and names the one at fault.
func Merge(names []string, reports []io.Reader, add func(*File) error) error {
	if len(reports) == 0 {
		return fmt.Errorf("%w: none is given", ErrReport)
	}
	streams := make([]*stream, len(reports))
	for i, r := range reports {
		s := openStream(r)
		defer s.stop()
		streams[i] = s
		if err := s.advance(); err != nil {
			return fmt.Errorf("%s: %w", names[i], err)
		}
	}
	first := streams[0].head
	for i, s := range streams[1:] {
		if err := first.Same(s.head); err != nil {
			return fmt.Errorf("%w: %s and %s cannot be joined: %w", ErrReport, names[0], names[i+1], err)
		}
	}
	for {
		at := -1
		for i, s := range streams {
			if s.file != nil && (at < 0 || s.file.Path < streams[at].file.Path) {
				at = i
			}
		}
		if at < 0 {
			return nil
		}
		f := streams[at].file
		for i, s := range streams {
			if s.file == nil || s.file.Path != f.Path {
				continue
			}
			if i != at && s.file.Row().Digest != f.Row().Digest {
				return fmt.Errorf("%w: %s and %s disagree about %s", ErrReport, names[at], names[i], f.Path)
			}
			if err := s.advance(); err != nil {
				return fmt.Errorf("%s: %w", names[i], err)
			}
		}
		if err := add(f); err != nil {
			return err
		}
	}
}

// ReadHead reads the head of a report alone.
func ReadHead(r io.Reader) (*Head, error) {
	var head *Head
	_, _, err := read(r, func(h *Head) error {
		head = h
		return errStop
	}, nil)
	if head != nil {
		return head, nil
	}
	return nil, err
}

// stream is a report that is read file by file.
type stream struct {
	next func() (*File, error, bool)
	stop func()
	head *Head
	file *File // the current one; nil at the end
}

var errStop = errors.New("stopped")

func openStream(r io.Reader) *stream {
	s := &stream{}
	s.next, s.stop = iter.Pull2(func(yield func(*File, error) bool) {
		_, _, err := readFull(r, func(h *Head) error { s.head = h; return nil }, func(f *File) error {
			if !yield(f, nil) {
				return errStop
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			yield(nil, err)
		}
	})
	return s
}

func (s *stream) advance() error {
	f, err, ok := s.next()
	if !ok {
		s.file = nil
		return nil
	}
	s.file = f
	return err
}
