package tui

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/dxbc"
	"fxlens/core/session"
	"fxlens/themes"
	"fxlens/views"
)

// BenchmarkOpen is from the bytes of the file to the first full frame: parsed, the
// selected pass compiled, every pane drawn.
func BenchmarkOpen(b *testing.B) {
	data, err := os.ReadFile(effectFile)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		s, err := session.Open(effectFile, data, compile.Options{})
		require.NoError(b, err)
		m, err := newModel(context.Background(), s, Options{Getenv: noEnv}, terminal{profile: termenv.TrueColor, theme: "dark"})
		require.NoError(b, err)
		m.Update(tea.WindowSizeMsg{Width: 220, Height: 60})
		cmd := m.Init()
		first(b, m, cmd)
		require.Contains(b, m.View(), "textureSample")
	}
}

// first runs a selection's compile and not what follows in the background.
func first(b testing.TB, m *Model, cmd tea.Cmd) {
	msg := cmd()
	if batch, ok := msg.(tea.BatchMsg); ok {
		msg = batch[0]()
	}
	require.IsType(b, compiledMsg{}, msg)
	m.Update(msg)
}

func trueColour(b testing.TB, s *session.Session, w, h int) *rig {
	r := newRig(b, s, w, h)
	r.m.term = terminal{profile: termenv.TrueColor}
	th, err := themes.Load("dark")
	require.NoError(b, err)
	r.m.setTheme(th)
	return r
}

// BenchmarkOption changes an option and draws the frame.
func BenchmarkOption(b *testing.B) {
	b.Run("seen", func(b *testing.B) {
		r := trueColour(b, openSession(b, effectFile), 220, 60)
		r.keys("a", "-", "+") // both options have been looked at
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			r.hold = true
			r.keys([]string{"+", "-"}[i%2])
			i++
			require.NotEmpty(b, r.m.View())
			require.False(b, r.m.stale)
			r.held = nil
		}
	})
	b.Run("new", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			b.StopTimer()
			s := openSession(b, effectFile)
			m, err := newModel(context.Background(), s, Options{Getenv: noEnv}, terminal{profile: termenv.TrueColor, theme: "dark"})
			require.NoError(b, err)
			m.Update(tea.WindowSizeMsg{Width: 220, Height: 60})
			first(b, m, m.Init())
			m.View()
			b.StartTimer()
			first(b, m, m.choose(0, 1))
			m.View()
		}
	})
}

// longProgram is a program of n instructions, made of those of a real one.
func longProgram(t testing.TB, n int) *dxbc.Program {
	s := openSession(t, effectFile)
	passes, err := s.Passes(0)
	require.NoError(t, err)
	raw, err := s.StageProgram(0, passes[0], "ps")
	require.NoError(t, err)
	sh, err := dxbc.Open(raw)
	require.NoError(t, err)
	p := *sh.Program
	p.Instrs = nil
	for len(p.Instrs) < n {
		p.Instrs = append(p.Instrs, sh.Program.Instrs...)
	}
	p.Instrs = p.Instrs[:n]
	return &p
}

// longRig shows a listing of 20,000 lines in every pane.
func longRig(t testing.TB) *rig {
	r := trueColour(t, openSession(t, effectFile), 220, 60)
	p := longProgram(t, 20000)
	st := *r.m.stageNow()
	st.dxbc = views.NewDXBC(p, nil)
	for f := range st.forms {
		st.forms[f] = st.dxbc
	}
	r.m.view = &passView{pass: r.m.view.pass, stages: []*stageView{&st}, nodes: r.m.view.nodes[:1]}
	r.m.sel.stage = 0
	r.keys("1", "G", "g")
	return r
}

// BenchmarkKey is from a key to the frame on 20,000 lines in four panes, with median and
// 99th percentile.
func BenchmarkKey(b *testing.B) {
	for _, k := range []string{"j", "pgdown", "G", "right"} {
		b.Run(k, func(b *testing.B) {
			r := longRig(b)
			b.ReportAllocs()
			var took []time.Duration
			i := 0
			for b.Loop() {
				if r.cursor().line > 19000 || k == "right" && i%10 == 9 {
					r.keys("g")
				}
				i++
				start := time.Now()
				r.keys(k)
				r.m.View()
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
		})
	}
}

// BenchmarkFrame composes and paints a whole frame. It reports its bytes.
func BenchmarkFrame(b *testing.B) {
	r := longRig(b)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		r.m.dirty = true
		n = len(r.m.View())
	}
	b.ReportMetric(float64(n), "bytes/frame")
}

// BenchmarkMouse is 1,000 motions and one draw.
func BenchmarkMouse(b *testing.B) {
	r := longRig(b)
	b.ReportAllocs()
	for b.Loop() {
		for i := range 1000 {
			r.m.Update(tea.MouseMsg{X: i % 200, Y: i % 50, Action: tea.MouseActionMotion})
			r.m.View()
		}
	}
}

// BenchmarkSearch looks through 20,000 lines.
func BenchmarkSearch(b *testing.B) {
	v := views.NewDXBC(longProgram(b, 20000), nil)
	b.ReportAllocs()
	for b.Loop() {
		hits, err := findAll(context.Background(), v, "mul")
		require.NoError(b, err)
		require.NotEmpty(b, hits)
	}
}

// The frame's size is checked here, where no clock is needed.
func TestFrameIsSmall(t *testing.T) {
	r := longRig(t)
	n := len(r.m.View())
	require.Less(t, n, 100_000, "a frame goes over SSH as it is")
	require.Greater(t, strings.Count(r.m.View(), "\x1b["), 500, "the frame has its colours")
}
