package qualify

import (
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// Page is what the readable forms of a report show.
type Page struct {
	Head    Head
	Summary *Summary
	Rows    []*Row // every file, by path
	// Comparison is that with a baseline, or nil.
	Comparison *Comparison
}

// Total is one line of the table of totals.
type Total struct {
	What string
	Tally
}

// Totals lists the counts of a summary in the order that reports print them.
func (s *Summary) Totals() []Total {
	return []Total{
		{"files", s.Files},
		{"effects, all permutations", s.Effects},
		{"effects, default permutation", s.Selected},
		{"bare programs", s.Programs},
		{"packages found", s.Packages},
		{"permutations", s.Permutations},
		{"bodies", s.Bodies},
		{"passes, by permutation", s.Passes.Occurrences},
		{"passes, by body", s.Passes.InBodies},
		{"passes, distinct", s.Passes.Unique},
		{"stages, by permutation", s.Stages.Occurrences},
		{"stages, by body", s.Stages.InBodies},
		{"stages, distinct", s.Stages.Unique},
	}
}

// Lines is the header audit as sentences, in the words of the compatibility document.
func (a *Audit) Lines() []string {
	anomalies := "no anomalies"
	if a.Anomalies > 0 {
		var parts []string
		for _, k := range a.AnomaliesByCode {
			parts = append(parts, fmt.Sprintf("%d %s", k.Count, k.Name))
		}
		anomalies = fmt.Sprintf("%d anomalies (%s)", a.Anomalies, strings.Join(parts, ", "))
	}
	out := []string{fmt.Sprintf("%d effects: %s across %d permutations, %d unique body records and %d exact aliases (maximum %d permutations in one source)",
		a.Effects, anomalies, a.Permutations, a.UniqueRecords, a.ExactAliases, a.LargestPerms)}
	if a.LargestPermsPath != "" {
		out = append(out, fmt.Sprintf("most permutations: %s, %d; largest source: %s, %d bytes", a.LargestPermsPath, a.LargestPerms, a.LargestBytesPath, a.LargestBytes))
	}
	if len(a.Versions) > 0 {
		var parts []string
		for _, v := range a.Versions {
			parts = append(parts, fmt.Sprintf("%d of version %s", v.Count, strings.TrimPrefix(v.Name, "0")))
		}
		out = append(out, "format versions: "+strings.Join(parts, ", "))
	}
	reflected := func(what string, c Counts) string {
		return fmt.Sprintf("%s: %d techniques, %d passes, %d stage programs, %d libraries, %d constants, %d resources, %d samplers, %d UAVs, %d render states, %d constant-default bytes",
			what, c.Techniques, c.Passes, c.Stages, c.Libraries, c.Constants, c.Resources, c.Samplers, c.UAVs, c.RenderStates, c.DefaultBytes)
	}
	return append(out, reflected("all bodies", a.All), reflected("default permutations", a.Selected),
		fmt.Sprintf("%d unique programs in the whole corpus, %d bytes", a.UniquePrograms, a.UniqueProgramSize))
}

// plain makes text of a file safe to print: what is not printable becomes an escape.
func plain(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return s
	}
	q := strconv.Quote(s)
	return q[1 : len(q)-1]
}

// mdText makes a text safe inside a Markdown table.
func mdText(s string) string {
	var b strings.Builder
	for _, r := range plain(s) {
		if strings.ContainsRune("\\`*_{}[]<>|#~", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// WriteMarkdown writes the report for people who read a merge request.
func (p *Page) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	f := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	f("# Qualification of a corpus\n\nfxlens %s, %s permutations", mdText(p.Head.Version), p.Head.Scope)
	if len(p.Head.Options) > 0 {
		f(", options %s", mdText(strings.Join(p.Head.Options, " ")))
	}
	f(".\n\n| | total | qualified | partial | unsupported | failed |\n|---|--:|--:|--:|--:|--:|\n")
	for _, t := range p.Summary.Totals() {
		f("| %s | %d | %d | %d | %d | %d |\n", t.What, t.Total, t.Qualified, t.Partial, t.Unsupported, t.Failed)
	}
	if p.Summary.Files.Ignored > 0 {
		f("\n%d files were no shaders and are ignored.\n", p.Summary.Files.Ignored)
	}
	if p.Head.Packages {
		t := p.Summary.Built
		f("\nPackages of default permutations: %d strict, %d extended only, %d refused.\n", t.Qualified, t.Partial, t.Unsupported)
	}
	if c := p.Comparison; c != nil {
		f("\n## Against the baseline\n\n%d regressions, %d allowed, %d files unchanged.\n\n", c.Regressions, c.Allowed, c.Same)
		for _, x := range c.Worst() {
			mark := "note"
			if x.Regression {
				mark = "**regression**"
			}
			if x.Allowed != "" {
				mark = "allowed (" + mdText(x.Allowed) + ")"
			}
			f("- %s, %s: %s: %s\n", mark, x.Kind, mdText(x.Path), mdText(x.Text))
		}
	}
	f("\n## What to add next\n\n")
	if len(p.Summary.Next) == 0 {
		f("Nothing: every stage is translated.\n")
	} else {
		f("Each line assumes that those above it are done.\n\n| | what | unlocks stages | passes | in all | stops | meanwhile |\n|--:|---|--:|--:|--:|--:|---|\n")
		for i, s := range p.Summary.Next {
			f("| %d | `%s` %s | %d | %d | %d | %d | %s |\n", i+1, s.Code, mdText(s.What), s.Unlocks, s.Passes, s.Cumulative, s.Touches, mdText(s.Remedy))
		}
	}
	f("\n## Reasons\n\n| code | stages | alone | by permutation | files | first place |\n|---|--:|--:|--:|--:|---|\n")
	for _, r := range p.Summary.Reasons {
		f("| `%s` %s | %d | %d | %d | %d | %s: %s |\n", r.Code, mdText(r.Title), r.Stages, r.Alone, r.Occurrences, r.Files, mdText(r.Example), mdText(r.Message))
	}
	f("\n## Header audit\n\n")
	for _, l := range p.Summary.Audit.Lines() {
		f("- %s\n", mdText(l))
	}
	f("\n## What this report does not prove\n\n")
	for _, l := range NotProved() {
		f("- %s\n", mdText(l))
	}
	f("\n## Files that are not qualified\n\n| file | status | bodies | stages | reasons |\n|---|---|--:|--:|---|\n")
	if _, err := io.WriteString(w, b.String()); err != nil {
		return err
	}
	for _, r := range p.Rows {
		if r.Status == Qualified {
			continue
		}
		if _, err := fmt.Fprintf(w, "| %s | %s | %d/%d | %d/%d | %s |\n", mdText(r.Path), r.Status, r.Bodies.Qualified, r.Bodies.Total,
			r.Stages.Qualified, r.Stages.Total, mdText(kinds(r.Errors))); err != nil {
			return err
		}
	}
	return nil
}

func kinds(ks []Kind) string {
	var parts []string
	for _, k := range ks {
		parts = append(parts, fmt.Sprintf("%d %s", k.Count, k.Name))
	}
	return strings.Join(parts, ", ")
}

// WriteHTML writes the report as one page that needs no other file.
func (p *Page) WriteHTML(w io.Writer) error { return page().Execute(w, p) }

var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("report").Funcs(template.FuncMap{
		"plain": plain, "kinds": kinds, "notProved": NotProved, "inc": func(i int) int { return i + 1 },
		"join": strings.Join,
	}).Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Qualification of a corpus</title>
<style>
:root{color-scheme:light dark;--line:#8884;--good:#188038;--part:#b06000;--bad:#c5221f}
body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem}
table{border-collapse:collapse;margin:.7rem 0;width:100%}
th,td{padding:.2rem .6rem;text-align:left;border-bottom:1px solid var(--line);vertical-align:top}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
code,.path{font-family:ui-monospace,monospace;font-size:.92em;overflow-wrap:anywhere}
.qualified{color:var(--good)}.partial,.unsupported{color:var(--part)}.failed,.regression{color:var(--bad);font-weight:600}
th[data-sort]{cursor:pointer}input,select{font:inherit;padding:.2rem .4rem}
details{margin:.1rem 0}
</style>
<h1>Qualification of a corpus</h1>
<p>fxlens {{plain .Head.Version}}, {{.Head.Scope}} permutations{{if .Head.Options}}, options <code>{{plain (join .Head.Options " ")}}</code>{{end}}.</p>
<table><tr><th><th class="n">total<th class="n">qualified<th class="n">partial<th class="n">unsupported<th class="n">failed</tr>
{{range .Summary.Totals}}<tr><td>{{.What}}<td class="n">{{.Total}}<td class="n">{{.Qualified}}<td class="n">{{.Partial}}<td class="n">{{.Unsupported}}<td class="n">{{.Failed}}</tr>
{{end}}</table>
{{with .Summary.Files.Ignored}}<p>{{.}} files were no shaders and are ignored.</p>{{end}}
{{if .Head.Packages}}{{with .Summary.Built}}<p>Packages of default permutations: {{.Qualified}} strict, {{.Partial}} extended only, {{.Unsupported}} refused.</p>{{end}}{{end}}
{{with .Comparison}}<h2>Against the baseline</h2><p>{{.Regressions}} regressions, {{.Allowed}} allowed, {{.Same}} files unchanged.</p>
<table>{{range .Worst}}<tr><td{{if and .Regression (not .Allowed)}} class="regression"{{end}}>{{if .Allowed}}allowed: {{plain .Allowed}}{{else if .Regression}}regression{{else}}note{{end}}<td>{{.Kind}}<td class="path">{{plain .Path}}<td>{{plain .Text}}</tr>
{{end}}</table>{{end}}
<h2>What to add next</h2>
{{if .Summary.Next}}<p>Each line assumes that those above it are done.</p>
<table><tr><th class="n">#<th>what<th class="n">unlocks stages<th class="n">passes<th class="n">in all<th class="n">stops<th>meanwhile</tr>
{{range $i, $s := .Summary.Next}}<tr><td class="n">{{inc $i}}<td><code>{{.Code}}</code> {{plain .What}}<td class="n">{{.Unlocks}}<td class="n">{{.Passes}}<td class="n">{{.Cumulative}}<td class="n">{{.Touches}}<td>{{plain .Remedy}}</tr>
{{end}}</table>{{else}}<p>Nothing: every stage is translated.</p>{{end}}
<h2>Reasons</h2>
<table><tr><th>code<th class="n">stages<th class="n">alone<th class="n">by permutation<th class="n">files<th>first place</tr>
{{range .Summary.Reasons}}<tr><td><code>{{.Code}}</code><br>{{.Title}}<td class="n">{{.Stages}}<td class="n">{{.Alone}}<td class="n">{{.Occurrences}}<td class="n">{{.Files}}<td><span class="path">{{plain .Example}}</span><br>{{plain .Message}}</tr>
{{end}}</table>
<h2>Header audit</h2><ul>{{range .Summary.Audit.Lines}}<li>{{plain .}}{{end}}</ul>
<h2>What this report does not prove</h2><ul>{{range notProved}}<li>{{.}}{{end}}</ul>
<h2>Files</h2>
<p><label>Filter <input id="q" type="search" placeholder="path, code or text"></label>
<label>Status <select id="s"><option value="">all<option>qualified<option>partial<option>unsupported<option>failed<option>ignored</select></label> <span id="n"></span></p>
<table id="files"><thead><tr><th data-sort="t">file<th data-sort="t">status<th class="n" data-sort="n">bytes<th class="n" data-sort="n">permutations<th class="n" data-sort="n">stages<th class="n" data-sort="n">qualified<th class="n" data-sort="n">WGSL bytes<th>reasons</tr></thead><tbody>
{{range .Rows}}<tr><td class="path">{{plain .Path}}<td class="{{.Status}}">{{.Status}}<td class="n">{{.Size}}<td class="n">{{.Permutations}}<td class="n">{{.Stages.Total}}<td class="n">{{.Stages.Qualified}}<td class="n">{{.WGSLBytes}}<td>{{if .Reasons}}<details><summary>{{kinds .Errors}}</summary><ul>{{range .Reasons}}<li>{{plain .}}{{end}}</ul></details>{{end}}</tr>
{{end}}</tbody></table>
<script>
const body=document.querySelector("#files tbody"),rows=[...body.rows],q=document.querySelector("#q"),s=document.querySelector("#s"),n=document.querySelector("#n");
function show(){const t=q.value.toLowerCase();let k=0;for(const r of rows){const on=(!s.value||r.cells[1].textContent===s.value)&&r.textContent.toLowerCase().includes(t);r.hidden=!on;k+=on}n.textContent=k+" of "+rows.length}
q.oninput=s.onchange=show;show();
document.querySelectorAll("#files th[data-sort]").forEach((h,i)=>{let d=1;h.onclick=()=>{rows.sort((a,b)=>{const x=a.cells[i].textContent,y=b.cells[i].textContent;return d*(h.dataset.sort==="n"?x-y:x<y?-1:x>y)});d=-d;body.append(...rows)}});
</script>
</html>
`))
})
