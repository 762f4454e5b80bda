package layout

import (
	"os"
	"testing"

	"fxlens/core/diag"
	"fxlens/internal/raised"
)

func TestMain(m *testing.M) {
	os.Exit(raised.Main(m, raised.Codes{
		Prefixes: []string{"bind."},
		Whole:    []diag.Code{"bind.share-proposal", "bind.shared-identity"},
	}))
}
