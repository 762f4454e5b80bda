package compile_test

import (
	"context"
	"fmt"
	"os"

	"fxlens/core/compile"
	"fxlens/core/dxbc"
)

// A bare shader is a pass of one stage.
func ExampleCompiler_PassOnce() {
	data, err := os.ReadFile("../../testdata/hlsl/vs-transform.dxbc")
	if err != nil {
		panic(err)
	}
	var c compile.Compiler
	in := &compile.PassInput{Stages: []compile.StageInput{{Kind: dxbc.Vertex, Program: data}}}
	pass, err := c.PassOnce(context.Background(), in, &compile.Options{})
	if err != nil {
		panic(err)
	}
	for _, s := range pass.Stages {
		fmt.Println(s.Status)
		fmt.Print(s.Module.Code)
	}
	// Output:
	// translated
	// @group(0) @binding(0) var<uniform> Params: array<vec4<f32>, 4>;  // cb0
	//
	// @vertex
	// fn main(@location(0) position: vec3<f32>) -> @invariant @builtin(position) vec4<f32> {
	//   let t = dot(vec4<f32>(position, 1.0), Params[0]);  // wvp column 0
	//   let t2 = dot(vec4<f32>(position, 1.0), Params[1]);  // wvp column 1
	//   // wvp column 2, wvp column 3
	//   return vec4<f32>(t, t2, dot(vec4<f32>(position, 1.0), Params[2]),
	//       dot(vec4<f32>(position, 1.0), Params[3]));
	// }
}
