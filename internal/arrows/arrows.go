// Package arrows checks the one direction of imports that the repository is
// built on, and what its rooms may touch of the outside world. It is for tests
// only; docs/architecture.md has the picture.
package arrows

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// module is the path of the repository's module.
const module = "fxlens"

// A room is a group of packages with one rule. A package belongs to the room with
// the longest matching path.
type room struct {
	// path is a package path without the module's name; packages below it belong
	// to the room too.
	path string
	// may lists what its packages may import of ours: paths, each with all below it.
	may []string
	// pure rooms open no file, socket or process.
	pure bool
	// plain rooms know no terminal.
	plain bool
}

// lower is what every room above the intermediate representation stands on.
var lower = []string{"core/ir", "core/dxbc", "core/diag"}

// middle are the rooms between the intermediate representation and the pipeline.
var middle = append([]string{"core/wgsl", "core/pack", "core/effect", "core/interp"}, lower...)

// rooms is the layout: cmd -> tui -> {themes, views} -> core, and inside core
// {session, qualify} -> compile -> {wgsl, pack, effect, interp} -> ir -> dxbc.
// Every room may import itself.
var rooms = []room{
	{path: "core/diag", pure: true, plain: true},
	{path: "core/dxbc", may: []string{"core/diag"}, pure: true, plain: true},
	{path: "core/ir", may: []string{"core/dxbc", "core/diag"}, pure: true, plain: true},
	{path: "core/effect", may: lower, pure: true, plain: true},
	{path: "core/interp", may: lower, pure: true, plain: true},
	{path: "core/gpu", pure: true, plain: true},
	{path: "core/wgsl", may: lower, pure: true, plain: true},
	{path: "core/wgsl/syntax", may: []string{"core/diag"}, pure: true, plain: true},
	{path: "core/pack", may: append([]string{"core/effect", "core/wgsl/layout"}, lower...), pure: true, plain: true},
	{path: "core/variant", may: []string{"core/wgsl/syntax", "core/wgsl/layout", "core/pack", "core/diag"}, pure: true, plain: true},
	{path: "core/compile", may: middle, pure: true, plain: true},
	{path: "core/trial", may: append([]string{"core/compile", "core/gpu"}, middle...), pure: true, plain: true},
	{path: "core/session", may: append([]string{"core/compile", "core/variant"}, middle...), pure: true, plain: true},
	{path: "core/graph", may: append([]string{"core/session", "core/compile"}, middle...), pure: true, plain: true},
	{path: "core/switches", may: append([]string{"core/graph", "core/session", "core/compile", "core/variant"}, middle...), pure: true, plain: true},
	{path: "core/qualify", may: append([]string{"core/compile", "core/variant"}, middle...), pure: true, plain: true},
	{path: "core/files", may: []string{"core"}, plain: true},
	{path: "views", may: []string{"core"}, pure: true, plain: true},
	{path: "themes", may: []string{"views", "core"}},
	{path: "tui", may: []string{"themes", "views", "core"}},
	{path: "cmd", may: []string{"tui", "themes", "views", "core"}},
	{path: "internal", may: []string{"core", "cmd/fxlens/judge"}}, // helpers of tests
}

// outside lists imports that pure rooms may not have.
var outside = []string{"os", "net", "syscall", "plugin", "io/ioutil", "path/filepath", "golang.org/x/sys", "github.com/fsnotify", "modernc.org/sqlite", "github.com/chromedp"}

// terminal lists imports that plain rooms may not have. x/ansi is none of them:
// it measures the width of text.
var terminal = []string{
	"github.com/charmbracelet/bubbletea", "github.com/charmbracelet/bubbles", "github.com/charmbracelet/lipgloss",
	"github.com/charmbracelet/x/term", "github.com/charmbracelet/x/vt", "github.com/muesli", "github.com/mattn",
	"github.com/atotto/clipboard", "golang.org/x/term", "github.com/alecthomas/chroma",
}

// below reports whether p is one of the paths or lies below one.
func below(p string, paths []string) bool {
	return slices.ContainsFunc(paths, func(q string) bool { return p == q || strings.HasPrefix(p, q+"/") })
}

func roomOf(dir string) *room {
	var best *room
	for i := range rooms {
		if r := &rooms[i]; below(dir, []string{r.path}) && (best == nil || len(r.path) > len(best.path)) {
			best = r
		}
	}
	return best
}

// Violations reads every Go file below fsys, the repository's root, tests aside,
// and returns one line for each broken rule, in order of the files. An error is a
// file that does not parse.
//
// Tests may import what they like, with one exception of Go's own: no cycle.
func Violations(fsys fs.FS) ([]string, error) {
	var found []string
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); p != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules" || name == "bin" || name == "build") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		src, err := fs.ReadFile(fsys, p)
		if err != nil {
			return err
		}
		v, err := check(p, src)
		found = append(found, v...)
		return err
	})
	return found, err
}

func check(file string, src []byte) ([]string, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var found []string
	report := func(n ast.Node, format string, args ...any) {
		found = append(found, fmt.Sprintf("%s:%d: %s", file, fset.Position(n.Pos()).Line, fmt.Sprintf(format, args...)))
	}
	dir := path.Dir(file)
	r := roomOf(dir)
	if r == nil {
		report(f.Name, "package %s is in no room of the layout", dir)
		return found, nil
	}
	for _, imp := range f.Imports {
		p, err := strconv.Unquote(imp.Path.Value)
		if err != nil {
			return found, fmt.Errorf("%s: import %s: %w", file, imp.Path.Value, err)
		}
		ours, isOurs := strings.CutPrefix(p, module+"/")
		switch {
		case isOurs && below(ours, []string{"internal"}) && r.path != "internal":
			report(imp, "%s imports %s, which is for tests", dir, ours)
		case isOurs && below(ours, []string{"core/files"}) && strings.HasPrefix(dir, "core/") && r.path != "core/files":
			report(imp, "%s imports core/files, which serves cmd and tui only", dir)
		case isOurs && !below(ours, []string{r.path}) && !below(ours, r.may):
			report(imp, "%s imports %s, against the arrows", dir, ours)
		case isOurs && r.path == "views" && below(ours, []string{"core/files"}):
			report(imp, "%s imports core/files: views do no I/O", dir)
		case !isOurs && r.pure && below(p, outside):
			report(imp, "%s imports %s: it gets bytes, an fs.FS or an interface instead", dir, p)
		case !isOurs && r.plain && below(p, terminal):
			report(imp, "%s imports %s, a terminal package", dir, p)
		}
	}
	if r.path == "views" {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				if escape(n) {
					report(n, "a literal with a terminal escape: views return spans with roles")
				}
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "time" && (n.Sel.Name == "Now" || n.Sel.Name == "Since") {
					report(n, "time.%s: views have no clock", n.Sel.Name)
				}
			}
			return true
		})
	}
	return found, nil
}

// escape reports whether a literal has ESC or the one-byte CSI in it.
func escape(lit *ast.BasicLit) bool {
	switch lit.Kind {
	case token.STRING:
		s, err := strconv.Unquote(lit.Value)
		return err == nil && strings.ContainsAny(s, "\x1b\u009b")
	case token.CHAR:
		c, _, _, err := strconv.UnquoteChar(strings.Trim(lit.Value, "'"), '\'')
		return err == nil && (c == 0x1b || c == 0x9b)
	}
	return false
}
