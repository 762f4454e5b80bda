package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"fxlens/core/files"
	"fxlens/core/session"
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
	if info, err := os.Stat(l.File); err == nil && info.IsDir() {
		return a.inspect(ctx, arg)
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
		Crash: func(report string) (string, error) { return a.writeReport(report, nil) },
	}
	if s.Kind == session.PackageFile {
		return a.inspect(ctx, arg) // the inspector shows programs, and a package has modules alone
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

// checkTheme says so where a theme is neither one of ours nor a file.
func checkTheme(name string) error {
	if name == "" || slices.Contains(themes.Names(), name) {
		return nil
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
