package gate

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/pack/carbon"
	"fxlens/core/pack/cewgpu"
	"fxlens/core/session"
)

// browser finds the browser of the tests: a missing one fails them, unless the
// outside judges are left out on purpose.
func browser(t testing.TB) Options {
	t.Helper()
	if os.Getenv("FXLENS_NO_DAWN") != "" {
		t.Skip("FXLENS_NO_DAWN is set: no outside judges")
	}
	path, err := Find("")
	require.NoError(t, err, "scripts/setup installs it")
	return Options{Launch: Launch{Path: path, Software: true, NoSandbox: true}, Timeout: 2 * time.Minute}
}

func compute(key, code string) Pass {
	return Pass{Key: key, Groups: []Group{}, Features: []string{}, Limits: map[string]int{},
		Modules: []Module{{Key: key + ".compute", Stage: "compute", EntryPoint: "main", Code: code}}}
}

// TestJudge gives the browser passes that are right and passes with one fault each.
func TestJudge(t *testing.T) {
	opt := browser(t)
	storage := func(min int) []Group {
		return []Group{{Entries: []Entry{{Binding: 0, Visibility: 4, Buffer: &cewgpu.BufferLayout{Type: "storage", MinBindingSize: min}}}}}
	}
	const uses = "@group(0) @binding(0) var<storage, read_write> b: array<vec4f>;\n@compute @workgroup_size(1)\nfn main() { b[0] = vec4f(1); }\n"
	with := func(p Pass, f func(*Pass)) Pass { f(&p); return p }
	render := Pass{Key: "render", Groups: []Group{}, Features: []string{}, Limits: map[string]int{}, Modules: []Module{
		{Key: "render.vertex", Stage: "vertex", EntryPoint: "main", Code: "@vertex fn main(@location(3) a: vec2f) -> @builtin(position) vec4f { return vec4f(a, 0, 1); }"},
		{Key: "render.pixel", Stage: "fragment", EntryPoint: "main", Code: "struct O { @location(1) c: vec4u, @builtin(frag_depth) d: f32 }\n@fragment fn main() -> O { return O(); }"},
	}}
	for i := range render.Modules {
		in, out := interfaceOf(render.Modules[i].Code, "main")
		if i == 0 {
			render.Vertex = vertexBuffer(in)
		} else {
			render.Targets = targets(out)
		}
	}
	cases := []struct {
		name string
		pass Pass
		ok   bool
		at   string
		text string
		sev  string
		line int
	}{
		{"compute", compute("a", "@compute @workgroup_size(1) fn main() {}"), true, "", "", "", 0},
		{"storage", with(compute("b", uses), func(p *Pass) { p.Groups = storage(16) }), true, "", "", "", 0},
		{"render with a gap and depth", render, true, "", "", "", 0},
		{"limits that it has", with(compute("c", uses), func(p *Pass) { p.Groups = storage(16); p.Limits["maxBindGroups"] = 4 }), true, "", "", "", 0},
		{"syntax", compute("d", "@compute @workgroup_size(1)\nfn main() {\n  x\n}\n"), false, "d.compute", "", "error", 4},
		{"type", compute("e", "@compute @workgroup_size(1)\nfn main() { let x: i32 = 1.5; }\n"), false, "e.compute", "", "error", 2},
		{"no layout", compute("f", uses), false, "pipeline", "", "error", 0},
		{"binding too small", with(compute("g", uses), func(p *Pass) { p.Groups = storage(4) }), false, "pipeline", "", "error", 0},
		{"bad layout", with(compute("h", uses), func(p *Pass) {
			p.Groups = storage(16)
			p.Groups[0].Entries = append(p.Groups[0].Entries, p.Groups[0].Entries[0])
		}), false, "group 0", "", "error", 0},
		{"no such limit", with(compute("i", "@compute @workgroup_size(1) fn main() {}"), func(p *Pass) { p.Limits["maxBindGroups"] = 1 << 20 }), false, "device", "maxBindGroups", "unavailable", 0},
		{"no such feature", with(compute("j", "@compute @workgroup_size(1) fn main() {}"), func(p *Pass) { p.Features = []string{"texture-compression-none"} }), false, "device", "texture-compression-none", "unavailable", 0},
		{"entry point", compute("k", "@compute @workgroup_size(1) fn other() {}"), false, "pipeline", "main", "error", 0},
		{"interface", with(render, func(p *Pass) {
			p.Key = "l"
			p.Modules = append([]Module(nil), p.Modules...)
			p.Modules[1].Code = "@fragment fn main(@location(0) x: f32) -> @location(1) vec4u { return vec4u(u32(x)); }"
		}), false, "pipeline", "", "error", 0},
	}
	var passes []Pass
	for _, c := range cases {
		passes = append(passes, c.pass)
	}
	r, err := Run(context.Background(), passes, opt)
	require.NoError(t, err)
	require.Len(t, r.Results, len(cases))
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := r.Results[i]
			if c.ok {
				assert.True(t, got.OK(), "%+v", got)
				assert.Equal(t, "created", got.Pipeline)
				assert.Equal(t, len(c.pass.Modules), got.Modules)
				assert.Equal(t, len(c.pass.Groups), got.Layouts)
				return
			}
			assert.False(t, got.OK())
			require.NotEmpty(t, got.Messages)
			m := got.Messages[0]
			assert.Equal(t, c.at, m.At, "%+v", got)
			assert.Equal(t, c.sev, m.Severity)
			assert.Equal(t, c.line, m.Line)
			assert.Contains(t, m.Text, c.text)
			assert.NotEqual(t, "created", got.Pipeline)
		})
	}
}

// TestPackages judges the strict and extended packages of effects, and the container
// that a package converts to.
func TestPackages(t *testing.T) {
	opt := browser(t)
	var passes []Pass
	var names []string
	add := func(name string, ps []Pass, err error) {
		require.NoError(t, err, name)
		require.NotEmpty(t, ps, name)
		for i := range ps {
			passes = append(passes, ps[i])
			names = append(names, name+" "+ps[i].Key)
		}
	}
	for _, c := range []struct {
		file    string
		mode    cewgpu.Mode
		profile cewgpu.Profile
	}{
		{"decal/decal.sm_hi", cewgpu.All, cewgpu.Strict},
		{"decal/decal.sm_hi", cewgpu.All, cewgpu.Extended},
		{"booster/trail.sm_hi", cewgpu.All, cewgpu.Strict},
		{"booster/trail.sm_hi", cewgpu.All, cewgpu.Extended},
		{"quadv5.sm_hi", cewgpu.Selected, cewgpu.Strict},
		{"quadv5.sm_hi", cewgpu.Selected, cewgpu.Extended},
		{"postprocess/tonemap.sm_hi", cewgpu.Selected, cewgpu.Extended},
	} {
		name := fmt.Sprintf("%s (%s, %s)", c.file, c.profile, c.mode)
		path := filepath.Join("..", "..", "..", "testdata", "effects", filepath.FromSlash(c.file))
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		s, err := session.Open(filepath.Base(path), data, compile.Options{})
		require.NoError(t, err)
		pkg, _, err := s.BuildPackage(context.Background(), session.PackageOptions{Perm: s.DefaultPermutation(), Mode: c.mode, Profile: c.profile, Version: "0.1.0"})
		require.NoError(t, err, name)
		p, err := cewgpu.Open(pkg)
		require.NoError(t, err, name)
		ps, err := Passes(p)
		add(name, ps, err)
		if c.file != "decal/decal.sm_hi" || c.profile != cewgpu.Strict {
			continue
		}
		container, err := carbon.FromPackage(context.Background(), p, carbon.FromOptions{Source: s.Effect})
		require.NoError(t, err)
		cs, err := ContainerPasses(container.File)
		add("container of "+name, cs, err)
		assert.Len(t, cs, len(ps), "the container has the same passes")
	}
	calls := 0
	opt.Progress = func(done, total int) { calls++; assert.LessOrEqual(t, done, total) }
	r, err := Run(context.Background(), passes, opt)
	require.NoError(t, err)
	assert.Positive(t, calls)
	assert.Contains(t, r.UserAgent, "Chrome")
	assert.NotEmpty(t, r.Adapter.Vendor)
	for i := range r.Results {
		assert.True(t, r.Results[i].OK(), "%s: %+v", names[i], r.Results[i])
		assert.Equal(t, "created", r.Results[i].Pipeline, names[i])
		assert.Equal(t, len(passes[i].Modules), r.Results[i].Modules, names[i])
	}
}

// byHand plays the browser's part.
type byHand struct {
	t   *testing.T
	url string
}

func (b *byHand) get(path string) (int, []byte) {
	b.t.Helper()
	r, err := http.Get(b.url + path)
	require.NoError(b.t, err)
	defer r.Body.Close()
	var v json.RawMessage
	_ = json.NewDecoder(r.Body).Decode(&v)
	return r.StatusCode, v
}

func (b *byHand) post(path, body string) int {
	b.t.Helper()
	r, err := http.Post(b.url+path, "application/json", strings.NewReader(body))
	require.NoError(b.t, err)
	r.Body.Close()
	return r.StatusCode
}

// A page that does not answer costs its pass alone; late and wrong answers change
// nothing; the server answers under its name and to its host alone.
func TestServer(t *testing.T) {
	passes := []Pass{compute("a", "x"), compute("b", "y"), compute("c", "z")}
	ready := make(chan string, 1)
	type end struct {
		r   *Report
		err error
	}
	ended := make(chan end, 1)
	go func() {
		r, err := Run(context.Background(), passes, Options{ByHand: true, Timeout: 700 * time.Millisecond, Ready: func(u string) { ready <- u }})
		ended <- end{r, err}
	}()
	b := &byHand{t, <-ready}
	root := b.url[:strings.Index(b.url[7:], "/")+8]
	for _, path := range []string{"", "gate.js", "job", strings.Repeat("0", 32) + "/"} {
		r, err := http.Get(root + path)
		require.NoError(t, err)
		r.Body.Close()
		assert.Equal(t, http.StatusNotFound, r.StatusCode, path)
	}
	req, err := http.NewRequest(http.MethodGet, b.url, nil)
	require.NoError(t, err)
	req.Host = "evil.example"
	r, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	r.Body.Close()
	assert.Equal(t, http.StatusNotFound, r.StatusCode, "another host name (DNS rebinding)")

	code, _ := b.get("")
	assert.Equal(t, 200, code)
	code, _ = b.get("gate.js")
	assert.Equal(t, 200, code)
	code, v := b.get("options")
	assert.Equal(t, 200, code)
	assert.JSONEq(t, `{"adapterOptions":{},"allLimits":false}`, string(v))
	assert.Equal(t, 400, b.post("hello", "{"))
	assert.Equal(t, 200, b.post("hello", `{"userAgent":"by hand"}`))
	assert.Equal(t, 404, b.post("job", "{}"))
	code, _ = b.get("hello")
	assert.Equal(t, 404, code)

	_, v = b.get("job")
	var job struct {
		ID   int
		Pass Pass
	}
	require.NoError(t, json.Unmarshal(v, &job))
	assert.Equal(t, "a", job.Pass.Key)
	assert.Equal(t, 400, b.post("result/x", "{}"))
	assert.Equal(t, 200, b.post("result/2", `{"pipeline":"created"}`), "not handed out: dropped")
	assert.Equal(t, 200, b.post("result/0", `{"pipeline":"created","modules":1}`))
	b.get("job") // and no answer: the page is loaded again
	code, v = b.get("job")
	assert.Equal(t, 200, code)
	assert.Contains(t, string(v), `"id":2`)
	assert.Equal(t, 200, b.post("result/1", `{"pipeline":"created"}`), "late: dropped")
	e := <-ended // the third is never answered
	require.NoError(t, e.err)
	assert.True(t, e.r.Results[0].OK())
	for _, i := range []int{1, 2} {
		require.Len(t, e.r.Results[i].Messages, 1)
		assert.Equal(t, "crash", e.r.Results[i].Messages[0].Severity)
	}
	assert.Contains(t, e.r.Results[1].Messages[0].Text, "left at this pass")
	assert.Contains(t, e.r.Results[2].Messages[0].Text, "did not answer within 700ms")
	assert.Equal(t, "by hand", e.r.UserAgent)
}

func TestNoBrowser(t *testing.T) {
	_, err := Find("no-such-browser")
	require.ErrorIs(t, err, ErrBrowser)
	path, err := Find("false") // it starts and ends at once
	require.NoError(t, err)
	_, err = Run(context.Background(), []Pass{compute("a", "")}, Options{Launch: Launch{Path: path}})
	require.ErrorIs(t, err, ErrBrowser)
	assert.Contains(t, err.Error(), "--browser")

	ready := make(chan string, 1)
	ended := make(chan error, 1)
	go func() {
		_, err := Run(context.Background(), []Pass{compute("a", "")}, Options{ByHand: true, Ready: func(u string) { ready <- u }})
		ended <- err
	}()
	b := &byHand{t, <-ready}
	b.post("hello", `{"error":"WebGPU has no adapter"}`)
	err = <-ended
	require.ErrorIs(t, err, ErrBrowser)
	assert.Contains(t, err.Error(), "WebGPU has no adapter")

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = Run(ctx, []Pass{compute("a", "")}, Options{ByHand: true})
	assert.ErrorIs(t, err, context.Canceled)
}
