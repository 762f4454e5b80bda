//go:build !linux

package files

import (
	"io/fs"
	"os"
)

// createUnnamed is for Linux alone.
func createUnnamed(string, fs.FileMode) *os.File { return nil }

func nameUnnamed(*os.File, string) error { return fs.ErrInvalid }
