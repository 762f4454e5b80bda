package syntax

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// overload is one signature of an operator or builtin function.
type overload struct {
	params []*pattern
	result *pattern
	sets   map[byte][]TypeKind // of its type variables
	vars   string              // those variables, sorted
	text   string              // for messages
	flags  string
}

// pattern is a type with variables in it.
type pattern struct {
	kind   patternKind
	scalar TypeKind // of patScalar
	letter byte     // of patVar
	n, m   byte     // of vectors and matrices: 2..4, or a letter
	elem   *pattern // also what a sampled texture or a builtin's result is of
	key    typeKey  // of textures and samplers
	access string   // of storage textures: readable, writable, A
}

type patternKind uint8

const (
	patScalar       patternKind = iota
	patVar                      // T
	patVec                      // vecN<T>
	patMat                      // matNxM<T>: N columns of M rows
	patKey                      // sampler, texture_depth_2d: no variables
	patSampled                  // texture_2d<T>
	patStorage                  // texture_storage_2d<F,readable>
	patAtomic                   // pointer to an atomic
	patRuntimeArray             // pointer to a runtime-sized array
	patWorkgroup                // pointer to a value in workgroup memory
	patLane                     // i32 or u32 that is constant
	patComponent                // the same, of 0 to 3
	patOffset                   // vec2<i32> or vec3<i32> that is constant, of -8 to 7
	patTexel                    // vec4 of what a storage texture's format holds
	patVoid
	patLoaded   // what patWorkgroup points to
	patFrexp    // result structures
	patModf     //
	patExchange //
)

var overloads = sync.OnceValue(parseOverloads)

func parseOverloads() map[string][]*overload {
	out := map[string][]*overload{}
	for _, line := range strings.Split(overloadText, "\n") {
		if line == "" {
			continue
		}
		for _, l := range alternatives(line) {
			names, rest, _ := strings.Cut(l, " ")
			sig, rest, _ := strings.Cut(rest, ";")
			sets, flags, _ := strings.Cut(rest, ";")
			params, result, _ := strings.Cut(sig, "->")
			o := &overload{sets: map[byte][]TypeKind{}, flags: strings.TrimSpace(flags)}
			for _, p := range strings.Fields(params) {
				o.params = append(o.params, parsePattern(p))
			}
			o.result = parsePattern(strings.TrimSpace(result))
			o.text = "(" + strings.Join(strings.Fields(params), ", ") + ")"
			var where []string
			for _, s := range strings.Fields(sets) {
				o.vars += s[:1]
				o.sets[s[0]] = scalarSets[s[2:]]
				var ts []string
				for _, k := range scalarSets[s[2:]] {
					ts = append(ts, scalarNames[k])
				}
				where = append(where, fmt.Sprintf("%s is one of %s", s[:1], strings.Join(ts, " ")))
			}
			if len(where) > 0 {
				o.text += " where " + strings.Join(where, ", ")
			}
			for _, n := range strings.Split(names, ",") {
				out[n] = append(out[n], o)
			}
		}
	}
	return out
}

// alternatives writes a line out for each alternative of its braces, and with ? for
// scalars and for vectors.
func alternatives(line string) []string {
	if i := strings.IndexByte(line, '{'); i >= 0 {
		j := i + strings.IndexByte(line[i:], '}')
		var out []string
		for _, a := range strings.Split(line[i+1:j], "|") {
			out = append(out, alternatives(line[:i]+a+line[j+1:])...)
		}
		return out
	}
	if !strings.Contains(line, "?") {
		return []string{line}
	}
	words := strings.Split(line, " ")
	vec := slices.Clone(words)
	for i, w := range words {
		if j := strings.IndexByte(w, '?'); j >= 0 {
			t := strings.TrimSuffix(w[j+1:], ">")
			words[i] = w[:j] + w[j+1:]
			vec[i] = w[:j] + "vecN<" + t + ">" + w[j+1+len(t):]
		}
	}
	return []string{strings.Join(words, " "), strings.Join(vec, " ")}
}

var patternWords = map[string]patternKind{
	"runtime_array": patRuntimeArray, "workgroup_value": patWorkgroup, "lane": patLane, "component": patComponent,
	"texel": patTexel, "void": patVoid, "loaded": patLoaded, "atomic": patAtomic, "frexp": patFrexp, "modf": patModf,
	"exchange": patExchange,
}

func parsePattern(s string) *pattern {
	name, arg, _ := strings.Cut(strings.TrimSuffix(s, ">"), "<")
	if len(s) == 1 {
		return &pattern{kind: patVar, letter: s[0]}
	}
	if k := slices.Index(scalarNames[:], s); k > 0 {
		return &pattern{kind: patScalar, scalar: TypeKind(k)}
	}
	if k, ok := patternWords[name]; ok {
		p := &pattern{kind: k}
		if arg != "" {
			if k == patFrexp || k == patModf {
				arg = strings.TrimSuffix(s[len(name)+1:], ">")
			}
			p.elem = parsePattern(arg)
		}
		return p
	}
	dim := func(c byte) byte {
		if c >= '2' && c <= '4' {
			return c - '0'
		}
		return c
	}
	switch {
	case strings.HasPrefix(name, "vec"):
		return &pattern{kind: patVec, n: dim(name[3]), elem: parsePattern(arg)}
	case strings.HasPrefix(name, "mat"):
		return &pattern{kind: patMat, n: dim(name[3]), m: dim(name[5]), elem: parsePattern(arg)}
	case strings.HasPrefix(name, "offset"):
		return &pattern{kind: patOffset, n: dim(name[6])}
	}
	key, ok := handleKey(name)
	if !ok {
		panic("syntax: no pattern: " + s)
	}
	switch key.Kind {
	case TypeTexture, TypeTextureMultisampled:
		return &pattern{kind: patSampled, key: key, elem: parsePattern(arg)}
	case TypeTextureStorage:
		return &pattern{kind: patStorage, key: key, access: strings.TrimPrefix(arg, "F,")}
	}
	return &pattern{kind: patKey, key: key}
}

// handleKey is the part of a sampler's or texture's type that its name gives.
func handleKey(name string) (typeKey, bool) {
	switch name {
	case "sampler":
		return typeKey{Kind: TypeSampler}, true
	case "sampler_comparison":
		return typeKey{Kind: TypeSamplerComparison}, true
	case "texture_external":
		return typeKey{Kind: TypeTextureExternal}, true
	}
	rest, ok := strings.CutPrefix(name, "texture_")
	if !ok {
		return typeKey{}, false
	}
	for _, p := range []struct {
		prefix string
		kind   TypeKind
	}{
		{"depth_multisampled_", TypeTextureDepthMultisampled}, {"depth_", TypeTextureDepth},
		{"multisampled_", TypeTextureMultisampled}, {"storage_", TypeTextureStorage},
	} {
		if dim, ok := strings.CutPrefix(rest, p.prefix); ok {
			return typeKey{Kind: p.kind, Dim: dim}, true
		}
	}
	return typeKey{Kind: TypeTexture, Dim: rest}, true
}

// binding is what the variables of an overload stand for in one call.
type binding struct {
	u       *universe
	scalars ['Z' + 1]*Type
	dims    ['Z' + 1]int
	storage *Type // the storage texture
	loaded  *Type // behind the pointer to workgroup memory
}

func (b *binding) dim(d byte, n uint64) bool {
	if d < 'A' {
		return uint64(d) == n
	}
	if b.dims[d] == 0 {
		b.dims[d] = int(n)
	}
	return uint64(b.dims[d]) == n
}

func (b *binding) size(d byte) int {
	if d < 'A' {
		return int(d)
	}
	return b.dims[d]
}

// match binds the pattern's variables to what the type of an argument has.
func (b *binding) match(p *pattern, t *Type) bool {
	switch p.kind {
	case patScalar:
		return rank(t, b.u.basic[p.scalar]) >= 0
	case patVar:
		if !t.isScalar() {
			return false
		}
		if old := b.scalars[p.letter]; old != nil {
			t = common(old, t)
		}
		b.scalars[p.letter] = t
		return t != nil
	case patVec:
		return t.Kind == TypeVec && b.dim(p.n, t.N) && b.match(p.elem, t.Elem)
	case patMat:
		return t.Kind == TypeMat && b.dim(p.n, t.N) && b.dim(p.m, t.Elem.N) && b.match(p.elem, t.Elem.Elem)
	case patKey:
		return t.typeKey == p.key
	case patSampled:
		return t.Kind == p.key.Kind && t.Dim == p.key.Dim && b.match(p.elem, t.Elem)
	case patStorage:
		b.storage = t
		return t.Kind == p.key.Kind && t.Dim == p.key.Dim &&
			(p.access == "A" || t.Access == "read_write" || (t.Access == "read") == (p.access == "readable"))
	case patAtomic:
		return t.Kind == TypePointer && t.Elem.Kind == TypeAtomic && t.Access == "read_write" && b.match(p.elem, t.Elem.Elem)
	case patRuntimeArray:
		return t.Kind == TypePointer && t.Elem.Kind == TypeArray && t.Elem.N == 0 && t.Elem.Count == nil
	case patWorkgroup:
		if t.Kind != TypePointer || t.Space != "workgroup" {
			return false
		}
		b.loaded = t.Elem
		if t.Elem.Kind == TypeAtomic {
			b.loaded = t.Elem.Elem
		}
		return b.loaded.has(plain) && !b.loaded.has(hasAtomic) && !b.loaded.has(hasRuntime)
	case patLane, patComponent:
		return t.isInt()
	case patOffset:
		return t.Kind == TypeVec && t.N == uint64(p.n) && rank(t.Elem, b.u.basic[TypeI32]) >= 0
	case patTexel:
		return rank(t, b.make(p)) >= 0
	}
	return false
}

// make is the pattern with its variables put in.
func (b *binding) make(p *pattern) *Type {
	u := b.u
	switch p.kind {
	case patScalar:
		return u.basic[p.scalar]
	case patVar:
		return b.scalars[p.letter]
	case patVec:
		return u.vec(b.size(p.n), b.make(p.elem))
	case patMat:
		return u.mat(b.size(p.n), b.size(p.m), b.make(p.elem))
	case patOffset:
		return u.vec(int(p.n), u.basic[TypeI32])
	case patTexel:
		return u.vec(4, u.basic[texelFormats()[b.storage.Format]])
	case patVoid:
		return u.basic[TypeVoid]
	case patLoaded:
		return b.loaded
	case patFrexp:
		t := b.make(p.elem)
		exp := u.basic[TypeI32]
		if t.isAbstract() {
			exp = u.basic[TypeAbstractInt]
		}
		if t.Kind == TypeVec {
			exp = u.vec(int(t.N), exp)
		}
		return u.resultStruct("frexp", t, [2]string{"fract", "exp"}, [2]*Type{t, exp})
	case patModf:
		t := b.make(p.elem)
		return u.resultStruct("modf", t, [2]string{"fract", "whole"}, [2]*Type{t, t})
	case patExchange:
		t := b.make(p.elem)
		return u.resultStruct("atomic_compare_exchange", t, [2]string{"old_value", "exchanged"}, [2]*Type{t, u.basic[TypeBool]})
	}
	return nil // of what the argument is itself
}

// chosen is the overload of a call.
type chosen struct {
	*overload
	params []*Type // what the arguments convert to
	result *Type
}

// choose resolves a call by the rules of section "Overload resolution": of the overloads
// that the arguments convert to, the one whose conversions rank least.
func (u *universe) choose(name string, args []*Type) *chosen {
	var best *chosen
	bestRank := 0
next:
	for _, o := range overloads()[name] {
		if len(o.params) != len(args) {
			continue
		}
		b := &binding{u: u}
		for i, p := range o.params {
			if !b.match(p, args[i]) {
				continue next
			}
		}
		for i := range len(o.vars) {
			if b.scalars[o.vars[i]] = u.within(b.scalars[o.vars[i]], o.sets[o.vars[i]]); b.scalars[o.vars[i]] == nil {
				continue next
			}
		}
		c := &chosen{overload: o, params: make([]*Type, len(args))}
		sum := 0
		for i, p := range o.params {
			t := b.make(p)
			switch {
			case p.kind == patLane || p.kind == patComponent:
				t = u.concrete(args[i])
			case t == nil:
				t = args[i]
			}
			r := rank(args[i], t)
			if r < 0 {
				continue next
			}
			c.params[i] = t
			sum += r
		}
		if best == nil || sum < bestRank {
			c.result = b.make(o.result)
			best, bestRank = c, sum
		}
	}
	return best
}

// within is the type of a set that t converts to with the least rank, or nil.
func (u *universe) within(t *Type, set []TypeKind) *Type {
	var best *Type
	for _, k := range set {
		to := u.basic[k]
		if r := rank(t, to); r >= 0 && (best == nil || r < rank(t, best)) {
			best = to
		}
	}
	return best
}

// signatures lists what an operator or builtin takes, those first that take as many
// arguments; it ends where there are too many to read.
func signatures(name string, args int) string {
	var out []string
	add := func(same bool) {
		for _, o := range overloads()[name] {
			if (len(o.params) == args) == same && !slices.Contains(out, o.text) {
				out = append(out, o.text)
			}
		}
	}
	add(true)
	if len(out) == 0 {
		add(false)
	}
	if len(out) > 6 {
		out = append(out[:6], fmt.Sprintf("%d more", len(out)-6))
	}
	return strings.Join(out, " or ")
}
