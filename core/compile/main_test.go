package compile_test

import (
	"os"
	"testing"

	"fxlens/core/diag"
	"fxlens/internal/raised"
)

func TestMain(m *testing.M) {
	os.Exit(raised.Main(m, raised.Codes{
		Prefixes: []string{"compile.", "lower.", "premise."},
		Whole:    []diag.Code{"compile.no-stage", "compile.stage-kind", "compile.stage-twice", "compile.thread-group", "compile.undecodable", "lower.non-refactorable", "lower.stage-kind"},
	}))
}
