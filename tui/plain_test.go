package tui

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func plainly(t testing.TB, lines ...string) string {
	t.Helper()
	var out strings.Builder
	require.NoError(t, Plain(context.Background(), openSession(t, effectFile), Options{}, strings.NewReader(strings.Join(lines, "\n")+"\n"), &out))
	return out.String()
}

// The inspector as lines: the same actions, no escape sequence, everything in words.
func TestPlain(t *testing.T) {
	out := plainly(t, "", "/mad", "n", "references", "esc", "show 2", "axes", "down", "palette", "layout", "esc", "nosuch", "e", "q", "q")
	assert.NotContains(t, out, "\x1b")
	assert.Contains(t, out, "DXBC  ps, line 27 of 107: sample_indexable")
	assert.Contains(t, out, "instruction: @25 sample_indexable", "what the panel says")
	assert.Contains(t, out, ": mad r2.y")
	assert.Contains(t, out, "references: the cursor is on no register", "the reason of a disabled action")
	assert.Contains(t, out, "Axes, line 2 of")
	assert.Contains(t, out, "Type a number, words to filter, or esc.")
	assert.Contains(t, out, "Error: there is no action and no key \"nosuch\"")
	assert.Contains(t, out, "Export package")
	assert.Contains(t, plainly(t, "help", "actions"), "slice, key f: dim all but what feeds")
}

// What a crash report says leads to the same frame.
func TestReplay(t *testing.T) {
	s := openSession(t, effectFile)
	r := newRig(t, s, 120, 40)
	r.keys("/", "mad", "enter", "n", "2", "tab", "down", "right")
	report := r.m.report()
	assert.Contains(t, report, `link "quadv5.sm_hi?`)
	assert.Contains(t, report, fmt.Sprintf("sha256 %x", s.SHA256))
	frame, err := Replay(context.Background(), openSession(t, effectFile), Options{}, report)
	require.NoError(t, err)
	for i, l := range strings.Split(r.screen(), "\n") {
		assert.Equal(t, strings.TrimRight(l, " "), strings.Split(frame, "\n")[i])
	}
	_, err = Replay(context.Background(), textSession(t, nestedText), Options{}, report)
	assert.ErrorIs(t, err, ErrReplay)
	assert.ErrorContains(t, err, "give the same file")
	for _, bad := range []string{"", "event key x", "event size", "event dance 3", "event key 1 true false \"unfinished"} {
		_, err = Replay(context.Background(), s, Options{}, bad)
		assert.ErrorIs(t, err, ErrReplay, bad)
	}
}

// A visit of any length keeps its report small.
func TestReportIsBounded(t *testing.T) {
	r := newRig(t, openSession(t, effectFile), 120, 40)
	for range maxEvents + 10 {
		r.m.note(runes("j"))
	}
	assert.Contains(t, r.m.report(), "more events")
	assert.LessOrEqual(t, len(r.m.events), maxEvents)
}
