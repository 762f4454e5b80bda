package dxbc_test

import (
	"fmt"
	"os"

	"fxlens/core/dxbc"
)

func ExampleOpen() {
	data, err := os.ReadFile("../../testdata/dxbc/golden/bits5_cs50.dxbc")
	if err != nil {
		panic(err)
	}
	s, err := dxbc.Open(data)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%v %d.%d\n", s.Program.Kind, s.Program.Major, s.Program.Minor)
	fmt.Println(len(s.Program.Instrs), "instructions")
	for _, c := range s.Container.Chunks {
		fmt.Println(c.Tag, len(c.Data), "bytes")
	}
	// Output:
	// cs 5.0
	// 36 instructions
	// RDEF 172 bytes
	// ISGN 8 bytes
	// OSGN 8 bytes
	// SHEX 1048 bytes
	// SFI0 8 bytes
	// STAT 148 bytes
}
