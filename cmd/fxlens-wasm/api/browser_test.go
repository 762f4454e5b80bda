package api

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/cmd/fxlens/gate"
	"fxlens/core/pack/cewgpu"
)

// outcome is what testdata/browser/page.mjs posts.
type outcome struct {
	Steps        []string          `json:"steps"`
	Failure      string            `json:"failure"`
	Version      string            `json:"version"`
	Milliseconds int               `json:"milliseconds"`
	Ticks        int               `json:"ticks"`
	SHA256       string            `json:"sha256"`
	Bytes        int               `json:"bytes"`
	Pipelines    int               `json:"pipelines"`
	Errors       map[string]thrown `json:"errors"`
}

// thrown is an exception with its findings as they came.
type thrown struct {
	Code     string            `json:"code"`
	Place    string            `json:"place"`
	Message  string            `json:"message"`
	Remedy   string            `json:"remedy"`
	Findings []json.RawMessage `json:"findings"`
}

// maxWasm bounds the size of the compiler, so that a dependency that doubles it is
// noticed; docs/browser.md says what it is.
const maxWasm = 14 << 20

// TestBrowser lets a real headless browser use the module as a page does: it fetches
// an effect, builds the package, creates the package's pipelines in WebGPU, and hands
// results on; what is refused here is refused there, with the same words.
func TestBrowser(t *testing.T) {
	if os.Getenv("FXLENS_NO_DAWN") != "" {
		t.Skip("FXLENS_NO_DAWN is set: no outside judges")
	}
	path, err := gate.Find("")
	require.NoError(t, err, "scripts/setup installs it")

	lib := t.TempDir()
	if runtime.GOOS == "windows" {
		t.Skip("the build script is a shell script")
	}
	out, err := exec.Command(filepath.Join("..", "build"), lib).CombinedOutput()
	require.NoError(t, err, string(out))
	t.Logf("%s", out)
	info, err := os.Stat(filepath.Join(lib, "fxlens.wasm"))
	require.NoError(t, err)
	assert.Less(t, info.Size(), int64(maxWasm))

	effectData := decal(t)
	refusedData := readFile(t, "testdata", "effects", "particles", "clear.sm_hi")
	results := make(chan outcome, 1)
	url := serve(t, lib, map[string][]byte{"effect.sm_hi": effectData, "refused.sm_hi": refusedData}, results)
	l := gate.Launch{Path: path, Software: true, NoSandbox: true}
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	b, err := l.Open(ctx, url)
	require.NoError(t, err)
	defer b.Close()
	var got outcome
	select {
	case got = <-results:
	case <-ctx.Done():
		require.Fail(t, "the page did not answer")
	}
	require.Empty(t, got.Failure, "after %v", got.Steps)
	assert.Equal(t, []string{"inspect", "buildEffect", "read", "pipelines", "analyzeEffect", "container", "clones", "errors", "close"}, got.Steps)
	assert.Equal(t, Version, got.Version)
	assert.Positive(t, got.Ticks, "the page's thread went on while the worker compiled (%d ms)", got.Milliseconds)
	t.Logf("the package of every body took %d ms; the page's timer ran %d times meanwhile", got.Milliseconds, got.Ticks)

	// The same package, byte for byte.
	_, r := value(t, "buildEffect", effectData, `{"name": "effect.sm_hi", "mode": "all"}`)
	pkg := blobAt(t, r, "bytes")
	assert.Equal(t, digest(pkg), got.SHA256)
	assert.Equal(t, len(pkg), got.Bytes)
	p, err := cewgpu.Open(pkg)
	require.NoError(t, err)
	set, err := p.WGSL()
	require.NoError(t, err)
	assert.Equal(t, len(set.Layouts), got.Pipelines)

	// The same refusals.
	bad := append([]byte(nil), pkg...)
	blobs, ok := p.Chunk("RBLB")
	require.True(t, ok)
	bad[blobs.Offset+len(blobs.Data)/2] ^= 1
	same := func(key, function string, data []byte, options string) {
		t.Helper()
		_, want := Call(context.Background(), function, data, []byte(options))
		require.NotNil(t, want, key)
		w, err := json.Marshal(want)
		require.NoError(t, err)
		require.Contains(t, got.Errors, key)
		g, err := json.Marshal(got.Errors[key])
		require.NoError(t, err)
		assert.JSONEq(t, string(w), string(g), key)
	}
	same("blob", "read", bad, "{}")
	assert.Contains(t, got.Errors["blob"].Code, "cewgpu.", "the rule that the blob breaks")
	assert.NotEmpty(t, got.Errors["blob"].Place)
	same("cut", "inspect", effectData[:len(effectData)/2], `{"name": "effect.sm_hi"}`)
	same("axis", "buildEffect", effectData, `{"name": "effect.sm_hi", "set": {"NONE": "ON"}}`)
	same("option", "buildWgsl", effectData, `{"unknown": 1}`)
	same("refused", "buildWgsl", refusedData, `{"name": "refused.sm_hi"}`)
	assert.NotEmpty(t, got.Errors["refused"].Findings)
	assert.Equal(t, "input", got.Errors["bytes"].Code)
	assert.Equal(t, "fatal", got.Errors["missing"].Code)
	assert.Contains(t, got.Errors["missing"].Message, "404")
}

// serve serves the page, the module and files on the loopback interface.
func serve(t *testing.T, lib string, files map[string][]byte, results chan<- outcome) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/lib/", http.StripPrefix("/lib/", http.FileServer(http.Dir(lib))))
	page := filepath.Join(root, "testdata", "browser")
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/")
		if data, ok := files[name]; ok {
			w.Write(data)
			return
		}
		if strings.HasSuffix(name, ".mjs") {
			w.Header().Set("Content-Type", "text/javascript")
		}
		http.FileServer(http.Dir(page)).ServeHTTP(w, r)
	})
	mux.HandleFunc("/result", func(w http.ResponseWriter, r *http.Request) {
		var v outcome
		b, err := io.ReadAll(io.LimitReader(r.Body, 16<<20))
		if err == nil {
			err = json.Unmarshal(b, &v)
		}
		if err != nil {
			v.Failure = err.Error()
		}
		select {
		case results <- v:
		default:
		}
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go srv.Serve(l)
	t.Cleanup(func() { srv.Close() })
	return "http://" + l.Addr().String() + "/"
}
