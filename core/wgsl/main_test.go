package wgsl_test

import (
	"os"
	"testing"

	"fxlens/core/diag"
	"fxlens/internal/raised"
)

func TestMain(m *testing.M) {
	os.Exit(raised.Main(m, raised.Codes{
		Prefixes: []string{"wgsl.", "iface."},
		Whole:    []diag.Code{"wgsl.no-position", "wgsl.workgroup-zero"},
	}))
}
