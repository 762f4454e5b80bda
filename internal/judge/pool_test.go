package judge_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/internal/judge"
)

// TestPoolSurvivesCrashes drives the worker pool with a judge that dies or hangs
// on demand: the guilty case alone is reported, all others are answered, in
// order.
func TestPoolSurvivesCrashes(t *testing.T) {
	script := filepath.Join(judge.Root(t), "testdata", "tools", "lib", "pool-selftest.mjs")
	in := `{"id":"a"}
{"id":"b","do":"abort"}
not json
{"id":"c"}
{"id":"d","do":"hang"}
{"id":"e","do":"throw"}
{"id":"f"}
{"id":"g","do":"abort once"}
{"id":"h"}
`
	cmd := exec.CommandContext(t.Context(), "node", script, "--jobs", "1", "--timeout", "1")
	cmd.Env = append(cmd.Environ(), "POOL_SELFTEST_DIR="+t.TempDir())
	cmd.Stdin = strings.NewReader(in)
	out, err := cmd.Output()
	require.NoError(t, err)
	var got []string
	for _, line := range bytes.Split(bytes.TrimSpace(out), []byte("\n")) {
		var r judge.Result
		require.NoError(t, json.Unmarshal(line, &r), string(line))
		text := "fine"
		if len(r.Messages) > 0 {
			text = r.Messages[0].Severity + ": " + r.Messages[0].Text
		}
		got = append(got, r.ID+" "+text)
	}
	require.Len(t, got, 9)
	assert.Equal(t, "a fine", got[0])
	assert.Contains(t, got[1], "b crash: the judge's process died on this case: killed by SIGABRT")
	assert.Contains(t, got[2], "line 3 error: line 3 is no JSON")
	assert.Equal(t, "c fine", got[3])
	assert.Contains(t, got[4], "d crash: the judge's process died on this case: no answer in 1 s")
	assert.Contains(t, got[5], "e error: Error: thrown on demand")
	assert.Equal(t, []string{"f fine", "g fine", "h fine"}, got[6:])
}
