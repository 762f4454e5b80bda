// Package corpus finds the programs that tests run over: our own HLSL suite
// with its bytecode and Microsoft's listings, which is part of the repository, and the
// shared inputs that may lie beside it. It is for tests only.
package corpus

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Program is one line of testdata/hlsl/manifest.tsv: an HLSL program of our own as
// Microsoft's compiler made bytecode of it.
type Program struct {
	// Name is unique; NAME.dxbc and NAME.asm are its files.
	Name string
	// Source is the HLSL file's name, Entry the function, Target such as "ps_5_0".
	Source, Entry, Target string
	// Flags are names of testdata/tools/fxc.c joined by commas, or "-".
	Flags string
	// Defines are NAME=VALUE joined by spaces, or "-".
	Defines string
	// DXBC is the whole container.
	DXBC []byte
	// Listing is what Microsoft's disassembler prints, with LF line ends.
	Listing string
}

// Stage returns the first two letters of the target: "vs", "ps", "cs", "gs",
// "hs" or "ds".
func (p Program) Stage() string { return p.Target[:2] }

// HLSL returns our HLSL suite in the order of its manifest, or only the programs
// of the given stages.
func HLSL(t testing.TB, stages ...string) []Program {
	t.Helper()
	all, err := Load(os.DirFS(filepath.Join(Root(t), "testdata", "hlsl")))
	if err != nil {
		t.Fatalf("corpus: %v", err)
	}
	if len(stages) == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(p Program) bool { return !slices.Contains(stages, p.Stage()) })
}

// Load reads a manifest and the files that it names. It fails on a line without
// six fields, a name that comes twice, or a file that is missing.
func Load(dir fs.FS) ([]Program, error) {
	manifest, err := fs.ReadFile(dir, "manifest.tsv")
	if err != nil {
		return nil, err
	}
	var all []Program
	seen := map[string]bool{}
	for i, line := range strings.Split(string(manifest), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 6 {
			return nil, fmt.Errorf("manifest.tsv:%d: %d fields instead of 6", i+1, len(f))
		}
		p := Program{Name: f[0], Source: f[1], Entry: f[2], Target: f[3], Flags: f[4], Defines: f[5]}
		if seen[p.Name] {
			return nil, fmt.Errorf("manifest.tsv:%d: a second %s", i+1, p.Name)
		}
		if len(p.Target) < 2 {
			return nil, fmt.Errorf("manifest.tsv:%d: target %q", i+1, p.Target)
		}
		seen[p.Name] = true
		if p.DXBC, err = fs.ReadFile(dir, p.Name+".dxbc"); err != nil {
			return nil, err
		}
		listing, err := fs.ReadFile(dir, p.Name+".asm")
		if err != nil {
			return nil, err
		}
		p.Listing = string(listing)
		all = append(all, p)
	}
	return all, nil
}

// Root returns the repository's root, found upwards from the test's folder.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatalf("corpus: %v", err)
	}
	for {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(strings.TrimSpace(string(mod)), "module fxlens") {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("corpus: no go.mod of fxlens above the working directory")
		}
		dir = up
	}
}

// Shared returns the path of a file or folder of the shared inputs, which may lie
// beside the repository, and whether it is there.
func Shared(t testing.TB, elem ...string) (string, bool) {
	t.Helper()
	p := filepath.Join(append([]string{Root(t), "..", "shared"}, elem...)...)
	_, err := os.Stat(p)
	return p, err == nil
}

// File is one file of a folder.
type File struct {
	Name string
	Data []byte
}
