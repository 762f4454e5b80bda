package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write docs/licences.md")

// modulesFor lists the modules that the program needs on a system.
func modulesFor(t *testing.T, target string) []*debug.Module {
	t.Helper()
	goos, goarch, _ := strings.Cut(target, "/")
	cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", "../../cmd/fxlens")
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	b, err := cmd.Output()
	require.NoError(t, err)
	var list []*debug.Module
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	slices.Sort(lines)
	for _, line := range slices.Compact(lines) {
		if path, version, ok := strings.Cut(line, " "); ok {
			list = append(list, &debug.Module{Path: path, Version: version, Sum: "h1:" + strings.Repeat("A", 43) + "="})
		}
	}
	return list
}

// TestLicences: every module that is linked on any system has a licence that we know,
// and docs/licences.md lists it.
func TestLicences(t *testing.T) {
	on := map[string][]string{}
	by := map[string]module{}
	for _, target := range strings.Split(targets, ",") {
		goos, arch, _ := strings.Cut(target, "/")
		if arch != "amd64" {
			continue // the same modules
		}
		list, err := linked(&buildinfo.BuildInfo{GoVersion: "go", Deps: modulesFor(t, target)})
		require.NoError(t, err, target)
		for _, m := range list {
			by[m.path] = m
			on[m.path] = append(on[m.path], goos)
		}
	}
	var b strings.Builder
	b.WriteString("# Licences\n\nWhat is linked into fxlens, and under which licence (SPDX). `go test ./internal/release -run Licences -update`\n" +
		"writes this list; a release has the texts in `THIRD-PARTY.txt` and versions and checksums in its bill of materials.\n\n" +
		"| module | licence | systems |\n| --- | --- | --- |\n")
	paths := make([]string, 0, len(by))
	for p := range by {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	for _, p := range paths {
		systems := "all"
		if len(on[p]) < 3 {
			systems = strings.Join(on[p], ", ")
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", p, by[p].licence, systems)
	}
	const name = "../../docs/licences.md"
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(b.String()), 0o644))
	}
	have, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, b.String(), string(have), "go test ./internal/release -run Licences -update")
}

func TestIdentify(t *testing.T) {
	for text, want := range map[string]string{
		"Permission is hereby granted,\n   free of charge, to any":                  "MIT",
		"Redistribution and use in source and binary forms ... Neither the name of": "BSD-3-Clause",
		"Redistribution and use in source and binary forms, with":                   "BSD-2-Clause",
		"Apache License\nVersion 2.0, January 2004":                                 "Apache-2.0",
		"GNU GENERAL PUBLIC LICENSE ... free of charge":                             "",
		"Mozilla Public License Version 2.0":                                        "",
		"All rights reserved.":                                                      "",
	} {
		assert.Equal(t, want, identify([]byte(text)), text)
	}
}

// TestReadLicence: what has no licence, or an unknown one, stops a release.
func TestReadLicence(t *testing.T) {
	dir := t.TempDir()
	m := module{path: "example.org/m"}
	assert.ErrorContains(t, m.readLicence(dir), "has no licence file")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "LICENSE"), []byte("ask us"), 0o644))
	assert.ErrorContains(t, m.readLicence(dir), "no licence that this program knows")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "LICENSE"), []byte("Permission is hereby granted, free of charge,"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "LICENSE-3RD-PARTY.md"), []byte("more"), 0o644))
	assert.ErrorContains(t, m.readLicence(dir), "read LICENSE-3RD-PARTY.md")
}

// TestRelease builds one system from here and looks into what came out.
func TestRelease(t *testing.T) {
	if testing.Short() {
		t.Skip("links a program; the other run of the suite does it")
	}
	t.Chdir("../..")
	r, err := readRelease(".")
	require.NoError(t, err)
	goos, err := goEnv("GOOS")
	require.NoError(t, err)
	goarch, err := goEnv("GOARCH")
	require.NoError(t, err)
	files, err := r.build(".", []string{goos + "/" + goarch}, "")
	require.NoError(t, err)
	require.Len(t, files, 3)

	names := untar(t, files[1].data)
	for _, want := range []string{"fxlens", "LICENSE", "THIRD-PARTY.txt", "man/fxlens.1", "completions/fxlens.bash", "completions/_fxlens"} {
		assert.Contains(t, names, fmt.Sprintf("fxlens_%s_%s_%s/%s", r.version, goos, goarch, want))
	}
	var doc bom
	require.NoError(t, json.Unmarshal(files[0].data, &doc))
	assert.Equal(t, "CycloneDX", doc.Format)
	assert.Equal(t, r.version, doc.Metadata.Component.Version)
	assert.Greater(t, len(doc.Components), 20)
	for _, c := range doc.Components {
		assert.NotEmpty(t, c.Licences, c.Name)
	}
	for line := range strings.Lines(string(files[2].data)) {
		assert.Regexp(t, `^[0-9a-f]{64}  fxlens_`, line)
	}

	// It replaces what it wrote, and nothing else.
	out := filepath.Join(t.TempDir(), "dist")
	require.NoError(t, write(out, files))
	require.NoError(t, write(out, files))
	require.NoError(t, os.Remove(filepath.Join(out, "SHA256SUMS")))
	assert.ErrorContains(t, write(out, files), "holds other things")
}

func untar(t *testing.T, data []byte) []string {
	t.Helper()
	zr, err := gzip.NewReader(bytes.NewReader(data))
	require.NoError(t, err)
	var names []string
	for r := tar.NewReader(zr); ; {
		h, err := r.Next()
		if err == io.EOF {
			return names
		}
		require.NoError(t, err)
		names = append(names, h.Name)
	}
}

// TestArchives: the same files give the same bytes, in the form of each system.
func TestArchives(t *testing.T) {
	list := []file{{name: "a/b", data: []byte("text")}, {name: "p", data: []byte{0}, exec: true}}
	date := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	one, err := tarred("f", list, date)
	require.NoError(t, err)
	two, err := tarred("f", list, date)
	require.NoError(t, err)
	assert.Equal(t, one, two)
	assert.Equal(t, []string{"f/a/b", "f/p"}, untar(t, one))

	z, err := zipped("f", list, date)
	require.NoError(t, err)
	zr, err := zip.NewReader(bytes.NewReader(z), int64(len(z)))
	require.NoError(t, err)
	require.Len(t, zr.File, 2)
	assert.Equal(t, "f/p", zr.File[1].Name)
	assert.Equal(t, os.FileMode(0o755), zr.File[1].Mode().Perm())
	assert.True(t, zr.File[1].Modified.Equal(date))
}
