package judge_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/internal/judge"
)

// patternBlock is one fenced block of the patterns document: its words after
// "wgsl" and its text.
type patternBlock struct {
	line        int
	each, error bool
	text        string
}

func patternBlocks(doc string) []patternBlock {
	var blocks []patternBlock
	var cur *patternBlock
	for i, line := range strings.Split(doc, "\n") {
		switch {
		case cur == nil && strings.HasPrefix(line, "```wgsl"):
			words := strings.Fields(line)[1:]
			blocks = append(blocks, patternBlock{line: i + 1})
			cur = &blocks[len(blocks)-1]
			for _, w := range words {
				cur.each = cur.each || w == "each"
				cur.error = cur.error || w == "error"
			}
		case cur != nil && strings.HasPrefix(line, "```"):
			cur = nil
		case cur != nil:
			cur.text += line + "\n"
		}
	}
	return blocks
}

// inFragment puts one statement where the document says that the lines of an
// "each" block stand.
func inFragment(statement string) string {
	return `@group(0) @binding(0) var<uniform> cb: array<vec4<f32>, 2>;
@fragment
fn main(@location(0) a: f32, @location(1) @interpolate(flat) i: i32, @location(2) @interpolate(flat) u: u32) -> @location(0) vec4<f32> {
  ` + statement + `
  return vec4<f32>(a, f32(i), f32(u), cb[0].x);
}
`
}

// TestDawnPatterns holds the patterns document and the gate against each other:
// every block marked valid compiles without a message (compute ones form a
// pipeline), every block marked "error" is refused. The document is not part of
// this repository, so the test runs where it lies beside it.
func TestDawnPatterns(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join(judge.Root(t), "..", "shared", "spec", "wgsl-patterns.md"))
	if os.IsNotExist(err) {
		t.Log("no ../shared/spec/wgsl-patterns.md here; the snippets above cover the gate")
		return
	}
	require.NoError(t, err)
	blocks := patternBlocks(string(doc))
	require.Greater(t, len(blocks), 20)
	var cases []judge.Case
	var refused []bool
	add := func(line int, stage, code string, bad bool) {
		c := judge.Case{
			ID:       fmt.Sprintf("line %d case %d", line, len(cases)),
			Modules:  []judge.Module{{Stage: stage, Code: code}},
			Features: []string{"clip-distances", "primitive-index", "dual-source-blending", "bgra8unorm-storage"},
		}
		if stage == judge.Compute {
			c.Pipeline = &judge.Pipeline{}
		}
		cases, refused = append(cases, c), append(refused, bad)
	}
	for _, b := range blocks {
		if b.each {
			for _, line := range strings.Split(strings.TrimSpace(b.text), "\n") {
				add(b.line, judge.Fragment, inFragment(line), b.error)
			}
			continue
		}
		stage := ""
		if strings.Contains(b.text, "@compute") {
			stage = judge.Compute
		}
		add(b.line, stage, b.text, b.error)
	}
	for i, r := range judge.Dawn(t, cases) {
		if refused[i] {
			assert.False(t, r.Valid(), "%s should be refused:\n%s", r, cases[i].Modules[0].Code)
		} else {
			assert.True(t, r.Clean(), "%s\n%s", r, cases[i].Modules[0].Code)
		}
	}
}
