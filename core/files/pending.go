package files

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Pending is a file that is being written: nobody sees it until Commit.
type Pending struct {
	path, target string
	tmp          *os.File
	buf          *bufio.Writer
	replace      bool
	unnamed      bool // tmp has no name yet
}

// Create begins a file that will be at path; see [Write] for the rules. Call Commit or
// Discard.
func Create(path string, replace bool) (*Pending, error) {
	target, mode, err := writeTarget(path, replace)
	if err != nil {
		return nil, err
	}
	sweep(target)
	tmp := createUnnamed(filepath.Dir(target), mode)
	unnamed := tmp != nil
	if !unnamed {
		if tmp, err = createBeside(target, mode); err != nil {
			return nil, osError("write", path, err)
		}
	}
	return &Pending{path: path, target: target, tmp: tmp, buf: bufio.NewWriterSize(tmp, 1<<16), replace: replace, unnamed: unnamed}, nil
}

// Write appends to the file.
func (p *Pending) Write(b []byte) (int, error) {
	n, err := p.buf.Write(b)
	if err != nil {
		return n, osError("write", p.path, err)
	}
	return n, nil
}

// Commit gives the file its name. Whatever fails, nothing is left behind.
func (p *Pending) Commit() error {
	defer p.Discard()
	err := p.buf.Flush()
	if err == nil {
		err = p.tmp.Sync()
	}
	if err == nil && p.unnamed {
		err = p.publish()
	} else if err == nil {
		if err = p.tmp.Close(); err == nil {
			err = place(p.tmp.Name(), p.target, p.replace)
		}
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return exists(p.path) // it has appeared since Create looked
	case err != nil:
		return osError("write", p.path, err)
	}
	p.tmp = nil
	syncFolder(filepath.Dir(p.target))
	return nil
}

// publish names a file that has no name yet. A new target gets it at once. One that is
// replaced needs a rename, so that the file has a name of its own for that moment.
func (p *Pending) publish() error {
	if !p.replace {
		if err := nameUnnamed(p.tmp, p.target); err != nil {
			return err
		}
		return p.tmp.Close()
	}
	for try := 0; ; try++ {
		name, err := besideName(p.target)
		if err != nil {
			return err
		}
		err = nameUnnamed(p.tmp, name)
		if errors.Is(err, fs.ErrExist) && try < 100 {
			continue
		}
		if err != nil {
			return err
		}
		if err = p.tmp.Close(); err == nil {
			err = os.Rename(name, p.target)
		}
		if err != nil {
			os.Remove(name)
		}
		return err
	}
}

// Discard drops the file unless Commit has succeeded.
func (p *Pending) Discard() {
	if p.tmp != nil {
		p.tmp.Close()
		if !p.unnamed {
			os.Remove(p.tmp.Name())
		}
		p.tmp = nil
	}
}
