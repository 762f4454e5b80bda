package judge

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	process "fxlens/cmd/fxlens/judge"
	"fxlens/core/wgsl/syntax"
)

// Dawn validates the cases and returns one result for each, in order. It fails
// t at once when the judge itself cannot run; what it says about the cases is
// for the caller to assert (or see [Check]).
func Dawn(t testing.TB, cases []Case) []Result {
	t.Helper()
	skipIfUnwanted(t)
	seen := make(map[string]bool, len(cases))
	for _, c := range cases {
		if seen[c.ID] {
			t.Fatalf("judge: two cases are named %q", c.ID)
		}
		seen[c.ID] = true
	}
	return ask[Case, Result](t, "dawngate.mjs", cases)
}

// Check is [Dawn] plus the verdict: every case must come back without a single
// message. Failures quote the lines that Dawn complains about. fxlens' own WGSL front
// end must have nothing to say either: it is to accept what Dawn accepts.
func Check(t testing.TB, cases []Case) []Result {
	t.Helper()
	for _, c := range cases {
		for _, m := range c.Modules {
			if _, errs := syntax.Validate(m.Code); len(errs) > 0 {
				t.Errorf("%s: core/wgsl/syntax has messages on the module:\n%v", c.ID, errs)
			}
		}
	}
	results := Dawn(t, cases)
	for i, r := range results {
		if !r.Clean() {
			t.Errorf("Dawn has messages on %s%s", r, quote(cases[i], r))
		}
	}
	return results
}

// quote shows the source lines that the messages of r point at.
func quote(c Case, r Result) string {
	var b strings.Builder
	shown := 0
	for _, m := range r.Messages {
		for _, mod := range c.Modules {
			lines := strings.Split(mod.Code, "\n")
			if mod.Stage != m.Stage || m.Line < 1 || m.Line > len(lines) || shown == 10 {
				continue
			}
			fmt.Fprintf(&b, "\n  %s:%d | %s", m.Stage, m.Line, lines[m.Line-1])
			shown++
		}
	}
	return b.String()
}

func skipIfUnwanted(t testing.TB) {
	t.Helper()
	if os.Getenv("FXLENS_NO_DAWN") == "1" {
		t.Skip("FXLENS_NO_DAWN=1: the outside judges are switched off for this run")
	}
}

const remedy = "run scripts/setup (or `npm ci --ignore-scripts` in testdata/tools), or set FXLENS_NO_DAWN=1 for a quick run without judges"

// Root returns the repository's root, found upwards from the test's folder.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := root()
	if err != nil {
		t.Fatalf("judge: %v", err)
	}
	return dir
}

var root = sync.OnceValues(func() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && bytes.HasPrefix(bytes.TrimSpace(mod), []byte("module fxlens")) {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("no go.mod of fxlens above the working directory")
		}
		dir = up
	}
})

// ask puts questions to a script of testdata/tools.
func ask[Q, A any](t testing.TB, script string, questions []Q) []A {
	t.Helper()
	if len(questions) == 0 {
		return nil
	}
	j, err := process.Find(filepath.Join(Root(t), "testdata", "tools"))
	if err != nil {
		t.Fatalf("judge: %v; %s", err, remedy)
	}
	answers, err := process.Ask[Q, A](t.Context(), j, script, questions)
	if err != nil {
		t.Fatalf("judge: %v\n%s", err, remedy)
	}
	return answers
}
