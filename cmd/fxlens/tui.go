package main

import (
	"context"
	"errors"
	"os"

	"fxlens/core/session"
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
