package gate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/chromedp"
)

// ErrBrowser marks a browser that is not there, does not start, or has no WebGPU.
var ErrBrowser = errors.New("no usable browser")

// browsers are the names that Chromium and its relatives have in PATH.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "google-chrome-beta", "chrome", "microsoft-edge", "brave-browser"}

// places are where installers put them otherwise.
var places = map[string][]string{
	"darwin": {
		"/Applications/Chromium.app/Contents/MacOS/Chromium",
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
		"/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
	},
	"windows": {
		`C:\Program Files\Google\Chrome\Application\chrome.exe`,
		`C:\Program Files (x86)\Google\Chrome\Application\chrome.exe`,
		`C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe`,
	},
}

// Find returns the path of a browser: the one named, which is looked up in PATH, or
// the first that is installed. It fails with an error that wraps ErrBrowser.
func Find(name string) (string, error) {
	if name != "" {
		p, err := exec.LookPath(name)
		if err != nil {
			return "", fmt.Errorf("%s: %w: %w", name, ErrBrowser, err)
		}
		return p, nil
	}
	for _, b := range browsers {
		if p, err := exec.LookPath(b); err == nil {
			return p, nil
		}
	}
	for _, p := range places[runtime.GOOS] {
		if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() {
			return p, nil
		}
	}
	return "", fmt.Errorf("%w: neither Chromium nor Chrome is installed; install one (on Debian: apt-get install chromium), or name it with --browser", ErrBrowser)
}

// Launch says how to start a browser.
type Launch struct {
	Path      string // from Find
	Software  bool   // the software adapter, SwiftShader
	NoSandbox bool   // needed by root, and in containers without user namespaces
	Visible   bool   // with a window
}

// flags are what the browser is started with beside its profile.
func (l *Launch) flags() []chromedp.ExecAllocatorOption {
	f := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(l.Path),
		chromedp.NoFirstRun,
		chromedp.NoDefaultBrowserCheck,
		chromedp.Flag("enable-unsafe-webgpu", true), // WebGPU where it is not on by default: Linux, software adapters
		// No connection but ours.
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-domain-reliability", true),
		chromedp.Flag("disable-sync", true),
		chromedp.Flag("disable-default-apps", true),
		chromedp.Flag("disable-extensions", true),
		chromedp.Flag("disable-breakpad", true),
		chromedp.Flag("disable-client-side-phishing-detection", true),
		chromedp.Flag("metrics-recording-only", true),
		chromedp.Flag("no-pings", true),
		chromedp.Flag("disable-features", "Translate,OptimizationHints,MediaRouter,AutofillServerCommunication,CertificateTransparencyComponentUpdater"),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"),
		chromedp.Flag("no-proxy-server", true),
		// A page without a window is no background page here.
		chromedp.Flag("disable-background-timer-throttling", true),
		chromedp.Flag("disable-backgrounding-occluded-windows", true),
		chromedp.Flag("disable-renderer-backgrounding", true),
		chromedp.Flag("disable-hang-monitor", true),
		chromedp.Flag("disable-dev-shm-usage", true), // which is small in containers
		chromedp.Flag("password-store", "basic"),
		chromedp.Flag("use-mock-keychain", true),
	}
	if !l.Visible {
		f = append(f, chromedp.Headless)
	}
	if l.NoSandbox {
		f = append(f, chromedp.NoSandbox)
	}
	if l.Software {
		f = append(f, chromedp.Flag("use-webgpu-adapter", "swiftshader"))
	}
	return f
}

// tailWriter keeps the last bytes that are written to it.
type tailWriter struct {
	mu sync.Mutex
	b  []byte
}

func (w *tailWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.b = append(w.b, p...)
	if n := len(w.b) - 4096; n > 0 {
		w.b = append(w.b[:0], w.b[n:]...)
	}
	return len(p), nil
}

func (w *tailWriter) lastLine() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(w.b)), "\n")
	return lines[len(lines)-1]
}

// Browser is a browser that runs.
type Browser struct {
	ctx    context.Context
	cancel []context.CancelFunc
	out    *tailWriter
}

// Open starts the browser and shows the page at a URL. Close must be called. It
// fails with an error that wraps ErrBrowser, or with ctx's.
func (l *Launch) Open(ctx context.Context, url string) (*Browser, error) {
	b := &Browser{out: &tailWriter{}}
	alloc, stopAlloc := chromedp.NewExecAllocator(ctx, append(l.flags(), chromedp.CombinedOutput(b.out), chromedp.WSURLReadTimeout(60*time.Second))...)
	tab, stopTab := chromedp.NewContext(alloc, chromedp.WithLogf(func(string, ...any) {}), chromedp.WithErrorf(func(string, ...any) {}))
	b.ctx, b.cancel = tab, []context.CancelFunc{stopTab, stopAlloc}
	if err := b.Show(url); err != nil {
		b.Close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		reason := err.Error()
		if line := b.out.lastLine(); line != "" {
			reason += ": " + line
		}
		remedy := "try it by hand, or name another with --browser"
		if !l.NoSandbox && strings.Contains(reason, "sandbox") {
			remedy = "it cannot make a sandbox here (as root, or in a container); --no-sandbox runs it without"
		}
		return nil, fmt.Errorf("%s: %w: it does not start: %s; %s", filepath.Base(l.Path), ErrBrowser, reason, remedy)
	}
	return b, nil
}

// Show goes to a page.
func (b *Browser) Show(url string) error {
	_, err := chromedp.Run(b.ctx, chromedp.Navigate(url))
	return err
}

// Done is closed when the browser is gone.
func (b *Browser) Done() <-chan struct{} { return b.ctx.Done() }

// Close ends the browser and removes its profile.
func (b *Browser) Close() {
	for _, f := range b.cancel {
		f()
	}
}
