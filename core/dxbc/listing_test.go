package dxbc

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// goldenDirs are the bundled third of the listings and, where it is, the whole.
func goldenDirs() []string {
	dirs := []string{filepath.Join("..", "..", "testdata", "dxbc", "golden")}
	if d := shared("dxbc-golden"); d != "" {
		dirs = append(dirs, d)
	}
	return dirs
}

// level9 is the part of a listing that shows the Direct3D 9 program.
var level9 = regexp.MustCompile(`(?s)//\n// (Sampler/Resource to DX9|Constant buffer to DX9|Runtime generated constant).*?\n([pv]s_[45]_\d\n)`)

// withoutDebug removes what D3DDisassemble takes from PDB debug information.
func withoutDebug(text string) string {
	var out []string
	body := false
	for _, l := range strings.Split(text, "\n") {
		if _, ok := parseProfile(l); ok {
			body = true
		}
		if body {
			if l == "" || strings.HasPrefix(l, "#line") || strings.HasPrefix(l, "//") && !strings.HasPrefix(l, "// Approximately") {
				continue
			}
			l, _, _ = strings.Cut(l, "  // ")
		}
		out = append(out, strings.TrimRight(l, " "))
	}
	return strings.Join(out, "\n")
}

func TestGoldenListings(t *testing.T) {
	for _, dir := range goldenDirs() {
		for _, path := range filesUnder(t, dir, hasSuffix(".asm")) {
			t.Run(filepath.Base(dir)+"/"+strings.TrimSuffix(filepath.Base(path), ".asm"), func(t *testing.T) {
				want, err := os.ReadFile(path)
				require.NoError(t, err)
				b, err := os.ReadFile(strings.TrimSuffix(path, ".asm") + ".dxbc")
				require.NoError(t, err)
				s, err := Open(b)
				require.NoError(t, err)
				w, got := string(want), Disassemble(s, ListOptions{})
				switch {
				case s.Container.Chunk("SPDB") != nil:
					w, got = withoutDebug(w), withoutDebug(got)
				case s.Container.Chunk("Aon9") != nil:
					require.Regexp(t, level9, w)
					w = level9.ReplaceAllString(w, "$2")
				}
				require.Equal(t, strings.Split(w, "\n"), strings.Split(got, "\n"))
			})
		}
	}
}

// disasmCases reads hand-made programs and the text that Microsoft's printer gave them.
func disasmCases(t testing.TB, visit func(name string, words []uint32, want string)) {
	paths := []string{filepath.Join("..", "..", "testdata", "dxbc", "disasm-cases.tsv")}
	if d := shared("spec"); d != "" {
		paths = append(paths, filepath.Join(d, "disasm-cases.tsv"))
	}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, line := range strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")[1:] {
			f := strings.Split(line, "\t")
			require.Len(t, f, 5)
			var words []uint32
			for _, h := range strings.Fields(f[1] + " " + f[2] + " " + f[3]) {
				v, err := strconv.ParseUint(h, 16, 32)
				require.NoError(t, err)
				words = append(words, uint32(v))
			}
			visit(f[0], words, strings.ReplaceAll(f[4], `\n`, "\n"))
		}
	}
}

func TestDisasmCases(t *testing.T) {
	n := 0
	disasmCases(t, func(name string, words []uint32, want string) {
		n++
		p, err := DecodeWords(words, DecodeOptions{Tolerant: true})
		if !assert.NoError(t, err, name) {
			return
		}
		_, got, _ := strings.Cut(p.Listing(ListOptions{}), "\n")
		assert.Equal(t, want+"\n", got, name)
		var line strings.Builder
		indents := p.Indents()
		for i := range p.Instrs {
			line.WriteString(strings.Repeat("  ", indents[i]))
			for _, tok := range p.Line(i) {
				line.WriteString(tok.Text)
			}
			line.WriteByte('\n')
		}
		assert.Equal(t, got, line.String(), "%s: tokens", name)
	})
	require.Greater(t, n, 300)
}

func TestChecksumVectors(t *testing.T) {
	build := func(total int, tail string, payload int) []byte {
		b, err := hex.DecodeString("44584243" + strings.Repeat("00", 16) + tail)
		require.NoError(t, err)
		for i := range payload {
			b = append(b, byte(i))
		}
		require.Len(t, b, total)
		return b
	}
	for _, tt := range []struct {
		name          string
		b             []byte
		retail, debug string
	}{
		{"header only", build(32, "010000002000000000000000", 0), "fe86074c402fc2e90e0f4fa3bf065bc0", "d3307ec168d83f5ab733de378aabb9ad"},
		{"rest of 60", build(80, "010000005000000001000000240000005052495624000000", 36), "99b02fbbf26f39fa7b858e318bcf35cd", "efd107f92c1b9f6d4d99ea7fed8d40d2"},
		{"rest of 24", build(108, "010000006c00000001000000240000005052495640000000", 64), "655f147459be8c5d4ad17da5ad5d1bcc", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sum := Checksum(tt.b, false)
			assert.Equal(t, tt.retail, hex.EncodeToString(sum[:]))
			if tt.debug != "" {
				sum = Checksum(tt.b, true)
				assert.Equal(t, tt.debug, hex.EncodeToString(sum[:]))
			}
		})
	}
}
