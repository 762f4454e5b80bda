package cewgpu

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fxlens/core/effect"
	"fxlens/core/wgsl/layout"
)

const tinyLabel = "res:/graphics/effect.dx11/tiny.sm_hi"

var packages = filepath.Join("..", "..", "..", "testdata", "packages")

func readFile(t testing.TB, path ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	require.NoError(t, err)
	return b
}

func parseEffect(t testing.TB, b []byte) *effect.Effect {
	t.Helper()
	e, err := effect.Parse(b)
	require.NoError(t, err)
	return e
}

func tinyEffect(t testing.TB) *effect.Effect {
	return parseEffect(t, readFile(t, packages, "tiny.sm_hi"))
}

// tinyReference is the package of the worked example, with its documents.
func tinyReference(t testing.TB) []byte { return readFile(t, packages, "tiny.cewgpu") }

// effectFiles returns every compiled effect of the bundled collection, and of the
// whole one where it stands beside the repository.
func effectFiles(t testing.TB) []string {
	t.Helper()
	var out []string
	for _, dir := range []string{filepath.Join("..", "..", "..", "testdata", "effects"), filepath.Join("..", "..", "..", "..", "shared", "effects")} {
		if _, err := os.Stat(dir); err != nil {
			continue
		}
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err == nil && strings.HasPrefix(filepath.Ext(path), ".sm_") {
				out = append(out, path)
			}
			return err
		})
		require.NoError(t, err)
	}
	require.GreaterOrEqual(t, len(out), 8)
	return out
}

// tinyPass is the worked example's plan and modules.
func tinyPass(t testing.TB) *PassModules {
	t.Helper()
	p, err := Open(tinyReference(t))
	require.NoError(t, err)
	set, err := p.WGSL()
	require.NoError(t, err)
	uniform := &layout.Buffer{Type: "uniform", MinBindingSize: 16}
	m := &PassModules{Plan: &layout.Plan{Bindings: []layout.Binding{
		{Identity: "uniform-buffer:0:0", Scope: "uniform-buffer:0:0@vertex", Kind: layout.UniformBuffer, Symbol: "cb0", Binding: 0,
			Visibility: []layout.Stage{layout.Vertex}, Type: "array<vec4<f32>, 1>", Buffer: uniform},
		{Identity: "uniform-buffer:0:0", Scope: "uniform-buffer:0:0@fragment", Kind: layout.UniformBuffer, Symbol: "cb0", Binding: 1,
			Visibility: []layout.Stage{layout.Fragment}, Type: "array<vec4<f32>, 1>", Buffer: uniform},
		{Identity: "sampled-resource:0:0", Scope: "sampled-resource:0:0@fragment", Kind: layout.SampledResource, Symbol: "t0", Binding: 2,
			Visibility: []layout.Stage{layout.Fragment}, Type: "texture_2d<f32>", Texture: &layout.Texture{SampleType: "float", ViewDimension: "2d"}},
		{Identity: "sampler:0:0", Scope: "sampler:0:0@fragment", Kind: layout.Sampler, Symbol: "s0", Binding: 3,
			Visibility: []layout.Stage{layout.Fragment}, Type: "sampler", Sampler: &layout.SamplerState{Type: "filtering"}},
	}}}
	for i, s := range set.Shaders {
		m.Modules = append(m.Modules, Module{Stage: layout.Stage(i), EntryPoint: s.EntryPoint, Code: s.Code, SourceMap: s.SourceMap})
	}
	return m
}

func tinyInput(t testing.TB, e *effect.Effect) *Input {
	m := tinyPass(t)
	return &Input{
		Effect: e, Label: tinyLabel, Identity: Identity{Game: "synthetic", Client: "none", Build: "1"},
		Permutation: e.DefaultIndex(), Version: "0.6.0",
		Translate: func(context.Context, int, PassRef) (*PassModules, error) { return m, nil },
	}
}

// translator makes plain modules for any pass from the effect's own tables: every
// register gets a binding and a declaration, the entry point does nothing.
func translator(e *effect.Effect) func(context.Context, int, PassRef) (*PassModules, error) {
	return func(_ context.Context, perm int, ref PassRef) (*PassModules, error) {
		body, err := e.Body(perm)
		if err != nil {
			return nil, err
		}
		m := &PassModules{Plan: &layout.Plan{}}
		for _, s := range byType(&body.Techniques[ref.TechIndex].Passes[ref.Pass]) {
			stage, ok := webStageOf(s.Type)
			if !ok {
				return nil, &Unsupported{Reason: s.Type.String() + " stage"}
			}
			var code strings.Builder
			seen := map[string]bool{}
			for _, r := range s.Registers {
				b, decl := plainBinding(&r, stage)
				b.Binding = len(m.Plan.Bindings)
				if seen[b.Scope] {
					continue
				}
				seen[b.Scope] = true
				m.Plan.Bindings = append(m.Plan.Bindings, b)
				fmt.Fprintf(&code, "@group(0) @binding(%d) var%s %s: %s;\n", b.Binding, decl, b.Symbol, b.Type)
			}
			mod := Module{Stage: stage, EntryPoint: "main"}
			switch stage {
			case layout.Vertex:
				code.WriteString("\n@vertex\nfn main() -> @builtin(position) vec4<f32>\n{\n    return vec4<f32>();\n}\n")
			case layout.Fragment:
				code.WriteString("\n@fragment\nfn main()\n{\n}\n")
			case layout.Compute:
				g := s.ThreadGroup
				mod.Workgroup = g
				fmt.Fprintf(&code, "\n@compute @workgroup_size(%d, %d, %d)\nfn main()\n{\n}\n", g[0], g[1], g[2])
			}
			mod.Code = code.String()
			lines := strings.Count(mod.Code, "\n")
			mod.SourceMap = []MapLine{{Line: lines, InstructionIndex: 0, DXBCOffset: 2}}
			m.Modules = append(m.Modules, mod)
		}
		return m, nil
	}
}

func plainBinding(r *effect.Register, stage layout.Stage) (layout.Binding, string) {
	b := layout.Binding{Register: r.Index, Space: uint32(r.Space), Visibility: []layout.Stage{stage}}
	prefix, decl := "", ""
	switch t := uint8(r.Type); {
	case t == 0:
		b.Kind, prefix, decl = layout.UniformBuffer, "cb", "<uniform>"
		b.Type, b.Buffer = "array<vec4<f32>, 4>", &layout.Buffer{Type: "uniform", MinBindingSize: 64}
	case t == 1:
		b.Kind, prefix = layout.Sampler, "s"
		b.Type, b.Sampler = "sampler", &layout.SamplerState{Type: "filtering"}
	case t == 32 || t == 33:
		b.Kind, prefix, decl = layout.SampledResource, "t", "<storage, read>"
		b.Type, b.Buffer = "array<u32>", &layout.Buffer{Type: "read-only-storage", MinBindingSize: 4}
	case t < 64:
		b.Kind, prefix = layout.SampledResource, "t"
		b.Type, b.Texture = "texture_2d<f32>", &layout.Texture{SampleType: "float", ViewDimension: "2d"}
	default:
		b.Kind, prefix, decl = layout.StorageResource, "u", "<storage, read_write>"
		b.Type, b.Buffer = "array<u32>", &layout.Buffer{Type: "storage", MinBindingSize: 4}
	}
	b.Symbol = fmt.Sprintf("%s%d", prefix, r.Index)
	if r.Space != 0 {
		b.Symbol += fmt.Sprintf("_space%d", r.Space)
	}
	b.Identity = fmt.Sprintf("%s:%d:%d", b.Kind, r.Space, r.Index)
	b.Scope = b.Identity + "@" + stage.String()
	return b, decl
}

func plainInput(e *effect.Effect, label string) *Input {
	return &Input{Effect: e, Label: label, Permutation: e.DefaultIndex(), Version: "0.1.0", Translate: translator(e)}
}

// requireValid fails with all errors of a package.
func requireValid(t testing.TB, pkg []byte) *Package {
	t.Helper()
	p, err := Open(pkg)
	if err != nil {
		t.Fatalf("%s", findingsText(err.(*InvalidError).Findings))
	}
	return p
}

func findingsText(fs []Finding) string {
	var b strings.Builder
	for _, f := range fs {
		b.WriteString(f.String() + "\n")
	}
	return b.String()
}

// edit is a package in parts that tests change.
type edit struct {
	t      testing.TB
	tags   []string
	raw    map[string][]byte
	docs   map[string]map[string]any
	keep   bool // leave digests as they are
	suffix []byte
}

func newEdit(t testing.TB, pkg []byte) *edit {
	t.Helper()
	chunks, fs := ParseContainer(pkg)
	require.Empty(t, fs)
	e := &edit{t: t, raw: map[string][]byte{}, docs: map[string]map[string]any{}}
	for _, c := range chunks {
		e.tags = append(e.tags, c.Tag)
		e.raw[c.Tag] = c.Data
		var doc map[string]any
		if c.Tag != "RBLB" {
			dec := json.NewDecoder(strings.NewReader(string(c.Data)))
			dec.UseNumber()
			require.NoError(t, dec.Decode(&doc))
			e.docs[c.Tag] = doc
		}
	}
	return e
}

// at returns the container of a path's last step, and that step.
func (e *edit) at(tag, path string) (any, string) {
	e.t.Helper()
	steps := strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' })
	var v any = e.docs[tag]
	for _, s := range steps[:len(steps)-1] {
		v = step(e.t, v, s, path)
	}
	return v, steps[len(steps)-1]
}

func step(t testing.TB, v any, s, path string) any {
	t.Helper()
	switch v := v.(type) {
	case map[string]any:
		x, ok := v[s]
		require.True(t, ok, "%s: no %s", path, s)
		return x
	case []any:
		var i int
		_, err := fmt.Sscan(s, &i)
		require.NoError(t, err, path)
		require.Less(t, i, len(v), path)
		return v[i]
	}
	require.Fail(t, "not a container", path)
	return nil
}

func (e *edit) get(tag, path string) any {
	e.t.Helper()
	v, last := e.at(tag, path)
	return step(e.t, v, last, path)
}

// set replaces or adds a value; val is JSON text.
func (e *edit) set(tag, path, val string) {
	e.t.Helper()
	var x any
	dec := json.NewDecoder(strings.NewReader(val))
	dec.UseNumber()
	require.NoError(e.t, dec.Decode(&x), val)
	e.put(tag, path, x)
}

func (e *edit) put(tag, path string, x any) {
	e.t.Helper()
	v, last := e.at(tag, path)
	switch v := v.(type) {
	case map[string]any:
		v[last] = x
	case []any:
		var i int
		_, err := fmt.Sscan(last, &i)
		require.NoError(e.t, err)
		v[i] = x
	default:
		require.Fail(e.t, "not a container", path)
	}
}

func (e *edit) del(tag, path string) {
	e.t.Helper()
	v, last := e.at(tag, path)
	if m, ok := v.(map[string]any); ok {
		require.Contains(e.t, m, last, path)
		delete(m, last)
		return
	}
	list := v.([]any)
	var i int
	_, err := fmt.Sscan(last, &i)
	require.NoError(e.t, err)
	parent := path[:strings.LastIndexByte(path, '[')]
	e.put(tag, parent, append(append([]any{}, list[:i]...), list[i+1:]...))
}

// dup appends a deep copy of an array's element to the array.
func (e *edit) dup(tag, path string) {
	e.t.Helper()
	x := e.get(tag, path)
	b, err := json.Marshal(x)
	require.NoError(e.t, err)
	parent := path[:strings.LastIndexByte(path, '[')]
	list := e.get(tag, parent).([]any)
	var y any
	dec := json.NewDecoder(strings.NewReader(string(b)))
	dec.UseNumber()
	require.NoError(e.t, dec.Decode(&y))
	e.put(tag, parent, append(list, y))
}

// drop removes a chunk.
func (e *edit) drop(tag string) {
	for i, x := range e.tags {
		if x == tag {
			e.tags = append(e.tags[:i:i], e.tags[i+1:]...)
			break
		}
	}
	delete(e.docs, tag)
	delete(e.raw, tag)
}

// bytes encodes the package; digests of pointers follow their chunks unless keep is set.
func (e *edit) bytes() []byte {
	e.t.Helper()
	data := map[string][]byte{}
	enc := func(tag string) {
		if doc := e.docs[tag]; doc != nil {
			b, err := json.Marshal(doc)
			require.NoError(e.t, err)
			data[tag] = append(b, '\n')
		} else {
			data[tag] = e.raw[tag]
		}
	}
	if doc := e.docs["RFLX"]; doc != nil && !e.keep {
		if bs, ok := doc["blobStore"].(map[string]any); ok && e.raw["RBLB"] != nil {
			if _, has := bs["sha256"]; has {
				bs["sha256"] = digestHex(e.raw["RBLB"])
			}
		}
	}
	for _, tag := range e.tags {
		enc(tag)
	}
	if info := e.docs["INFO"]; info != nil && !e.keep {
		for key, tag := range map[string]string{"permutationGraph": "PGRF", "effectReflection": "RFLX", "backendBodySet": "WGSB"} {
			if p, ok := info[key].(map[string]any); ok && data[tag] != nil {
				if _, has := p["sha256"]; has {
					p["sha256"] = digestHex(data[tag])
				}
			}
		}
		enc("INFO")
	}
	var chunks []Chunk
	for _, tag := range e.tags {
		chunks = append(chunks, Chunk{Tag: tag, Data: data[tag]})
	}
	b, err := EncodeContainer(chunks)
	require.NoError(e.t, err)
	return append(b, e.suffix...)
}
