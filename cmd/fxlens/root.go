package main

import (
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

// root makes the tree of commands.
func (a *app) root() *cobra.Command {
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
	root.AddCommand(
		a.inspectCommand(), a.disasmCommand(), a.ssaCommand(), a.wgslCommand(), a.bindingsCommand(), a.graphCommand(),
		a.buildCommand(), a.verifyCommand(), a.extractCommand(),
		a.chunksCommand(), a.scanCommand(), a.asmCommand(),
		a.convertCommand(), a.diffCommand(), a.gateCommand(), a.runCommand(),
		a.qualifyCommand(), a.queryCommand(), a.matrixCommand(), a.compareCommand(), a.switchesCommand(),
		a.explainCommand(), a.doctorCommand(), a.versionCommand(),
	)
	root.AddCommand(topics()...)
	// The completion command is cobra's; its descriptions are those of ours.
	root.InitDefaultCompletionCmd()
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
