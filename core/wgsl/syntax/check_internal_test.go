package syntax

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Each operator and builtin of the table is a predeclared name or an operator, and has an
// evaluator exactly where the table says that it has a value.
func TestOverloadTable(t *testing.T) {
	constant := map[string]bool{}
	for name, list := range overloads() {
		assert.True(t, predeclaredFunctions[name] || name == "neg" || !strings.ContainsAny(name, "abcdefghijklmnopqrstuvwxyz"), name)
		for _, o := range list {
			if strings.Contains(o.flags, "c") {
				constant[name] = true
			}
		}
		assert.Equal(t, constant[name], evaluators()[name] != nil, name)
	}
	for name := range predeclaredFunctions {
		assert.True(t, overloads()[name] != nil || name == "bitcast", name)
	}
	for name := range evaluators() {
		assert.True(t, constant[name], name)
	}
}
