package main

import (
	"strings"

	"github.com/spf13/cobra"
)

const longHelp = `fxlens inspects compiled effects (.sm_hi, .sm_lo, .sm_depth, versions 8 to 15),
DXBC shaders (.dxbc, .cso, .fxo, .o) and CEWGPU packages, and translates their
programs to WGSL.

With a file or folder and a terminal it opens the inspector; without a terminal it
prints what "inspect" prints. Every other command prints the same facts as text or,
with --json, as JSON.

A LINK behind the file name selects inside it, the same string that the screen and
the diagnostics show:

  quadv5.sm_hi?QUALITY=HIGH&SKINNED=ON#Main/0/ps@42
               axes by name             technique/pass/stage@instruction

Quote it for the shell. Axes left out have their defaults; a technique, pass or stage
left out means all of them. "%23" stands for "#" inside a name, and so on. "-" is
standard input, "-#Main/0/ps" a part of it.

Exit codes: 0 done; 1 refused, or a check failed (the reasons are printed); 2 wrong
usage; 3 unreadable or invalid input, or a target that cannot be written; 4 a bug in
fxlens (a report file is written).`

// commands are the subcommands by name, in the order of the help.
func (a *app) commands() (names []string, of map[string]func() *cobra.Command) {
	of = map[string]func() *cobra.Command{}
	for _, c := range []struct {
		name string
		make func() *cobra.Command
	}{
		{"inspect", a.inspectCommand}, {"disasm", a.disasmCommand}, {"ssa", a.ssaCommand}, {"wgsl", a.wgslCommand},
		{"bindings", a.bindingsCommand}, {"graph", a.graphCommand}, {"build", a.buildCommand}, {"verify", a.verifyCommand},
		{"extract", a.extractCommand}, {"chunks", a.chunksCommand}, {"scan", a.scanCommand}, {"asm", a.asmCommand},
		{"convert", a.convertCommand}, {"diff", a.diffCommand}, {"gate", a.gateCommand}, {"run", a.runCommand},
		{"qualify", a.qualifyCommand}, {"query", a.queryCommand}, {"matrix", a.matrixCommand}, {"compare", a.compareCommand},
		{"switches", a.switchesCommand}, {"explain", a.explainCommand}, {"doctor", a.doctorCommand}, {"version", a.versionCommand},
	} {
		names, of[c.name] = append(names, c.name), c.make
	}
	return names, of
}

// root makes the tree of commands.
func (a *app) root() *cobra.Command {
	root := a.stem()
	names, of := a.commands()
	for _, n := range names {
		root.AddCommand(of[n]())
	}
	root.AddCommand(topics()...)
	// The completion command is cobra's; its descriptions are those of ours.
	root.InitDefaultCompletionCmd()
	return root
}

// rootFor makes the tree as far as the arguments need it, since the flags of all commands
// take a tenth of the time to the first frame: the one command that they begin with, none
// before a path, and else all.
func (a *app) rootFor(args []string) *cobra.Command {
	if len(args) == 0 || args[0] == "" || args[0][0] == '-' {
		return a.root()
	}
	_, of := a.commands()
	switch c := of[args[0]]; {
	case c != nil:
		root := a.stem()
		root.AddCommand(c())
		return root
	case strings.ContainsAny(args[0], "./\\#?"):
		return a.stem()
	}
	return a.root()
}

// stem is the root without commands.
func (a *app) stem() *cobra.Command {
	root := &cobra.Command{
		Use:               "fxlens [FILE|DIR]",
		Short:             "inspect compiled shaders and translate them to WGSL",
		Long:              longHelp,
		Version:           version,
		Args:              atMost(1, "name one file or folder"),
		RunE:              a.runDefault,
		ValidArgsFunction: a.completeLink,
		SilenceUsage:      true,
		SilenceErrors:     true,
	}
	root.SetVersionTemplate(versionLine() + "\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%v; see `%s --help`", err, cmd.CommandPath())
	})
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print versioned JSON instead of text")
	a.tuiFlags.add(root)
	a.compileFlags.add(root)
	return root
}

// exactly and atMost check the number of arguments; want says what to do.
func exactly(n int, want string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usagef("%s takes %s, %d given; %s", cmd.CommandPath(), plural(n, "argument", "arguments"), len(args), want)
		}
		return nil
	}
}

func atMost(n int, want string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > n {
			return usagef("%s takes at most %s, %d given; %s", cmd.CommandPath(), plural(n, "argument", "arguments"), len(args), want)
		}
		return nil
	}
}
