package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fxlens/core/files"
	"fxlens/core/qualify"
	"fxlens/views"
)

func (a *app) compareCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "compare DIR DIR",
		Short: "compare two folders of packages",
		Long: `compare pairs the packages of two folders by path, compares them byte by byte and by
meaning, and answers whether what a browser executes (programs, binding layouts,
transforms) is untouched, that is, whether a new browser run is due.

It fails (exit code 1) where anything differs.`,
		Args: exactly(2, "name two folders of packages"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.compare(cmd.Context(), args, out) },
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "write the JSON report to `file`")
	return cmd
}

func (a *app) compare(ctx context.Context, args []string, out string) error {
	var names [2][]string
	unread := 0
	for i, dir := range args {
		found, skipped, err := files.List(ctx, dir)
		if err != nil {
			return err
		}
		unread += a.skipped(skipped)
		for _, e := range found {
			switch strings.ToLower(filepath.Ext(e.Path)) {
			case ".cewgpu", ".carbonwebgpu":
				if rel, err := filepath.Rel(dir, e.Path); err == nil {
					names[i] = append(names[i], filepath.ToSlash(rel))
				}
			}
		}
		slices.Sort(names[i])
	}
	if len(names[0])+len(names[1]) == 0 {
		return usagef("there are no packages below %s and %s; make them with `fxlens build`", args[0], args[1])
	}
	c, err := qualify.ComparePackages(ctx, names[0], names[1], func(side int, name string) ([]byte, error) {
		return files.Read(filepath.Join(args[side], filepath.FromSlash(name)), 0)
	})
	if err != nil {
		return err
	}
	c.A, c.B = args[0], args[1]
	if out != "" {
		b, err := jsonBytes(c)
		if err != nil {
			return err
		}
		if err := files.Write(out, b, true); err != nil {
			return err
		}
	}
	if a.json {
		if err := a.printJSON(c); err != nil {
			return err
		}
	} else {
		a.printComparison(c)
	}
	if len(c.Packages) > 0 {
		return errRefused
	}
	return a.complete(nil, unread)
}

func (a *app) printComparison(c *qualify.PackageComparison) {
	for _, p := range c.Packages {
		a.print("%s: %s", views.Text(p.Path), p.State)
		if p.State == "changed" {
			a.print("; programs %s, layouts %s, transforms %s", p.Programs, p.Layouts, p.Transforms)
			if len(p.Chunks) > 0 {
				a.print("; chunks %s", views.Text(strings.Join(p.Chunks, " ")))
			}
		}
		a.print("\n")
		if p.Reason != "" {
			a.print("  %s\n", views.Text(p.Reason))
		}
		for _, d := range p.Differences {
			a.print("  %s\n", views.Text(fmt.Sprintf("%s %s: %s -> %s", d.Chunk, d.Path, absent(d.A), absent(d.B))))
		}
	}
	a.print("%d identical, %d changed, %d missing, %d added\n", c.Identical, c.Changed, c.Missing, c.Added)
	due := "no new browser run is due"
	if c.BrowserRunDue {
		due = "a new browser run is due"
	}
	a.print("%s: %s\n", due, c.Why)
}

func absent(s string) string {
	if s == "" {
		return "(absent)"
	}
	return s
}

// jsonBytes is v as printJSON prints it.
func jsonBytes(v any) ([]byte, error) {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("write JSON: %w", err)
	}
	return safeJSON(buf.Bytes()), nil
}
