package judge

import (
	"encoding/binary"
	"math"
	"testing"

	process "fxlens/cmd/fxlens/judge"
)

// Run executes the jobs on Chromium's SwiftShader (FXLENS_VK_ICD names another
// Vulkan driver's JSON file) and returns one outcome for each, in order. It
// fails t at once when the executor itself cannot run.
func Run(t testing.TB, jobs []Job) []Outcome {
	t.Helper()
	skipIfUnwanted(t)
	if err := process.Driver(); err != nil {
		t.Fatalf("judge: %v", err)
	}
	return ask[Job, Outcome](t, "exec.mjs", jobs)
}

// Floats packs values as f32.
func Floats(v ...float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// Words packs values as u32.
func Words(v ...uint32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	return b
}

// AsFloats unpacks f32 values; a rest of less than four bytes is left out.
func AsFloats(b []byte) []float32 {
	v := make([]float32, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v
}

// AsWords unpacks u32 values; a rest of less than four bytes is left out.
func AsWords(b []byte) []uint32 {
	v := make([]uint32, len(b)/4)
	for i := range v {
		v[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return v
}
