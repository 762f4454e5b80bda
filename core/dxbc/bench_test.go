package dxbc

import (
	"os"
	"runtime"
	"testing"

	"fxlens/internal/heap"
)

func mustRead(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// benchFiles are the golden shaders, all of them where they are.
func benchFiles(b *testing.B) (files [][]byte, size int64) {
	dirs := goldenDirs()
	for _, path := range filesUnder(b, dirs[len(dirs)-1], hasSuffix(".dxbc")) {
		f := mustRead(b, path)
		files, size = append(files, f), size+int64(len(f))
	}
	return files, size
}

// BenchmarkDecode decodes the code chunks; bytes are those of the chunks.
func BenchmarkDecode(b *testing.B) {
	heap.Reserve(b)
	files, _ := benchFiles(b)
	var code [][]byte
	size, instrs := int64(0), 0
	for _, f := range files {
		s, err := Open(f)
		if err != nil {
			b.Fatal(err)
		}
		code, size, instrs = append(code, s.Code.Data), size+int64(len(s.Code.Data)), instrs+len(s.Program.Instrs)
	}
	b.SetBytes(size)
	b.ReportAllocs()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for b.Loop() {
		for _, c := range code {
			if _, err := Decode(c); err != nil {
				b.Fatal(err)
			}
		}
	}
	runtime.ReadMemStats(&after)
	n := float64(b.N) * float64(instrs)
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/n, "B/instr")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/n, "allocs/instr")
}

// BenchmarkOpen opens whole containers: checksum, reflection and signatures too.
func BenchmarkOpen(b *testing.B) {
	heap.Reserve(b)
	files, size := benchFiles(b)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, f := range files {
			if _, err := Open(f); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkDisassemble(b *testing.B) {
	heap.Reserve(b)
	files, size := benchFiles(b)
	var shaders []*Shader
	for _, f := range files {
		s, err := Open(f)
		if err != nil {
			b.Fatal(err)
		}
		shaders = append(shaders, s)
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, s := range shaders {
			Disassemble(s, ListOptions{})
		}
	}
}

func BenchmarkChecksum(b *testing.B) {
	data := make([]byte, 1<<16)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		Checksum(data, false)
	}
}
