//go:build linux

package tui

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/session"
)

// player presses keys on a pseudo-terminal and counts them.
type player struct {
	*terminalProcess
	n int
}

// press sends one key and waits for what it brings to the screen.
func (p *player) press(key, want string) {
	p.t.Helper()
	p.n++
	p.send(key)
	p.wait(want)
}

const (
	enterKey = "\r"
	escKey   = "\x1b"
	undoKey  = "\x1a"
)

// Story A and C on a real pseudo-terminal in mono: from the first frame to the first
// reason, to the choice of both view formats, to the written package and into it.
func TestStoriesOnATerminal(t *testing.T) {
	bin, cli := program(t, "./testdata/inspector"), program(t, "fxlens/cmd/fxlens")
	says, err := exec.Command(cli, "--version").Output()
	require.NoError(t, err)
	version := strings.Fields(string(says))[1]
	for _, z := range [][2]int{{80, 24}, {120, 40}} {
		t.Run(fmt.Sprintf("histogram-%dx%d", z[0], z[1]), func(t *testing.T) {
			file := copyEffect(t, sharedEffects+"postprocess/histogram.sm_hi")
			dir, side := filepath.Dir(file), file+session.SidecarSuffix
			p := &player{terminalProcess: onPTY(t, z[0], z[1], []string{"NO_COLOR=1"}, bin, "-dir", dir, "-sidecar", side, "-version", version, file)}
			p.wait("✗ 1 refused")
			p.press("!", "Why refused")
			p.press(enterKey, "Average/0/cs@2")
			p.wait("r sets the remedy")
			assert.LessOrEqual(t, p.n, 3, "keys to the first reason")
			t.Logf("keys to the first reason: %d", p.n)

			p.n = 0
			p.press("r", "takes 2 refusals away")
			p.press(enterKey, "kept in histogram")
			p.wait("dcl_resource_buffer (uint,uint,uint,uint) t1")
			p.press("]", "Average/0/cs@3")
			p.press("r", "frees   2 stages")
			p.press(enterKey, "t2=R32G32B32A32_FLOAT, kept")
			p.press("e", "✓ 2 translated") // the message goes, and the mark has turned
			p.wait("--profile extended")
			p.press("p", "SHA-256")
			p.press(enterKey, "read back and checked")
			assert.LessOrEqual(t, p.n, 12, "keys from there to the written package")
			t.Logf("keys from there to the written package: %d", p.n)

			out := filepath.Join(dir, "histogram_sm_hi.0.cewgpu")
			same := filepath.Join(t.TempDir(), "same.cewgpu")
			b, err := exec.Command(cli, "build", file, "--profile", "extended", "-o", same).CombinedOutput()
			require.NoError(t, err, string(b))
			want, err := os.ReadFile(same)
			require.NoError(t, err)
			got, err := os.ReadFile(out)
			require.NoError(t, err)
			assert.True(t, string(want) == string(got), "the same bytes as fxlens build makes")

			p.press("o", "O goes back to histogram.sm_hi")
			p.wait("✓ 2 translated")
			p.press("O", "histogram.sm_hi")
			p.press(undoKey, "taken back: --view Average/0/cs/t2")
			p.press(undoKey, "taken back: --view Average/0/cs/t1")
			p.press("t", "✗ 1 refused")
			p.until(func() bool { _, err := os.Stat(side); return os.IsNotExist(err) }, "the sidecar is gone again")
			p.send("q")
			require.NoError(t, p.exit())
			restored(t, p.bytes())
		})
		t.Run(fmt.Sprintf("particles-%dx%d", z[0], z[1]), func(t *testing.T) {
			file := copyEffect(t, sharedEffects+"particles/draw.sm_hi")
			p := &player{terminalProcess: onPTY(t, z[0], z[1], []string{"NO_COLOR=1"}, bin, "-dir", filepath.Dir(file), file)}
			p.wait("∅ 1 no counterpart")
			p.press("!", "gs stages have no counterpart")
			p.wait("the view format of the typed buffer t1")
			p.press("\x1b[B", "remedy  none: draw without the stage")
			p.press(enterKey, "DXBC  gs")
			p.wait("compile.no-stage")
			p.press("r", "there is nothing to set")
			p.press("6", "Signatures  gs")
			p.press("3", "no WGSL")
			p.send("q")
			require.NoError(t, p.exit())
		})
		t.Run(fmt.Sprintf("terrain-%dx%d", z[0], z[1]), func(t *testing.T) {
			file := copyEffect(t, sharedEffects+"planet/terrain.sm_hi")
			p := &player{terminalProcess: onPTY(t, z[0], z[1], []string{"NO_COLOR=1"}, bin, file)}
			p.wait("∅ 4 no counterpart")
			p.press("]", "hs stages have no counterpart")
			p.press("]", "ds stages have no counterpart")
			p.press("[", "hs stages have no counterpart")
			p.send("q")
			require.NoError(t, p.exit())
		})
		t.Run(fmt.Sprintf("own-%dx%d", z[0], z[1]), func(t *testing.T) {
			p := &player{terminalProcess: onPTY(t, z[0], z[1], []string{"NO_COLOR=1"}, bin, storyFile)}
			p.wait("✗ 1 refused")
			p.press("]", "wgsl.double")
			p.press("~", "ACCUMULATE_DOUBLE → ACCUMULATE_FLOAT")
			p.wait("enableDoublePrecision")
			p.press("(", "Main/0/ps@9")
			p.send("q")
			require.NoError(t, p.exit())
		})
	}
}

// `wgsl --json` gives the codes that ] walks, in the same order; the link of a report as
// argument opens the same place.
func TestStoryHeadless(t *testing.T) {
	cli := program(t, "fxlens/cmd/fxlens")
	for _, name := range []string{sharedEffects + "postprocess/histogram.sm_hi", sharedEffects + "particles/draw.sm_hi", storyFile} {
		r, _ := storyRig(t, name, 120, 40)
		out, err := exec.Command(cli, "wgsl", "--json", r.m.sess.Name).Output()
		require.Error(t, err, "a refusal has exit code 1")
		var doc struct {
			Documents []struct {
				Diagnostics []struct{ Code, Severity, At string }
			}
		}
		require.NoError(t, json.Unmarshal(out, &doc))
		var want, got []string
		for _, d := range doc.Documents {
			for _, x := range d.Diagnostics {
				if x.Severity == "error" {
					want = append(want, x.Code+" "+x.At)
				}
			}
		}
		require.NotEmpty(t, want)
		for range want {
			r.keys("]")
			d := r.m.diags[r.m.diagAt]
			got = append(got, string(d.Code)+" "+d.At.String())
		}
		assert.Equal(t, want, got, name)
	}
}
