// Command inspector is the terminal program alone, for the tests that run it on a
// pseudo-terminal. With -headless it prints one line and imports the same packages.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"fxlens/core/compile"
	"fxlens/core/files"
	"fxlens/core/session"
	"fxlens/tui"
)

func main() {
	headless := flag.Bool("headless", false, "print one line and leave")
	noMouse := flag.Bool("no-mouse", false, "leave the mouse to the terminal")
	theme := flag.String("theme", "", "theme")
	dir := flag.String("dir", "", "folder for packages")
	link := flag.String("at", "", "link inside the file")
	sidecar := flag.String("sidecar", "", "file that keeps settings")
	version := flag.String("version", "", "version in packages")
	flag.Parse()
	if *headless {
		fmt.Println("inspector")
		return
	}
	opt := tui.Options{Path: flag.Arg(0), Theme: *theme, NoMouse: *noMouse, ExportDir: *dir, Sidecar: *sidecar, Version: *version}
	if os.Getenv("FXLENS_TEST_PANIC") != "" {
		opt.Clipboard = func(string) error { panic("asked for by a test") }
	}
	if *link != "" {
		l, err := session.ParseLink(*link)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		opt.At = &l
	}
	opt.Open = func(context.Context) (*session.Session, error) {
		b, err := files.Read(flag.Arg(0), 0)
		if err != nil {
			return nil, err
		}
		var o compile.Options
		if side, err := files.Read(opt.Sidecar, 0); opt.Sidecar != "" && err == nil {
			s, err := session.ParseSidecar(side)
			if err == nil {
				err = s.Apply(&o)
			}
			if err != nil {
				return nil, err
			}
		}
		return session.Open(flag.Arg(0), b, o)
	}
	if err := tui.Run(context.Background(), nil, opt); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
