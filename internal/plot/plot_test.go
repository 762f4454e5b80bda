package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const measured = `goos: linux
BenchmarkScaling/block/10-2 	  2197	    205742 ns/op	      2604 ns/instr	      1905 ns/value	   78549 B/op	     186 allocs/op
BenchmarkScaling/block/1000-2 	   193	   2456519 ns/op	      2298 ns/instr	      2239 ns/value	 1342044 B/op	    3218 allocs/op
BenchmarkScaling/block/10-2 	  2197	    195742 ns/op	      2504 ns/instr	      1805 ns/value	   78549 B/op	     186 allocs/op
BenchmarkScaling/a<b/10 	  2197	    305742 ns/op	      2604 ns/instr	      1882 ns/value	   78549 B/op	     186 allocs/op
BenchmarkOther-2 	 10	 5 ns/op
`

func TestRead(t *testing.T) {
	got, err := read(strings.NewReader(measured))
	require.NoError(t, err)
	assert.Equal(t, []shape{
		{"block", []point{{10, 78, 195742, 1805}, {1000, 1069, 2456519, 2239}}},
		{"a<b", []point{{10, 117, 305742, 1882}}},
	}, got, "the fastest run of each size, ascending")

	_, err = read(strings.NewReader("BenchmarkOther-2 10 5 ns/op\n"))
	assert.ErrorContains(t, err, "no line of BenchmarkScaling")
	_, err = read(strings.NewReader("BenchmarkScaling/block/10-2 10 5 ns/op\n"))
	assert.ErrorContains(t, err, "no ns/op, ns/instr and ns/value")
}

func TestDraw(t *testing.T) {
	shapes, err := read(strings.NewReader(measured))
	require.NoError(t, err)
	var a, b strings.Builder
	require.NoError(t, draw(&a, shapes))
	require.NoError(t, draw(&b, shapes))
	assert.Equal(t, a.String(), b.String())
	lines := 0
	for d := xml.NewDecoder(strings.NewReader(a.String())); ; {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if e, ok := tok.(xml.StartElement); ok && e.Name.Local == "polyline" {
			lines++
		}
	}
	assert.Equal(t, 4, lines, "two shapes in two panels")
	x := axis{min: 1, max: 1000, log: true, from: 0, to: 300}
	assert.InDelta(t, 200, x.at(100), 1e-9)
	assert.InDeltaSlice(t, []float64{1, 10, 100, 1000}, x.ticks(), 1e-9)
	assert.InDeltaSlice(t, []float64{0, 2, 4, 6, 8}, axis{max: 8}.ticks(), 1e-9)
}
