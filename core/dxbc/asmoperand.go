package dxbc

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// plainMode is the component selection of operands that print without a suffix:
// the listing does not tell none from one, the compiler has a habit for each.
func plainMode(r RegType, declared bool) CompMode {
	switch r {
	case RegOutputDepth, RegOutputDepthGE, RegOutputDepthLE, RegOutputStencilRef, RegInputCoverage, RegInnerCoverage, RegCycleCounter:
		return CompOne
	case RegOutputCoverageMask, RegThreadIDInGroupFlattened, RegGSInstanceID, RegPrimitiveID, RegOutputControlPointID,
		RegForkInstanceID, RegJoinInstanceID:
		if !declared {
			return CompOne
		}
	}
	return CompNone
}

// operand reads an operand as printed.
func (a *assembler) operand(dst bool, lit LitClass) (Operand, *AsmError) {
	var o Operand
	if err := a.operandInto(&o, dst, lit, 1); err != nil {
		return o, err
	}
	return o, nil
}

func (a *assembler) operandInto(o *Operand, dst bool, lit LitClass, depth int) *AsmError {
	if depth > defaultDepth {
		return a.fail("indices nest deeper than %d", defaultDepth-1)
	}
	a.space()
	neg := a.accept("-")
	abs := a.accept("|")
	switch {
	case neg && abs:
		o.Mod = ModNegAbs
	case abs:
		o.Mod = ModAbs
	case neg:
		o.Mod = ModNeg
	}
	a.space()
	start := a.pos
	for !a.end() && (a.s[a.pos] >= 'a' && a.s[a.pos] <= 'z' || a.s[a.pos] >= 'A' && a.s[a.pos] <= 'Z') {
		a.pos++
	}
	name := a.s[start:a.pos]
	reg, ok := regByName()[name]
	if !ok {
		a.pos = start
		if a.end() {
			return a.fail("an operand is missing at the end of the line")
		}
		return a.fail("an operand should be here, not %.20q", a.rest())
	}
	o.Reg = reg
	switch reg {
	case RegImmediate32, RegImmediate64:
		if err := a.immediate(o, lit); err != nil {
			return err
		}
	default:
		if err := a.indices(o, depth); err != nil {
			return err
		}
		if err := a.components(o, dst); err != nil {
			return err
		}
	}
	if err := a.braces(o); err != nil {
		return err
	}
	if abs {
		return a.expect("|")
	}
	return nil
}

// braces reads " {min16f}", " {def32 as min16f}" and " { nonuniform }".
func (a *assembler) braces(o *Operand) *AsmError {
	for a.accept("{") {
		w := a.word()
		if w == "nonuniform" {
			o.NonUniform = true
		} else {
			m := slices.Index(minNames[:], w)
			if w == "def32" {
				m = 0
			}
			if m < 0 || w == "" {
				return a.fail("%.20q is no precision", w)
			}
			o.Min = MinPrecision(m)
			if a.accept("as ") {
				a.word() // the precision of the destination, which is written there
			}
		}
		if err := a.expect("}"); err != nil {
			return err
		}
	}
	return nil
}

func (a *assembler) indices(o *Operand, depth int) *AsmError {
	for o.NumIndex < 3 {
		var x Index
		switch c := a.peek(); {
		case c >= '0' && c <= '9' && o.NumIndex == 0:
			start := a.pos
			for !a.end() && a.s[a.pos] >= '0' && a.s[a.pos] <= '9' {
				a.pos++
			}
			v, err := strconv.ParseUint(a.s[start:a.pos], 10, 32)
			if err != nil {
				a.pos = start
				return a.fail("%.20q is no number of 32 bits", a.s[start:])
			}
			x.Imm = uint32(v)
		case c == '[':
			// The method of an fcall follows the two indices of its pointer.
			if o.Reg == RegInterface && o.NumIndex == 2 {
				return nil
			}
			a.pos++
			if err := a.bracket(&x, depth); err != nil {
				return err
			}
		default:
			return nil
		}
		o.SetIndex(int(o.NumIndex), x)
	}
	return nil
}

func (a *assembler) bracket(x *Index, depth int) *AsmError {
	a.space()
	if c := a.peek(); c >= '0' && c <= '9' {
		v, err := a.number("an index")
		if err != nil {
			return err
		}
		x.Imm = v
		return a.expect("]")
	}
	x.Rel = new(Operand)
	if err := a.operandInto(x.Rel, false, LitInt, depth+1); err != nil {
		return err
	}
	x.Rep = 2
	if a.accept("+") {
		v, err := a.number("an offset")
		if err != nil {
			return err
		}
		if x.Imm = v; v != 0 {
			x.Rep = 3
		}
	}
	return a.expect("]")
}

func (a *assembler) components(o *Operand, dst bool) *AsmError {
	if a.peek() != '.' {
		o.Mode = plainMode(o.Reg, a.declaring)
		return nil
	}
	start := a.pos
	a.pos++
	w := ""
	if c := a.peek(); isWord(c) {
		w = a.word()
	}
	if dst {
		m, ok := maskOf(w)
		if !ok {
			a.pos = start
			return a.fail("%.10q is no mask: it holds x, y, z and w in this order", "."+w)
		}
		o.Mode, o.Mask = CompMask, m
		return nil
	}
	if len(w) != 1 && len(w) != 4 {
		a.pos = start
		return a.fail("%.10q is no swizzle: it has one or four letters", "."+w)
	}
	o.Mode = CompSwizzle
	for i := range 4 {
		c := strings.IndexByte("xyzw", w[min(i, len(w)-1)])
		if c < 0 {
			a.pos = start
			return a.fail("%.10q is no swizzle: its letters are x, y, z and w", "."+w)
		}
		o.Swizzle[i] = uint8(c)
	}
	if len(w) == 1 {
		o.Mode = CompSelect
	}
	return nil
}

func (a *assembler) immediate(o *Operand, lit LitClass) *AsmError {
	if err := a.expect("("); err != nil {
		return err
	}
	n := 0
	for {
		a.space()
		end := strings.IndexAny(a.rest(), ",)")
		if end < 0 {
			return a.fail("a parenthesis is not closed")
		}
		w := strings.TrimSpace(a.rest()[:end])
		if o.Reg == RegImmediate32 {
			if n == 4 {
				return a.fail("a literal has one or four numbers")
			}
			v, ok := parseLiteral(w, lit)
			if !ok {
				return a.fail("%.30q is no literal", w)
			}
			o.Imm[n] = v
		} else {
			if n == 2 {
				return a.fail("a literal of doubles has one or two numbers")
			}
			v, ok := parseDouble(w)
			if !ok {
				return a.fail("%.30q is no literal of double precision", w)
			}
			o.Imm[2*n], o.Imm[2*n+1] = uint32(v), uint32(v>>32)
		}
		n++
		a.pos += end + 1
		if a.s[a.pos-1] == ')' {
			break
		}
	}
	switch {
	case n == 1:
		o.Mode = CompOne
	case o.Reg == RegImmediate32 && n == 4, o.Reg == RegImmediate64 && n == 2:
		o.Mode = CompMask
	default:
		return a.fail("a literal has one or four numbers, one of doubles one or two")
	}
	return nil
}

// parseLiteral reads a word in any of the forms that listings use. A float
// without exponent bits does not exist in the auto class, so its zero is the
// smallest number that prints like it.
func parseLiteral(w string, lit LitClass) (uint32, bool) {
	if h, ok := strings.CutPrefix(w, "0x"); ok {
		v, err := strconv.ParseUint(h, 16, 32)
		return uint32(v), err == nil
	}
	switch w {
	case "1.#INF00":
		return 0x7f800000, true
	case "-1.#INF00":
		return 0xff800000, true
	case "-1.#IND00":
		return 0xffc00000, true
	case "1.#QNAN0":
		return 0x7fffffff, true
	case "-1.#QNAN0":
		return 0xffffffff, true
	}
	if !strings.ContainsAny(w, ".") {
		v, err := strconv.ParseInt(w, 10, 64)
		if err != nil || v < math.MinInt32 || v > math.MaxUint32 {
			return 0, false
		}
		if lit == LitFloat { // written by hand: 1 means 1.0 where floats stand
			return math.Float32bits(float32(v)), true
		}
		return uint32(v), true
	}
	if strings.ContainsAny(w, "xXpP_nN") {
		return 0, false
	}
	f, err := strconv.ParseFloat(w, 32)
	if err != nil {
		return 0, false
	}
	v := math.Float32bits(float32(f))
	if v == 0 && lit == LitAuto {
		v = 0x00800000
	}
	return v, true
}

func parseDouble(w string) (uint64, bool) {
	if h, ok := strings.CutPrefix(w, "0x"); ok {
		v, err := strconv.ParseUint(h, 16, 64)
		return v, err == nil
	}
	w = strings.TrimSuffix(w, "l")
	switch w {
	case "1.#INF00":
		return 0x7ff << 52, true
	case "-1.#INF00":
		return 0xfff << 52, true
	case "-1.#IND00":
		return 0xfff8 << 48, true
	case "1.#QNAN0":
		return 0x7fffffffffffffff, true
	case "-1.#QNAN0":
		return 0xffffffffffffffff, true
	}
	if strings.ContainsAny(w, "xXpP_nN") {
		return 0, false
	}
	f, err := strconv.ParseFloat(w, 64)
	return math.Float64bits(f), err == nil
}
