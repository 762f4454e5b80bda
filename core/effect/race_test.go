//go:build race

package effect_test

// raceFactor allows for what the race detector allocates itself.
const raceFactor = 2
