package semantics

import "testing"

func TestBuffers(t *testing.T) {
	rec := []uint32{1, 2, 3, 4, 5, 6, 7} // two records of three words and one word more
	run(t, []program{
		{name: "structured loads", decl: "dcl_resource_structured t1, 12", more: map[string][]uint32{"t1": rec}, body: `
ld_structured r0.xyz, l(1), l(0), t1.xyzx
mov r0.w, l(9)
store_raw u0.xyzw, l(0), r0.xyzw
ld_structured r0.xyz, l(2), l(0), t1.xyzx
store_raw u0.xyzw, l(16), r0.xyzw
ld_structured r0.xyz, l(0), l(0), t1.zyxx
store_raw u0.xyzw, l(32), r0.xyzw
ld_structured r0.xyzw, l(0), l(4), t1.xxyy
store_raw u0.xyzw, l(48), r0.xyzw
ld_raw r1.x, l(0), t0.xxxx
ld_structured r0.yw, r1.x, l(4), t1.yyxx
store_raw u0.xyzw, l(64), r0.xyzw
ld_structured r0.x, l(1), r1.x, t1.xxxx
ld_structured r0.y, l(0xffffffff), l(8), t1.xxxx
store_raw u0.xyzw, l(80), r0.xyzw`,
			in: []uint32{1},
			out: []uint32{4, 5, 6, 9, 0, 0, 0, 9, 3, 2, 1, 9, 2, 2, 3, 3, 2, 6, 3, 5,
				// byte offset 1: the word that holds it
				4, 0, 3, 5}},
		{name: "structured stores", decl: "dcl_uav_structured u1, 12", more: map[string][]uint32{"u1": {1, 1, 1, 2, 2, 2, 3}},
			after: map[string][]uint32{"u1": {1, 10, 11, 20, 21, 2, 3}}, body: `
mov r0.xyzw, l(10, 11, 20, 21)
store_structured u1.xy, l(0), l(4), r0.xyxx
store_structured u1.xy, l(1), l(0), r0.zwzz
store_structured u1.xyz, l(2), l(0), r0.xyzx
store_structured u1.x, l(2), l(0), r0.x
store_structured u1.x, l(0x55555556), l(0), r0.x`, out: []uint32{0}},
		{name: "raw at the end", decl: "dcl_resource_raw t1\ndcl_uav_raw u1", more: map[string][]uint32{"t1": {1, 2, 3, 4, 5}, "u1": {1, 2, 3, 4, 5}},
			after: map[string][]uint32{"u1": {1, 2, 3, 7, 8}}, body: `
ld_raw r0.xyzw, l(12), t1.xyzw
store_raw u0.xyzw, l(0), r0.xyzw
ld_raw r0.xyzw, l(8), t1.wzyx
store_raw u0.xyzw, l(16), r0.xyzw
ld_raw r0.xyzw, l(0xfffffff8), t1.xyzw
store_raw u0.xyzw, l(32), r0.xyzw
mov r1.xyzw, l(7, 8, 9, 10)
store_raw u1.xyzw, l(12), r1.xyzw
store_raw u1.xyzw, l(0xfffffffc), r1.xyzw`, out: []uint32{4, 5, 0, 0, 0, 5, 4, 3, 0, 0, 0, 0}},
		{name: "atomics signed and unsigned", decl: "dcl_uav_raw u1", more: map[string][]uint32{"u1": {5, 5, 0xffffffff, 0x80000000, 3, 3, 3, 3}},
			after: map[string][]uint32{"u1": {0xfffffffe, 0xffffffff, 0x7fffffff, 0x80000000, 77, 3, 9, 3}}, body: `
mov r0.xyzw, l(1, 1, 1, 1)
imm_atomic_imin r0.x, u1, l(0), l(-2)
imm_atomic_umax r0.y, u1, l(4), l(-1)
imm_atomic_imax r0.z, u1, l(8), l(0x7fffffff)
imm_atomic_umin r0.w, u1, l(12), l(-1)
store_raw u0.xyzw, l(0), r0.xyzw
imm_atomic_cmp_exch r0.x, u1, l(16), l(3), l(77)
imm_atomic_cmp_exch r0.y, u1, l(20), l(4), l(77)
imm_atomic_exch r0.z, u1, l(24), l(9)
imm_atomic_iadd r0.w, u1, l(32), l(9)
store_raw u0.xyzw, l(16), r0.xyzw
atomic_cmp_store u1, l(28), l(4), l(99)
atomic_imin u1, l(64), l(0)`, out: []uint32{5, 5, ones, 0x80000000, 3, 3, 3, 0}},
		{name: "atomics of records", decl: "dcl_uav_structured u1, 8", more: map[string][]uint32{"u1": {1, 2, 3, 4, 5}},
			after: map[string][]uint32{"u1": {1, 12, 3, 0, 5}}, body: `
imm_atomic_iadd r0.x, u1, l(0, 4, 0, 0), l(10)
imm_atomic_and r0.y, u1, l(1, 4, 0, 0), l(3)
imm_atomic_or r0.z, u1, l(2, 0, 0, 0), l(8)
imm_atomic_xor r0.w, u1, l(2, 4, 0, 0), l(8)
store_raw u0.xyzw, l(0), r0.xyzw`, out: []uint32{2, 4, 0, 0}},
		{name: "counters", decl: "dcl_uav_structured_opc u1, 4\ndcl_uav_structured_opc u2, 4", more: map[string][]uint32{"u1": {0, 0, 0}, "u1_counter": {1}, "u2": {7, 8, 9, 0}, "u2_counter": {3}},
			after: map[string][]uint32{"u1": {0, 50, 51}, "u1_counter": {4}, "u2_counter": {1}}, body: `
imm_atomic_alloc r0.x, u1
store_structured u1.x, r0.x, l(0), l(50)
imm_atomic_alloc r0.y, u1
store_structured u1.x, r0.y, l(0), l(51)
imm_atomic_alloc r0.z, u1
store_structured u1.x, r0.z, l(0), l(52)
imm_atomic_consume r1.x, u2
ld_structured r1.y, r1.x, l(0), u2.xxxx
imm_atomic_consume r1.z, u2
ld_structured r1.w, r1.z, l(0), u2.xxxx
store_raw u0.xyzw, l(0), r0.xyzw
store_raw u0.xyzw, l(16), r1.xyzw`, out: []uint32{1, 2, 3, 0, 2, 9, 1, 8}},
		{name: "sizes", decl: "dcl_resource_raw t1\ndcl_resource_structured t2, 12\ndcl_uav_structured u1, 8\ndcl_resource_buffer (uint,uint,uint,uint) t3", views: map[string]string{"t3": "R16_UINT"},
			more: map[string][]uint32{"t1": {1, 2, 3, 4, 5}, "t2": make([]uint32, 7), "u1": make([]uint32, 6), "t3": {1, 2, 3}}, body: `
bufinfo r0.x, t1.xxxx
bufinfo r0.y, t2.yyyy
bufinfo r0.z, u1.xxxx
bufinfo r0.w, t3.xxxx
store_raw u0.xyzw, l(0), r0.xyzw`, out: []uint32{20, 2, 3, 6}},
		{name: "typed loads", decl: "dcl_resource_buffer (uint,uint,uint,uint) t1\ndcl_resource_buffer (unorm,unorm,unorm,unorm) t2", views: map[string]string{"t1": "R16G16_UINT", "t2": "R8G8B8A8_UNORM"},
			more: map[string][]uint32{"t1": {0x00020001, 0x00040003}, "t2": {0xff00ff00}}, body: `
ld r0.xyzw, l(1,1,1,1), t1.xyzw
store_raw u0.xyzw, l(0), r0.xyzw
ld r0.xyzw, l(2,0,0,0), t1.xyzw
store_raw u0.xyzw, l(16), r0.xyzw
ld r0.xyzw, l(0,0,0,0), t2.wzyx
store_raw u0.xyzw, l(32), r0.xyzw`, out: []uint32{3, 4, 0, 1, 0, 0, 0, 0, one, 0, one, 0}},
		{name: "constant rows", decl: "dcl_constantbuffer CB0[2], dynamicIndexed\ndcl_constantbuffer CB1[1], immediateIndexed", more: map[string][]uint32{"cb0": {1, 2, 3, 4, 5, 6, 7, 8}, "cb1": {9, 10, 11, 12}}, in: []uint32{1, 2, ones, 0}, body: `
ld_raw r1.xyzw, l(0), t0.xyzw
mov r0.xyzw, cb0[r1.x + 0].xyzw
store_raw u0.xyzw, l(0), r0.xyzw
mov r0.xyzw, cb0[r1.y + 0].xyzw
store_raw u0.xyzw, l(16), r0.xyzw
mov r0.xyzw, cb0[r1.z + 1].wzyx
store_raw u0.xyzw, l(32), r0.xyzw
iadd r0.xyzw, cb1[0].xxyy, -cb0[r1.x + 0].xyzw
store_raw u0.xyzw, l(48), r0.xyzw`, out: []uint32{5, 6, 7, 8, 0, 0, 0, 0, 4, 3, 2, 1, 4, 3, 3, 2}},
		{name: "icb", decl: "dcl_immediateConstantBuffer { { 1.0, 0x7fc00123, 0xff800000, 5},\n { 0, 2.0, 3, 4} }", in: []uint32{1, 2, ones, 0}, body: `
ld_raw r1.xyzw, l(0), t0.xyzw
mov r0.xyzw, icb[r1.w + 0].xyzw
store_raw u0.xyzw, l(0), r0.xyzw
mov r0.xyzw, icb[r1.y + 0].xyzw
store_raw u0.xyzw, l(16), r0.xyzw
mov r0.xyzw, icb[r1.z + 2].wzyx
store_raw u0.xyzw, l(32), r0.xyzw
mov r0.xyzw, icb[0].xyzw
store_raw u0.xyzw, l(48), r0.xyzw`, out: []uint32{one, 0x7fc00123, ninf, 5, 0, 0, 0, 0, 4, 3, 0x40000000, 0, one, 0x7fc00123, ninf, 5}},
	})
}

func TestGroupshared(t *testing.T) {
	run(t, []program{
		{name: "raw", threads: 4, decl: "dcl_tgsm_raw g0, 24", body: `
ishl r0.x, vThreadIDInGroupFlattened.x, l(2)
store_raw g0.x, r0.x, vThreadIDInGroupFlattened.x
iadd r0.w, r0.x, l(16)
store_raw g0.x, r0.w, l(9)
sync_g_t
iadd r0.y, l(12), -r0.x
ld_raw r1.x, r0.y, g0.xxxx
ld_raw r1.yzw, l(16), g0.xxyz
ishl r2.x, vThreadIDInGroupFlattened.x, l(4)
store_raw u0.xyzw, r2.x, r1.xyzw`, out: []uint32{3, 9, 9, 0, 2, 9, 9, 0, 1, 9, 9, 0, 0, 9, 9, 0}},
		{name: "structured, dynamic word", threads: 4, decl: "dcl_tgsm_structured g0, 12, 4", body: `
mov r0.xyz, vThreadIDInGroupFlattened.xxxx
iadd r0.xyz, r0.xyzx, l(10, 20, 30, 0)
store_structured g0.xyz, vThreadIDInGroupFlattened.x, l(0), r0.xyzx
sync_g_t
iadd r1.x, l(3), -vThreadIDInGroupFlattened.x
umin r1.y, vThreadIDInGroupFlattened.x, l(2)
ishl r1.y, r1.y, l(2)
ld_structured r2.x, r1.x, r1.y, g0.xxxx
ld_structured r2.y, r1.x, l(4), g0.yyyy
ld_structured r2.zw, l(4), l(0), g0.xxxy
ishl r3.x, vThreadIDInGroupFlattened.x, l(4)
store_raw u0.xyzw, r3.x, r2.xyzw`, out: []uint32{13, 33, 0, 0, 22, 32, 0, 0, 31, 31, 0, 0, 30, 30, 0, 0}},
		{name: "atomics", threads: 8, decl: "dcl_tgsm_structured g0, 4, 2", body: `
ieq r0.x, vThreadIDInGroupFlattened.x, l(0)
if_nz r0.x
store_structured g0.x, l(0), l(0), l(0)
store_structured g0.x, l(1), l(0), l(-100)
endif
sync_g_t
atomic_iadd g0, l(0, 0, 0, 0), l(3)
atomic_imax g0, l(1, 0, 0, 0), vThreadIDInGroupFlattened.x
atomic_iadd g0, l(2, 0, 0, 0), l(3)
sync_g_t
ld_structured r1.x, l(0), l(0), g0.xxxx
ld_structured r1.y, l(1), l(0), g0.xxxx
imm_atomic_iadd r1.z, g0, l(5, 0, 0, 0), l(1)
mov r1.w, l(1)
store_raw u0.xyzw, l(0), r1.xyzw`, out: []uint32{24, 7, 0, 1}},
	})
}
