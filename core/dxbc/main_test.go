package dxbc_test

import (
	"os"
	"testing"

	"fxlens/core/diag"
	"fxlens/internal/raised"
)

func TestMain(m *testing.M) {
	os.Exit(raised.Main(m, raised.Codes{
		Prefixes: []string{"dxbc."},
		Whole:    []diag.Code{"dxbc.many", "dxbc.stage-kind", "dxbc.stat"},
	}))
}
