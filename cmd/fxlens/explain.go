package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/session"
)

// codeDoc is the JSON of one diagnostic code.
type codeDoc struct {
	Schema string    `json:"schema"` // fxlens.explain/1
	Code   diag.Code `json:"code"`
	Title  string    `json:"title"`
	Rule   string    `json:"rule"`
	Remedy string    `json:"remedy"`
}

// opDoc is the JSON of one opcode.
type opDoc struct {
	Schema string `json:"schema"` // fxlens.explain-op/1
	Op     string `json:"op"`
	Number int    `json:"number"`
	Doc    string `json:"doc"`
	WGSL   string `json:"wgsl"`
	Out    string `json:"out"` // one letter per destination
	In     string `json:"in"`  // one letter per source
	Since  string `json:"since"`
	Stages string `json:"stages"`
}

func (a *app) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [CODE|op:NAME]",
		Short: "explain a diagnostic or an instruction",
		Long: `explain prints the rule behind a diagnostic and what to do, or what an instruction
does and what becomes of it in WGSL. Without an argument it lists the codes.`,
		Example: "  fxlens explain dxbc.checksum\n  fxlens explain op:movc",
		Args:    atMost(1, "name one code or op:NAME"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return append(codeNames(), opNames("op:")...), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.listCodes()
			}
			if name, ok := strings.CutPrefix(args[0], "op:"); ok {
				return a.explainOp(name)
			}
			return a.explainCode(args[0])
		},
	}
}

func codeNames() []string {
	var out []string
	for _, i := range diag.All() {
		out = append(out, string(i.Code))
	}
	return out
}

func opNames(prefix string) []string {
	var out []string
	for _, op := range dxbc.Ops() {
		out = append(out, prefix+op.String())
	}
	return out
}

func codeOf(i diag.Info) codeDoc {
	return codeDoc{"fxlens.explain/1", i.Code, i.Title, i.Rule, i.Remedy}
}

func (a *app) listCodes() error {
	all := diag.All()
	if a.json {
		var docs []any
		for _, i := range all {
			docs = append(docs, codeOf(i))
		}
		return a.printJSON(listDoc{"fxlens.explain-list/1", "", docs})
	}
	t := table{}
	for _, i := range all {
		t.add(string(i.Code), i.Title)
	}
	a.print("%s", t.String())
	return nil
}

func (a *app) explainCode(code string) error {
	i, ok := diag.Lookup(diag.Code(code))
	if !ok {
		if _, isOp := dxbc.LookupOp(code); isOp {
			return usagef("there is no diagnostic %q; the instruction is explained by `fxlens explain op:%s`", code, code)
		}
		return usagef("there is no diagnostic %q; %s", code, session.Hint(code, codeNames()))
	}
	if a.json {
		return a.printJSON(codeOf(i))
	}
	a.print("%s: %s\n\n", i.Code, i.Title)
	t := table{}
	t.add("rule", i.Rule)
	t.add("remedy", i.Remedy)
	a.print("%s", t.String())
	return nil
}

func (a *app) explainOp(name string) error {
	op, ok := dxbc.LookupOp(strings.ToLower(name))
	if !ok {
		return usagef("there is no instruction %q; %s", name, session.Hint(name, opNames("")))
	}
	i := op.Info()
	d := opDoc{"fxlens.explain-op/1", i.Name, int(op), i.Doc, i.WGSL, i.Out, i.In, fmt.Sprintf("%d.%d", i.Since/10, i.Since%10), i.Stages.String()}
	if a.json {
		return a.printJSON(d)
	}
	a.print("%s: %s\n\n", d.Op, d.Doc)
	t := table{}
	t.add("wgsl", d.WGSL)
	t.add("operands", operandText(i.Out, "to")+operandText(i.In, "from"))
	t.add("since", "shader model "+d.Since)
	t.add("stages", d.Stages)
	t.add("number", fmt.Sprintf("%d (%#x)", d.Number, d.Number))
	a.print("%s", t.String())
	return nil
}

// operandWords spell out the letters of dxbc.OpInfo.
var operandWords = map[rune]string{
	'f': "float", 'i': "int", 'u': "uint", 'd': "double", 'a': "bits", 'm': "mask", 'n': "number",
	'c': "literal", 'l': "label", 'o': "stream", 'p': "interface pointer", 'v': "input",
	't': "texture or buffer", 's': "sampler", 'R': "texture or rasterizer", 'B': "buffer",
	'U': "typed view", 'W': "writable memory", 'M': "readable memory",
}

func operandText(letters, word string) string {
	if letters == "" {
		return ""
	}
	var w []string
	for _, l := range letters {
		s := operandWords[l]
		if s == "" {
			s = string(l)
		}
		w = append(w, s)
	}
	s := word + " " + strings.Join(w, ", ")
	if word == "to" {
		s += " "
	}
	return s
}
