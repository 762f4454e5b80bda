package variant_test

import (
	"fmt"

	"fxlens/core/variant"
)

// A switch decides which implementation is linked; whoever calls it stays as it is.
func Example() {
	fog, err := variant.Bool("fog")
	if err != nil {
		panic(err)
	}
	with := variant.NewChunk("fog on", "fn fogged(c: vec3f) -> vec3f { return c * 0.5; }")
	without := variant.NewChunk("fog off", "fn fogged(c: vec3f) -> vec3f { return c; }")
	choice := variant.ChoiceFrom(fog)
	for v, n := range []variant.Node{without, with} {
		if err := choice.Add(v, n); err != nil {
			panic(err)
		}
	}
	main := variant.NewChunk("main", "@fragment fn main() -> @location(0) vec4f { return vec4f(fogged(vec3f(1)), 1); }")
	if _, err := main.AddDependency(choice); err != nil {
		panic(err)
	}

	set, err := variant.Empty.With(fog, 1)
	if err != nil {
		panic(err)
	}
	for _, t := range []*variant.Set{variant.Empty, set} {
		chunk, err := variant.Specialize(main, t)
		if err != nil {
			panic(err)
		}
		linked, err := variant.Link(chunk)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%q\n%s\n", t, linked.Text)
	}
	// Output:
	// ""
	// fn fogged(c: vec3f) -> vec3f { return c; }
	// @fragment fn main() -> @location(0) vec4f { return vec4f(fogged(vec3f(1)), 1); }
	// "fog=true"
	// fn fogged(c: vec3f) -> vec3f { return c * 0.5; }
	// @fragment fn main() -> @location(0) vec4f { return vec4f(fogged(vec3f(1)), 1); }
}
