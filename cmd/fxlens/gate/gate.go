package gate

import (
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed gate.html
var page []byte

//go:embed gate.js
var script []byte

// Options say how to judge.
type Options struct {
	Launch
	// ByHand starts no browser: someone opens the URL that Ready gets.
	ByHand bool
	// AllLimits asks for devices with all that the adapter has, not with WebGPU's
	// defaults and what a package asks for.
	AllLimits bool
	Timeout   time.Duration // of one pass; default one minute
	Ready     func(url string)
	Progress  func(done, total int)
}

// Message is something that the browser said.
type Message struct {
	At       string `json:"at"`       // key of a module, "group 0", "pipeline", "device", "page"
	Severity string `json:"severity"` // error, warning, info; unavailable: it cannot be tried here; crash
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Text     string `json:"text"`
}

// Result is what the browser made of one pass.
type Result struct {
	Messages []Message `json:"messages"`
	Modules  int       `json:"modules"`  // created without errors
	Layouts  int       `json:"layouts"`  // bind group layouts created
	Pipeline string    `json:"pipeline"` // created, failed, not tried
	Why      string    `json:"why,omitempty"`
}

// OK reports whether the browser had nothing to say.
func (r *Result) OK() bool { return len(r.Messages) == 0 && r.Pipeline != "failed" }

// Adapter is what the browser says about its GPU.
type Adapter struct {
	Vendor       string `json:"vendor"`
	Architecture string `json:"architecture"`
	Device       string `json:"device"`
	Description  string `json:"description"`
	Fallback     bool   `json:"fallback"`
}

// Report is the result of Run.
type Report struct {
	UserAgent string
	Adapter   Adapter
	Results   []Result // parallel to the passes
}

// server serves one run. Its handler answers under a random name alone, to requests
// for the loopback address alone.
type server struct {
	passes  []Pass
	opt     *Options
	token   string
	host    string
	results []Result

	mu      sync.Mutex
	next    int       // to hand out
	current int       // handed out and not answered, or -1
	since   time.Time // when
	done    int

	hello  chan hello
	answer chan struct{} // one for each finished pass
}

type hello struct {
	UserAgent string   `json:"userAgent"`
	Error     string   `json:"error"`
	Adapter   *Adapter `json:"adapter"`
}

// maxAnswer bounds what the page may send for one pass.
const maxAnswer = 16 << 20

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, ok := strings.CutPrefix(r.URL.Path, "/"+s.token+"/")
	if !ok || r.Host != s.host {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; connect-src 'self'; img-src data:")
	id, isResult := strings.CutPrefix(path, "result/")
	switch {
	case path == "" && r.Method == http.MethodGet:
		h.Set("Content-Type", "text/html; charset=utf-8")
		w.Write(page)
	case path == "gate.js" && r.Method == http.MethodGet:
		h.Set("Content-Type", "text/javascript; charset=utf-8")
		w.Write(script)
	case path == "options" && r.Method == http.MethodGet:
		adapter := map[string]any{}
		if s.opt.Software {
			adapter["forceFallbackAdapter"] = s.opt.ByHand // by our flags there is no other
		}
		s.reply(w, map[string]any{"adapterOptions": adapter, "allLimits": s.opt.AllLimits})
	case path == "job" && r.Method == http.MethodGet:
		s.job(w)
	case path == "hello" && r.Method == http.MethodPost:
		var v hello
		if !read(w, r, &v) {
			return
		}
		select {
		case s.hello <- v:
		default: // a page that was loaded again
		}
	case isResult && r.Method == http.MethodPost:
		n, err := strconv.Atoi(id)
		var v Result
		if err != nil || !read(w, r, &v) {
			http.Error(w, "no such pass", http.StatusBadRequest)
			return
		}
		s.finish(n, v)
	default:
		http.NotFound(w, r)
	}
}

func (s *server) reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // a page that is gone asks again
}

func read(w http.ResponseWriter, r *http.Request, v any) bool {
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxAnswer)).Decode(v); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return false
	}
	return true
}

func (s *server) job(w http.ResponseWriter) {
	s.giveUp("the page was left at this pass") // and loaded again
	s.mu.Lock()
	n := s.next
	if n < len(s.passes) {
		s.next++
		s.current, s.since = n, time.Now()
	}
	s.mu.Unlock()
	if n >= len(s.passes) {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	s.reply(w, map[string]any{"id": n, "pass": &s.passes[n]})
}

// finish takes the answer for the pass that was handed out; late ones are dropped.
func (s *server) finish(n int, r Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n != s.current {
		return
	}
	if r.Messages == nil {
		r.Messages = []Message{}
	}
	s.results[n] = r
	s.current = -1
	s.done++
	select {
	case s.answer <- struct{}{}:
	default:
	}
}

// stuck gives the pass up that the page does not answer for, and reports whether
// there is one. With always it need not have taken long.
func (s *server) stuck(timeout time.Duration, always bool) bool {
	s.mu.Lock()
	n := s.current
	late := n >= 0 && (always || time.Since(s.since) > timeout)
	s.mu.Unlock()
	if !late {
		return false
	}
	if always {
		s.giveUp("the browser ended at this pass")
	} else {
		s.giveUp(fmt.Sprintf("the browser did not answer within %s", timeout))
	}
	return true
}

// giveUp answers for the page, if it owes an answer.
func (s *server) giveUp(why string) {
	s.mu.Lock()
	n := s.current
	s.mu.Unlock()
	if n >= 0 {
		s.finish(n, Result{Messages: []Message{{At: "page", Severity: "crash", Text: why}}, Pipeline: "failed"})
	}
}

func (s *server) finished() (int, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.done, s.done == len(s.passes)
}

// token returns 128 random bits.
func token() (string, error) {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", err
	}
	return hex.EncodeToString(b[:]), nil
}

// Run lets a browser judge passes. It fails with an error that wraps ErrBrowser
// where there is none that has WebGPU, or with ctx's error; what the browser says
// about a pass is in the report.
func Run(ctx context.Context, passes []Pass, opt Options) (*Report, error) {
	if opt.Timeout <= 0 {
		opt.Timeout = time.Minute
	}
	name, err := token()
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("serving the passes: %w", err)
	}
	s := &server{passes: passes, opt: &opt, token: name, host: l.Addr().String(), results: make([]Result, len(passes)), current: -1,
		hello: make(chan hello, 1), answer: make(chan struct{}, 1)}
	srv := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	go srv.Serve(l)
	defer srv.Close()
	url := "http://" + s.host + "/" + name + "/"
	if opt.Ready != nil {
		opt.Ready(url)
	}
	rep := &Report{}
	if err := s.drive(ctx, url, rep); err != nil {
		return nil, err
	}
	rep.Results = s.results
	return rep, nil
}

// maxCrashes is how often a browser may die before we give up.
const maxCrashes = 10

// drive opens the page and goes on with a new one whenever it dies.
func (s *server) drive(ctx context.Context, url string, rep *Report) error {
	var b *Browser
	defer func() {
		if b != nil {
			b.Close()
		}
	}()
	gone := func() <-chan struct{} {
		if b == nil {
			return nil
		}
		return b.Done()
	}
	open := func() (err error) {
		if s.opt.ByHand {
			return nil
		}
		if b != nil {
			b.Close()
			b = nil
		}
		b, err = s.opt.Open(ctx, url)
		return err
	}
	if err := open(); err != nil {
		return err
	}
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	start, greeted, ever, crashes := time.Now(), false, false, 0
	again := func() error {
		if crashes++; crashes > maxCrashes {
			return fmt.Errorf("%w: it died %d times", ErrBrowser, crashes)
		}
		greeted, start = false, time.Now()
		return open()
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case h := <-s.hello:
			if h.Error != "" {
				return fmt.Errorf("%w: %s; try --adapter software, or a browser with a GPU", ErrBrowser, h.Error)
			}
			greeted, ever = true, true
			rep.UserAgent = h.UserAgent
			if h.Adapter != nil {
				rep.Adapter = *h.Adapter
			}
		case <-gone():
			if ctx.Err() != nil {
				return ctx.Err()
			}
			s.stuck(0, true)
			if err := again(); err != nil {
				return err
			}
		case <-s.answer:
		case <-tick.C:
			switch {
			case s.stuck(s.opt.Timeout, false):
				if err := again(); err != nil {
					return err
				}
			case !greeted && !s.opt.ByHand && time.Since(start) > s.opt.Timeout:
				return fmt.Errorf("%w: the page did not start within %s", ErrBrowser, s.opt.Timeout)
			}
		}
		done, all := s.finished()
		if s.opt.Progress != nil {
			s.opt.Progress(done, len(s.passes))
		}
		if all && (ever || len(s.passes) == 0) {
			return nil
		}
	}
}
