// Command release builds what people download: a static binary for each system, in an
// archive with its licences, man pages and completions; beside it a software bill of
// materials for each binary, and SHA256SUMS over all of it.
//
//	go run ./internal/release [-o dist] [-targets linux/amd64,...] [-check]
//
// The same commit gives the same bytes on every machine with the Go that go.mod names:
// paths are trimmed, no build id or version control state is in the binary, and the
// archives carry no time but that of the release, which is the newest date in
// CHANGELOG.md. -check proves it: it builds everything a second time from a copy of the
// sources in another folder, with an empty build cache, and compares.
//
// It runs in the root of the repository and writes below -o only, whole or not at all.
package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// targets are the systems that are served.
const targets = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

func main() {
	out := flag.String("o", "dist", "folder to write; what it held before is replaced")
	list := flag.String("targets", targets, "systems as GOOS/GOARCH, comma separated")
	check := flag.Bool("check", false, "build twice, in two places, and compare")
	flag.Parse()
	if err := run(*out, strings.Split(*list, ","), *check); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(out string, targets []string, check bool) error {
	r, err := readRelease(".")
	if err != nil {
		return err
	}
	files, err := r.build(".", targets, "")
	if err != nil {
		return err
	}
	if check {
		if err := r.rebuild(targets, files); err != nil {
			return err
		}
		fmt.Println("a second build elsewhere gave the same bytes")
	}
	return write(out, files)
}

// A release is what all its archives have in common.
type release struct {
	version string
	date    time.Time
	shared  []file // what every archive holds beside the binary
}

// A file is a file to be written, or one inside an archive.
type file struct {
	name string // with slashes
	data []byte
	exec bool
}

var newest = regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+) - (\d{4}-\d\d-\d\d)$`)

// readRelease reads version and date of the newest entry of CHANGELOG.md, and the files
// that go into every archive.
func readRelease(root string) (*release, error) {
	log, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		return nil, err
	}
	m := newest.FindSubmatch(log)
	if m == nil {
		return nil, errors.New(`CHANGELOG.md has no heading such as "## 1.2.3 - 2026-01-31"`)
	}
	date, err := time.Parse(time.DateOnly, string(m[2]))
	if err != nil {
		return nil, fmt.Errorf("CHANGELOG.md: %w", err)
	}
	r := &release{version: string(m[1]), date: date}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		b, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		r.shared = append(r.shared, file{name: name, data: b})
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs", "man", "*.1"))
	if err != nil || len(pages) == 0 {
		return nil, fmt.Errorf("docs/man has no pages (%v): go test ./cmd/fxlens -run Man -update", err)
	}
	for _, p := range pages {
		b, err := os.ReadFile(p)
		if err != nil {
			return nil, err
		}
		r.shared = append(r.shared, file{name: "man/" + filepath.Base(p), data: b})
	}
	return r, nil
}

// build makes every file of the release from the sources in root. cache is the build
// cache to use, the user's where it is empty.
func (r *release) build(root string, targets []string, cache string) ([]file, error) {
	temp, err := os.MkdirTemp("", "fxlens-release-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)

	host := filepath.Join(temp, "host")
	if err := compile(root, host, "", cache); err != nil {
		return nil, err
	}
	got, err := exec.Command(host, "version").Output()
	if err != nil {
		return nil, err
	}
	if want := "fxlens " + r.version + "\n"; !strings.HasPrefix(string(got), want) {
		return nil, fmt.Errorf("the program calls itself %q, CHANGELOG.md %q: make them agree", firstLine(got), r.version)
	}
	shared := slices.Clone(r.shared)
	for shell, name := range map[string]string{
		"bash": "fxlens.bash", "zsh": "_fxlens", "fish": "fxlens.fish", "powershell": "fxlens.ps1",
	} {
		b, err := exec.Command(host, "completion", shell).Output()
		if err != nil {
			return nil, fmt.Errorf("completion %s: %w", shell, err)
		}
		shared = append(shared, file{name: "completions/" + name, data: b})
	}

	var files []file
	for _, target := range targets {
		fmt.Println("building", target)
		more, err := r.target(root, filepath.Join(temp, "fxlens"), target, cache, shared)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", target, err)
		}
		files = append(files, more...)
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	var sums strings.Builder
	for _, f := range files {
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(f.data), f.name)
	}
	return append(files, file{name: "SHA256SUMS", data: []byte(sums.String())}), nil
}

// target makes the archive and the bill of materials for one system.
func (r *release) target(root, binary, target, cache string, shared []file) ([]file, error) {
	goos, goarch, ok := strings.Cut(target, "/")
	if !ok {
		return nil, errors.New("a target is GOOS/GOARCH, for example linux/amd64")
	}
	if err := compile(root, binary, target, cache); err != nil {
		return nil, err
	}
	program, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	info, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		return nil, err
	}
	modules, err := linked(info)
	if err != nil {
		return nil, err
	}
	base := fmt.Sprintf("fxlens_%s_%s_%s", r.version, goos, goarch)
	name := "fxlens"
	if goos == "windows" {
		name += ".exe"
	}
	inside := append([]file{{name: name, data: program, exec: true}, notices(modules)}, shared...)
	slices.SortFunc(inside, func(a, b file) int { return strings.Compare(a.name, b.name) })
	var archive file
	if goos == "windows" {
		archive = file{name: base + ".zip"}
		archive.data, err = zipped(base, inside, r.date)
	} else {
		archive = file{name: base + ".tar.gz"}
		archive.data, err = tarred(base, inside, r.date)
	}
	if err != nil {
		return nil, err
	}
	bom, err := billOfMaterials(r, target, program, info.GoVersion, modules)
	if err != nil {
		return nil, err
	}
	return []file{archive, {name: base + ".cdx.json", data: bom}}, nil
}

// compile builds the program statically for a target, the machine's own where it is "".
func compile(root, binary, target, cache string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", binary, "./cmd/fxlens")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=")
	if goos, goarch, ok := strings.Cut(target, "/"); ok {
		cmd.Env = append(cmd.Env, "GOOS="+goos, "GOARCH="+goarch)
	}
	if cache != "" {
		cmd.Env = append(cmd.Env, "GOCACHE="+cache)
	}
	var text bytes.Buffer
	cmd.Stderr = &text
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, text.String())
	}
	return nil
}

// rebuild builds once more in another place, with nothing cached, and compares.
func (r *release) rebuild(targets []string, first []file) error {
	temp, err := os.MkdirTemp("", "fxlens-rebuild-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	root := filepath.Join(temp, "somewhere", "else")
	for _, dir := range []string{"cmd", "core", "internal", "themes", "tui", "views", "go.mod", "go.sum", "testdata/effects"} {
		if err := copyTree(dir, filepath.Join(root, dir)); err != nil {
			return err
		}
	}
	second, err := r.build(root, targets, filepath.Join(temp, "cache"))
	if err != nil {
		return err
	}
	for i, f := range first {
		if i >= len(second) || second[i].name != f.name || !bytes.Equal(second[i].data, f.data) {
			return fmt.Errorf("%s: a second build gave other bytes", f.name)
		}
	}
	return nil
}

func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		at := filepath.Join(to, rel)
		if d.IsDir() {
			return os.MkdirAll(at, 0o755)
		}
		if !d.Type().IsRegular() {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		return os.WriteFile(at, b, 0o644)
	})
}

// write puts the files into a new folder, which then takes the place of out.
func write(out string, files []file) error {
	up := filepath.Dir(filepath.Clean(out))
	if err := os.MkdirAll(up, 0o755); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(up, ".fxlens-dist-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if err := os.Chmod(temp, 0o755); err != nil {
		return err
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(temp, f.name), f.data, 0o644); err != nil {
			return err
		}
	}
	// Only a folder that this command wrote is replaced.
	if entries, err := os.ReadDir(out); err == nil && len(entries) > 0 {
		if _, err := os.Stat(filepath.Join(out, "SHA256SUMS")); err != nil {
			return fmt.Errorf("%s holds other things: name another folder", out)
		}
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if err := os.Rename(temp, out); err != nil {
		return err
	}
	for _, f := range files {
		fmt.Printf("%10d %s\n", len(f.data), filepath.Join(out, f.name))
	}
	return nil
}

func firstLine(b []byte) string {
	line, _, _ := strings.Cut(string(b), "\n")
	return line
}
