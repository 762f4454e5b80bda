package main

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDoctorOptional: a missing optional part is told, with what to do, and is no failure.
func TestDoctorOptional(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Chdir(t.TempDir())
	var out, messages bytes.Buffer
	require.Equal(t, exitDone, run(context.Background(), []string{"doctor", "--json"}, bytes.NewReader(nil), &out, &messages), messages.String())
	var doc doctorDoc
	require.NoError(t, json.Unmarshal(out.Bytes(), &doc))
	missing := map[string]string{}
	for _, c := range doc.Checks {
		if c.Optional && !c.OK {
			missing[c.Name] = c.Remedy
		}
	}
	assert.Contains(t, missing["node"], "nodejs.org")
	assert.Contains(t, missing["Dawn"], "scripts/setup")

	out.Reset()
	require.Equal(t, exitDone, run(context.Background(), []string{"doctor"}, bytes.NewReader(nil), &out, &messages))
	assert.Regexp(t, "(?m)^-- +node +only `fxlens run` with WGSL needs it; ", out.String())
}
