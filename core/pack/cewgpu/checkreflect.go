package cewgpu

import (
	"math"
	"strconv"
)

type reflectFacts struct {
	present  bool
	selected cur // the selected body's effect; absent when unknown
	source   cur
	programs int
}

// checkReflection applies section 8 but for the comparison with ANLS.
func (v *checker) checkReflection(d *jsonDoc) {
	c := v.root(d, ruleReflectFormat)
	f := &v.rflx
	f.present = true
	f.selected = c.absent()
	keys := []string{"format", "formatVersion", "portableFormat", "portableFormatVersion", "keyScope", "coverage", "source", "blobStore"}
	version, _ := c.get("formatVersion").integer(1, 2)
	if version == 1 {
		keys = append(keys, "selectedBody", "effect")
	} else {
		keys = append(keys, "bodies")
	}
	c.closed(keys...)
	c.get("format").is("CJS_CEWGPU_EFFECT_REFLECTION")
	if version != 0 && v.info.version >= 2 && version != v.info.version-1 {
		c.get("formatVersion").bad("INFO version %d takes reflection version %d, found %d", v.info.version, v.info.version-1, version)
	}
	c.get("portableFormat").is("CJS_EFFECT_BODY_REFLECTION")
	c.get("portableFormatVersion").isInt(1, "")
	c.get("keyScope").is("body-local")
	if cov := c.get("coverage"); cov.closed("bodies", "reflection", "sourcePrograms", "constantDefaults") {
		want := "all-unique"
		if version == 1 {
			want = "selected"
		}
		cov.get("bodies").is(want)
		cov.get("reflection").is("complete-for-listed")
		cov.get("sourcePrograms").is("complete-for-listed")
		cov.get("constantDefaults").is("exact-for-listed")
	}
	store := v.blobStore(c.by(ruleBlobStore).get("blobStore"))
	p := &portableChecker{v: v, store: store}
	v.reflectSource(c.by(ruleReflectSource).get("source"), p)

	bodies := 1
	if version == 1 {
		v.legacyBody(c.by(ruleReflectBody).get("selectedBody"))
		e := c.by(rulePortable).get("effect")
		p.effect(e)
		f.selected = e
	} else {
		bodies = v.reflectBodies(c.by(ruleReflectBody).get("bodies"), p)
	}
	f.programs = p.programs
	if store != nil {
		for i, used := range store.used {
			if !used {
				store.at[i].by(ruleUnreferenced).bad("nothing refers to %s", store.refs[i].BlobKey)
			}
		}
	}

	r := v.info.root.by(rulePointerCount).opt("effectReflection")
	if r.ok() && r.kind() == jsonObject {
		v.countIs(r, "bodyCount", bodies, "bodies of RFLX")
		v.countIs(r, "sourceProgramCount", p.programs, "programs of RFLX")
		if store != nil {
			v.countIs(r, "blobCount", len(store.refs), "blobs of RFLX")
		}
		if b, ok := v.chunk("RBLB"); ok {
			v.countIs(r, "blobByteLength", len(b.Data), "bytes of RBLB")
		}
		if v.pgrf.variants != nil {
			v.countIs(r, "permutationCount", len(v.pgrf.variants), "permutations of PGRF")
		}
	}
}

// blobInventory is the checked inventory of RBLB.
type blobInventory struct {
	refs []BlobRef
	at   []cur
	used []bool
	data []byte
}

func (v *checker) blobStore(c cur) *blobInventory {
	if !c.closed("chunk", "byteLength", "sha256", "blobCount", "blobs") {
		return nil
	}
	rblb, ok := v.chunk("RBLB")
	c.get("chunk").is("RBLB")
	if ok {
		v.digest(c.get("sha256"), "RBLB")
		if n, isInt := c.get("byteLength").natural(); isInt && n != int64(len(rblb.Data)) {
			c.get("byteLength").bad("RBLB has %d bytes, found %d", len(rblb.Data), n)
		}
	}
	inv := &blobInventory{data: rblb.Data}
	digests := map[string]int{}
	next := int64(0)
	sound := true
	list := c.get("blobs")
	n := list.each(func(i int, e cur) {
		var ref BlobRef
		if !e.closed("blobKey", "offset", "byteLength", "sha256") {
			sound = false
			return
		}
		ref.BlobKey, _ = e.get("blobKey").str()
		if want := "blob" + strconv.Itoa(i); ref.BlobKey != want {
			e.get("blobKey").want(strconv.Quote(want))
		}
		off, ok1 := e.get("offset").u32()
		size, ok2 := e.get("byteLength").u32()
		var ok3 bool
		ref.SHA256, ok3 = e.get("sha256").hex(64)
		if !ok1 || !ok2 || !ok3 {
			sound = false
			return
		}
		if off != next {
			e.get("offset").bad("blob %d starts at %d, the one before it ends at %d", i, off, next)
		}
		next = off + size
		ref.Offset, ref.ByteLength = int(off), int(size)
		if first, dup := digests[ref.SHA256]; dup {
			e.get("sha256").bad("blobs %d and %d have one digest: equal blobs are one", first, i)
		} else {
			digests[ref.SHA256] = i
		}
		if ok {
			if off+size > int64(len(rblb.Data)) {
				e.bad("bytes %d to %d pass the end of RBLB, which has %d", off, off+size, len(rblb.Data))
				sound = false
			} else if got := digestOf(rblb.Data[off : off+size]); got != ref.SHA256 {
				e.by(ruleBlobDigest).get("sha256").bad("SHA-256 of bytes %d to %d of RBLB is %s, found %s", off, off+size, got, ref.SHA256)
			}
		}
		inv.refs = append(inv.refs, ref)
		inv.at = append(inv.at, e)
	})
	if n >= 0 {
		if count, isInt := c.get("blobCount").natural(); isInt && count != int64(n) {
			c.get("blobCount").bad("expected %d, the blobs listed, found %d", n, count)
		}
		if ok && sound && next != int64(len(rblb.Data)) {
			list.bad("the blobs end at %d, RBLB has %d bytes", next, len(rblb.Data))
		}
	}
	if n < 0 || !sound || !ok {
		return nil
	}
	inv.used = make([]bool, len(inv.refs))
	return inv
}

// resolve checks a blob reference and returns its bytes.
func (s *blobInventory) resolve(c cur) ([]byte, bool) {
	c = c.by(ruleBlobRef)
	if !c.closed("blobKey", "offset", "byteLength", "sha256") {
		return nil, false
	}
	key, ok1 := c.get("blobKey").str()
	off, ok2 := c.get("offset").u32()
	n, ok3 := c.get("byteLength").u32()
	sum, ok4 := c.get("sha256").hex(64)
	if !ok1 || !ok2 || !ok3 || !ok4 || s == nil {
		return nil, false
	}
	i, err := strconv.Atoi(key[min(4, len(key)):])
	if err != nil || i < 0 || i >= len(s.refs) || s.refs[i].BlobKey != key {
		c.get("blobKey").bad("no blob %q: the inventory has %d", clip(key), len(s.refs))
		return nil, false
	}
	if want := s.refs[i]; int64(want.Offset) != off || int64(want.ByteLength) != n || want.SHA256 != sum {
		c.bad("the reference differs from the inventory's %s (offset %d, %d bytes, %s)", key, want.Offset, want.ByteLength, want.SHA256)
		return nil, false
	}
	s.used[i] = true
	return s.data[off : off+n], true
}

func (v *checker) reflectSource(c cur, p *portableChecker) {
	if !c.closed("label", "effectVersion", "compilerVersion", "nativeHash", "stringTableByteLength", "byteLength", "sha256") {
		return
	}
	v.rflx.source = c
	if s, ok := c.get("label").str(); ok && s != v.info.sourcePath {
		c.get("label").bad("INFO.sourcePath is %q, found %q", clip(v.info.sourcePath), clip(s))
	}
	p.source(c)
	if n, ok := c.get("byteLength").integer(1, math.MaxUint32); ok && n != v.info.byteLength {
		c.get("byteLength").bad("INFO.sourceIdentity.byteLength is %d, found %d", v.info.byteLength, n)
	}
	if s, ok := c.get("sha256").hex(64); ok && v.info.sha256 != "" && s != v.info.sha256 {
		c.get("sha256").bad("INFO.sourceIdentity.sha256 is %s, found %s", v.info.sha256, s)
	}
}

func (v *checker) reflectBodies(c cur, p *portableChecker) int {
	g := &v.pgrf
	selected := -1
	if v.meta.hasIndex && v.meta.bodyIndex < int64(len(g.variants)) {
		selected = g.variants[v.meta.bodyIndex].body
	}
	n := c.each(func(i int, e cur) {
		if !e.closed("bodyKey", "representativePermutationIndex", "byteLength", "sha256", "effect") {
			return
		}
		key, okKey := e.get("bodyKey").text()
		rep, okRep := e.get("representativePermutationIndex").u32()
		size, okSize := e.get("byteLength").integer(1, math.MaxUint32)
		sum, okSum := e.get("sha256").hex(64)
		if i < len(g.bodies) {
			want := g.bodies[i]
			if okKey && key != want.key {
				e.get("bodyKey").bad("body %d of PGRF is %q, found %q", i, clip(want.key), clip(key))
			}
			if okRep && want.first >= 0 && rep != int64(want.first) {
				e.get("representativePermutationIndex").bad("the first permutation with this body is %d, found %d", want.first, rep)
			}
			if okSize && want.length > 0 && size != want.length {
				e.get("byteLength").bad("PGRF says %d, found %d", want.length, size)
			}
			if okSum && want.sha256 != "" && sum != want.sha256 {
				e.get("sha256").bad("PGRF says %s, found %s", want.sha256, sum)
			}
		}
		x := e.by(rulePortable).get("effect")
		p.effect(x)
		if i == selected {
			v.rflx.selected = x
		}
	})
	if n >= 0 && len(g.bodies) > 0 && n != len(g.bodies) {
		c.bad("expected the %d bodies of PGRF, found %d", len(g.bodies), n)
	}
	return n
}

func (v *checker) legacyBody(c cur) {
	if !c.closed("permutationIndex", "bodyKey", "sourceRecord", "byteLength", "sha256") {
		return
	}
	g := &v.pgrf
	p, okP := c.get("permutationIndex").u32()
	if okP && v.meta.hasIndex && p != v.meta.bodyIndex {
		c.get("permutationIndex").bad("META.bodyIndex is %d, found %d", v.meta.bodyIndex, p)
	}
	key, okKey := c.get("bodyKey").text()
	size, okSize := c.get("byteLength").integer(1, math.MaxUint32)
	sum, okSum := c.get("sha256").hex(64)
	rec := c.get("sourceRecord")
	var off, n int64
	okRec := rec.closed("offset", "byteLength")
	if okRec {
		var ok1, ok2 bool
		off, ok1 = rec.get("offset").u32()
		n, ok2 = rec.get("byteLength").integer(1, math.MaxUint32)
		okRec = ok1 && ok2
	}
	if !okP || p >= int64(len(g.variants)) {
		return
	}
	w := g.variants[p]
	if okRec && (w.offset != off || w.length != n) {
		rec.bad("PGRF says offset %d, %d bytes, found %d and %d", w.offset, w.length, off, n)
	}
	if w.body < 0 {
		return
	}
	b := g.bodies[w.body]
	if okKey && key != b.key {
		c.get("bodyKey").bad("permutation %d has body %q in PGRF, found %q", p, clip(b.key), clip(key))
	}
	if okSize && size != b.length {
		c.get("byteLength").bad("PGRF says %d, found %d", b.length, size)
	}
	if okSum && sum != b.sha256 {
		c.get("sha256").bad("PGRF says %s, found %s", b.sha256, sum)
	}
}
