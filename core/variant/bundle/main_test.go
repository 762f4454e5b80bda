package bundle_test

import (
	"os"
	"testing"

	"fxlens/internal/raised"
)

func TestMain(m *testing.M) {
	os.Exit(raised.Main(m, raised.Codes{Prefixes: []string{"bundle."}, Elsewhere: true}))
}
