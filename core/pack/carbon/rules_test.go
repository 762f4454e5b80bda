package carbon_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fxlens/core/diag"
	"fxlens/core/effect"
	"fxlens/core/pack/carbon"
)

// TestAltered changes one thing in a container at a time: each change is found, for
// the right reason and with the right severity, and says what to do.
func TestAltered(t *testing.T) {
	block := func(f func(*parts)) func(testing.TB, *parts) []byte {
		return func(t testing.TB, p *parts) []byte { f(p); return p.bytes(t) }
	}
	raw := func(f func([]byte) []byte) func(testing.TB, *parts) []byte {
		return func(t testing.TB, p *parts) []byte { return f(p.bytes(t)) }
	}
	rawBlock := func(f func([]byte) []byte) func(testing.TB, *parts) []byte {
		return func(t testing.TB, p *parts) []byte {
			b, err := p.block.Encode()
			require.NoError(t, err)
			p.raw = f(b)
			return p.bytes(t)
		}
	}
	lead := func(v uint8) func(testing.TB, *parts) []byte { return block(func(p *parts) { p.block.Lead = v }) }
	le := binary.LittleEndian
	for _, c := range []struct {
		name string
		sev  diag.Severity
		code diag.Code
		text string
		make func(testing.TB, *parts) []byte
	}{
		{"empty", diag.Error, "carbon.invalid", "needs 4 bytes", raw(func([]byte) []byte { return nil })},
		{"version 14", diag.Error, "carbon.invalid", "", raw(func(b []byte) []byte { b[0] = 14; return b })},
		{"version 16", diag.Error, "carbon.invalid", "version", raw(func(b []byte) []byte { b[0] = 16; return b })},
		{"arena too large", diag.Error, "carbon.invalid", "string table", raw(func(b []byte) []byte { b[43] = 0x7F; return b })},
		{"trailing byte", diag.Error, "carbon.invalid", "after the last body", raw(func(b []byte) []byte { return append(b, 0) })},
		{"record past the end", diag.Error, "carbon.invalid", "passes the end", raw(func(b []byte) []byte { record(b)[11] = 1; return b })},
		{"record into the header", diag.Error, "carbon.invalid", "overlaps", raw(func(b []byte) []byte {
			le.PutUint32(record(b)[4:], le.Uint32(record(b)[4:])-1)
			return b
		})},
		{"record not dense", diag.Error, "carbon.invalid", "permutation index 7", raw(func(b []byte) []byte { record(b)[0] = 7; return b })},
		{"body longer than its records", diag.Error, "carbon.invalid", "bytes after the last record", raw(func(b []byte) []byte {
			// the last body is the last thing in the file
			n := int(b[44+le.Uint32(b[40:])+11])
			last := le.Uint32(record(b)[12*(n-1)+4:])
			for i := range n {
				if r := record(b)[12*i:]; le.Uint32(r[4:]) == last {
					le.PutUint32(r[8:], le.Uint32(r[8:])+3)
				}
			}
			return append(b, 0, 0, 0)
		})},
		{"block past the arena", diag.Error, "carbon.invalid", "pass the end of the string table", raw(func(b []byte) []byte {
			le.PutUint32(b[tail(b)+4:], 0x7FFFFFFF)
			return b
		})},
		{"register twice", diag.Error, "carbon.invalid", "occurs twice", block(nil)},
		{"ambiguous", diag.Error, "carbon.ambiguous", "with block references and without", raw(func([]byte) []byte { return ambiguous() })},
		{"source effect", diag.Error, "carbon.source-effect", "Direct3D bytecode", func(t testing.TB, _ *parts) []byte { return readFile(t, sharedSeed) }},
		{"library", diag.Error, "carbon.library", "1 libraries", func(t testing.TB, p *parts) []byte {
			p.body.Techniques[0].Libraries = []effect.Library{{HitGroupName: "x"}}
			b, err := effect.Build(p.model)
			require.NoError(t, err)
			return b
		}},
		{"geometry program", diag.Error, "carbon.program-stage", "geometry stage has a program", block(func(p *parts) { p.stage(0).Type = effect.Geometry })},
		{"not UTF-8", diag.Error, "carbon.program-text", "byte 0", block(func(p *parts) { p.stage(0).Program = []byte("\xff fn main()") })},
		{"zero byte", diag.Error, "carbon.program-text", "byte 9", block(func(p *parts) { p.stage(0).Program = []byte("fn main()\x00{}") })},
		{"no main", diag.Warning, "carbon.entry-point", "no function main", block(func(p *parts) { p.stage(1).Program = []byte("// fn main()\nfn mainly() {}") })},
		{"half a pass", diag.Warning, "carbon.partial-pass", "1 of 2 stages", block(func(p *parts) {
			p.stage(1).Program = nil
			p.block.Groups[0].Slots = p.block.Groups[0].Slots[:1]
		})},
		{"no block", diag.Warning, "carbon.block-missing", "no block", block(func(p *parts) { p.block = nil })},
		{"lead 0", diag.Warning, "carbon.block-foreign", "engine 0 (invalid)", lead(0)},
		{"lead 1", diag.Note, "carbon.block-lead", "lead byte of the block is 1", lead(1)},
		{"lead 3", diag.Warning, "carbon.block-foreign", "engine 3 (webgl1)", lead(3)},
		{"lead 4", diag.Warning, "carbon.block-foreign", "engine 4 (opengl)", lead(4)},
		{"lead 9", diag.Warning, "carbon.block-foreign", "unknown engine 9", lead(9)},
		{"block too long", diag.Error, "carbon.block", "1 bytes after", rawBlock(func(b []byte) []byte { return append(b, 0) })},
		{"block cut", diag.Error, "carbon.block", "needed", rawBlock(func(b []byte) []byte { return b[:len(b)-1] })},
		{"kind 4", diag.Error, "carbon.block", "kind 4", block(func(p *parts) { p.slot(0).Kind = 4 })},
		{"family 2", diag.Error, "carbon.block", "family 2", block(func(p *parts) { p.detail(); p.block.Transforms[0].Family = 2 })},
		{"symbol not UTF-8", diag.Error, "carbon.block", "symbol is not UTF-8", block(func(p *parts) { p.slot(0).Symbol = "\xff" })},
		{"group number", diag.Error, "carbon.block-binding", "numbered from 0", block(func(p *parts) { p.block.Groups[0].Number = 1 })},
		{"group twice", diag.Error, "carbon.block-binding", "numbered from 0", block(func(p *parts) { p.block.Groups = append(p.block.Groups, carbon.Group{}) })},
		{"slot twice", diag.Error, "carbon.block-binding", "slot is used twice", block(func(p *parts) { p.slot(1).Slot = 0 })},
		{"visible to none", diag.Error, "carbon.block-binding", "mask is 0x00", block(func(p *parts) { p.slot(0).Visibility = 0 })},
		{"visible to unknown", diag.Error, "carbon.block-binding", "mask is 0x09", block(func(p *parts) { p.slot(0).Visibility = 9 })},
		{"visible to an absent stage", diag.Error, "carbon.block-binding", "visible to compute", block(func(p *parts) { p.slot(0).Visibility = carbon.VisibleCompute })},
		{"shared", diag.Warning, "carbon.block-binding", "shared by stages", block(func(p *parts) { p.slot(0).Visibility, p.slot(0).Symbol = 3, "both" })},
		{"no symbol", diag.Error, "carbon.block-binding", "no symbol", block(func(p *parts) { p.slot(0).Symbol = "" })},
		{"symbol twice", diag.Error, "carbon.block-binding", "names two bindings", block(func(p *parts) { p.slot(3).Symbol = p.slot(2).Symbol })},
		{"uniform type", diag.Error, "carbon.block-binding", "array<vec4<f32>, N>", block(func(p *parts) { p.slot(0).Type = "Globals" })},
		{"uniform length 0", diag.Error, "carbon.block-binding", "array<vec4<f32>, N>", block(func(p *parts) { p.slot(0).Type = "array<vec4<f32>, 0>" })},
		{"uniform length 01", diag.Error, "carbon.block-binding", "array<vec4<f32>, N>", block(func(p *parts) { p.slot(0).Type = "array<vec4<f32>, 01>" })},
		{"texture type", diag.Error, "carbon.block-binding", "sampled resource", block(func(p *parts) { p.slot(2).Type = "texture_depth_2d" })},
		{"sampler type", diag.Error, "carbon.block-binding", "type sampler", block(func(p *parts) { p.slot(3).Type = "sampler_comparison" })},
		{"storage type", diag.Error, "carbon.block-binding", "storage resource is a buffer", block(func(p *parts) { p.slot(2).Kind = carbon.KindStorage })},
		{"stride 0", diag.Error, "carbon.block-binding", "stride is 0", block(func(p *parts) { p.slot(2).Stride = 0 })},
		{"stride 6", diag.Error, "carbon.block-binding", "stride is 6", block(func(p *parts) { p.slot(2).Stride = 6 })},
		{"layers without transform", diag.Error, "carbon.block-binding", "2 layers", block(func(p *parts) { p.slot(2).Layers = 2 })},
		{"unknown transform", diag.Error, "carbon.block-transform", `no transform "id"`, block(func(p *parts) { p.detail(); p.block.Transforms = nil })},
		{"transform twice", diag.Error, "carbon.block-transform", "used twice", block(func(p *parts) { p.detail(); p.block.Transforms = append(p.block.Transforms, p.block.Transforms[0]) })},
		{"one input", diag.Error, "carbon.block-transform", "1 inputs", block(func(p *parts) { p.detail(); p.block.Transforms[0].Inputs = p.block.Transforms[0].Inputs[:1] })},
		{"input twice", diag.Error, "carbon.block-transform", "empty or repeated", block(func(p *parts) { p.detail(); p.block.Transforms[0].Inputs[1] = p.block.Transforms[0].Inputs[0] })},
		{"no output", diag.Error, "carbon.block-transform", "0 bindings are the array texture", block(func(p *parts) { p.detail(); p.slot(2).Layers = 3 })},
		{"neutral light", diag.Error, "carbon.block-transform", "local-light-profile-neutral", block(func(p *parts) { p.detail(); p.block.Transforms[0].Family = carbon.FamilyNeutralLight })},
		{"compiler version", diag.Note, "carbon.compiler-version", "1.2.7.0", block(func(p *parts) { p.model.CompilerVersion = [4]uint8{1, 2, 7, 0} })},
		{"hash", diag.Note, "carbon.hash", "the hash is", block(func(p *parts) { p.model.SourceHash = strings.Repeat("a", 32) })},
		{"unsorted states", diag.Note, "carbon.layout", "a writer would make", raw(swapStates)},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := take(t, tiny(t))
			var data []byte
			if c.name == "register twice" {
				// The writer refuses it, so that the byte is changed in the file.
				data = p.bytes(t)
				at := bytes.LastIndex(data, []byte{1, 0, 0, 0, 0, 1, 0, 0, 0, 0}) // the sampler's register
				require.Positive(t, at)
				data = duplicateTexture(t, p)
			} else {
				data = c.make(t, p)
			}
			_, ds := carbon.Validate(data, carbon.Detect)
			var found []diag.Diag
			for _, d := range ds {
				if d.Code == c.code && d.Sev == c.sev && strings.Contains(d.Text, c.text) {
					found = append(found, d)
				}
			}
			require.NotEmpty(t, found, "%v", ds)
			assert.NotEmpty(t, found[0].Remedy)
			_, err := carbon.Open(data)
			if c.sev == diag.Error {
				var invalid *carbon.InvalidError
				require.ErrorAs(t, err, &invalid)
			} else {
				assert.NoError(t, err)
			}
		})
	}
}

// record returns the records of a tiny container, which has one axis.
func record(b []byte) []byte {
	at := 44 + int(binary.LittleEndian.Uint32(b[40:]))
	return b[at+1+11+4*int(b[at+11])+4:]
}

// tail returns the offset of the only block reference: the last record of the pass,
// in front of the library count and the parameter groups.
func tail(b []byte) int {
	body := int(binary.LittleEndian.Uint32(record(b)[4:]))
	for at := body; at+8 <= len(b); at++ {
		size, off := binary.LittleEndian.Uint32(b[at:]), binary.LittleEndian.Uint32(b[at+4:])
		if off < 1<<20 && size > 16 && int(44+off+size) <= len(b) && b[44+off] == carbon.EngineWebGPU && size < 1<<16 {
			if _, err := carbon.ParseBlock(b[44+off : 44+off+size]); err == nil {
				return at
			}
		}
	}
	return -1
}

// swapStates exchanges the two render states in front of the reference.
func swapStates(b []byte) []byte {
	at := tail(b) - 16
	x := append([]byte(nil), b[at:at+8]...)
	copy(b[at:], b[at+8:at+16])
	copy(b[at+8:], x)
	return b
}

// duplicateTexture gives a stage two textures, and then both the same register.
func duplicateTexture(t *testing.T, p *parts) []byte {
	i := 1
	if len(p.stage(1).Textures) == 0 {
		i = 0
	}
	s := p.stage(i)
	s.Textures = append(append([]effect.Texture(nil), s.Textures...), effect.Texture{Register: 77, Name: s.Textures[0].Name, Type: s.Textures[0].Type, Elements: 1})
	b := p.bytes(t)
	at := bytes.LastIndexByte(b, 77)
	require.Positive(t, at)
	b[at] = s.Textures[0].Register
	return b
}

// A container cut anywhere is refused, and no altered byte makes anything panic.
func TestCutAndAltered(t *testing.T) {
	data := tiny(t).Data
	for n := range data {
		_, err := carbon.Open(data[:n:n])
		require.Error(t, err, "cut to %d bytes", n)
	}
	for i := range data {
		for _, v := range []byte{0, 0xFF, data[i] ^ 1, data[i] + 0x40} {
			b := bytes.Clone(data)
			b[i] = v
			f, ds := carbon.Validate(b, carbon.Detect)
			if f == nil {
				require.True(t, diag.HasErrors(ds))
			}
		}
	}
}

// Every block cut anywhere is refused with the byte.
func TestBlockCut(t *testing.T) {
	p := take(t, tiny(t))
	p.detail()
	b, err := p.block.Encode()
	require.NoError(t, err)
	for n := range b {
		_, err := carbon.ParseBlock(b[:n])
		require.ErrorIs(t, err, carbon.ErrBlock, "cut to %d bytes", n)
		assert.Contains(t, err.Error(), "byte ")
	}
	back, err := carbon.ParseBlock(b)
	require.NoError(t, err)
	assert.Equal(t, p.block, back)
}

// TestBlockBytes writes a block by hand, from the format's description alone.
func TestBlockBytes(t *testing.T) {
	w := &writer{}
	w.u8(2, 1)       // engine, groups
	w.u8(0, 1)       // group 0, one binding
	w.u8(1, 0, 3, 2) // sampled, space, slot, fragment
	w.u32(16, 0xFFFFFFFF)
	w.u8(2) // layers
	w.str("texture_2d_array<f32>")
	w.str("t16")
	w.str("Main.pass0:detail-map-array:sampled-resource:0:16")
	w.u8(1, 0) // one transform, detail maps
	w.str("Main.pass0:detail-map-array:sampled-resource:0:16")
	w.u8(2, 0, 16) // inputs: space, register
	w.str("Detail1Map")
	w.u8(0, 17)
	w.str("Detail2Map")
	b, err := carbon.ParseBlock(w.b)
	require.NoError(t, err)
	id := "Main.pass0:detail-map-array:sampled-resource:0:16"
	want := &carbon.Block{Lead: 2,
		Groups: []carbon.Group{{Slots: []carbon.Slot{{Kind: carbon.KindSampled, Slot: 3, Visibility: carbon.VisibleFragment, Register: 16, Stride: carbon.NoStride,
			Layers: 2, Type: "texture_2d_array<f32>", Symbol: "t16", Transform: id}}}},
		Transforms: []carbon.Transform{{ID: id, Inputs: []carbon.TransformInput{{Register: 16, Parameter: "Detail1Map"}, {Register: 17, Parameter: "Detail2Map"}}}}}
	assert.Equal(t, want, b)
	again, err := b.Encode()
	require.NoError(t, err)
	assert.Equal(t, w.b, again)
}

// TestByHand lays a container out by hand and compares it with what Write makes.
func TestByHand(t *testing.T) {
	code := "@compute @workgroup_size(1)\nfn main() {}\n"
	block := []byte{2, 0, 0}
	entries := []string{"\x00", "\x02\x00\x00", code, "A\x00", "Main\x00", "X\x00", "Y\x00"} // sorted by bytes
	at := map[string]uint32{}
	arena := ""
	for i, e := range entries {
		if i > 0 {
			require.Less(t, entries[i-1], e)
		}
		at[e] = uint32(len(arena))
		arena += e
	}
	w := &writer{}
	w.u32(15)
	w.u8(1, 2, 6, 0)
	w.b = append(w.b, strings.Repeat("0", 32)...)
	w.u32(uint32(len(arena)))
	w.b = append(w.b, arena...)
	w.u8(1)
	w.u32(at["A\x00"])
	w.u8(1)
	w.u32(at["\x00"])
	w.u8(0, 2)
	w.u32(at["X\x00"], at["Y\x00"])
	body := func(size, off uint32, blockSize, blockOff uint32) []byte {
		b := &writer{}
		b.u8(1)
		b.u32(at["Main\x00"])
		b.u8(1, 1, 2) // one pass, one stage, compute
		b.u32(size, off, 1, 1, 1)
		b.u8(0, 0, 0)
		b.u32(0, 0, 0xFFFFFFFF)
		b.u8(0, 0, 0, 0)
		b.u8(0) // states
		b.u32(blockSize, blockOff)
		b.u8(0, 0, 0)
		return b.b
	}
	empty := body(0, 0xFFFFFFFF, 0, 0xFFFFFFFF)
	full := body(uint32(len(code)), at[code], 3, at["\x02\x00\x00"])
	// Header: version, compiler, hash; records, axes; arena with its size.
	first := uint32(4 + 4 + 32 + (2*3+1)*4 + 1 + 11 + 4*2 + 4 + len(arena))
	w.u32(2, 0, first, uint32(len(empty)), 1, first+uint32(len(empty)), uint32(len(full)))
	require.Equal(t, int(first), len(w.b))
	w.b = append(append(w.b, empty...), full...)

	stage := func(p string) *effect.Body {
		return &effect.Body{Techniques: []effect.Technique{{Name: "Main", Passes: []effect.Pass{{Stages: []effect.Stage{{Type: effect.Compute, Program: []byte(p), ThreadGroup: [3]uint32{1, 1, 1}}}}}}}}
	}
	a, b := stage(""), stage(code)
	m := &effect.Model{CompilerVersion: carbon.CompilerVersion, SourceHash: carbon.ZeroHash,
		Axes: []effect.Axis{{Name: "A", Default: 1, Options: []string{"X", "Y"}}}, Bodies: []*effect.Body{a, b}}
	got, err := carbon.Write(m, func(x *effect.Body, _, _ int) []byte {
		if x == b {
			return block
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, w.b, got)
	f, ds := carbon.Validate(got, carbon.Detect)
	require.Empty(t, ds)
	assert.Equal(t, 1, f.SelectedPermutation())
	assert.Equal(t, block, f.Bodies[1].Block(0, 0))
	assert.Nil(t, f.Bodies[0].Block(0, 0))
	assert.Nil(t, f.Bodies[0].Block(7, 300))
	assert.Equal(t, -1, f.BodyOf(2))
	set, ds := f.WGSL(1)
	require.Empty(t, ds)
	require.Len(t, set.Shaders, 1)
	assert.Equal(t, []uint32{1, 1, 1}, set.Shaders[0].ThreadGroupSize)
	assert.Equal(t, code, set.Shaders[0].Code)
	bodies, _ := f.BodySet()
	assert.Equal(t, "partial", bodies.Coverage.Bodies)
	assert.Equal(t, carbon.GenericReason, *bodies.Bodies[0].Error)
}

// A body that reads both ways is read as the caller says.
func TestAmbiguous(t *testing.T) {
	data := ambiguous()
	_, err := carbon.Parse(data, carbon.Detect)
	require.ErrorIs(t, err, carbon.ErrAmbiguous)
	with, err := carbon.Parse(data, carbon.With)
	require.NoError(t, err)
	assert.Len(t, with.Bodies[0].Block(0, 0), 512)
	without, err := carbon.Parse(data, carbon.Without)
	require.NoError(t, err)
	assert.Nil(t, without.Bodies[0].Block(0, 0))
	body, err := without.Effect.Body(0)
	require.NoError(t, err)
	assert.Len(t, body.Techniques[0].Passes[1].States, 2)
}

// Blocks of other engines pass through unchanged; a view of WebGPU refuses them.
func TestForeignBlock(t *testing.T) {
	p := take(t, tiny(t))
	p.raw = []byte{4, 'g', 'l', 's', 'l', 0, 0xFF}
	data := p.bytes(t)
	f, err := carbon.Open(data)
	require.NoError(t, err)
	again, err := f.Rewrite()
	require.NoError(t, err)
	assert.Equal(t, data, again)
	pass, ds := f.Translation(0, 0, 0)
	assert.Nil(t, pass)
	require.Len(t, ds, 1)
	assert.Equal(t, diag.Code("carbon.block-foreign"), ds[0].Code)
	assert.Equal(t, "Main", ds[0].At.Technique)

	p.raw, p.block = nil, nil
	f, err = carbon.Open(p.bytes(t))
	require.NoError(t, err)
	_, ds = f.Translation(0, 0, 0)
	require.Len(t, ds, 1)
	assert.Equal(t, diag.Code("carbon.block-missing"), ds[0].Code)
}

// A source effect is no container for Sniff, and neither is another file.
func TestSniff(t *testing.T) {
	assert.True(t, carbon.Sniff(tiny(t).Data))
	assert.False(t, carbon.Sniff(readFile(t, sharedSeed)))
	assert.False(t, carbon.Sniff(readFile(t, testdata, "packages", "tiny.cewgpu")))
	assert.False(t, carbon.Sniff(nil))
}
