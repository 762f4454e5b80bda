package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"fxlens/core/files"
	"fxlens/core/qualify"
	"fxlens/core/session"
	"fxlens/core/switches"
	"fxlens/themes"
	"fxlens/tui"
)

// tui opens the inspector. What cannot be opened, and a link that leads nowhere, are
// errors of the command line: they are found before the screen changes.
func (a *app) tui(ctx context.Context, arg string) error {
	l, err := parseArg(arg)
	if err != nil {
		return err
	}
	if files.IsGraph(l.File) {
		return a.graphScreen(ctx, arg, l.File)
	}
	if info, err := os.Stat(l.File); err == nil && info.IsDir() {
		return a.corpusScreen(ctx, arg, l.File)
	}
	s, err := a.open(l)
	if err != nil {
		return err
	}
	if err := checkTheme(a.theme); err != nil {
		return err
	}
	opt := tui.Options{
		Path: l.File, Version: version, Theme: a.theme, NoMouse: a.noMouse,
		Open:  func(context.Context) (*session.Session, error) { return a.open(l) },
		Crash: func(report string) (string, error) { return a.writeReport(report, nil) },
	}
	if isStdin(l.File) {
		opt.Open = nil // a stream cannot be read again
	} else {
		opt.Sidecar = l.File + session.SidecarSuffix
	}
	opt.ConfigDir, opt.StateDir = userDirs()
	if s.Kind == session.PackageFile && s.Effect == nil {
		return a.inspect(ctx, arg) // chunks of any kind: there is nothing to walk through
	}
	if _, err := s.Resolve(l); err != nil {
		return err
	}
	if !l.IsFile() {
		opt.At = &l
	}
	err = tui.Run(ctx, s, opt)
	if errors.Is(err, tui.ErrTerminal) {
		return a.inspect(ctx, arg)
	}
	return err
}

// graphScreen opens the inspector on a graph of shader switches. What is wrong with the
// graph shows on the screen, which reads it again when one of its files changes.
func (a *app) graphScreen(ctx context.Context, arg, path string) error {
	if err := checkTheme(a.theme); err != nil {
		return err
	}
	config, state := userDirs()
	err := tui.Run(ctx, nil, tui.Options{
		ConfigDir: config, StateDir: state, Path: path, Version: version, Theme: a.theme, NoMouse: a.noMouse,
		Graph: &tui.Graph{Name: path, Paths: graphPaths(path), Open: func(context.Context) (*switches.Workspace, error) { return files.OpenGraph(path) }},
		Crash: func(report string) (string, error) { return a.writeReport(report, nil) },
	})
	if errors.Is(err, tui.ErrTerminal) {
		return a.inspect(ctx, arg)
	}
	return err
}

// graphPaths are the folders that a graph's files can lie in: those below the manifest's,
// as far as somebody writes by hand.
func graphPaths(path string) []string {
	dir := path
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		dir = filepath.Dir(path)
	}
	var out []string
	_ = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || !d.IsDir():
			return nil
		case len(out) == maxGraphFolders:
			return filepath.SkipAll
		case p != dir && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		}
		out = append(out, p)
		return nil
	})
	return out
}

const maxGraphFolders = 200

// corpusScreen opens the inspector on a folder: the table of its files, each of which can
// be opened from there. Results come from the cache of `fxlens qualify` and go into it.
func (a *app) corpusScreen(ctx context.Context, arg, dir string) error {
	if err := checkTheme(a.theme); err != nil {
		return err
	}
	if _, err := a.options(); err != nil {
		return err
	}
	// What the qualification has to say must not be written over the screen.
	quiet := *a
	quiet.err = io.Discard
	src, real := &tui.Corpus{Name: dir}, atomic.Pointer[corpus]{}
	src.Run = func(ctx context.Context, file func(*qualify.File, qualify.Progress) error) ([]error, error) {
		// The cache belongs to this very program, whose digest takes its time: the screen is
		// there already.
		one := quiet
		var said strings.Builder
		one.err = &said
		opt, cache, err := one.qualifyOptions(&qualifyFlags{compileFlags: a.compileFlags, noPackages: true, cacheSize: defaultCacheSize})
		if err != nil {
			return nil, err
		}
		found, skipped, err := files.List(ctx, dir)
		if err != nil {
			return nil, err
		}
		entries, c := quiet.entries(found)
		real.Store(c)
		if said.Len() > 0 {
			skipped = append(skipped, errors.New(strings.TrimSpace(said.String())))
		}
		p := qualify.Progress{}
		opt.Progress = func(now qualify.Progress) { p = now }
		err = qualify.Run(ctx, c, entries, opt, func(f *qualify.File) error { return file(f, p) })
		if cache != nil {
			if terr := cache.Trim(); terr != nil {
				skipped = append(skipped, terr)
			}
		}
		return skipped, err
	}
	src.Open = func(_ context.Context, path string) (*session.Session, error) {
		one := quiet // opening notes the session in it
		return one.open(session.FileLink(real.Load().path(path)))
	}
	config, state := userDirs()
	err := tui.Run(ctx, nil, tui.Options{
		ConfigDir: config, StateDir: state,
		Path: dir, Corpus: src, Version: version, Theme: a.theme, NoMouse: a.noMouse,
		Crash: func(report string) (string, error) { return a.writeReport(report, nil) },
	})
	if errors.Is(err, tui.ErrTerminal) {
		return a.inspect(ctx, arg)
	}
	return err
}

// userDirs are the folders of the user's settings and of what is remembered, empty where
// the system has none.
func userDirs() (config, state string) {
	config, _ = files.ConfigDir()
	state, _ = files.StateDir()
	return config, state
}

// checkTheme says so where a theme is neither one of ours nor a file.
func checkTheme(name string) error {
	if name == "" || slices.Contains(themes.Names(), name) {
		return nil
	}
	if c, _ := userDirs(); c != "" && !strings.ContainsAny(name, `/\`) {
		if _, err := os.Stat(filepath.Join(c, "themes", name+".toml")); err == nil {
			name = filepath.Join(c, "themes", name+".toml")
		}
	}
	data, err := files.Read(name, 1<<20)
	if fileMissing(err) {
		return usagef("--theme %s: there is no such theme and no such file; %s", name, session.Hint(name, themes.Names()))
	}
	if err != nil {
		return err
	}
	if _, err := themes.Parse(name, data); err != nil {
		return &files.Error{Op: "read", Path: name, Reason: "not a valid theme: " + err.Error(), Remedy: "correct it, or name one of " + strings.Join(themes.Names(), ", "), Err: err}
	}
	return nil
}
