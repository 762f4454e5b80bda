package effect_test

import (
	"fmt"
	"os"

	"fxlens/core/effect"
)

// A permutation is chosen by the names of its options; axes left out have their default.
func ExampleEffect_ParseOptions() {
	data, err := os.ReadFile("../../testdata/effects/quadv5.sm_hi")
	if err != nil {
		panic(err)
	}
	e, err := effect.Parse(data)
	if err != nil {
		panic(err)
	}
	choice, err := e.ParseOptions("SKINNED=SKINNED_ON")
	if err != nil {
		panic(err)
	}
	perm, err := e.Index(choice)
	if err != nil {
		panic(err)
	}
	body, err := e.Body(perm)
	if err != nil {
		panic(err)
	}
	fmt.Println("permutation", perm, "of", e.PermutationCount(), "has body", e.BodyOf(perm))
	for _, t := range body.Techniques {
		fmt.Println(t.Name, len(t.Passes), "pass")
	}
	// Output:
	// permutation 69 of 96 has body 63
	// Main 1 pass
	// Depth 1 pass
	// Picking 1 pass
}
