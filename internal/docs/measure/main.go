// Command measure reports how much WGSL the compiler writes for each DXBC
// instruction:
//
//	go run ./internal/docs/measure [-programs] DIR...
//
// Every file below the folders that is a vertex, pixel or compute program is
// compiled with default options and assumed view formats. A program's
// executable instructions are those that are no declaration and do not merely
// close a block (endif, endloop, endswitch); an emission of one statement for
// each instruction would have as many. Statements are counted the same way: what
// ends in a semicolon, and each if, else, loop, switch and clause, in the entry
// point; the helper functions are counted apart, since one serves all its calls.
package main

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fxlens/core/compile"
	"fxlens/core/dxbc"
)

// count is what one program, or a sum of programs, comes to.
type count struct {
	name         string
	programs     int
	instructions int // executable
	statements   int // of the entry point
	helpers      int // statements of the other functions
	bytes        int // of the whole module
	body         int // bytes of the entry point
}

func (c *count) add(d count) {
	c.programs += d.programs
	c.instructions += d.instructions
	c.statements += d.statements
	c.helpers += d.helpers
	c.bytes += d.bytes
	c.body += d.body
}

func (c *count) row() string {
	n := float64(max(c.instructions, 1))
	return fmt.Sprintf("| %s | %d | %d | %d | %.2f | %d | %.1f | %.1f |", c.name, c.programs, c.instructions, c.statements,
		float64(c.statements)/n, c.helpers, float64(c.body)/n, float64(c.bytes)/n)
}

const head = `| programs | count | instructions | statements | statements an instruction | statements of helpers | bytes an instruction, entry point | bytes an instruction, module |
| --- | --- | --- | --- | --- | --- | --- | --- |`

func main() {
	each := flag.Bool("programs", false, "print every program too")
	flag.Parse()
	if err := run(flag.Args(), *each); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

func run(dirs []string, each bool) error {
	c := &compile.Compiler{}
	fmt.Println(head)
	total := count{name: "all"}
	for _, dir := range dirs {
		sum := count{name: filepath.Base(dir)}
		stages := map[string]*count{}
		var list []count
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".dxbc" {
				return err
			}
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			one, kind, ok, err := measure(c, b)
			if err != nil || !ok {
				return err
			}
			one.name, one.programs = strings.TrimSuffix(filepath.Base(path), ".dxbc"), 1
			sum.add(one)
			if stages[kind] == nil {
				stages[kind] = &count{name: sum.name + ", " + kind}
			}
			stages[kind].add(one)
			list = append(list, one)
			return nil
		})
		if err != nil {
			return err
		}
		if each {
			for i := range list {
				fmt.Println(list[i].row())
			}
		}
		var kinds []string
		for k := range stages {
			kinds = append(kinds, k)
		}
		slices.Sort(kinds)
		for _, k := range kinds {
			fmt.Println(stages[k].row())
		}
		fmt.Println(sum.row())
		total.add(sum)
	}
	if len(dirs) > 1 {
		fmt.Println(total.row())
	}
	return nil
}

// measure compiles one program; ok is false for what is not translated.
func measure(c *compile.Compiler, b []byte) (n count, kind string, ok bool, err error) {
	s, err := dxbc.Open(b)
	if err != nil {
		return n, "", false, nil // not shader model 4 or 5
	}
	switch s.Program.Kind {
	case dxbc.Vertex, dxbc.Pixel, dxbc.Compute:
	default:
		return n, "", false, nil
	}
	in := &compile.PassInput{Stages: []compile.StageInput{{Kind: s.Program.Kind, Program: b}}}
	p, err := c.Pass(context.Background(), in, &compile.Options{Views: map[string]string{"*": "auto"}})
	if err != nil || p.Stages[0].Module == nil {
		return n, "", false, err
	}
	for i := range s.Program.Instrs {
		op := s.Program.Instrs[i].Op
		switch {
		case op.Has(dxbc.FlagDecl), op == dxbc.OpCustomdata, op == dxbc.OpNop, op == dxbc.OpLabel:
		case op == dxbc.OpEndif, op == dxbc.OpEndloop, op == dxbc.OpEndswitch:
		default:
			n.instructions++
		}
	}
	code := p.Stages[0].Module.Code
	n.bytes = len(code)
	n.statements, n.helpers, n.body = statements(code)
	return n, s.Program.Kind.String(), true, nil
}

// statements counts the statements of the entry point and of the helpers, and
// the bytes of the entry point. The printer puts each on a line of its own.
func statements(code string) (entry, helpers, body int) {
	var in *int
	for _, line := range strings.SplitAfter(code, "\n") {
		text := strings.TrimRight(line, "\n")
		trimmed := strings.TrimSpace(text)
		switch {
		case strings.HasPrefix(text, "fn main("):
			in = &entry
		case strings.HasPrefix(text, "fn "):
			in = &helpers
		}
		if in == &entry {
			body += len(line)
		}
		if in == nil || text == trimmed { // declarations, heads of functions, and their ends
			if text == "}" {
				in = nil
			}
			continue
		}
		if i := strings.Index(trimmed, "  //"); i >= 0 {
			trimmed = strings.TrimSpace(trimmed[:i])
		}
		if strings.HasPrefix(trimmed, "//") {
			continue
		}
		if strings.HasSuffix(trimmed, ";") || strings.HasSuffix(trimmed, "{") || strings.HasSuffix(trimmed, "{}") {
			*in++
		}
	}
	return entry, helpers, body
}
