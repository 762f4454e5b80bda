package cewgpu

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

const maxVariants = 65536

type graphFacts struct {
	axes     []axisFact    // nil when the axes are unusable
	variants []variantFact // nil when the variants are unusable
	bodies   []bodyFact
	byKey    map[string]int
}

type axisFact struct {
	name    string
	options []string
	def     int64
	stride  int64
	sound   bool
}

// option is the axis's option in permutation p.
func (a *axisFact) option(p int64) int64 { return p / a.stride % int64(len(a.options)) }

type variantFact struct {
	body   int // index into bodies, -1 unknown
	offset int64
	length int64
	at     cur
}

type bodyFact struct {
	key    string
	length int64
	sha256 string
	first  int // first variant that uses it, -1 none
	at     cur
}

// checkGraph applies section 7 and the pointer's counts.
func (v *checker) checkGraph(d *jsonDoc) {
	c := v.root(d, ruleGraphFormat)
	c.open("format", "formatVersion", "coverage", "axes", "variants", "bodies")
	c.get("format").is("CJS_EFFECT_PERMUTATION_GRAPH")
	c.get("formatVersion").isInt(1, "")
	if cov := c.get("coverage"); cov.open("permutations", "bodies", "reflection") {
		cov.get("permutations").is("complete")
		cov.get("bodies").is("identity-only")
		cov.get("reflection").is("absent")
	}
	product := v.graphAxes(c.by(ruleAxes).get("axes"))
	bodies := c.by(ruleGraphBody).get("bodies")
	v.graphBodies(bodies)
	variants := c.by(ruleVariants).get("variants")
	v.graphVariants(variants, product)
	v.graphRanges()

	f := &v.pgrf
	if f.variants != nil && len(f.bodies) > len(f.variants) {
		bodies.bad("%d bodies for %d permutations", len(f.bodies), len(f.variants))
	}
	for _, b := range f.bodies {
		if b.first < 0 && f.variants != nil {
			b.at.by(ruleUnusedBody).bad("no permutation uses body %q", clip(b.key))
		}
	}
	if p := v.info.root.by(rulePointerCount).opt("permutationGraph"); p.ok() && p.kind() == jsonObject {
		v.countIs(p, "permutationCount", variants.length(), "permutations of PGRF")
		v.countIs(p, "uniqueBodyCount", bodies.length(), "bodies of PGRF")
	}
}

// countIs compares a pointer's count with a document; shapes were checked before.
func (v *checker) countIs(p cur, key string, n int, of string) {
	k := p.opt(key)
	if n < 0 || !k.ok() || k.kind() != jsonNumber {
		return
	}
	if got := k.d.num(k.n); got != float64(n) {
		k.bad("expected %d, the %s, found %s", n, of, k.found())
	}
}

// graphAxes returns the number of permutations that the axes span, -1 if unknown.
func (v *checker) graphAxes(c cur) int64 {
	axes := []axisFact{}
	names := map[string]bool{}
	product, sound := int64(1), true
	n := c.each(func(i int, e cur) {
		if i >= 255 {
			return
		}
		a := axisFact{stride: product}
		if !e.open("index", "name", "options", "defaultOption", "description", "type") {
			sound = false
			return
		}
		e.get("index").isInt(int64(i), ", the position,")
		var ok1, ok2 bool
		a.name, ok1 = e.get("name").trimmed()
		if names[a.name] && ok1 {
			e.get("name").bad("axis %q occurs twice", clip(a.name))
		}
		names[a.name] = true
		opts := e.get("options")
		ok2 = true
		k := opts.each(func(j int, o cur) {
			if j >= 255 {
				return
			}
			s, ok := o.trimmed()
			ok2 = ok2 && ok
			if ok && slices.Contains(a.options, s) {
				o.bad("option %q occurs twice", clip(s))
			}
			a.options = append(a.options, s)
		})
		if k == 0 || k > 255 {
			opts.bad("an axis has 1 to 255 options, this one has %d", k)
		}
		var ok3 bool
		if k >= 1 && k <= 255 {
			a.def, ok3 = e.get("defaultOption").integer(0, int64(k-1))
			product = min(product*int64(k), 1<<40)
		} else {
			sound = false
		}
		e.get("description").str()
		e.get("type").u8()
		a.sound = ok1 && ok2 && ok3
		axes = append(axes, a)
	})
	if n > 255 {
		c.bad("an effect has at most 255 axes, this one has %d", n)
		sound = false
	}
	if n < 0 || !sound {
		return -1
	}
	v.pgrf.axes = axes
	if product > maxVariants {
		c.bad("the options span %d permutations, at most %d are allowed", product, maxVariants)
	}
	return product
}

func (v *checker) graphBodies(c cur) {
	f := &v.pgrf
	f.byKey = map[string]int{}
	digests := map[string]int{}
	n := c.each(func(i int, e cur) {
		if i >= maxVariants {
			return
		}
		b := bodyFact{first: -1, at: e}
		if e.open("key", "byteLength", "sha256") {
			var ok bool
			if b.key, ok = e.get("key").trimmed(); ok {
				if _, dup := f.byKey[b.key]; dup {
					e.get("key").bad("body key %q occurs twice", clip(b.key))
				} else {
					f.byKey[b.key] = i
				}
			}
			b.length, _ = e.get("byteLength").integer(1, math.MaxUint32)
			if b.sha256, ok = e.get("sha256").hex(64); ok {
				if first, dup := digests[b.sha256]; dup {
					e.by(ruleBodyDigest).get("sha256").bad("bodies %d and %d have one digest: equal bodies are one", first, i)
				} else {
					digests[b.sha256] = i
				}
			}
		}
		f.bodies = append(f.bodies, b)
	})
	if n == 0 {
		c.bad("an effect has at least one body")
	}
}

func (v *checker) graphVariants(c cur, product int64) {
	f := &v.pgrf
	variants := []variantFact{}
	n := c.each(func(i int, e cur) {
		if i >= maxVariants {
			return
		}
		w := variantFact{body: -1, offset: -1, at: e}
		if e.open("permutationIndex", "optionIndices", "bodyKey", "sourceRecord") {
			e.get("permutationIndex").isInt(int64(i), ", the position,")
			v.graphTuple(e.by(ruleTuple).get("optionIndices"), int64(i), product)
			if key, ok := e.get("bodyKey").text(); ok {
				if b, known := f.byKey[key]; known {
					w.body = b
					if f.bodies[b].first < 0 {
						f.bodies[b].first = i
					}
				} else {
					e.get("bodyKey").bad("no body %q", clip(key))
				}
			}
			v.graphRecord(e.by(ruleRecord).get("sourceRecord"), &w)
		}
		variants = append(variants, w)
	})
	if n < 0 {
		return
	}
	if n > maxVariants {
		c.bad("%d permutations, at most %d are allowed", n, maxVariants)
	}
	if product >= 0 && int64(n) != product {
		c.bad("the axes span %d permutations, found %d", product, n)
	}
	if n > 0 {
		f.variants = variants
	}
}

func (v *checker) graphTuple(c cur, p, product int64) {
	axes := v.pgrf.axes
	n := c.each(func(i int, e cur) {
		got, ok := e.natural()
		if !ok || product < 0 || i >= len(axes) {
			return
		}
		if want := axes[i].option(p); got != want {
			e.bad("permutation %d has option %d of axis %d, found %d", p, want, i, got)
		}
	})
	if n >= 0 && axes != nil && n != len(axes) {
		c.bad("%d options for %d axes", n, len(axes))
	}
}

func (v *checker) graphRecord(c cur, w *variantFact) {
	if !c.open("offset", "byteLength") {
		return
	}
	off, ok1 := c.get("offset").u32()
	n, ok2 := c.get("byteLength").integer(1, math.MaxUint32)
	if !ok1 || !ok2 {
		return
	}
	if v.info.byteLength > 0 && off+n > v.info.byteLength {
		c.bad("bytes %d to %d pass the end of the source, which has %d", off, off+n, v.info.byteLength)
	}
	if w.body >= 0 {
		if want := v.pgrf.bodies[w.body].length; want > 0 && want != n {
			c.get("byteLength").bad("body %q has %d bytes, found %d", clip(v.pgrf.bodies[w.body].key), want, n)
		}
	}
	w.offset, w.length = off, n
}

// graphRanges checks that ranges of the source are equal or disjoint, and that
// equal ones are one body.
func (v *checker) graphRanges() {
	order := make([]int, 0, len(v.pgrf.variants))
	for i, w := range v.pgrf.variants {
		if w.offset >= 0 {
			order = append(order, i)
		}
	}
	vs := v.pgrf.variants
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(vs[a].offset, vs[b].offset), cmp.Compare(vs[a].length, vs[b].length), cmp.Compare(a, b))
	})
	for k := 1; k < len(order); k++ {
		a, b := order[k-1], order[k]
		switch {
		case vs[a].offset == vs[b].offset && vs[a].length == vs[b].length:
			if vs[a].body != vs[b].body && vs[a].body >= 0 && vs[b].body >= 0 {
				vs[b].at.by(ruleAlias).get("bodyKey").bad("permutations %d and %d have one range of the source and different bodies", a, b)
			}
		case vs[a].offset+vs[a].length > vs[b].offset:
			vs[b].at.by(ruleOverlap).get("sourceRecord").bad("bytes %d to %d overlap those of permutation %d, %d to %d",
				vs[b].offset, vs[b].offset+vs[b].length, a, vs[a].offset, vs[a].offset+vs[a].length)
		}
	}
}
