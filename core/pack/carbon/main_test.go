package carbon_test

import (
	"os"
	"testing"

	"fxlens/core/diag"
	"fxlens/internal/raised"
)

func TestMain(m *testing.M) {
	os.Exit(raised.Main(m, raised.Codes{
		Prefixes: []string{"carbon."},
		Whole:    []diag.Code{"carbon.block-budget", "carbon.more", "carbon.need-source", "carbon.side-file", "carbon.view"},
	}))
}
