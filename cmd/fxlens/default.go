package main

import (
	"strings"

	"github.com/spf13/cobra"

	"fxlens/core/session"
	"fxlens/themes"
)

// tuiFlags are the flags of the terminal program.
type tuiFlags struct {
	noMouse bool
	theme   string
	plain   bool   // lines instead of a screen
	replay  string // crash report to replay
}

func (f *tuiFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.noMouse, "no-mouse", false, "leave the mouse to the terminal")
	cmd.Flags().BoolVar(&f.plain, "plain", false, "the inspector as lines of text, for screen readers")
	cmd.Flags().StringVar(&f.replay, "replay", "", "repeat the visit of a crash `report` and print its last frame")
	cmd.Flags().StringVar(&f.theme, "theme", "", "`name` of the colour theme, or path of a theme file")
	_ = cmd.RegisterFlagCompletionFunc("theme", cobra.FixedCompletions(themes.Names(), cobra.ShellCompDirectiveDefault))
}

// runDefault is fxlens without a subcommand: the inspector on a terminal, what
// inspect prints elsewhere.
func (a *app) runDefault(cmd *cobra.Command, args []string) error {
	arg := "."
	if len(args) == 1 {
		arg = args[0]
	}
	if a.plain || a.replay != "" {
		return commandHint(cmd, arg, a.linear(cmd.Context(), arg))
	}
	if a.json || !a.inTerm || !a.outTerm {
		return commandHint(cmd, arg, a.inspect(cmd.Context(), arg))
	}
	return commandHint(cmd, arg, a.tui(cmd.Context(), arg))
}

// commandHint says so where a missing file looks like a mistyped command.
func commandHint(cmd *cobra.Command, arg string, err error) error {
	if !fileMissing(err) || strings.ContainsAny(arg, "./\\?#") {
		return err
	}
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	if hint := session.Hint(arg, names); strings.HasPrefix(hint, "did you mean") {
		return usagef("there is no command and no file %q; %s", arg, hint)
	}
	return usagef("there is no command and no file %q; see `fxlens --help`", arg)
}
