package carbon

import "fxlens/core/pack/cewgpu"

// lenient is how documents show a text that is not UTF-8.
func lenient(s string) string { return cewgpu.Lenient(s) }
