package main

import (
	"context"
	"errors"

	"fxlens/core/files"
	"fxlens/core/session"
	"fxlens/tui"
)

// linear is the inspector without a screen: as lines, or the replay of a crash report.
func (a *app) linear(ctx context.Context, arg string) error {
	l, err := parseArg(arg)
	if err != nil {
		return err
	}
	if a.plain && isStdin(l.File) {
		return usagef("--plain reads its commands from standard input; name a file")
	}
	s, err := a.open(l)
	if err != nil {
		return err
	}
	opt := tui.Options{Path: l.File, Version: version, Theme: "mono", NoMouse: true, Sidecar: l.File + session.SidecarSuffix}
	if !l.IsFile() {
		opt.At = &l
	}
	if a.replay != "" {
		report, err := files.Read(a.replay, 4<<20)
		if err != nil {
			return err
		}
		frame, err := tui.Replay(ctx, s, opt, string(report))
		if errors.Is(err, tui.ErrReplay) {
			return usagef("--replay %s: %v", a.replay, err)
		}
		if err != nil {
			return err
		}
		a.print("%s", frame)
		return nil
	}
	if _, err := s.Resolve(l); err != nil {
		return err
	}
	a.out.Flush()
	return tui.Plain(ctx, s, opt, a.in, a.stdout)
}
