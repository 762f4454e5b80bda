//go:build !unix

package main

import "github.com/rogpeppe/go-internal/testscript"

// scriptFIFO: there are no named pipes in the file system here.
func scriptFIFO(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("no named pipes on this system")
}
