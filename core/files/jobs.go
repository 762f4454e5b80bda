package files

import (
	"path/filepath"

	"fxlens/core/interp/job"
)

// maxJob bounds a job file and each file that it names, in bytes.
const maxJob = 64 << 20

// Jobs reads a job file; open reads what its jobs name, relative to it. It fails with an
// [*Error], also on a file that is no job file or has no job.
func Jobs(path string) (jobs []*job.Job, open func(name string) ([]byte, error), err error) {
	b, err := Read(path, maxJob)
	if err != nil {
		return nil, nil, err
	}
	if jobs, err = job.Parse(string(b)); err != nil {
		return nil, nil, &Error{Op: "read", Path: path, Reason: err.Error(), Remedy: "name a job file, such as `fxlens run --save` writes", Err: err}
	}
	if len(jobs) == 0 {
		return nil, nil, &Error{Op: "read", Path: path, Reason: "the file has no job", Remedy: "name a job file, such as `fxlens run --save` writes"}
	}
	return jobs, func(name string) ([]byte, error) {
		return Read(filepath.Join(filepath.Dir(path), filepath.FromSlash(name)), maxJob)
	}, nil
}
