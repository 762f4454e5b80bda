package qualify_test

import (
	"os"
	"testing"

	"fxlens/core/diag"
	"fxlens/internal/raised"
)

func TestMain(m *testing.M) {
	os.Exit(raised.Main(m, raised.Codes{
		Prefixes: []string{"qualify."},
		Whole:    []diag.Code{"qualify.format", "qualify.invalid", "qualify.library", "qualify.unknown", "qualify.unreadable"},
		Never:    map[diag.Code]string{"qualify.bug": "the recover for a panic of ours: an input that raises it is a bug to mend"},
	}))
}
