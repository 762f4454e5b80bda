//go:build !race

package effect_test

const raceFactor = 1
