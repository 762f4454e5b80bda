package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"fxlens/core/effect"
	"fxlens/core/files"
)

var update = flag.Bool("update", false, "write the scripts' golden output anew")

const testdata = "../../testdata"

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"fxlens": main,
		// The same program with a command that panics, to see what becomes of that.
		"fxlens-bug": func() {
			a := newApp(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
			root := a.root()
			root.AddCommand(&cobra.Command{Use: "panic FILE", RunE: func(_ *cobra.Command, args []string) error {
				if _, _, err := a.at(args[0]); err != nil {
					return err
				}
				a.print("half of the output\n")
				panic("out of cheese\nredo from start")
			}})
			os.Exit(a.execute(context.Background(), root))
		},
	})
}

// scriptFiles are the files of testdata that every script finds in its folder.
var scriptFiles = map[string]string{
	"sprite2d.sm_hi":  "effects/ui/sprite2d.sm_hi",
	"decal.sm_hi":     "effects/decal/decal.sm_hi",
	"flags.sm_hi":     "effects/edge/flags.sm_hi",
	"clear.sm_hi":     "effects/particles/clear.sm_hi",
	"trail8.sm_hi":    "effects/versions/v08/booster/trail.sm_hi",
	"sunshadow.sm_hi": "effects/dx12/raytracing/sunshadow.sm_hi",
	"bits.dxbc":       "dxbc/golden/bits5_cs50.dxbc",
	"bits.asm":        "dxbc/golden/bits5_cs50.asm",
	"hull.sm_hi":      "effects/dx12/bindless/hull.sm_hi",
}

func TestScript(t *testing.T) {
	dir, files := "testdata/script", []string(nil)
	if testing.Short() { // for the race detector: those whose commands start goroutines
		dir = ""
		for _, name := range []string{"build", "parallel", "qualify", "switches"} {
			files = append(files, filepath.Join("testdata/script", name+".txtar"))
		}
	}
	testscript.Run(t, testscript.Params{
		Dir:           dir,
		Files:         files,
		UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			for name, from := range scriptFiles {
				b, err := os.ReadFile(filepath.Join(testdata, from))
				if err != nil {
					return err
				}
				if err := os.WriteFile(filepath.Join(e.WorkDir, name), b, 0o644); err != nil {
					return err
				}
			}
			b, err := hostileEffect()
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(e.WorkDir, "hostile.sm_hi"), b, 0o644); err != nil {
				return err
			}
			graphs, err := filepath.Abs(filepath.Join(testdata, "switches"))
			if err != nil {
				return err
			}
			e.Setenv("GRAPHS", graphs)
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("LANG", "C.UTF-8")
			return os.Mkdir(filepath.Join(e.WorkDir, "home"), 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code":   scriptCode,
			"json":   scriptJSON,
			"sparse": scriptSparse,
			"fifo":   scriptFIFO, // by system
			"cut":    scriptCut,
			"safe":   scriptSafe,
		},
	})
}

// hostileEffect has names that would move a cursor, end a link or hide text.
func hostileEffect() ([]byte, error) {
	program, err := os.ReadFile(filepath.Join(testdata, "dxbc/golden/bits5_cs50.dxbc"))
	if err != nil {
		return nil, err
	}
	pass := effect.Pass{Stages: []effect.Stage{{Type: effect.Compute, Program: program, ThreadGroup: [3]uint32{64, 1, 1}}}}
	body := &effect.Body{Techniques: []effect.Technique{
		{Name: "a/b#c@1\x1b]0;title\x07\u009b2J\u202e", Passes: []effect.Pass{pass}},
	}}
	return effect.Build(&effect.Model{
		SourceHash: strings.Repeat("0", 32),
		Axes:       []effect.Axis{{Name: "A&=\x1b[31m", Description: "\x1b[2J", Options: []string{"\u0085x", "y\r\b"}}},
		Bodies:     []*effect.Body{body, body},
	})
}

// scriptCode runs a program and checks its exit code: code N fxlens ARGS...
func scriptCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N program args...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if err != nil {
		x, ok := err.(interface{ ExitCode() int })
		if !ok {
			ts.Fatalf("%v: %v", args[1:], err)
		}
		got = x.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// scriptJSON checks a value of the JSON in stdout: json PATH [VALUE]. PATH is keys and
// indices joined by dots, "" the whole; VALUE is JSON. Without VALUE the path must
// exist; negated it must not.
func scriptJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: json PATH [VALUE]")
	}
	var v any
	if err := json.Unmarshal([]byte(ts.ReadFile("stdout")), &v); err != nil {
		ts.Fatalf("stdout is no JSON: %v", err)
	}
	ok := true
	for _, key := range strings.FieldsFunc(args[0], func(r rune) bool { return r == '.' }) {
		switch x := v.(type) {
		case map[string]any:
			v, ok = x[key]
		case []any:
			i, err := strconv.Atoi(key)
			if ok = err == nil && i >= 0 && i < len(x); ok {
				v = x[i]
			}
		default:
			ok = false
		}
		if !ok {
			break
		}
	}
	if len(args) == 1 {
		if ok == neg {
			ts.Fatalf("path %s: exists is %v", args[0], ok)
		}
		return
	}
	if !ok {
		ts.Fatalf("path %s does not exist", args[0])
	}
	var want any
	ts.Check(json.Unmarshal([]byte(args[1]), &want))
	a, err := json.Marshal(v)
	ts.Check(err)
	b, err := json.Marshal(want)
	ts.Check(err)
	if (string(a) == string(b)) == neg {
		ts.Fatalf("path %s is %s, want %s", args[0], a, b)
	}
}

// scriptSparse makes a file with a size and no blocks: sparse FILE BYTES
func scriptSparse(ts *testscript.TestScript, _ bool, args []string) {
	size, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	path := ts.MkAbs(args[0])
	ts.Check(os.WriteFile(path, nil, 0o644))
	ts.Check(os.Truncate(path, size))
}

// scriptCut copies the first bytes of a file: cut FROM TO BYTES
func scriptCut(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	b := []byte(ts.ReadFile(args[0]))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), b[:n], 0o644))
}

// scriptSafe checks that a stream has nothing that a terminal would act on: safe stdout
func scriptSafe(ts *testscript.TestScript, _ bool, args []string) {
	for i, r := range ts.ReadFile(args[0]) {
		if r != '\n' && r != '\t' && (r < 0x20 || 0x7f <= r && r <= 0x9f || r == 0xfffd || 0x200b <= r && r <= 0x200f || 0x202a <= r && r <= 0x202e) {
			ts.Fatalf("%s has %U at byte %d", args[0], r, i)
		}
	}
}

// runApp runs the program in this process.
func runApp(t testing.TB, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	code = run(context.Background(), args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// shared returns the folder of the shared inputs, or "" where it is not there.
func shared() string {
	dir, err := filepath.Abs("../../../shared")
	if err != nil {
		return ""
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return ""
	}
	return dir
}

// The document of every effect has all that an independent reader found, with the
// same values, and may have more.
func TestInspectAgreesWithExpected(t *testing.T) {
	n := checkExpected(t, filepath.Join(testdata, "effects"))
	require.GreaterOrEqual(t, n, 8)
	if dir := shared(); dir != "" {
		require.Equal(t, 60, checkExpected(t, filepath.Join(dir, "effects")))
	}
}

func checkExpected(t *testing.T, effects string) int {
	t.Helper()
	n := 0
	base := filepath.Join(effects, "expected")
	err := filepath.WalkDir(base, func(path string, d os.DirEntry, err error) error {
		require.NoError(t, err)
		if d.IsDir() || d.Name() == "index.json" {
			return nil
		}
		rel, err := filepath.Rel(base, strings.TrimSuffix(path, ".json"))
		require.NoError(t, err)
		n++
		t.Run(filepath.ToSlash(rel), func(t *testing.T) {
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			var want map[string]any
			require.NoError(t, json.Unmarshal(b, &want))
			code, out, errs := runApp(t, "inspect", filepath.Join(effects, rel), "--json")
			require.Equal(t, 0, code, errs)
			var got map[string]any
			require.NoError(t, json.Unmarshal([]byte(out), &got))
			require.Contains(t, got, "file")
			delete(want, "file")
			require.Empty(t, missing("", want, got))
		})
		return nil
	})
	require.NoError(t, err)
	return n
}

// missing lists where got lacks a value of want.
func missing(path string, want, got any) []string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return []string{path + ": no object"}
		}
		var out []string
		for k, v := range w {
			x, ok := g[k]
			if !ok {
				out = append(out, path+"."+k+": missing")
				continue
			}
			out = append(out, missing(path+"."+k, v, x)...)
		}
		return out
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return []string{fmt.Sprintf("%s: not a list of %d", path, len(w))}
		}
		var out []string
		for i := range w {
			out = append(out, missing(fmt.Sprintf("%s[%d]", path, i), w[i], g[i])...)
		}
		return out
	}
	if want != got {
		return []string{fmt.Sprintf("%s: %v, want %v", path, got, want)}
	}
	return nil
}

// Every run of a source map lies inside its line, in order, and names an instruction
// that disasm lists with the same offset.
func TestSourceMap(t *testing.T) {
	for _, file := range []string{"decal/decal.sm_hi", "postprocess/tonemap.sm_hi", "planet/atmosphere.sm_hi"} {
		path := filepath.Join(testdata, "effects", file)
		var modules struct {
			Documents []struct {
				Link, WGSL string
				SourceMap  []mapping
			}
		}
		code, out, errs := runApp(t, "wgsl", "--json", path)
		require.Equal(t, 0, code, errs)
		require.NoError(t, json.Unmarshal([]byte(out), &modules))
		require.NotEmpty(t, modules.Documents)
		for _, m := range modules.Documents {
			code, out, errs := runApp(t, "disasm", "--json", m.Link)
			require.Equal(t, 0, code, errs)
			var asm disasmDoc
			require.NoError(t, json.Unmarshal([]byte(out), &asm))
			lines := strings.Split(m.WGSL, "\n")
			require.NotEmpty(t, m.SourceMap, m.Link)
			line, column := 0, 0
			for _, x := range m.SourceMap {
				require.True(t, x.Line > line || x.Line == line && x.Column >= column, "%s: %+v is in order", m.Link, x)
				line, column = x.Line, x.Column+x.Length
				require.LessOrEqual(t, x.Line, len(lines))
				require.LessOrEqual(t, x.Column-1+x.Length, len(lines[x.Line-1]), "%s: %+v", m.Link, x)
				require.Positive(t, x.Length)
				require.Less(t, int(x.Instruction), len(asm.Instructions))
				require.Equal(t, asm.Instructions[x.Instruction].Offset, x.DXBCOffset)
			}
		}
	}
}

// Whatever is asked of any file of the repository, nothing panics, and nothing that
// a terminal could act on is printed.
func TestEveryCommandOnEveryFile(t *testing.T) {
	var paths []string
	for _, dir := range []string{"effects", "dxbc/golden"} {
		found, _, err := files.List(context.Background(), filepath.Join(testdata, dir))
		require.NoError(t, err)
		for _, f := range found {
			paths = append(paths, f.Path)
		}
	}
	require.NotEmpty(t, paths)
	if testing.Short() {
		paths = paths[:len(paths)/4]
	}
	for _, path := range paths {
		for _, args := range [][]string{{"inspect"}, {"disasm"}, {"ssa"}, {"wgsl"}, {"bindings"}, {"chunks"}, {"scan"}} {
			for _, form := range [][]string{nil, {"--json"}} {
				code, out, errs := runApp(t, append(append(args, form...), path)...)
				require.NotEqual(t, exitBug, code, "%v %s: %s", args, path, errs)
				require.Contains(t, []int{exitDone, exitRefused}, code, "%v %s: %s", args, path, errs)
				if form != nil && out != "" {
					require.True(t, json.Valid([]byte(out)), "%v %s", args, path)
				}
				for _, r := range out + errs {
					require.False(t, r < 0x20 && r != '\n' && r != '\t' || 0x7f <= r && r < 0xa0, "%v %s prints %U", args, path, r)
				}
			}
		}
	}
}
