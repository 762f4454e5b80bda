//go:build linux

package tui

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// terminalProcess is a program on a pseudo-terminal, with an emulator that keeps its screen.
type terminalProcess struct {
	t    testing.TB
	cmd  *exec.Cmd
	pty  *os.File
	mu   sync.Mutex
	raw  bytes.Buffer
	emu  *vt.Emulator
	done chan error
	end  chan struct{} // the reader has seen the end
}

// openPTY returns both ends of a new pseudo-terminal of w by h cells.
func openPTY(t testing.TB, w, h int) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	require.NoError(t, err)
	raw, err := master.SyscallConn()
	require.NoError(t, err)
	var n int
	var ierr error
	require.NoError(t, raw.Control(func(fd uintptr) {
		if ierr = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); ierr == nil {
			n, ierr = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		}
	}))
	require.NoError(t, ierr)
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	resizePTY(t, master, w, h)
	return master, slave
}

func resizePTY(t testing.TB, master *os.File, w, h int) {
	t.Helper()
	raw, err := master.SyscallConn()
	require.NoError(t, err)
	var ierr error
	require.NoError(t, raw.Control(func(fd uintptr) {
		ierr = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(h), Col: uint16(w)})
	}))
	require.NoError(t, ierr)
}

// onPTY starts a program on a pseudo-terminal. env comes on top of a fixed environment.
func onPTY(t testing.TB, w, h int, env []string, path string, args ...string) *terminalProcess {
	t.Helper()
	return startPTY(t, w, h, vt.NewEmulator(w, h), env, path, args...)
}

// startPTY is onPTY with the given emulator; with nil what is written is kept and no more.
func startPTY(t testing.TB, w, h int, emu *vt.Emulator, env []string, path string, args ...string) *terminalProcess {
	t.Helper()
	master, slave := openPTY(t, w, h)
	p := &terminalProcess{t: t, pty: master, emu: emu, done: make(chan error, 1), end: make(chan struct{})}
	p.cmd = exec.Command(path, args...)
	p.cmd.Env = append([]string{"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8", "HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}, env...)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = slave, slave, slave
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(t, p.cmd.Start())
	require.NoError(t, slave.Close())
	// What the emulator answers is not sent back: nobody may ask.
	if emu != nil {
		go func() { _, _ = io.Copy(io.Discard, emu) }()
	}
	go func() {
		defer close(p.end)
		buf := make([]byte, 1<<16)
		for {
			n, err := master.Read(buf)
			p.mu.Lock()
			p.raw.Write(buf[:n])
			if emu != nil {
				_, _ = emu.Write(buf[:n])
			}
			p.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	go func() { p.done <- p.cmd.Wait() }()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		_ = master.Close()
	})
	return p
}

// screen is what the terminal shows.
func (p *terminalProcess) screen() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.emu.String()
}

func (p *terminalProcess) bytes() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.raw.String()
}

// wait waits until the screen contains text.
func (p *terminalProcess) wait(text string) {
	p.t.Helper()
	p.until(func() bool { return strings.Contains(p.screen(), text) }, "the screen shows "+text)
}

func (p *terminalProcess) until(ok func() bool, what string) {
	p.t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if ok() {
			return
		}
	}
	require.FailNow(p.t, "waited in vain until "+what, p.screen())
}

func (p *terminalProcess) send(s string) {
	p.t.Helper()
	_, err := p.pty.WriteString(s)
	require.NoError(p.t, err)
}

// exit waits for the program's end and returns its error.
func (p *terminalProcess) exit() error {
	p.t.Helper()
	select {
	case err := <-p.done:
		<-p.end
		return err
	case <-time.After(20 * time.Second):
		require.FailNow(p.t, "the program does not end", p.screen())
		return nil
	}
}

// program builds one of the programs under testdata, once.
var (
	builtMu  sync.Mutex
	builtDir string
	builtBin = map[string]string{}
)

func program(t testing.TB, pkg string) string {
	t.Helper()
	builtMu.Lock()
	defer builtMu.Unlock()
	if p := builtBin[pkg]; p != "" {
		return p
	}
	if builtDir == "" {
		dir, err := os.MkdirTemp("", "fxlens-tui")
		require.NoError(t, err)
		builtDir = dir
	}
	out := filepath.Join(builtDir, filepath.Base(pkg))
	build := exec.Command("go", "build", "-o", out, pkg)
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is released: a static binary starts faster
	b, err := build.CombinedOutput()
	require.NoError(t, err, string(b))
	builtBin[pkg] = out
	return out
}

func TestMain(m *testing.M) {
	code := m.Run()
	if builtDir != "" {
		_ = os.RemoveAll(builtDir)
	}
	os.Exit(code)
}

const query = "\x1b]11"

// Importing bubbletea asks the terminal for its background before main runs. Package
// quiet prevents it; the program without it shows that the test would notice.
func TestNothingIsAskedOfTheTerminal(t *testing.T) {
	t.Run("without the guard it is", func(t *testing.T) {
		p := onPTY(t, 80, 24, nil, program(t, "./testdata/unguarded"))
		p.until(func() bool { return strings.Contains(p.bytes(), query) }, "the query is written")
	})
	for _, c := range []struct {
		name, pkg string
		args      []string
		text      string
	}{
		{"headless", "./testdata/inspector", []string{"-headless"}, "inspector"},
		{"the program's own version", "fxlens/cmd/fxlens", []string{"--version"}, "fxlens"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bin := program(t, c.pkg)
			start := time.Now()
			p := onPTY(t, 80, 24, nil, bin, c.args...)
			require.NoError(t, p.exit())
			assert.Contains(t, p.bytes(), c.text)
			assert.NotContains(t, p.bytes(), "\x1b", "a headless command writes no escape sequence")
			assert.Less(t, time.Since(start), 4*time.Second, "the query waits five seconds")
		})
	}
	t.Run("inspector", func(t *testing.T) {
		p := onPTY(t, 120, 40, nil, program(t, "./testdata/inspector"), effectFile)
		p.wait("translated")
		p.send("q")
		require.NoError(t, p.exit())
		assert.NotContains(t, p.bytes(), query)
		assert.NotContains(t, p.bytes(), "\x1b[6n", "the cursor's position is not asked for either")
	})
}

// restored checks that everything that was switched on was switched off again.
func restored(t *testing.T, raw string) {
	t.Helper()
	for _, mode := range []string{"?1049", "?1002", "?1006", "?2004"} {
		on, off := strings.LastIndex(raw, "\x1b["+mode+"h"), strings.LastIndex(raw, "\x1b["+mode+"l")
		if on >= 0 {
			assert.Greater(t, off, on, "mode %s is left on", mode)
		}
	}
	assert.Greater(t, strings.LastIndex(raw, "\x1b[?25h"), strings.LastIndex(raw, "\x1b[?25l"), "the cursor is hidden")
}

func TestQuitRestoresTheTerminal(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(p *terminalProcess)
		ok   bool
	}{
		{"q", func(p *terminalProcess) { p.send("q") }, true},
		{"ctrl+c", func(p *terminalProcess) { p.send("\x03") }, true},
		{"terminated", func(p *terminalProcess) { _ = p.cmd.Process.Signal(syscall.SIGTERM) }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := onPTY(t, 100, 30, nil, program(t, "./testdata/inspector"), effectFile)
			p.wait("translated")
			assert.Contains(t, p.bytes(), "\x1b[?1049h")
			c.end(p)
			err := p.exit()
			if c.ok {
				assert.NoError(t, err)
			}
			restored(t, p.bytes())
		})
	}
}

func TestPanicRestoresTheTerminal(t *testing.T) {
	// The console takes no OSC 52, so y asks the clipboard, which panics in that program.
	p := onPTY(t, 100, 30, []string{"FXLENS_TEST_PANIC=1", "TERM=linux"}, program(t, "./testdata/inspector"), effectFile)
	p.wait("translated")
	p.send("y")
	err := p.exit()
	var ee *exec.ExitError
	require.True(t, errors.As(err, &ee))
	restored(t, p.bytes())
	assert.Contains(t, p.bytes(), "a bug in the inspector")
}

func TestDumbTerminal(t *testing.T) {
	p := onPTY(t, 80, 24, []string{"TERM=dumb"}, program(t, "./testdata/inspector"), effectFile)
	require.Error(t, p.exit())
	assert.Contains(t, p.bytes(), "use `fxlens inspect`")
	assert.NotContains(t, p.bytes(), "\x1b")
}

// The whole on a real pseudo-terminal, with an emulator for the bytes on the wire.
func TestVisit(t *testing.T) {
	bin := program(t, "./testdata/inspector")
	for _, z := range [][2]int{{80, 24}, {120, 40}, {220, 60}} {
		for _, env := range []string{"NO_COLOR=1", "NO_COLOR="} {
			t.Run(fmt.Sprintf("%dx%d %s", z[0], z[1], env), func(t *testing.T) {
				dir := t.TempDir()
				p := onPTY(t, z[0], z[1], []string{env}, bin, "-dir", dir, effectFile)
				p.wait("6 translated")
				p.send("/mad")
				p.wait("hit 1 of")
				p.send("\r")
				p.send("nn")
				p.wait("hit 3 of")
				p.send("a")
				p.wait("▸ Axes")
				p.send("+")
				p.wait("58 of 96")
				p.send("?")
				p.wait("Help")
				p.send("\x1b")
				p.until(func() bool { return !strings.Contains(p.screen(), "Help  ") }, "the help closes")
				p.send("e")
				p.wait("Export package")
				p.send("\r")
				p.wait("read back and checked")
				p.send("\x1b")
				p.until(func() bool { return !strings.Contains(p.screen(), "read back and checked") }, "the dialog closes")
				for _, r := range [][2]int{{60, 20}, {200, 50}, {81, 25}, {z[0], z[1]}} {
					p.resize(r[0], r[1])
				}
				p.wait("58 of 96")
				p.send("q")
				require.NoError(t, p.exit())
				restored(t, p.bytes())
				if strings.HasSuffix(env, "=1") {
					assert.NotRegexp(t, "\x1b\\[[0-9;]*[34][0-9](;[0-9;]*)?m", p.bytes(), "a colour under NO_COLOR")
				}
				es, err := os.ReadDir(dir)
				require.NoError(t, err)
				require.Len(t, es, 1)
				assert.Equal(t, "quadv5_sm_hi.58.cewgpu", es[0].Name())
			})
		}
	}
}

// resize changes the size and waits until the program has drawn for it.
func (p *terminalProcess) resize(w, h int) {
	p.t.Helper()
	p.mu.Lock()
	p.emu.Resize(w, h)
	n := p.raw.Len()
	p.mu.Unlock()
	resizePTY(p.t, p.pty, w, h)
	require.NoError(p.t, p.cmd.Process.Signal(syscall.SIGWINCH))
	p.until(func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.raw.Len() > n
	}, "the program draws for the new size")
}

// A burst of mouse reports and keys, as a terminal sends them: nothing is taken for keys,
// and the program answers at once.
func TestBurst(t *testing.T) {
	p := onPTY(t, 120, 40, nil, program(t, "./testdata/inspector"), effectFile)
	p.wait("6 translated")
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "\x1b[<35;%d;%dM", 40+i%70, 2+i%15)
	}
	p.send(b.String())
	start := time.Now()
	p.send("q")
	require.NoError(t, p.exit())
	assert.Less(t, time.Since(start), 3*time.Second, "the burst does not hold the key up")
	restored(t, p.bytes())
}

// --no-mouse asks for no mouse reports at all.
func TestNoMouse(t *testing.T) {
	p := onPTY(t, 120, 40, nil, program(t, "./testdata/inspector"), "-no-mouse", effectFile)
	p.wait("mouse off")
	p.send("q")
	require.NoError(t, p.exit())
	assert.NotContains(t, p.bytes(), "\x1b[?1002h")
}

// A link as argument opens the same place.
func TestDeepLink(t *testing.T) {
	p := onPTY(t, 120, 40, nil, program(t, "./testdata/inspector"), "-at", "quadv5.sm_hi?SKINNED=SKINNED_ON#Depth/0/vs@12", effectFile)
	p.wait("?SKINNED=SKINNED_ON#Depth/0/vs@12")
	assert.Contains(t, p.screen(), "> ")
	p.send("q")
	require.NoError(t, p.exit())
}

// BenchmarkStart starts fxlens itself on a terminal of 220 by 60 cells. An operation ends
// with the first frame: tree, panes and status are there, and the panes' text where its
// pass has been compiled. wgsl-ms is when the translated text is there too.
func BenchmarkStart(b *testing.B) {
	bin := program(b, "fxlens/cmd/fxlens")
	var text time.Duration
	for b.Loop() {
		start := time.Now()
		p := startPTY(b, 220, 60, nil, nil, bin, effectFile) // an emulator works as much as the program
		p.soon("Main", "quit")
		b.StopTimer()
		p.soon("textureSample")
		text += time.Since(start)
		p.send("q")
		require.NoError(b, p.exit())
		_ = p.pty.Close()
		b.StartTimer()
	}
	b.ReportMetric(float64(text.Microseconds())/1e3/float64(b.N), "wgsl-ms/op")
}

// soon waits until the program has written all of texts. It looks ten times as often as
// wait.
func (p *terminalProcess) soon(texts ...string) {
	p.t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(200 * time.Microsecond) {
		if s := p.bytes(); !slices.ContainsFunc(texts, func(t string) bool { return !strings.Contains(s, t) }) {
			return
		}
	}
	require.FailNow(p.t, "waited in vain", p.bytes())
}
