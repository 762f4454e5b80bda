package cewgpu_test

import (
	"os"
	"testing"

	"fxlens/core/diag"
	"fxlens/internal/raised"
)

func TestMain(m *testing.M) {
	os.Exit(raised.Main(m, raised.Codes{
		Prefixes:  []string{"cewgpu."},
		Elsewhere: true,
		Never:     map[diag.Code]string{"cewgpu.bug": "the recover for a panic of ours: an input that raises it is a bug to mend"},
	}))
}
