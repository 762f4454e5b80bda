package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A module is something that is linked into a binary.
type module struct {
	path, version string
	sum           string // as go.sum has it; "" for the standard library
	licence       string // SPDX expression
	text          []byte // of the licence, "" where the module has none
}

// unlicensed are the modules without a licence file, with the licence that their
// repository states elsewhere.
var unlicensed = map[string]string{
	"github.com/mattn/go-localereader": "MIT", // said in its README
}

// further are the licences that a module's list of third-party software adds to its own
// for what is linked, read by us. Such a list is reproduced whole.
var further = map[string]string{
	"modernc.org/libc":   "MIT", // musl, go-netdb, nixpkgs
	"modernc.org/sqlite": "",    // the rest of its list is tests, other modules of ours or SQLite itself
}

// linked lists the standard library and the modules in a binary, by path.
func linked(info *buildinfo.BuildInfo) ([]module, error) {
	root, err := goEnv("GOROOT")
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(root, "LICENSE"))
	if err != nil {
		// Debian puts it elsewhere; the toolchain that go.mod asks for has it.
		return nil, fmt.Errorf("licence of Go: %w", err)
	}
	list := []module{{path: "std", version: info.GoVersion, licence: "BSD-3-Clause", text: text}}
	for _, d := range info.Deps {
		if d.Replace != nil {
			return nil, fmt.Errorf("%s is replaced in go.mod: a release is made of published modules", d.Path)
		}
		list = append(list, module{path: d.Path, version: d.Version, sum: d.Sum})
	}
	folders, err := moduleFolders(list[1:])
	if err != nil {
		return nil, err
	}
	for i := range list[1:] {
		m := &list[i+1]
		if err := m.readLicence(folders[m.path]); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(list, func(a, b module) int { return strings.Compare(a.path, b.path) })
	return list, nil
}

func goEnv(name string) (string, error) {
	b, err := exec.Command("go", "env", name).Output()
	if err != nil {
		return "", fmt.Errorf("go env %s: %w", name, err)
	}
	return strings.TrimSpace(string(b)), nil
}

// moduleFolders says where the module cache has each module.
func moduleFolders(list []module) (map[string]string, error) {
	args := []string{"mod", "download", "-json"}
	for _, m := range list {
		args = append(args, m.path+"@"+m.version)
	}
	cmd := exec.Command("go", args...)
	cmd.Stderr = os.Stderr
	b, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go mod download: %w", err)
	}
	folders := map[string]string{}
	for dec := json.NewDecoder(bytes.NewReader(b)); ; {
		var m struct{ Path, Dir string }
		if err := dec.Decode(&m); errors.Is(err, io.EOF) {
			return folders, nil
		} else if err != nil {
			return nil, err
		}
		folders[m.Path] = m.Dir
	}
}

var licenceName = regexp.MustCompile(`(?i)^(licen[cs]e|copying)([-.].*)?$`)

// readLicence reads the licence files in the top folder of a module; all of them are
// taken to hold.
func (m *module) readLicence(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var names []string
	for _, e := range entries {
		// A logo is no part of the code.
		if e.Type().IsRegular() && licenceName.MatchString(e.Name()) && !strings.HasSuffix(e.Name(), "-LOGO") {
			names = append(names, e.Name())
		}
	}
	switch {
	case len(names) == 0 && unlicensed[m.path] != "":
		m.licence = unlicensed[m.path]
		return nil
	case len(names) == 0:
		return fmt.Errorf("%s has no licence file: find out what it says and add it to the table here", m.path)
	}
	for _, n := range names {
		text, err := os.ReadFile(filepath.Join(folder, n))
		if err != nil {
			return err
		}
		id, thirdParty := identify(text), strings.Contains(strings.ToUpper(n), "3RD-PARTY")
		if thirdParty {
			more, known := further[m.path]
			if !known {
				return fmt.Errorf("%s: read %s and add what it says to the table here", m.path, n)
			}
			id = more
		}
		switch {
		case thirdParty && id == "":
		case id == "":
			return fmt.Errorf("%s: %s is no licence that this program knows: read it, then teach identify", m.path, n)
		case m.licence == "":
			m.licence = id
		case !slices.Contains(strings.Split(m.licence, " AND "), id):
			m.licence += " AND " + id
		}
		if len(m.text) > 0 {
			m.text = append(m.text, '\n')
		}
		m.text = append(m.text, text...)
	}
	return nil
}

// identify knows the permissive licences by the sentences that set them apart, or
// returns "". A licence that is none of these has to be read by someone first.
func identify(text []byte) string {
	s := strings.ToLower(strings.Join(strings.Fields(string(text)), " "))
	has := func(p string) bool { return strings.Contains(s, p) }
	switch {
	case has("sqlite is public domain"):
		return "blessing" // SPDX's name for SQLite's
	case has("gnu general public") || has("gnu lesser") || has("gnu affero") || has("mozilla public license"):
		return ""
	case has("apache license, version 2.0") || has("apache license version 2.0"):
		if has("permission is hereby granted, free of charge") {
			return "Apache-2.0 AND MIT"
		}
		return "Apache-2.0"
	case has("redistribution and use in source and binary forms"):
		if has("neither the name") || has("names of its contributors may") || has("name of the author may not") {
			return "BSD-3-Clause"
		}
		return "BSD-2-Clause"
	case has("permission is hereby granted, free of charge"):
		return "MIT"
	case has("permission to use, copy, modify, and/or distribute") || has("permission to use, copy, modify, and distribute this software for any purpose"):
		return "ISC"
	}
	return ""
}

// notices is the file with the licence of everything that is linked in.
func notices(list []module) file {
	var b bytes.Buffer
	b.WriteString("fxlens contains the following software under the licences below.\n\n")
	for _, m := range list {
		fmt.Fprintf(&b, "%s %s (%s)\n", m.path, m.version, m.licence)
	}
	for _, m := range list {
		fmt.Fprintf(&b, "\n%s\n%s %s\n\n%s", strings.Repeat("-", 80), m.path, m.version, m.text)
		if len(m.text) > 0 && m.text[len(m.text)-1] != '\n' {
			b.WriteByte('\n')
		}
	}
	return file{name: "THIRD-PARTY.txt", data: b.Bytes()}
}
