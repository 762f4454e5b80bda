package docs

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"fxlens/core/diag"
)

// Kinds are the kinds of entries of docs/compatibility.md, which are its
// chapters, in their order.
var Kinds = []string{"Adapted", "Not supported", "Bounded"}

// Entry is one entry of docs/compatibility.md.
type Entry struct {
	Kind    string
	Title   string
	Line    int      // from 1
	Codes   []string // as the entry names them: codes, or families such as "dxbc.*"
	HasWhy  bool     // it gives a reason
	Revisit bool     // it says what would change it
}

// Anchor is the fragment that links to the entry, as forges make it.
func (e *Entry) Anchor() string {
	s := strings.ToLower(e.Title)
	s = regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(s, "")
	return strings.ReplaceAll(s, " ", "-")
}

var codeSpan = regexp.MustCompile("`([a-z]+(?:[.-][a-z0-9-]+)*(?:\\.\\*)?)`")

// Entries reads the entries of docs/compatibility.md. An entry is a third-level
// heading below a chapter that is a kind; its last paragraph begins with "Codes:".
func Entries(text string) []Entry {
	var out []Entry
	kind := ""
	var e *Entry
	codes := false
	for i, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "## "):
			kind, e = strings.TrimPrefix(line, "## "), nil
			if !slices.Contains(Kinds, kind) {
				kind = ""
			}
		case strings.HasPrefix(line, "### ") && kind != "":
			out = append(out, Entry{Kind: kind, Title: strings.TrimPrefix(line, "### "), Line: i + 1})
			e, codes = &out[len(out)-1], false
		case e != nil:
			if strings.HasPrefix(line, "Codes:") {
				codes = true
			}
			if line == "" {
				codes = false
			}
			e.HasWhy = e.HasWhy || strings.Contains(line, "Why:")
			e.Revisit = e.Revisit || strings.Contains(line, "Revisit:")
			if codes {
				for _, m := range codeSpan.FindAllStringSubmatch(line, -1) {
					e.Codes = append(e.Codes, m[1])
				}
			}
		}
	}
	return out
}

// Covers reports whether the entry names the code, by itself or by its family.
func (e *Entry) Covers(code diag.Code) bool {
	return slices.ContainsFunc(e.Codes, func(c string) bool {
		if family, ok := strings.CutSuffix(c, "*"); ok {
			return strings.HasPrefix(string(code), family)
		}
		return c == string(code)
	})
}

// families names the groups of codes, by what stands before the first dot.
var families = map[string]string{
	"bind":    "The binding plan",
	"bundle":  "Packages of shader variants",
	"carbon":  "Carbon WebGPU containers",
	"cewgpu":  "CEWGPU packages",
	"compile": "A pass and its stages",
	"decode":  "Decoding a program",
	"dxbc":    "DXBC containers and programs",
	"effect":  "Compiled effects",
	"iface":   "Between the stages",
	"premise": "What a program takes for granted",
	"lower":   "Translation to SSA",
	"qualify": "Qualification of a corpus",
	"session": "Opening a file",
	"switch":  "Shader switches",
	"variant": "Shader switches",
	"wgsl":    "Translation to WGSL",
}

// Diagnostics is the text of docs/diagnostics.md.
func Diagnostics(all []diag.Info, entries []Entry) string {
	var b strings.Builder
	b.WriteString(`# Diagnostics

Every code that fxlens reports, as ` + "`fxlens explain CODE`" + ` prints it. The file is made from the code by
` + "`go test ./internal/docs -update`" + `; do not edit it. Where a code stands for a difference between Direct3D and WebGPU,
the last line leads to its entry in [compatibility.md](compatibility.md).
`)
	byFamily := map[string][]diag.Info{}
	for _, i := range all {
		f, _, _ := strings.Cut(string(i.Code), ".")
		byFamily[f] = append(byFamily[f], i)
	}
	var names []string
	for f := range byFamily {
		names = append(names, f)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(a, b) })
	b.WriteString("\n")
	for _, f := range names {
		fmt.Fprintf(&b, "- [%s](#%s): %s, %d\n", f, f, familyTitle(f), len(byFamily[f]))
	}
	for _, f := range names {
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n", f, familyTitle(f))
		for _, i := range byFamily[f] {
			fmt.Fprintf(&b, "\n### %s\n\n%s.\n\nRule: %s.\n\nRemedy: %s.\n", i.Code, sentence(i.Title), end(i.Rule), end(i.Remedy))
			for _, e := range entries {
				if e.Covers(i.Code) {
					fmt.Fprintf(&b, "\nSee [%s](compatibility.md#%s) (%s).\n", e.Title, e.Anchor(), strings.ToLower(e.Kind))
				}
			}
		}
	}
	return b.String()
}

func familyTitle(f string) string {
	if t, ok := families[f]; ok {
		return t
	}
	return "Codes of " + f
}

// sentence is s with a capital.
func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// end is s without its full stop.
func end(s string) string { return strings.TrimSuffix(s, ".") }
