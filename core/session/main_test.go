package session_test

import (
	"os"
	"testing"

	"fxlens/core/diag"
	"fxlens/internal/raised"
)

func TestMain(m *testing.M) {
	os.Exit(raised.Main(m, raised.Codes{
		Prefixes: []string{"session."},
		Whole:    []diag.Code{"session.bare-tokens", "session.c-header", "session.not-rebuilt", "session.not-stored", "session.partly-described", "session.stored-differs", "session.translated-now"},
	}))
}
