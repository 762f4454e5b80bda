package cewgpu

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/diag"
)

func FuzzContainer(f *testing.F) {
	f.Add(tinyReference(f))
	f.Add([]byte("CWGP\x01\x00\x00\x00\x00\x00\x00\x00"))
	f.Add([]byte("CWGP\x01\x00\x00\x00\xff\xff\xff\xffINFO\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		chunks, fs := ParseContainer(b)
		if HasErrors(fs) {
			return
		}
		again, err := EncodeContainer(chunks)
		require.NoError(t, err)
		require.True(t, bytes.Equal(b, again))
	})
}

// FuzzValidate changes one document of a valid package.
func FuzzValidate(f *testing.F) {
	tags := []string{"INFO", "META", "PGRF", "RFLX", "RBLB", "ANLS", "WGSL", "WGSB"}
	all := bases["all"](f)
	chunks, _ := ParseContainer(all)
	for i, c := range chunks {
		f.Add(uint8(i), c.Data)
	}
	f.Add(uint8(1), []byte(`{"a":[[[[{"b":1e400}]]]],"a":2}`))
	f.Fuzz(func(t *testing.T, i uint8, doc []byte) {
		parts := append([]Chunk{}, chunks...)
		parts[int(i)%len(tags)].Data = doc
		b, err := EncodeContainer(parts)
		require.NoError(t, err)
		p, fs := Validate(b)
		for _, x := range fs {
			require.NotEqual(t, ruleBug, x.Rule, x.Reason)
			require.NotEmpty(t, x.Reason)
		}
		if p.Valid() && p.Kind == EffectPackage {
			for perm := range 3 {
				_, err := p.PortableReflection(perm)
				require.NoError(t, err)
				_, _ = p.BackendPrograms(perm)
			}
			_, err := p.WGSL()
			require.NoError(t, err)
			_, err = p.Analysis()
			require.NoError(t, err)
		}
		_ = ValidatePortable(doc)
	})
}

// TestMutations changes single bytes and cuts packages short.
func TestMutations(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"tiny", "all", "transform"} {
		good := bases[name](t)
		for range 700 {
			b := append([]byte{}, good...)
			if r.IntN(4) == 0 {
				b = b[:r.IntN(len(b))]
			} else {
				b[r.IntN(len(b))] = byte(r.IntN(256))
			}
			_, fs := Validate(b)
			for _, f := range fs {
				require.NotEqual(t, ruleBug, f.Rule, f.Reason)
			}
		}
		for n := range 64 { // every truncation at the end is refused
			_, err := Open(good[:len(good)-1-n])
			require.Error(t, err)
		}
	}
}

// Memory is a small multiple of the file, whatever it claims to be.
func TestMemory(t *testing.T) {
	grow := func(tag, doc string) []byte {
		e := newEdit(t, tinyReference(t))
		e.docs[tag], e.raw[tag] = nil, []byte(doc)
		return e.bytes()
	}
	const mega = 1 << 20
	for name, b := range map[string][]byte{
		"many values":  grow("ANLS", `{"stages":[`+strings.Repeat("1,", mega)+`1]}`),
		"many objects": grow("WGSL", `{"shaders":[`+strings.Repeat("{},", mega/2)+`{}]}`),
		"many keys":    grow("META", `{`+strings.Repeat(`"a":1,`, 1)+`"b":{`+manyKeys(mega/8)+`}}`),
		"deep":         grow("META", strings.Repeat(`{"a":`, mega/8)+"1"+strings.Repeat("}", mega/8)),
		"deep arrays":  grow("META", `{"selectedOptions":`+strings.Repeat(`[`, mega)+strings.Repeat("]", mega)+`}`),
		"many axes":    grow("PGRF", `{"axes":[`+strings.Repeat(`{"index":0,"name":"a","options":["a","b"],"defaultOption":0,"description":"","type":0},`, 1000)+`{}]}`),
		"long string":  grow("META", `{"effectName":"`+strings.Repeat("x", 2*mega)+`"}`),
		"many escapes": grow("META", `{"effectName":"`+strings.Repeat(`\u00e9`, mega/2)+`"}`),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			_, fs := Validate(b)
			runtime.ReadMemStats(&after)
			assert.True(t, HasErrors(fs))
			assert.Less(t, time.Since(start), 20*time.Second)
			used := after.TotalAlloc - before.TotalAlloc
			assert.Less(t, used, uint64(16*len(b)), "allocated in total, for %d bytes", len(b))
		})
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"`)
		for k := i; k > 0; k /= 26 {
			b.WriteByte('a' + byte(k%26))
		}
		b.WriteString(`":1`)
	}
	return b.String()
}

func TestJSON(t *testing.T) {
	for text, ok := range map[string]bool{
		`{}`: true, ` [1, -0.5e+10, "a\u00e9\n", true, false, null] `: true, `"\ud83d\ude00"`: true, `"\ud800"`: true, "\uFEFF{}": true,
		`0`: true, `-0`: true, `1E5`: true,
		``: false, `{`: false, `[1,]`: false, `{"a":1,}`: false, `{a:1}`: false, `01`: false, `1.`: false, `.5`: false, `+1`: false, `1e`: false,
		"\"a\nb\"": false, `"\x"`: false, `"\u12"`: false, `"`: false, `tru`: false, `nul`: false, `{} {}`: false, `[1 2]`: false, `{"a" 1}`: false,
		`{"a":1,"a":2}`: false, `{"a":1,"\u0061":2}`: false, `NaN`: false, "\"\xff\"": false,
	} {
		_, err := parseJSON([]byte(text))
		assert.Equal(t, ok, err == nil, "%q: %v", text, err)
	}
	d, err := parseJSON([]byte(`{"a":[{"b":"\ud83d\ude00x\ud800"},2.5]}`))
	require.Nil(t, err)
	n := d.find("a[0].b")
	assert.Equal(t, "\U0001F600x\uFFFD", d.str(n))
	assert.Equal(t, "a[0].b", d.path(n))
	assert.Equal(t, -1, d.find("a[2]"))
	assert.Equal(t, -1, d.find("a.b"))
}

// The writer gives what JSON.stringify gives.
func TestMarshal(t *testing.T) {
	for want, v := range map[string]any{
		"0.10000000149011612":          number(float64(float32(0.1))),
		"3.4028234663852886e+38":       number(float64(float32(3.4028235e38))),
		"1e+21":                        number(1e21),
		"100000000000000000000":        number(1e20),
		"0.000001":                     number(1e-6),
		"1e-7":                         number(1e-7),
		"0":                            number(negativeZero()),
		"null":                         number(infinity()),
		`"\"\\\b\f\n\r\t\u0001\u001f"`: "\"\\\b\f\n\r\t\x01\x1f",
		"\"<>&\u2028\u2029\x7f\"":      "<>&\u2028\u2029\x7f",
		`"\\u2028"`:                    `\u2028`,
		"\"\\\\\u2028\"":               "\\\u2028",
	} {
		b, err := marshal(v)
		require.NoError(t, err)
		assert.Equal(t, want+"\n", string(b))
	}
}

func negativeZero() float64 { z := 0.0; return -z * 1 / 1 * -1 * -1 }
func infinity() float64     { z := 0.0; return 1 / z }

// lenient decodes as the WHATWG decoder does: one replacement for each maximal part.
func TestLenient(t *testing.T) {
	for in, want := range map[string]string{
		"ok": "ok", "\xff": "\uFFFD", "\xe2\x82": "\uFFFD", "\xe2\x82a": "\uFFFDa", "\xf0\x9f\x98": "\uFFFD", "\xe2\xe2\x82\xac": "\uFFFD€",
		"\xed\xa0\x80": "\uFFFD\uFFFD\uFFFD", "\xc0\xaf": "\uFFFD\uFFFD", "\xf4\x90\x80\x80": "\uFFFD\uFFFD\uFFFD\uFFFD", "a\x80b": "a\uFFFDb",
	} {
		assert.Equal(t, want, lenient(in), "%q", in)
	}
}

func TestSemver(t *testing.T) {
	for s, ok := range map[string]bool{
		"1.2.3": true, "0.0.0": true, "1.0.0-alpha.1": true, "1.0.0-0.3.7": true, "1.0.0+build.01": true, "1.0.0-x-y-z.--": true, "9.9.9-go.1+x": true,
		"": false, "1": false, "1.2": false, "v1.2.3": false, "01.2.3": false, "1.2.3-01": false, "1.2.3-": false, "1.2.3+": false, "1.2.3+a+b": false, "1.2.3-a..b": false, "1.2.3 ": false,
	} {
		assert.Equal(t, ok, isSemver(s), s)
	}
}

func TestOrder(t *testing.T) {
	assert.Negative(t, compareNames("B", "a", CodePoint))
	assert.Positive(t, compareNames("B", "a", Root))
	assert.Negative(t, compareNames("a", "A", Root))
	assert.Negative(t, compareNames("_x", "1", Root))
	assert.Negative(t, compareNames("Main", "main2", Root))
	assert.Negative(t, compareNames("é", "z", Root))
	assert.Positive(t, compareNames("é", "z", CodePoint))
	assert.Positive(t, compareNames("\u0416", "z", Root), "what the table does not know comes last")
	assert.Zero(t, compareNames("Main", "Main", Root))

	// As ICU 78's root collation sorts them; equal ones there stand by code point.
	want := []string{
		"", "_Main", "(x", "[x", "~x", "$x", "10", "1Main", "9", "a", "A", "å", "Å", "ą", "ā", "Åy", "A\u030az", "b",
		"B", "c", "ç", "cz", "d", "e", "E", "é", "É", "è", "ê", "ë", "ea", "éa", "eB", "Éb", "e\u0301x", "éx", "éy",
		"ěz", "g", "Ğ", "h", "main", "Main", "MAIN", "Main 2", "Main_2", "Main-2", "Main10", "main2", "Maine", "n", "ñ",
		"no", "ño", "Shadow", "shadow_map", "Shadow.Map", "ShadowA", "shadowb", "shadowMap", "ShadowMap", "uber",
		"Uber", "Über", "Ubers", "z", "Z", "ž", "zz",
	}
	got := slices.Clone(want)
	slices.Sort(got)
	assert.NotEqual(t, want, got, "the orders differ")
	slices.SortFunc(got, func(a, b string) int { return compareNames(a, b, Root) })
	assert.Equal(t, want, got)
}

// A folder of chunks makes the package again, and a raw WGSL text is a legal chunk.
func TestFolder(t *testing.T) {
	generic, err := EncodeContainer([]Chunk{{Tag: "WGSL", Data: []byte("@compute @workgroup_size(1) fn main() {}\n")}, {Tag: "A/ .", Data: []byte{0, 1}}, {Tag: "META", Data: []byte("{}\n")}, {Tag: "NONE"}})
	require.NoError(t, err)
	for _, pkg := range [][]byte{generic, tinyReference(t), bases["all"](t)} {
		p, fs := Validate(pkg)
		require.False(t, HasErrors(fs))
		dir := fstest.MapFS{}
		for i, c := range p.Chunks {
			dir[FileName(i, c)] = &fstest.MapFile{Data: c.Data}
		}
		chunks, err := ReadFolder(dir)
		require.NoError(t, err)
		again, err := EncodeContainer(chunks)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(pkg, again))
		var w bytes.Buffer
		require.NoError(t, WriteContainer(&w, chunks))
		assert.True(t, bytes.Equal(pkg, w.Bytes()))
	}
	p, _ := Validate(generic)
	assert.Equal(t, "00-WGSL.wgsl", FileName(0, p.Chunks[0]))
	assert.Equal(t, "01-A%2F%20%2E.bin", FileName(1, p.Chunks[1]))
	for _, name := range []string{"INFO.json", "x-INFO.json", "00-INFO", "00-INF.json", "00-%4.bin", "00-%zzAB.bin"} {
		_, err := ReadFolder(fstest.MapFS{name: &fstest.MapFile{}})
		assert.Error(t, err, name)
	}
	_, err = ReadFolder(fstest.MapFS{"00-INFO.json": &fstest.MapFile{}, "0-META.json": &fstest.MapFile{}})
	assert.Error(t, err)
}

func TestPackageQuestions(t *testing.T) {
	p := requireValid(t, tinyReference(t))
	b, ok := p.Blob("blob0")
	require.True(t, ok)
	assert.Equal(t, "0123456789abcdef0123456789abcdef", string(b))
	b[0] = 'X'
	again, _ := p.Blob("blob0")
	assert.Equal(t, byte('0'), again[0], "a blob is the caller's")
	_, ok = p.Blob("blob9")
	assert.False(t, ok)
	r, err := p.Reflection()
	require.NoError(t, err)
	ref := r.BlobStore.Blobs[1]
	_, ok = p.BlobByRef(ref)
	assert.True(t, ok)
	ref.Offset++
	_, ok = p.BlobByRef(ref)
	assert.False(t, ok)
	_, err = p.PortableReflection(2)
	assert.ErrorIs(t, err, ErrNoPermutation)
	_, err = p.BackendPrograms(0)
	assert.ErrorIs(t, err, ErrNoChunk)
	_, err = p.Permutation(map[string]string{"QUALITY": "NONE"})
	assert.ErrorIs(t, err, ErrNoPermutation)
	_, err = p.Permutation(map[string]string{"OTHER": "LOW"})
	assert.ErrorIs(t, err, ErrNoPermutation)
	at, err := p.Permutation(map[string]string{"QUALITY": "LOW"})
	require.NoError(t, err)
	assert.Equal(t, 0, at)
	s := p.Summary()
	assert.Equal(t, 14451, s.Size)
	assert.Equal(t, []int{2, 1, 1, 2, 5, 796, 2, 2, 1}, []int{s.PermutationCount, s.UniqueBodyCount, s.ReflectionBodyCount, s.SourceProgramCount,
		s.ReflectionBlobCount, s.ReflectionBlobLength, s.StageCount, s.ShaderCount, s.LayoutCount})

	legacy := requireValid(t, bases["legacy"](t))
	doc, err := legacy.PortableReflection(1)
	require.NoError(t, err)
	assert.Len(t, doc.Source.NativeHash.Data, 32)
	_, err = legacy.PortableReflection(0)
	assert.ErrorIs(t, err, ErrNoPermutation)
}

func TestVerifySource(t *testing.T) {
	ctx := context.Background()
	src := readFile(t, packages, "tiny.sm_hi")
	p := requireValid(t, tinyReference(t))
	fs, err := p.VerifySource(ctx, src)
	require.NoError(t, err)
	assert.Empty(t, fs)

	other := append([]byte{}, src...)
	copy(other[8:], "ffff") // the source hash
	fs, err = p.VerifySource(ctx, other)
	require.NoError(t, err)
	var paths []string
	for _, f := range fs {
		assert.Equal(t, ruleSource, f.Rule)
		paths = append(paths, f.Chunk+" "+f.Path)
	}
	assert.Equal(t, []string{"INFO sourceIdentity.sha256", "RFLX bodies[0].source.nativeHash"}, paths)

	// A digest forged alike in INFO and RFLX passes the reader, not the comparison.
	e := newEdit(t, tinyReference(t))
	e.set("INFO", "sourceIdentity.sha256", hash0)
	e.set("RFLX", "source.sha256", hash0)
	fs, err = requireValid(t, e.bytes()).VerifySource(ctx, src)
	require.NoError(t, err)
	require.Len(t, fs, 1)
	// So does the text of an option.
	e = newEdit(t, tinyReference(t))
	e.set("PGRF", "axes[0].options[0]", `"LOWER"`)
	fs, err = requireValid(t, e.bytes()).VerifySource(ctx, src)
	require.NoError(t, err)
	require.Len(t, fs, 1)
	assert.Equal(t, "axes[0].options[0]", fs[0].Path)

	_, err = p.VerifySource(ctx, []byte("no effect"))
	assert.Error(t, err)
}

func TestBuildErrors(t *testing.T) {
	ctx := context.Background()
	in := tinyInput(t, tinyEffect(t))
	boom := errors.New("boom")
	in.Translate = func(context.Context, int, PassRef) (*PassModules, error) { return nil, boom }
	_, _, err := Build(ctx, in)
	assert.ErrorIs(t, err, boom)

	in.Translate = func(context.Context, int, PassRef) (*PassModules, error) { panic("boom") }
	_, _, err = Build(ctx, in)
	assert.ErrorContains(t, err, "a bug of ours")

	stopped, cancel := context.WithCancel(ctx)
	cancel()
	_, _, err = Build(stopped, tinyInput(t, tinyEffect(t)))
	assert.ErrorIs(t, err, context.Canceled)

	in.Translate = func(context.Context, int, PassRef) (*PassModules, error) {
		return nil, &Unsupported{Reason: "no", Diags: []diag.Diag{
			diag.New(diag.Error, ruleTranslate, diag.At(3), "first"), diag.New(diag.Error, ruleTranslate, diag.At(5), "second")}}
	}
	_, _, err = Build(ctx, in)
	var be *BuildError
	require.ErrorAs(t, err, &be)
	require.Len(t, be.Findings, 2, "every refusal in one list: %v", be.Findings)
	assert.Contains(t, be.Findings[0].Path, "@3")
	assert.Len(t, be.Diags(), 2)

	// The extended profile keeps what there is and says what is missing.
	in.Profile = Extended
	pkg, _, err := Build(ctx, in)
	require.NoError(t, err)
	p := requireValid(t, pkg)
	assert.True(t, p.Extended)
	set, err := p.WGSL()
	require.NoError(t, err)
	assert.Equal(t, []Untranslated{{Key: "Main.pass0", Reason: "no"}}, set.Untranslated)

	for name, change := range map[string]func(*Input){
		"mode": func(in *Input) { in.Mode = "x" }, "profile": func(in *Input) { in.Profile = "x" }, "order": func(in *Input) { in.Order = "x" },
		"permutation": func(in *Input) { in.Permutation = 99 }, "effect": func(in *Input) { in.Effect = nil },
	} {
		in := tinyInput(t, tinyEffect(t))
		change(in)
		_, _, err := Build(ctx, in)
		assert.Error(t, err, name)
	}
}
