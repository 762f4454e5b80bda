package manifest_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/variant/manifest"
)

func load(t testing.TB, files map[string]string) (*manifest.Graph, error) {
	t.Helper()
	fsys := fstest.MapFS{}
	for n, s := range files {
		fsys["g/"+n] = &fstest.MapFile{Data: []byte(s)}
	}
	return manifest.Load(fsys, "g/switches.toml", "")
}

const head = "graph = \"g\"\n"

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, err string }{
		{"no TOML", "graph = ", `g/switches.toml:1:8: not valid TOML: `},
		{"no name", "[switches.a]\nbool = true\n", `g/switches.toml:1:1: the graph has no name; write graph = "…" first`},
		{"unknown key", head + "[chunk.a]\n", `g/switches.toml:2:2: there is no key "chunk" here; did you mean "chunks"?`},
		{"unknown key of a chunk", head + "[chunks.a]\ntext = \"\"\nneed = []\n", `g/switches.toml:4:1: chunk "a": there is no key "need" here; did you mean "needs"?`},
		{"no values", head + "[switches.a]\n", `g/switches.toml:2:11: switch "a": the switch has no values; write values = ["First", "Second"] or bool = true`},
		{"no zero", head + "[switches.a]\nvalues = { One = 1 }\n", `g/switches.toml:3:1: switch "a": no member equals 0, which is the default; correct the values`},
		{"equal values", head + "[switches.a]\nvalues = { A = 0, B = 0 }\n", `g/switches.toml:3:19: switch "a": A and B are both 0; correct the values`},
		{"equal names", head + "[switches.a]\nvalues = [\"A\", \"A\"]\n", `g/switches.toml:3:16: switch "a": there are two members A; correct the values`},
		{"values and bool", head + "[switches.a]\nvalues = [\"A\"]\nbool = true\n", `g/switches.toml:3:1: switch "a": the switch has values and is a bool too; leave one out`},
		{"a member of no type", head + "[switches.a]\nvalues = [\"A\", 2]\n", `g/switches.toml:3:16: switch "a": a value is a whole number, not a text; write a text`},
		{"an unprintable member", head + "[switches.a]\nvalues = [\"A\", \"B\\u0007\"]\n", "switch \"a\": member \"B\\a\": the name has a character that cannot be printed; rename it"},
		{"equal labels", head + "[switches.a]\nlabel=\"x\"\nbool = true\n[switches.b]\nlabel=\"x\"\nbool = true\n", `g/switches.toml:5:11: switch "b": switch "a" has the label "x" too, and sets could not tell them apart; give it another label`},
		{"unknown dependency", head + "[chunks.math]\ntext = \"\"\n[chunks.a]\ntext = \"\"\nneeds = [\"mat\"]\n", `g/switches.toml:6:10: chunk "a": the dependency "mat" is no chunk or choice; did you mean "math"?`},
		{"cycle", head + "[chunks.a]\ntext = \"\"\nneeds = [\"b\"]\n[chunks.b]\ntext = \"// b\"\nneeds = [\"a\"]\n", `g/switches.toml:7:10: chunk "b": b cannot depend on a: a graph must not reach itself (b -> a -> b); take one of these dependencies away`},
		{"cycle through an alternative", head + "[switches.s]\nbool = true\n[choices.c]\nswitch = \"s\"\npicks = { true = \"a\" }\n[chunks.a]\ntext = \"\"\nneeds = [\"c\"]\n", `switch "s": member "true": choice of "s" cannot be a for true: a graph must not reach itself`},
		{"unknown switch", head + "[switches.shadow]\nbool = true\n[choices.c]\nswitch = \"shado\"\npicks = {}\n", `g/switches.toml:5:10: switch "shado": choice "c" is of a switch that is not there; did you mean "shadow"?`},
		{"unknown member", head + "[switches.s]\nvalues = [\"Low\", \"High\"]\n[choices.c]\nswitch = \"s\"\npicks = { Hihg = \"none\" }\n", `g/switches.toml:6:11: switch "s": member "Hihg": choice "c": the switch has no such member; did you mean "High"?`},
		{"no file", head + "[chunks.a]\n", `g/switches.toml:2:9: chunk "a": there is no file "a.wgsl"; write the file, or give the chunk a text`},
		{"out of the folder", head + "[chunks.a]\nfile = \"../secret.wgsl\"\n", `g/switches.toml:3:8: chunk "a": "../secret.wgsl" is no path that stays in the folder`},
		{"absolute", head + "[chunks.a]\nfile = \"/etc/a.wgsl\"\n", `"/etc/a.wgsl" is no path that stays in the folder`},
		{"backslashes", head + "[chunks.a]\nfile = '..\\a.wgsl'\n", `is no path that stays in the folder`},
		{"a drive", head + "[chunks.a]\nfile = 'c:a.wgsl'\n", `is no path that stays in the folder`},
		{"another kind of file", head + "[chunks.a]\nfile = \"passwd\"\n", `"passwd" is no WGSL file; name a .wgsl file`},
		{"file and text", head + "[chunks.a]\nfile = \"a.wgsl\"\ntext = \"\"\n", `chunk "a": the chunk has a file and a text; leave one out`},
		{"unknown resource", head + "[chunks.a]\ntext = \"\"\nreads = [\"light\"]\n[resources.lights]\nkind = \"sampler\"\n", `g/switches.toml:4:10: chunk "a": there is no resource "light"; did you mean "lights"?`},
		{"no kind", head + "[resources.a]\n", `g/switches.toml:2:12: resource "a" has no kind; write kind = "uniform"`},
		{"bad kind", head + "[resources.a]\nkind = \"buffer\"\n", `g/switches.toml:3:8: there is no kind of binding "buffer"`},
		{"bad facts", head + "[resources.a]\nkind = \"texture\"\ndimension = \"4d\"\nsample = \"float\"\n", `g/switches.toml:2:12: binding "a": dimension "4d" is none of`},
		{"transient texture", head + "[resources.a]\nkind = \"storage\"\ntype = \"u32\"\naccess = \"read\"\ndefault = \"black\"\n", `g/switches.toml:6:11: a storage buffer's default is "transient", not "black"`},
		{"twice declared", head + "[resources.a]\nkind = \"sampler\"\n[chunks.c]\ntext = \"\"\nreads = [\"a\", { name = \"a\", comparison = true }]\n", `g/switches.toml:6:15: chunk "c": c declares "a" already, as sampler; it cannot be comparison sampler too; declare it once`},
		{"no stage", head + "[groups.g]\nvisibility = [\"pixel\"]\n", `group "g": there is no stage "pixel"; use vertex, fragment, compute`},
		{"no type", head + "[chunks.c]\ntext = \"\"\n[shaders.s]\nbody = \"c\"\n", `g/switches.toml:4:10: shader "s": the shader's type is ""; write type = "image" or "compute"`},
		{"no body", head + "[shaders.s]\ntype = \"image\"\n", `g/switches.toml:2:10: shader "s": the shader has no body; write body = "chunk"`},
		{"unknown group", head + "[chunks.c]\ntext = \"\"\n[shaders.s]\ntype = \"image\"\nbody = \"c\"\ngroups = [\"view\"]\n", `shader "s": there is no group "view"; there are none`},
		{"too many groups", head + "[chunks.c]\ntext = \"\"\n[groups.a]\nvisibility = [\"fragment\"]\n[shaders.s]\ntype = \"image\"\nbody = \"c\"\ngroups = [\"a\", \"a\", \"a\", \"a\", \"a\"]\n", `shader "s": shader "s" binds 5 groups; the device has 4`},
		{"bound twice", head + "[resources.r]\nkind = \"sampler\"\n[chunks.c]\ntext = \"\"\n[groups.a]\nvisibility = [\"fragment\"]\nbinds = [\"r\", \"r\"]\n[shaders.s]\ntype = \"image\"\nbody = \"c\"\ngroups = [\"a\"]\n", `binding "r" stands at group 0 binding 0 and at group 0 binding 1`},
		{"set of an unknown switch", head + "[switches.shadow]\nbool = true\n[sets.x]\nshadows = true\n", `g/switches.toml:5:1: switch "shadows": set "x" names a switch that is not there; did you mean "shadow"?`},
		{"set of an unknown member", head + "[switches.s]\nvalues = [\"A\", \"B\"]\n[sets.x]\ns = \"C\"\n", `g/switches.toml:5:5: switch "s": member "C": set "x": the switch has no such member`},
		{"nested", head + "[chunks.a]\ntext = \"\"\nneeds = [[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]\n", "nested more than 8 levels deep"},
		{"a name with a meaning", head + "[chunks.none]\ntext = \"\"\n", `the name "none" of chunks has a meaning of its own; rename it`},
		{"an extension", head + "[chunks.a]\ntext = \"\"\nenables = [\"f16; evil\"]\n", `"f16; evil" is no name of an extension`},
		{"no members", head + "[switches.a]\nvalues = []\n", `g/switches.toml:3:1: switch "a": the switch has no values; write values = ["First", "Second"] or bool = true`},
		{"a fraction", head + "[switches.a]\nvalues = { A = 0.5 }\n", `member "A": the value is a number with a fraction or a date, not a whole number; write a whole number`},
		{"a letter beyond ASCII", head + "[chunks.шum]\ntext = \"\"\n", `g/switches.toml:2:9: not valid TOML: a key with "ш" has to stand in quotes`},
		{"an unknown extension", head + "[chunks.a]\ntext = \"\"\nenables = [\"f17\"]\n", `g/switches.toml:4:12: chunk "a": WGSL has no extension "f17"; did you mean "f16"?`},
		{"a storage texture's format", head + "[resources.a]\nkind = \"storage-texture\"\ndimension = \"2d\"\naccess = \"write\"\nformat = \"rgba16flaot\"\n", `g/switches.toml:2:12: binding "a": a storage texture cannot have the format "rgba16flaot"`},
		{"a target's format", head + "[chunks.c]\ntext = \"\"\n[shaders.s]\ntype = \"image\"\nbody = \"c\"\ntargets = [{ format = \"depth32float\" }]\n", `g/switches.toml:7:23: shader "s": a colour target cannot have the format "depth32float"`},
		{"a depth format", head + "[chunks.c]\ntext = \"\"\n[shaders.s]\ntype = \"image\"\nbody = \"c\"\ndepth = { format = \"rgba8unorm\" }\n", `g/switches.toml:7:9: shader "s": the depth format "rgba8unorm" is none of stencil8`},
		{"a comparison", head + "[chunks.c]\ntext = \"\"\n[shaders.s]\ntype = \"image\"\nbody = \"c\"\ndepth = { format = \"depth32float\", compare = \"more\" }\n", `shader "s": the comparison "more" is none of never, less`},
		{"written in the vertex stage", head + "[resources.r]\nkind = \"storage\"\ntype = \"u32\"\naccess = \"read_write\"\n[chunks.c]\ntext = \"\"\n[groups.g]\nvisibility = [\"vertex\", \"fragment\"]\nbinds = [\"r\"]\n[shaders.s]\ntype = \"image\"\nbody = \"c\"\ngroups = [\"g\"]\n", `shader "s": binding "r" may be written, and its group is visible to the vertex stage, which WebGPU refuses`},
		{"columns count characters", "graph = \"é\"\n[chunks.\"é\"]\ntext = \"\"\nneeds = [\"ß\", 1]\n", `g/switches.toml:4:15: chunk "é": an element of needs is a whole number, not a text`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := load(t, map[string]string{"switches.toml": c.text})
			require.Error(t, err)
			assert.Contains(t, err.Error(), c.err)
			assert.ErrorIs(t, err, manifest.ErrManifest)
			var list manifest.Errors
			require.ErrorAs(t, err, &list)
			for _, e := range list {
				assert.Positive(t, e.Line, e)
				assert.Positive(t, e.Col, e)
				assert.NotEmpty(t, e.Remedy, e)
			}
		})
	}
}

// One run reports everything, by place, and the number is bounded.
func TestAllErrorsAtOnce(t *testing.T) {
	t.Parallel()
	_, err := load(t, map[string]string{"switches.toml": head + "[switches.a]\n[chunks.b]\nfile = \"../x.wgsl\"\n[chunks.c]\ntext = \"\"\nneeds = [\"nowhere\"]\n[shaders.s]\n"})
	var list manifest.Errors
	require.ErrorAs(t, err, &list)
	var lines []int
	for _, e := range list {
		lines = append(lines, e.Line)
	}
	assert.Equal(t, []int{2, 4, 7, 8, 8}, lines)

	many := head
	for i := range 500 {
		many += fmt.Sprintf("[chunks.c%d]\n", i)
	}
	_, err = load(t, map[string]string{"switches.toml": many})
	require.ErrorAs(t, err, &list)
	assert.Len(t, list, 101)
	assert.Contains(t, err.Error(), "there are more faults; correct these first")
}

func TestLimits(t *testing.T) {
	t.Parallel()
	_, err := load(t, map[string]string{"switches.toml": head + strings.Repeat("#", manifest.MaxManifest)})
	assert.ErrorContains(t, err, "has more than 1048576 bytes")
	_, err = load(t, map[string]string{"switches.toml": head + "[chunks.a]\n", "a.wgsl": strings.Repeat("/", manifest.MaxText+1)})
	assert.ErrorContains(t, err, `chunk "a": "a.wgsl" cannot be read: has more than 1048576 bytes`)
	_, err = load(t, map[string]string{"switches.toml": head + "[chunks.a]\n", "a.wgsl": "\xff"})
	assert.ErrorContains(t, err, `g/a.wgsl:1:1: chunk "a": the file is not valid UTF-8`)
	_, err = load(t, map[string]string{"other.toml": head})
	assert.ErrorIs(t, err, fs.ErrNotExist)
	var b strings.Builder
	b.WriteString(head + "[chunks.z]\ntext = \"\"\n")
	for i := range 100 {
		fmt.Fprintf(&b, "[chunks.c%d]\ntext = \"// %d\"\nneeds = [%s]\n", i, i, strings.Repeat("\"z\",", 100))
	}
	_, err = load(t, map[string]string{"switches.toml": b.String()})
	assert.ErrorContains(t, err, "there are more than 8192 dependencies and alternatives")
	sets := head
	for i := range 13 {
		sets += fmt.Sprintf("[switches.s%d]\nbool = true\n", i)
	}
	sets += "[sets.all_of_them]\n"
	for i := range 13 {
		sets += fmt.Sprintf("s%d = \"*\"\n", i)
	}
	_, err = load(t, map[string]string{"switches.toml": sets})
	assert.ErrorContains(t, err, `set "all_of_them" stands for more than 4096 sets`)
}

// A chunk's file does not leave the folder through a link either: the file system that
// the tool opens is rooted.
func TestLinksStayInside(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(dir+"/g", 0o755))
	require.NoError(t, os.WriteFile(dir+"/secret.wgsl", []byte("// secret"), 0o644))
	require.NoError(t, os.WriteFile(dir+"/g/switches.toml", []byte(head+"[chunks.a]\n"), 0o644))
	require.NoError(t, os.Symlink("../secret.wgsl", dir+"/g/a.wgsl"))
	root, err := os.OpenRoot(dir + "/g")
	require.NoError(t, err)
	defer root.Close()
	_, err = manifest.Load(root.FS(), "switches.toml", "")
	assert.ErrorContains(t, err, `chunk "a": "a.wgsl" cannot be read`)
}

func FuzzLoad(f *testing.F) {
	for _, name := range []string{"deferred/switches.toml", "single.toml"} {
		data, err := os.ReadFile("../../../testdata/switches/" + name)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Add([]byte(head + "[[chunks]]\na = 1\n[chunks.b]\nneeds = [\"b\"]"))
	f.Add([]byte(head + "chunks.a.text = \"\"\nchunks.a = { text = 1 }"))
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := manifest.Load(fstest.MapFS{"switches.toml": {Data: data}, "a.wgsl": {Data: []byte("fn a() {}")}}, "switches.toml", "")
		if err != nil {
			var list manifest.Errors
			if !errors.As(err, &list) {
				var pe *fs.PathError
				require.ErrorAs(t, err, &pe)
				return
			}
			for _, e := range list {
				assert.True(t, e.Line >= 1 && e.Col >= 1, "%v", e)
			}
			return
		}
		for _, s := range g.Shaders {
			_, _ = s.Source()
			s.Lint()
		}
	})
}

// A switch that is wrong has one error, and what names it none: it is there.
func TestOneErrorOfASwitch(t *testing.T) {
	t.Parallel()
	_, err := load(t, map[string]string{"switches.toml": head + "[switches.s]\nvalues = { A = 1 }\n[choices.c]\nswitch = \"s\"\npicks = { A = \"none\" }\n[sets.x]\ns = \"A\"\n"})
	var list manifest.Errors
	require.ErrorAs(t, err, &list)
	assert.Len(t, list, 1, "%v", err)
}

// Editors that begin UTF-8 files with a byte order mark write the same graph, and places
// do not count the mark.
func TestByteOrderMark(t *testing.T) {
	t.Parallel()
	const mark = "\ufeff"
	g, err := load(t, map[string]string{"switches.toml": mark + head + "[chunks.a]\n", "a.wgsl": mark + "const one = 1;\r\n"})
	require.NoError(t, err)
	assert.Equal(t, "const one = 1;\r\n", g.Chunks[0].Chunk.Text())
	_, err = load(t, map[string]string{"switches.toml": mark + "grph = \"g\"\n"})
	assert.ErrorContains(t, err, "g/switches.toml:1:1: ")
}
