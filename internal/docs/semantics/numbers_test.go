package semantics

import (
	"fmt"
	"testing"
)

const (
	nan  = 0x7fc00000
	inf  = 0x7f800000
	ninf = 0xff800000
	neg0 = 0x80000000
	one  = 0x3f800000
	ones = 0xffffffff
)

// lanes is a program that loads three vectors from t0 into r0, r1, r2, runs the
// instruction, and stores r3.
func lanes(name, instr string, a, b, c, want [4]uint32) program {
	in := append(append(a[:], b[:]...), c[:]...)
	return program{name: name, in: in, out: want[:], body: `
ld_raw r0.xyzw, l(0), t0.xyzw
ld_raw r1.xyzw, l(16), t0.xyzw
ld_raw r2.xyzw, l(32), t0.xyzw
` + instr + `
store_raw u0.xyzw, l(0), r3.xyzw`}
}

type v4 = [4]uint32

func TestIntegers(t *testing.T) {
	var ps []program
	add := func(instr string, a, b, c, want v4) {
		ps = append(ps, lanes(fmt.Sprintf("%d %s", len(ps), instr), instr, a, b, c, want))
	}
	z := v4{}
	add("ishl r3.xyzw, r0.xyzw, r1.xyzw", v4{1, 1, 3, 0x80000001}, v4{31, 32, 33, 0xffffffff}, z, v4{0x80000000, 1, 6, 0x80000000})
	add("ishl r3.xyzw, r0.xyzw, l(31, 32, 33, 63)", v4{1, 1, 3, 1}, z, z, v4{0x80000000, 1, 6, 0x80000000})
	add("ishl r3.xyzw, l(3, 3, 3, 3), l(31, 32, 33, 1)", z, z, z, v4{0x80000000, 3, 6, 6})
	add("ishr r3.xyzw, r0.xyzw, r1.xyzw", v4{0x80000000, 0x80000000, 7, 0xfffffff0}, v4{31, 32, 33, 2}, z, v4{ones, 0x80000000, 3, 0xfffffffc})
	add("ishr r3.xyzw, r0.xyzw, l(32, 31, 35, 0)", v4{0x80000000, 0x80000000, 0xffffff00, 7}, z, z, v4{0x80000000, ones, 0xffffffe0, 7})
	add("ushr r3.xyzw, r0.xyzw, r1.xyzw", v4{0x80000000, 0x80000000, 7, 0xfffffff0}, v4{31, 32, 33, 2}, z, v4{1, 0x80000000, 3, 0x3ffffffc})
	add("ushr r3.xyzw, r0.xyzw, l(31, 32, 33, 2)", v4{0x80000000, 0x80000000, 7, 0xfffffff0}, z, z, v4{1, 0x80000000, 3, 0x3ffffffc})
	add("udiv r3.xyzw, null, r0.xyzw, r1.xyzw", v4{7, 7, 0, ones}, v4{2, 0, 0, 1}, z, v4{3, ones, ones, ones})
	add("udiv null, r3.xyzw, r0.xyzw, r1.xyzw", v4{7, 7, 0, ones}, v4{2, 0, 0, 10}, z, v4{1, ones, ones, 5})
	add("udiv r3.xyzw, null, r0.xyzw, l(2, 0, 3, 7)", v4{7, 7, 9, ones}, z, z, v4{3, ones, 3, ones / 7})
	add("udiv null, r3.xyzw, r0.xyzw, l(0, 0, 0, 0)", v4{7, 7, 9, ones}, z, z, v4{ones, ones, ones, ones})
	add("udiv r3.xy, r3.zw, r0.xyxy, r1.xyxy", v4{7, 9, 0, 0}, v4{0, 2, 0, 0}, z, v4{ones, 4, ones, 1})
	add("udiv r0.xyzw, r3.xyzw, r0.xyzw, r1.xyzw", v4{7, 9, 11, 13}, v4{2, 3, 4, 5}, z, v4{1, 0, 3, 3})
	add("imul r3.xyzw, null, r0.xyzw, r1.xyzw", v4{ones, 0x80000000, 0x80000000, 0x10000}, v4{ones, 0x80000000, 1, 0x10000}, z, v4{0, 0x40000000, ones, 1})
	add("imul null, r3.xyzw, r0.xyzw, r1.xyzw", v4{ones, 0x80000000, 3, 0x10001}, v4{ones, 0x80000000, 5, 0x10001}, z, v4{1, 0, 15, 0x20001})
	add("umul r3.xyzw, null, r0.xyzw, r1.xyzw", v4{ones, 0x80000000, 0x80000000, 0x10000}, v4{ones, 0x80000000, 1, 0x10000}, z, v4{0xfffffffe, 0x40000000, 0, 1})
	add("uaddc r3.xy, r3.zw, r0.xyxy, r1.xyxy", v4{ones, 5, 0, 0}, v4{1, 6, 0, 0}, z, v4{0, 11, 1, 0})
	add("usubb r3.xy, r3.zw, r0.xyxy, r1.xyxy", v4{0, 6, 0, 0}, v4{1, 5, 0, 0}, z, v4{ones, 1, 1, 0})
	add("bfi r3.xyzw, r0.xyzw, r1.xyzw, r2.xyzw, l(-1, -1, 0, 0)", v4{8, 0, 31, 36}, v4{4, 4, 1, 34}, v4{0, ones, ones, ones}, v4{0xfffff00f, ones, 0xfffffffe, 0x0000003c})
	add("bfi r3.xyzw, l(8, 8, 0, 31), l(28, 36, 3, 31), r0.xyzw, r1.xyzw", v4{0xff, 0xff, 0xff, 1}, v4{0, 0, 7, 0}, z, v4{0xf0000000, 0xff0, 7, 0x80000000})
	add("ubfe r3.xyzw, r0.xyzw, r1.xyzw, r2.xyzw", v4{8, 0, 31, 40}, v4{4, 4, 30, 36}, v4{0xabcd, ones, 0xc0000000, 0xabcd}, v4{0xbc, 0, 3, 0xbc})
	add("ibfe r3.xyzw, r0.xyzw, r1.xyzw, r2.xyzw", v4{8, 0, 31, 40}, v4{4, 4, 30, 36}, v4{0xabcd, ones, 0xc0000000, 0xabcd}, v4{0xffffffbc, 0, ones, 0xffffffbc})
	add("ubfe r3.xyzw, l(8, 8, 32, 31), l(28, 36, 0, 1), r0.xyzw", v4{0xabcd1234, 0xabcd1234, ones, ones}, z, z, v4{0xa, 0x23, 0, 0x7fffffff})
	add("ibfe r3.xyzw, l(8, 8, 32, 31), l(28, 36, 0, 1), r0.xyzw", v4{0xabcd1234, 0xabcd1834, ones, ones}, z, z, v4{0xfffffffa, 0xffffff83, 0, ones})
	add("countbits r3.xyzw, r0.xyzw", v4{0, 1, ones, 0xf0f0}, z, z, v4{0, 1, 32, 8})
	add("firstbit_hi r3.xyzw, r0.xyzw", v4{0, 1, ones, 0xf0f0}, z, z, v4{ones, 31, 0, 16})
	add("firstbit_lo r3.xyzw, r0.xyzw", v4{0, 1, ones, 0xf0f0}, z, z, v4{ones, 0, 0, 4})
	add("firstbit_shi r3.xyzw, r0.xyzw", v4{0, 1, ones, 0xffffff0f}, z, z, v4{ones, 31, ones, 24})
	add("bfrev r3.xyzw, r0.xyzw", v4{0, 1, ones, 0xf0f0}, z, z, v4{0, 0x80000000, ones, 0x0f0f0000})
	add("not r3.xyzw, r0.xyzw", v4{0, 1, ones, 0xf0f0}, z, z, v4{ones, 0xfffffffe, 0, 0xffff0f0f})
	add("ineg r3.xyzw, r0.xyzw", v4{0, 1, ones, 0x80000000}, z, z, v4{0, ones, 1, 0x80000000})
	add("iadd r3.xyzw, -r0.xyzw, r1.xyzw", v4{1, 2, 3, 0x80000000}, v4{1, 1, 1, 1}, z, v4{0, ones, 0xfffffffe, 0x80000001})
	add("imad r3.xyzw, r0.xyzw, r1.xyzw, -r2.xyzw", v4{2, ones, 0x10000, 3}, v4{3, 2, 0x10000, 4}, v4{1, 1, 5, 12}, v4{5, 0xfffffffd, 0xfffffffb, 0})
	add("imax r3.xyzw, r0.xyzw, r1.xyzw", v4{1, ones, 0x80000000, 3}, v4{2, 1, 0x7fffffff, 3}, z, v4{2, 1, 0x7fffffff, 3})
	add("umax r3.xyzw, r0.xyzw, r1.xyzw", v4{1, ones, 0x80000000, 3}, v4{2, 1, 0x7fffffff, 3}, z, v4{2, ones, 0x80000000, 3})
	add("imin r3.xyzw, r0.xyzw, r1.xyzw", v4{1, ones, 0x80000000, 3}, v4{2, 1, 0x7fffffff, 3}, z, v4{1, ones, 0x80000000, 3})
	add("umin r3.xyzw, r0.xyzw, r1.xyzw", v4{1, ones, 0x80000000, 3}, v4{2, 1, 0x7fffffff, 3}, z, v4{1, 1, 0x7fffffff, 3})
	add("ilt r3.xyzw, r0.xyzw, r1.xyzw", v4{1, ones, 0x80000000, 3}, v4{2, 1, 0x7fffffff, 3}, z, v4{ones, ones, ones, 0})
	add("ult r3.xyzw, r0.xyzw, r1.xyzw", v4{1, ones, 0x80000000, 3}, v4{2, 1, 0x7fffffff, 3}, z, v4{ones, 0, 0, 0})
	add("ige r3.xyzw, r0.xyzw, r1.xyzw", v4{1, ones, 0x80000000, 3}, v4{2, 1, 0x7fffffff, 3}, z, v4{0, 0, 0, ones})
	add("uge r3.xyzw, r0.xyzw, r1.xyzw", v4{1, ones, 0x80000000, 3}, v4{2, 1, 0x7fffffff, 3}, z, v4{0, ones, ones, ones})
	add("ieq r3.xyzw, r0.xyzw, r1.xyzw", v4{1, ones, 0x80000000, 0}, v4{2, ones, 0, 0}, z, v4{0, ones, 0, ones})
	add("ine r3.xyzw, r0.xyzw, r1.xyzw", v4{1, ones, 0x80000000, 0}, v4{2, ones, 0, 0}, z, v4{ones, 0, ones, 0})
	add("swapc r3.xyzw, r4.xyzw, r0.xyzw, r1.xyzw, r2.xyzw", v4{0, 1, 0x80000000, 0}, v4{1, 2, 3, 4}, v4{5, 6, 7, 8}, v4{1, 6, 7, 4})
	add("swapc r4.xyzw, r3.xyzw, r0.xyzw, r1.xyzw, r2.xyzw", v4{0, 1, 0x80000000, 0}, v4{1, 2, 3, 4}, v4{5, 6, 7, 8}, v4{5, 2, 3, 8})
	add("mov r3.xyzw, l(0,0,0,0)\nswapc r1.xyzw, r3.xz, r0.xyzw, r1.xyzw, r2.xyzw\niadd r3.y, r3.y, r1.y", v4{0, 1, 0x80000000, 0}, v4{1, 2, 3, 4}, v4{5, 6, 7, 8}, v4{5, 6, 3, 0})
	add("movc r3.xyzw, r0.xyzw, r1.xyzw, r2.xyzw", v4{0, 1, 0x80000000, nan}, v4{1, 2, 3, 4}, v4{5, 6, 7, 8}, v4{5, 2, 3, 4})
	add("msad r3.xyzw, r0.xyzw, r1.xyzw, r2.xyzw", v4{0x01020304, 0x00020304, 0, 0xff000000}, v4{0x04030201, 0xff030201, ones, 0x000000ff}, v4{10, 0, 5, ones}, v4{18, 5, 5, 0xfe})
	add("utof r3.xyzw, r0.xyzw", v4{0, 1, ones, 0x01000001}, z, z, v4{0, one, 0x4f800000, 0x4b800000})
	add("itof r3.xyzw, r0.xyzw", v4{0, ones, 0x80000000, 0x01000001}, z, z, v4{0, 0xbf800000, 0xcf000000, 0x4b800000})
	run(t, ps)
}

func TestFloats(t *testing.T) {
	var ps []program
	z := v4{}
	add := func(both bool, instr string, a, b, c, want v4) {
		p := lanes(fmt.Sprintf("%d %s", len(ps), instr), instr, a, b, c, want)
		p.exact, p.only = true, !both
		ps = append(ps, p)
	}
	const both, only = true, false
	add(both, "ne r3.xyzw, r0.xyzw, r1.xyzw", v4{nan, nan, one, 0}, v4{nan, one, one, neg0}, z, v4{ones, ones, 0, 0})
	add(both, "ne r3.xyzw, r0.xyzw, r0.xyzw", v4{nan, inf, one, neg0}, z, z, v4{ones, 0, 0, 0})
	add(both, "eq r3.xyzw, r0.xyzw, r0.xyzw", v4{nan, inf, one, neg0}, z, z, v4{0, ones, ones, ones})
	add(both, "eq r3.xyzw, r0.xyzw, r1.xyzw", v4{nan, nan, one, 0}, v4{nan, one, one, neg0}, z, v4{0, 0, ones, ones})
	add(both, "lt r3.xyzw, r0.xyzw, r1.xyzw", v4{nan, one, ninf, neg0}, v4{one, nan, one, 0}, z, v4{0, 0, ones, 0})
	add(both, "ge r3.xyzw, r0.xyzw, r1.xyzw", v4{nan, one, ninf, neg0}, v4{one, nan, one, 0}, z, v4{0, 0, 0, ones})
	add(both, "lt r3.xyzw, r0.xyzw, r1.xyzw\nnot r3.xyzw, r3.xyzw", v4{nan, one, ninf, neg0}, v4{one, nan, one, 0}, z, v4{ones, ones, 0, ones})
	add(both, "ge r3.xyzw, r0.xyzw, r1.xyzw\nmovc r3.xyzw, r3.xyzw, l(1,1,1,1), l(2,2,2,2)", v4{nan, one, ninf, neg0}, v4{one, nan, one, 0}, z, v4{2, 2, 2, 1})
	add(both, "ge r3.xyzw, r0.xyzw, r1.xyzw\nieq r3.xyzw, r3.xyzw, l(0,0,0,0)", v4{nan, one, ninf, neg0}, v4{one, nan, one, 0}, z, v4{ones, ones, ones, 0})
	add(both, "min r3.xyzw, r0.xyzw, r1.xyzw", v4{nan, one, ninf, 0x40000000}, v4{one, nan, nan, one}, z, v4{one, one, ninf, one})
	add(both, "max r3.xyzw, r0.xyzw, r1.xyzw", v4{nan, one, ninf, 0x40000000}, v4{one, nan, nan, one}, z, v4{one, one, ninf, 0x40000000})
	add(both, "mov_sat r3.xyzw, r0.xyzw", v4{nan, ninf, inf, 0x3f000000}, z, z, v4{0, 0, one, 0x3f000000})
	add(both, "add_sat r3.xyzw, r0.xyzw, r1.xyzw", v4{nan, ninf, inf, 0x3f000000}, v4{one, inf, one, 0}, z, v4{0, 0, one, 0x3f000000})
	add(both, "max r3.xyzw, r0.xyzw, l(0,0,0,0)\nmin r3.xyzw, r3.xyzw, l(1.0,1.0,1.0,1.0)", v4{nan, ninf, inf, 0x3f000000}, z, z, v4{0, 0, one, 0x3f000000})
	add(both, "min r3.xyzw, r0.xyzw, l(1.0,1.0,1.0,1.0)\nmax r3.xyzw, r3.xyzw, l(0,0,0,0)", v4{nan, ninf, inf, 0x3f000000}, z, z, v4{one, 0, one, 0x3f000000})
	add(both, "max r3.xyzw, r0.xyzw, l(2.0,2.0,2.0,2.0)\nmin r3.xyzw, r3.xyzw, l(3.0,3.0,3.0,3.0)", v4{nan, ninf, inf, 0x40200000}, z, z, v4{0x40000000, 0x40000000, 0x40400000, 0x40200000})
	add(both, "mov r3.xyzw, -r0.xyzw", v4{one, 0, inf, 0x40000000}, z, z, v4{0xbf800000, neg0, ninf, 0xc0000000})
	add(both, "mov r3.xyzw, |r0.xyzw|", v4{0xbf800000, neg0, ninf, 0xc0000000}, z, z, v4{one, 0, inf, 0x40000000})
	add(both, "mov r3.xyzw, -|r0.xyzw|", v4{0xbf800000, 0, inf, 0x40000000}, z, z, v4{0xbf800000, neg0, ninf, 0xc0000000})
	add(both, "movc r3.xyzw, l(1,1,1,0), -r0.xyzw, r1.xyzw", v4{one, 0, inf, 5}, v4{1, 2, 3, 4}, z, v4{0xbf800000, neg0, ninf, 4})
	add(only, "ftoi r3.xyzw, r0.xyzw", v4{nan, inf, 0x4f800000, 0xc0200000}, z, z, v4{0, 0x7fffffff, 0x7fffffff, 0xfffffffe})
	add(only, "ftoi r3.xyzw, r0.xyzw", v4{ninf, 0xcf800000, 0x4effffff, 0x40200000}, z, z, v4{0x80000000, 0x80000000, 0x7fffff80, 2})
	add(only, "ftou r3.xyzw, r0.xyzw", v4{nan, inf, 0x4f7fffff, 0xc0200000}, z, z, v4{0, ones, 0xffffff00, 0})
	add(both, "ftoi r3.xyzw, r0.xyzw", v4{0xbf000000, 0x40200000, 0xc0200000, 0x4b000001}, z, z, v4{0, 2, 0xfffffffe, 0x800001})
	add(only, "f32tof16 r3.xyzw, r0.xyzw", v4{one, 0x477ff000, 0x3f801fff, nan}, z, z, v4{0x3c00, 0x7bff, 0x3c00, 0x7e00})
	add(only, "f32tof16 r3.xyzw, r0.xyzw", v4{inf, 0x7f7fffff, 0x33800000, 0xb2800000}, z, z, v4{0x7c00, 0x7bff, 1, 0x8000})
	add(both, "f16tof32 r3.xyzw, r0.xyzw", v4{0x3c00, 0xdead7bff, 0x0001, 0x7c00}, z, z, v4{one, 0x477fe000, 0x33800000, inf})
	add(both, "round_ne r3.xyzw, r0.xyzw", v4{0x3f000000, 0x3fc00000, 0xc0200000, 0x40200000}, z, z, v4{0, 0x40000000, 0xc0000000, 0x40000000})
	add(both, "round_ni r3.xyzw, r0.xyzw", v4{0x3f000000, 0x3fc00000, 0xc0200000, 0x40200000}, z, z, v4{0, one, 0xc0400000, 0x40000000})
	add(both, "round_pi r3.xyzw, r0.xyzw", v4{0x3f000000, 0x3fc00000, 0xc0200000, 0x40200000}, z, z, v4{one, 0x40000000, 0xc0000000, 0x40400000})
	add(both, "round_z r3.xyzw, r0.xyzw", v4{0x3f000000, 0x3fc00000, 0xc0200000, 0x40200000}, z, z, v4{0, one, 0xc0000000, 0x40000000})
	add(both, "rcp r3.xyzw, r0.xyzw", v4{one, 0x40000000, 0, neg0}, z, z, v4{one, 0x3f000000, inf, ninf})
	add(both, "div r3.xyzw, r0.xyzw, r1.xyzw", v4{one, 0x40000000, one, one}, v4{one, 0x40800000, 0, neg0}, z, v4{one, 0x3f000000, inf, ninf})
	add(both, "div r3.xyzw, l(1.0,1.0,1.0,1.0), l(0,0,0,2.0)", z, z, z, v4{inf, inf, inf, 0x3f000000})
	add(both, "rcp r3.xyzw, l(0,0,0,2.0)", z, z, z, v4{inf, inf, inf, 0x3f000000})
	add(both, "mul r3.xyzw, l(3.40282347e+38,1.0,1.0,1.0), l(10.0,2.0,2.0,2.0)", z, z, z, v4{inf, 0x40000000, 0x40000000, 0x40000000})
	add(both, "mov r3.xyzw, l(0x7f7fffff, 0x7f800000, 0xffc12345, 0x00000001)", z, z, z, v4{0x7f7fffff, inf, 0xffc12345, 1})
	add(both, "add r3.xyzw, r0.xyzw, l(340282346638528859811704183484516925440.0, 1.0, 0, 0)", z, z, z, v4{0x7f7fffff, one, 0, 0})
	add(both, "mad r3.xyzw, -r0.xyzw, r1.xyzw, r2.xyzw", v4{one, one, one, one}, v4{one, one, one, one}, v4{0x40000000, 0x40400000, one, 0}, v4{one, 0x40000000, 0, 0xbf800000})
	add(both, "dp3 r3.xyzw, r0.xyzw, r1.xyzw", v4{one, one, one, nan}, v4{one, one, one, one}, z, v4{0x40400000, 0x40400000, 0x40400000, 0x40400000})
	add(both, "dp2 r3.xz, r0.yzyz, r1.xwxw\nmov r3.yw, l(0,0,0,0)", v4{nan, one, 0x40000000, nan}, v4{one, nan, nan, one}, z, v4{0x40400000, 0, 0x40400000, 0})
	add(both, "sincos r3.xy, r3.zw, r0.xyxy", v4{0, 0, 0, 0}, z, z, v4{0, 0, one, one})
	run(t, ps)
}
