package main

import "github.com/spf13/cobra"

// topics are pages of help that belong to no single command.
func topics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "links", Short: "how to select inside a file", Long: linksHelp},
		{Use: "json", Short: "the JSON that --json prints", Long: jsonHelp},
	}
}

const linksHelp = `A link is the same string in arguments, diagnostics, JSON and the clipboard:

  FILE?AXIS=OPTION&AXIS=OPTION#TECHNIQUE/PASS/STAGE@INSTRUCTION

Quote it for the shell. Every part but FILE may be left out.

  ?AXIS=OPTION   options by name; axes left out have their defaults. The prefix that an
                 option shares with its axis may be left out: SKINNED=ON is SKINNED_ON.
  TECHNIQUE      a technique; all of them if left out. Main~2 is the second one called
                 Main, and "ps/" a technique that is called like a stage.
  PASS           a pass, from 0; all passes if left out
  STAGE          vs, ps, cs, gs, hs or ds; all stages if left out
  @INSTRUCTION   an instruction, from 0, declarations counted: disasm --numbers shows them

A bare program has neither axes nor techniques: shader.dxbc#@42.

A percent sign and two hex digits stand for a byte of a name: %23 is "#", %3F "?",
%2F "/", %40 "@", %26 "&", %3D "=", %25 "%". If a file exists whose name is the whole
argument, it is that file.`

const jsonHelp = `With --json every command prints one JSON document to stdout. Its "schema" says what it
is and its version: the number changes when a key goes or changes its meaning, not when
one is added. Strings are those of the file; characters that a terminal could act on are
written as escapes of their value.

  inspect    fxlens.inspect/1         everything in an effect; a program; a package
             fxlens.inspect-folder/1  the files of a folder
  disasm     fxlens.disasm/1          one stage: text and instructions
  ssa        fxlens.ssa/1             one stage: text after a phase, counts of all phases
  wgsl       fxlens.wgsl/1            one stage: wgsl, bindings, io, requires, sourceMap,
                                      diagnostics; a refusal is the same without wgsl
  bindings   fxlens.bindings/1        one pass: the plan
  chunks     fxlens.chunks/1          one container
             fxlens.wrote/1           the file written with -o
  scan       fxlens.scan/1            the containers found
  asm        fxlens.asm/1             what was written
  build      fxlens.build/1           what was written, or why nothing was
  verify     fxlens.verify/1          all findings
  explain    fxlens.explain/1, fxlens.explain-op/1
  doctor     fxlens.doctor/1
  version    fxlens.version/1

Where a link selects more than one stage (disasm, ssa, wgsl, chunks) or pass (bindings),
the document is an envelope: "schema" with "-list" before the version, as in
fxlens.wgsl-list/1, "link" to what was selected, and "documents", one for each stage or
pass in the order of the file and of the pipeline.

In wgsl's sourceMap a run of "length" bytes at "line" and "column", both from 1, comes from
"instruction" (as links count), at "dxbcOffset" dwords in the program, and from the SSA
value "value".`
