package session

import (
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/compile"
	"fxlens/core/diag"
	"fxlens/core/dxbc"
	"fxlens/core/effect"
)

const testdata = "../../testdata"

func read(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(testdata, path))
	require.NoError(t, err)
	return b
}

func open(t testing.TB, path string) *Session {
	t.Helper()
	s, err := Open(filepath.Base(path), read(t, path), compile.Options{})
	require.NoError(t, err)
	return s
}

// effects lists the effects of testdata.
func effects(t testing.TB) (out []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(testdata), "effects", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasPrefix(filepath.Ext(p), ".sm_") {
			out = append(out, p)
		}
		return err
	})
	require.NoError(t, err)
	require.NotEmpty(t, out)
	return out
}

func TestOpenKinds(t *testing.T) {
	program := read(t, "dxbc/golden/bits5_cs50.dxbc")
	sh, err := dxbc.Open(program)
	require.NoError(t, err)
	var header strings.Builder
	header.WriteString("// made by fxc\nconst BYTE g_main[] =\n{\n")
	for _, b := range program {
		fmt.Fprintf(&header, "%d, ", b)
	}
	header.WriteString("};\n")

	for _, c := range []struct {
		name    string
		data    []byte
		kind    FileKind
		finding diag.Code
	}{
		{"effect", read(t, "effects/ui/sprite2d.sm_hi"), EffectFile, ""},
		{"container", program, ProgramFile, ""},
		{"bare tokens", sh.Code.Data, ProgramFile, codeBareTokens},
		{"C header", []byte(header.String()), ProgramFile, codeFromHeader},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Open("x", c.data, compile.Options{})
			require.NoError(t, err)
			assert.Equal(t, c.kind, s.Kind)
			var codes []diag.Code
			for _, d := range s.Findings() {
				codes = append(codes, d.Code)
			}
			if c.finding != "" {
				assert.Contains(t, codes, c.finding)
			}
			if c.kind == ProgramFile {
				assert.Equal(t, dxbc.Compute, s.Program.Program.Kind)
				in, err := s.Input(0, PassRef{})
				require.NoError(t, err)
				require.Len(t, in.Stages, 1)
				again, err := dxbc.Open(in.Stages[0].Program)
				require.NoError(t, err, "the input is a container, whatever the file was")
				assert.Equal(t, sh.Program.Words, again.Program.Words)
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	words := func(w ...uint32) (b []byte) {
		for _, v := range w {
			b = binary.LittleEndian.AppendUint32(b, v)
		}
		return b
	}
	fx := read(t, "effects/ui/sprite2d.sm_hi")
	program := read(t, "dxbc/golden/bits5_cs50.dxbc")
	dxil, err := dxbc.Build([]dxbc.Chunk{{Tag: "DXIL", Data: make([]byte, 16)}}, false)
	require.NoError(t, err)
	rootSig, err := dxbc.Build([]dxbc.Chunk{{Tag: "RTS0", Data: make([]byte, 16)}}, false)
	require.NoError(t, err)

	for _, c := range []struct {
		name string
		data []byte
		says string
		is   error
	}{
		{"empty", nil, "the file is empty", ErrUnknown},
		{"Direct3D 9 shader", words(0xffff0300, 0x0000ffff), "a Direct3D 9 pixel shader (ps_3_0)", ErrUnknown},
		{"Direct3D 9 effect", words(0xfeff0901, 0, 0), "a compiled Direct3D 9 effect", ErrUnknown},
		{"SPIR-V", words(0x07230203, 0x10000, 0, 0), "a SPIR-V module", ErrUnknown},
		{"DXIL", dxil, "DXIL", dxbc.ErrUnsupported},
		{"root signature", rootSig, "root signature", dxbc.ErrUnsupported},
		{"effect of an old version", words(5, 100, 0), "version", effect.ErrVersion},
		{"effect of a new version", words(16, 100, 0), "version", effect.ErrVersion},
		{"effect cut off", fx[:len(fx)/2], "not a valid compiled effect", effect.ErrTruncated},
		{"container cut off", program[:100], "truncated", dxbc.ErrTruncated},
		{"only a magic", []byte("DXBC"), "truncated", dxbc.ErrTruncated},
		{"package cut off", []byte("CWGP\x01"), "package", nil},
		{"ELF", []byte("\x7fELF\x02\x01\x01"), "an ELF object file", ErrUnknown},
		{"JSON", []byte(`{"a": 1}`), "JSON", ErrUnknown},
		{"WGSL", []byte("@fragment fn main() {}"), "WGSL source", ErrUnknown},
		{"source", []byte("cbuffer A { float4 x; }"), "not compiled", ErrUnknown},
		{"text", []byte("hello"), "text", ErrUnknown},
		{"noise", []byte{0x9b, 0x00, 0x1b, 0xff, 0x01}, "9b 00 1b ff", ErrUnknown},
		{"archive of shaders", append([]byte("\xabBANK\x00"), program...), "unknown kind", ErrUnknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Open("dir/x.fxo", c.data, compile.Options{})
			require.Nil(t, s)
			var o *OpenError
			require.ErrorAs(t, err, &o)
			assert.Equal(t, "dir/x.fxo", o.Name)
			assert.Contains(t, o.Error(), c.says)
			assert.NotEmpty(t, o.Remedy)
			assert.NotContains(t, o.Error(), "\n", "one line")
			if c.is != nil {
				assert.ErrorIs(t, err, c.is)
			}
		})
	}
	_, err = Open("x", append([]byte("\xabBANK\x00"), program...), compile.Options{})
	assert.ErrorContains(t, err, "1 DXBC containers inside")
}

// Every place of every effect has a link that leads back to it.
func TestLinksLeadBack(t *testing.T) {
	for _, path := range effects(t) {
		s := open(t, path)
		for i := range s.Effect.Bodies() {
			perm := s.Effect.Bodies()[i].Permutations[0]
			passes, err := s.Passes(perm)
			require.NoError(t, err)
			for _, ref := range passes {
				in, err := s.Input(perm, ref)
				require.NoError(t, err)
				stages := []string{""}
				for _, st := range in.Stages {
					stages = append(stages, st.Kind.String())
				}
				for _, stage := range stages {
					text := s.Link(perm, ref, stage, -1).String()
					l, err := ParseLink(text)
					require.NoError(t, err, text)
					got, err := s.Resolve(l)
					require.NoError(t, err, text)
					require.Equal(t, Target{Perm: perm, Passes: []PassRef{ref}, Stage: stage, Instr: -1}, got, text)
				}
			}
		}
	}
}

func TestResolve(t *testing.T) {
	s := open(t, "effects/decal/decal.sm_hi")
	for _, c := range []struct {
		name, link string
		passes     string
		stage      string
		instr      int
		options    string
	}{
		{"file", "", "Main/0 Picking/0", "", -1, "DECAL_KIND=DECAL_LOGO"},
		{"options", "?TINTED=TINTED_ON", "Main/0", "", -1, "TINTED=TINTED_ON"},
		{"short option", "?TINTED=ON", "Main/0", "", -1, "TINTED=TINTED_ON"},
		{"stage of all passes", "#ps", "Main/0 Picking/0", "ps", -1, ""},
		{"technique", "#Picking", "Picking/0", "", -1, ""},
		{"instruction", "#Main/0/vs@3", "Main/0", "vs", 3, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, err := ParseLink("decal.sm_hi" + c.link)
			require.NoError(t, err)
			got, err := s.Resolve(l)
			require.NoError(t, err)
			var names []string
			for _, p := range got.Passes {
				names = append(names, p.String())
			}
			if strings.Contains(c.options, "TINTED_ON") {
				names = names[:1]
			}
			assert.Equal(t, c.passes, strings.Join(names, " "))
			assert.Equal(t, c.stage, got.Stage)
			assert.Equal(t, c.instr, got.Instr)
			assert.Contains(t, s.Permutation(got.Perm), c.options)
		})
	}
	for link, want := range map[string][2]string{
		"?TINTD=ON":           {`no axis "TINTD"`, `did you mean "TINTED"?`},
		"?TINTED=TINTED_OM":   {`no option "TINTED_OM"`, `did you mean "TINTED_O`},
		"?TINTED=ON&TINTED=X": {"set twice", ""},
		"#Mian":               {`no technique "Mian"`, `did you mean "Main"?`},
		"#Shadow/0":           {`no technique "Shadow"`, "there are: Main, Picking"},
		"#Main~2/0":           {`no technique "Main~2"`, ""},
		"#Main/7":             {"no pass 7", "passes 0 to 0"},
		"#Main/0/cs":          {"no cs stage", "there are: vs, ps"},
		"#Main/0/ps@99999":    {"no instruction 99999", "0 to"},
		"#Main/0@3":           {"needs one technique, pass and stage", "#Main/0/ps@42"},
		"#ps@3":               {"needs one technique, pass and stage", ""},
	} {
		l, err := ParseLink("decal.sm_hi" + link)
		require.NoError(t, err, link)
		_, err = s.Resolve(l)
		var e *LinkError
		require.ErrorAs(t, err, &e, link)
		assert.Contains(t, e.Reason, want[0], link)
		assert.Contains(t, e.Hint, want[1], link)
	}
}

func TestResolveProgram(t *testing.T) {
	s := open(t, "dxbc/golden/bits5_cs50.dxbc")
	for link, instr := range map[string]int{"": -1, "#cs": -1, "#@3": 3, "#cs@0": 0} {
		l, err := ParseLink("x" + link)
		require.NoError(t, err)
		got, err := s.Resolve(l)
		require.NoError(t, err, link)
		assert.Equal(t, instr, got.Instr)
		assert.Equal(t, []PassRef{{}}, got.Passes)
	}
	for link, says := range map[string]string{"#ps": "no ps stage", "#Main/0": "no techniques", "?A=B": "no axes", "#@9999": "no instruction 9999"} {
		l, err := ParseLink("x" + link)
		require.NoError(t, err)
		_, err = s.Resolve(l)
		assert.ErrorContains(t, err, says, link)
	}
	assert.Equal(t, "bits5_cs50.dxbc#cs@3", s.Link(0, PassRef{}, "cs", 3).String())
	_, err := s.Passes(1)
	assert.Error(t, err)
	_, err = s.Input(0, PassRef{Technique: "Main"})
	assert.Error(t, err)
}

// hostile is an effect whose names would break links if they were not escaped, and
// with several techniques of one name.
func hostile(t *testing.T) *Session {
	t.Helper()
	program := read(t, "dxbc/golden/bits5_cs50.dxbc")
	pass := effect.Pass{Stages: []effect.Stage{{Type: effect.Compute, Program: program, ThreadGroup: [3]uint32{64, 1, 1}}}}
	body := &effect.Body{Techniques: []effect.Technique{
		{Name: "Main", Passes: []effect.Pass{pass}},
		{Name: "Main", Passes: []effect.Pass{pass, pass}},
		{Name: "a/b?c#d@1~2%41\x1b[2J", Passes: []effect.Pass{pass}},
		{Name: "ps", Passes: []effect.Pass{pass}},
		{Name: "Nothing"},
	}}
	other := &effect.Body{Techniques: body.Techniques[:1]}
	b, err := effect.Build(&effect.Model{
		SourceHash: strings.Repeat("0", 32),
		Axes:       []effect.Axis{{Name: "A&=#", Options: []string{"x=1&y", "\u202e%"}, Default: 0}},
		Bodies:     []*effect.Body{body, other},
	})
	require.NoError(t, err)
	s, err := Open("od#d?%41.sm_hi", b, compile.Options{})
	require.NoError(t, err)
	return s
}

func TestHostileNames(t *testing.T) {
	s := hostile(t)
	passes, err := s.Passes(0)
	require.NoError(t, err)
	require.Len(t, passes, 5)
	assert.Equal(t, "Main/0", passes[0].String())
	assert.Equal(t, "Main~2/1", passes[2].String())
	for perm := range s.Permutations() {
		passes, err := s.Passes(perm)
		require.NoError(t, err)
		for _, ref := range passes {
			for _, stage := range []string{"", "cs"} {
				text := s.Link(perm, ref, stage, -1).String()
				for _, r := range text {
					require.True(t, r > ' ' && r < 0x7f, "%q is safe anywhere", text)
				}
				l, err := ParseLink(text)
				require.NoError(t, err, text)
				assert.Equal(t, s.Name, l.File)
				got, err := s.Resolve(l)
				require.NoError(t, err, text)
				assert.Equal(t, Target{Perm: perm, Passes: []PassRef{ref}, Stage: stage, Instr: -1}, got, text)
			}
			d := s.Place(perm, ref, "cs", diag.Diag{Code: "x", At: diag.At(4), Notes: []diag.Related{{At: diag.At(2)}}})
			l, err := ParseLink("x" + d.At.String())
			require.NoError(t, err, "a diagnostic's place is a link")
			got, err := s.Resolve(l)
			require.NoError(t, err, d.At.String())
			assert.Equal(t, Target{Perm: perm, Passes: []PassRef{ref}, Stage: "cs", Instr: 4}, got)
			assert.Contains(t, d.Notes[0].At.String(), "@2")
		}
	}
	l, err := ParseLink("x#Nothing")
	require.NoError(t, err)
	_, err = s.Resolve(l)
	assert.ErrorContains(t, err, "has no passes")
	l, err = ParseLink("x?A%26%3D%23=q#ps/")
	require.NoError(t, err)
	_, err = s.Resolve(l)
	assert.ErrorContains(t, err, "no option")
}

func TestPlaceKeepsTheSharedResult(t *testing.T) {
	s := hostile(t)
	passes, err := s.Passes(0)
	require.NoError(t, err)
	shared := diag.Diag{Code: "x", At: diag.At(1), Notes: []diag.Related{{At: diag.At(2)}}}
	_ = s.Place(0, passes[0], "cs", shared)
	assert.Equal(t, diag.At(1), shared.At)
	assert.Equal(t, diag.At(2), shared.Notes[0].At)
}

// Permutations that share a body share inputs, and so everything behind them.
func TestInputIsShared(t *testing.T) {
	s := open(t, "effects/decal/decal.sm_hi")
	ref := PassRef{Technique: "Main"}
	var shared int
	for _, b := range s.Effect.Bodies() {
		first, err := s.Input(b.Permutations[0], ref)
		require.NoError(t, err)
		for _, p := range b.Permutations[1:] {
			in, err := s.Input(p, ref)
			require.NoError(t, err)
			assert.Same(t, first, in)
			shared++
		}
	}
	assert.Positive(t, shared)
	_, err := s.Input(0, PassRef{Technique: "Main", Pass: 9})
	assert.ErrorContains(t, err, "no pass Main/9")
	_, err = s.Input(1<<20, ref)
	assert.ErrorContains(t, err, "no permutation")
}

func TestCompileAndDiags(t *testing.T) {
	s := open(t, "effects/ui/sprite2d.sm_hi")
	perm := s.DefaultPermutation()
	passes, err := s.Passes(perm)
	require.NoError(t, err)
	p, err := s.Compile(context.Background(), perm, passes[0])
	require.NoError(t, err)
	require.Len(t, p.Stages, 2)
	for _, d := range s.Diags(perm, passes[0], p) {
		assert.True(t, strings.HasPrefix(d.At.String(), "?"+s.Permutation(perm)+"#Main/0"), d.At.String())
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s2 := open(t, "effects/ui/sprite2d.sm_hi")
	_, err = s2.Compile(ctx, perm, passes[0])
	assert.ErrorIs(t, err, context.Canceled)
	_, err = s.Phases(context.Background(), perm, passes[0], 7)
	assert.ErrorContains(t, err, "no stage 7")
}

func TestOptionsFor(t *testing.T) {
	s := &Session{Options: compile.Options{Views: map[string]string{
		"t3": "R32_UINT", "ps/t4": "R8_UNORM", "Main/0/ps/t3": "R32_SINT", "Main/1/ps/t3": "R16_UINT", "*": "auto",
	}}}
	assert.Equal(t, map[string]string{"t3": "R32_UINT", "ps/t4": "R8_UNORM", "ps/t3": "R32_SINT", "*": "auto"},
		s.optionsFor(PassRef{Technique: "Main"}).Views)
	assert.Equal(t, map[string]string{"t3": "R32_UINT", "ps/t4": "R8_UNORM", "*": "auto"},
		s.optionsFor(PassRef{Technique: "Depth"}).Views)
	plain := &Session{Options: compile.Options{Views: map[string]string{"t3": "R32_UINT"}}}
	assert.Same(t, &plain.Options, plain.optionsFor(PassRef{}), "nothing to copy")
}

func TestHint(t *testing.T) {
	names := []string{"Main", "Depth", "Picking"}
	assert.Equal(t, `did you mean "Main"?`, Hint("mian", names))
	assert.Equal(t, `did you mean "Depth"?`, Hint("Dpth", names))
	assert.Equal(t, "there are: Main, Depth, Picking", Hint("Shadow", names))
	assert.Equal(t, "there are none", Hint("x", nil))
	many := make([]string, 40)
	for i := range many {
		many[i] = fmt.Sprintf("Option%02dxyz", i)
	}
	assert.Contains(t, Hint("q", many), "28 more")
	assert.Contains(t, Hint(strings.Repeat("q", 1<<16), names), "there are")
}

func FuzzOpen(f *testing.F) {
	f.Add(read(f, "effects/ui/sprite2d.sm_hi"))
	f.Add(read(f, "dxbc/golden/bits5_cs50.dxbc"))
	f.Add([]byte("const BYTE x[] = { 68, 88, 66, 67, };"))
	f.Add([]byte("CWGP\x01\x00\x00\x00\x01\x00\x00\x00INFO\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := Open("x", b, compile.Options{})
		if err != nil {
			var o *OpenError
			require.ErrorAs(t, err, &o)
			return
		}
		if s.Kind == PackageFile {
			return
		}
		passes, err := s.Passes(s.DefaultPermutation())
		require.NoError(t, err)
		for _, p := range passes {
			_, err := s.Input(s.DefaultPermutation(), p)
			require.NoError(t, err)
		}
	})
}

// Opening is the first half of the way to the first frame.
func BenchmarkOpen(b *testing.B) {
	data := read(b, "effects/quadv5.sm_hi")
	b.ReportAllocs()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := Open("quadv5.sm_hi", data, compile.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
