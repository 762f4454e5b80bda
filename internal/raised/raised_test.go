package raised

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"fxlens/core/diag"
)

var (
	codeA = diag.Register(diag.Info{Code: "test.a", Title: "t", Rule: "r", Remedy: "none"})
	codeB = diag.Register(diag.Info{Code: "test.b", Title: "t", Rule: "r", Remedy: "none"})
	codeC = diag.Register(diag.Info{Code: "test.c", Title: "t", Rule: "r", Remedy: "none"})
	codeD = diag.Register(diag.Info{Code: "test.d", Title: "t", Rule: "r", Remedy: "none"})
	_     = diag.Register(diag.Info{Code: "other.e", Title: "t", Rule: "r", Remedy: "none"})
)

func TestFaults(t *testing.T) {
	c := Codes{Prefixes: []string{"test."}, Whole: []diag.Code{codeB, "test.x"}, Never: map[diag.Code]string{codeC: "a bug"}}
	assert.Equal(t, []string{"test.a: no test raises it", "test.b: no test raises it", "test.d: no test raises it", "test.x: no such code"}, c.faults(nil))
	assert.Equal(t, []string{
		"test.a: it never has a place",
		"test.b: it has a place: it is not about the whole input",
		"test.c: a test raises it: it is not one that nothing raises (a bug)",
		"test.x: no such code",
	}, c.faults(map[diag.Code]bool{codeA: false, codeB: true, codeC: true, codeD: true}))
	c.Whole, c.Elsewhere = nil, true
	assert.Empty(t, c.faults(map[diag.Code]bool{codeA: false, codeB: false, codeD: true}))
}
