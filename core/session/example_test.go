package session_test

import (
	"context"
	"fmt"
	"os"

	"fxlens/core/compile"
	"fxlens/core/session"
)

// The WGSL of one pass of an effect, and why a stage has none.
func ExampleSession_Compile() {
	data, err := os.ReadFile("../../testdata/effects/particles/clear.sm_hi")
	if err != nil {
		panic(err)
	}
	s, err := session.Open("clear.sm_hi", data, compile.Options{})
	if err != nil {
		panic(err)
	}
	link, err := session.ParseLink("clear.sm_hi#Main/0")
	if err != nil {
		panic(err)
	}
	target, err := s.Resolve(link)
	if err != nil {
		panic(err)
	}
	for _, ref := range target.Passes {
		pass, err := s.Compile(context.Background(), target.Perm, ref)
		if err != nil {
			panic(err)
		}
		fmt.Println(ref, pass.Status)
		for _, d := range s.Diags(target.Perm, ref, pass) {
			fmt.Println(d.Sev, d.Code, d.At)
		}
	}
	// Output:
	// Main/0 refused
	// error bind.view-format #Main/0/cs@3
}

// A package with the modules of the default permutation.
func ExampleSession_BuildPackage() {
	data, err := os.ReadFile("../../testdata/effects/decal/decal.sm_hi")
	if err != nil {
		panic(err)
	}
	s, err := session.Open("decal.sm_hi", data, compile.Options{})
	if err != nil {
		panic(err)
	}
	file, report, err := s.BuildPackage(context.Background(), session.PackageOptions{Perm: s.DefaultPermutation(), Version: "0.1.0"})
	if err != nil {
		panic(err)
	}
	fmt.Println(len(file) > 100_000, report.Profile)
	// Output:
	// true strict
}
