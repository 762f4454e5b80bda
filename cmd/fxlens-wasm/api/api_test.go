package api

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/effect"
	"fxlens/core/pack/carbon"
	"fxlens/core/pack/cewgpu"
)

var root = filepath.Join("..", "..", "..")

func readFile(t testing.TB, path ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(append([]string{root}, path...)...))
	require.NoError(t, err)
	return b
}

func decal(t testing.TB) []byte {
	return readFile(t, "testdata", "effects", "decal", "decal.sm_hi")
}

// value calls a function and returns its value as the page would see it.
func value(t testing.TB, name string, data []byte, options string) (map[string]any, *Result) {
	t.Helper()
	r, err := Call(context.Background(), name, data, []byte(options))
	require.Nil(t, err)
	b, merr := json.Marshal(r.Value)
	require.NoError(t, merr)
	var v map[string]any
	require.NoError(t, json.Unmarshal(b, &v))
	return v, r
}

func blobAt(t testing.TB, r *Result, path ...any) []byte {
	t.Helper()
	for _, b := range r.Blobs {
		if assert.ObjectsAreEqual(path, b.Path) {
			return b.Data
		}
	}
	require.Fail(t, "no bytes", "%v", path)
	return nil
}

func TestBuildAndRead(t *testing.T) {
	v, r := value(t, "buildEffect", decal(t), `{"name": "decal.sm_hi", "set": {"TINTED": "ON"}}`)
	pkg := blobAt(t, r, "bytes")
	assert.Equal(t, "cewgpu", v["format"])
	p, err := cewgpu.Open(pkg)
	require.NoError(t, err)
	info, err := p.Info()
	require.NoError(t, err)
	assert.Equal(t, "decal.sm_hi", info.SourcePath)
	meta, err := p.Meta()
	require.NoError(t, err)
	on := false
	for _, o := range meta.SelectedOptions {
		on = on || o.Value == "TINTED_ON"
	}
	assert.True(t, on)

	v, r = value(t, "read", pkg, "")
	assert.Equal(t, "cewgpu", v["kind"])
	assert.Contains(t, v["documents"], "WGSL")
	for i, c := range p.Chunks {
		assert.Equal(t, c.Data, blobAt(t, r, "chunks", i, "bytes"))
	}

	_, r = value(t, "buildEffect", decal(t), `{"name": "decal.sm_hi", "format": "carbon", "mode": "all"}`)
	f, err := carbon.Open(blobAt(t, r, "bytes"))
	require.NoError(t, err)
	side, err := carbon.ParseSide(blobAt(t, r, "side"))
	require.NoError(t, err)
	assert.NotEmpty(t, side.Lost)
	v, _ = value(t, "read", f.Data, "")
	assert.Equal(t, "carbon", v["kind"])

	v, r = value(t, "buildEffect", decal(t), `{"link": "#Picking/0", "profile": "extended"}`)
	assert.EqualValues(t, 2, v["report"].(map[string]any)["qualification"].(map[string]any)["shaderCount"])
	require.NotEmpty(t, blobAt(t, r, "bytes"))
}

func TestInspectAndAnalyze(t *testing.T) {
	v, _ := value(t, "inspect", decal(t), `{"name": "x"}`)
	assert.Equal(t, "effect", v["kind"])
	assert.Equal(t, "x", v["file"])
	v, _ = value(t, "inspect", readFile(t, "testdata", "dxbc", "golden", "bits5_cs50.dxbc"), "")
	assert.Equal(t, "program", v["kind"])
	assert.Equal(t, "5.0", v["shaderModel"])
	v, _ = value(t, "inspect", readFile(t, "testdata", "packages", "tiny.cewgpu"), "")
	assert.Equal(t, true, v["valid"])
	broken := readFile(t, "testdata", "packages", "tiny.cewgpu")
	broken[len(broken)-40] ^= 1
	v, _ = value(t, "inspect", broken[:len(broken)-1], "")
	assert.Equal(t, false, v["valid"])
	assert.NotEmpty(t, v["findings"])

	v, r := value(t, "analyzeEffect", decal(t), `{"link": "#Main/0"}`)
	pass := v["passes"].([]any)[0].(map[string]any)
	assert.Equal(t, "translated", pass["status"])
	assert.NotEmpty(t, pass["bindings"])
	assert.NotEmpty(t, pass["renderStates"])
	e, err := effect.Parse(decal(t))
	require.NoError(t, err)
	body, err := e.Body(e.DefaultIndex())
	require.NoError(t, err)
	for i, s := range pass["stages"].([]any) {
		st := s.(map[string]any)
		assert.True(t, strings.HasPrefix(st["disassembly"].(string), "//"), "Microsoft's listing")
		assert.NotEmpty(t, st["ssa"])
		assert.Contains(t, st["wgsl"], "fn main")
		assert.Equal(t, body.Techniques[0].Passes[0].Stages[i].Program, blobAt(t, r, "passes", 0, "stages", i, "bytes"))
	}

	v, _ = value(t, "buildWgsl", decal(t), `{"link": "#Main/0/ps"}`)
	require.Len(t, v["modules"], 1)
	m := v["modules"].([]any)[0].(map[string]any)
	assert.Equal(t, "fragment", m["stage"])
	l := v["layouts"].([]any)[0].(map[string]any)
	assert.Equal(t, "Main", l["technique"])
	assert.NotEmpty(t, l["groups"].([]any)[0].(map[string]any)["entries"])
}

// Every failure has a code, what to do, and a place where there is one.
func TestErrors(t *testing.T) {
	tiny := readFile(t, "testdata", "packages", "tiny.cewgpu")
	chunks, _ := cewgpu.ParseContainer(tiny)
	for _, c := range chunks {
		if c.Tag == "RBLB" {
			tiny[c.Offset+len(c.Data)/2] ^= 1
		}
	}
	clear := readFile(t, "testdata", "effects", "particles", "clear.sm_hi")
	for _, c := range []struct {
		name, function, options string
		data                    []byte
		code, place, text       string
	}{
		{"no function", "eval", "", nil, "input", "", "there is no function"},
		{"options", "read", "{", nil, "input", "", "the options of read"},
		{"unknown option", "read", `{"x": 1}`, nil, "input", "", `unknown field "x"`},
		{"corrupted blob", "read", "", tiny, "", "RFLX blobStore", ""},
		{"empty", "inspect", "", nil, "input", "memory", "empty"},
		{"text", "inspect", `{"name": "a.txt"}`, []byte("hello, world"), "input", "a.txt", ""},
		{"cut effect", "inspect", "", decal(t)[:1000], "effect.invalid", "+0x", ""},
		{"axis", "buildEffect", `{"set": {"TINTD": "ON"}}`, decal(t), "input", "TINTD", `did you mean "TINTED"`},
		{"link", "buildWgsl", `{"link": "#Mian"}`, decal(t), "input", "Mian", `did you mean "Main"`},
		{"stage of a package", "buildEffect", `{"link": "#Main/0/ps"}`, decal(t), "input", "", "whole passes"},
		{"mode", "buildEffect", `{"mode": "some"}`, decal(t), "input", "", "selected or all"},
		{"profile", "buildEffect", `{"profile": "lax"}`, decal(t), "input", "", "strict or extended"},
		{"order", "buildEffect", `{"order": "size"}`, decal(t), "input", "", "code-point or root"},
		{"format", "buildEffect", `{"format": "zip"}`, decal(t), "input", "", "cewgpu or carbon"},
		{"numeric", "buildWgsl", `{"numeric": "fast"}`, decal(t), "input", "", "default or exact"},
		{"program as a package", "buildEffect", "", readFile(t, "testdata", "dxbc", "golden", "bits5_cs50.dxbc"), "input", "", "only a compiled effect"},
		{"refused pass", "buildWgsl", `{"name": "clear.sm_hi"}`, clear, "bind.view-format", "#Main/0/cs", ""},
		{"refused package", "buildEffect", `{"name": "clear.sm_hi"}`, clear, "cewgpu.build.translate", "WGSL", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := Call(context.Background(), c.function, c.data, []byte(c.options))
			require.NotNil(t, err)
			assert.Nil(t, r)
			if c.code != "" {
				assert.Equal(t, c.code, err.Code, err.Message)
			}
			assert.NotEmpty(t, err.Code)
			assert.Contains(t, err.Place, c.place)
			assert.Contains(t, err.Message, c.text)
			assert.NotNil(t, err.Findings)
		})
	}
	v, _ := value(t, "buildWgsl", clear, `{"partial": true}`)
	assert.NotEmpty(t, v["refused"])
	v, _ = value(t, "buildWgsl", clear, `{"views": {"*": "auto"}}`)
	assert.Empty(t, v["refused"])
	assert.Len(t, v["modules"], 2)
}

// The version is that of the command.
func TestVersion(t *testing.T) {
	m := regexp.MustCompile(`(?m)^const version = "(.+)"$`).FindSubmatch(readFile(t, "cmd", "fxlens", "app.go"))
	require.NotNil(t, m)
	assert.Equal(t, string(m[1]), Version)
}

func FuzzCall(f *testing.F) {
	f.Add("read", readFile(f, "testdata", "packages", "tiny.cewgpu"), "{}")
	f.Add("analyzeEffect", readFile(f, "testdata", "packages", "tiny.sm_hi"), `{"link": "#Main/0"}`)
	f.Add("buildEffect", readFile(f, "testdata", "packages", "tiny.sm_hi"), `{"format": "carbon"}`)
	f.Fuzz(func(t *testing.T, name string, data []byte, options string) {
		r, err := Call(context.Background(), name, data, []byte(options))
		require.True(t, (r == nil) != (err == nil))
		if err != nil {
			require.NotEqual(t, "bug", err.Code, err.Message)
			return
		}
		_, merr := json.Marshal(r.Value)
		require.NoError(t, merr)
	})
}
