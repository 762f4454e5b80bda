// Package quiet keeps the program from talking to the terminal before it knows whether
// there is one.
//
// Importing bubbletea v1 asks the terminal for its background colour in an init
// function: every command of the binary, `--version` too, would write OSC 11 and a
// cursor query to a TTY, wait five seconds where nobody answers, and swallow what is
// typed meanwhile. lipgloss does not ask once it has been told the answer, and this
// package tells it first.
//
// It works by order: Go initialises, of the packages whose imports are ready, the one
// with the least import path (The Go Programming Language Specification, "Package
// initialization"). "fxlens/tui/quiet" needs nothing that "github.com/charmbracelet/
// bubbletea" does not need too, and sorts before it. So this package must import nothing
// but lipgloss. A test runs built binaries on a pseudo-terminal and watches for the query.
//
// Light or dark is chosen by flag, configuration and COLORFGBG instead.
package quiet

import "github.com/charmbracelet/lipgloss"

func init() { lipgloss.SetHasDarkBackground(true) }
