cs_5_0
dcl_globalFlags refactoringAllowed
dcl_constantbuffer CB0[2], dynamicIndexed
dcl_resource_raw t0
dcl_resource_structured t1, 12
dcl_uav_raw u0
dcl_uav_structured u1, 8
dcl_uav_raw u2
dcl_input vThreadID.x
dcl_temps 12
dcl_indexableTemp x0[4], 4
dcl_thread_group 16, 1, 1
mov r0.x, vThreadID.x
mov r1.xyzw, l(1,2,3,4)
mov r9.xyzw, l(0,0,0,0)
mov r10.x, l(0)
loop
  uge r2.x, r10.x, l(9)
  breakc_nz r2.x
  iadd r10.x, r10.x, l(1)
  iadd r2.y, r10.x, r0.x
  and r2.y, r2.y, l(7)
  switch r2.y
  case l(0)
  iadd r9.x, r9.x, l(1)
  case l(1)
  iadd r9.x, r9.x, l(10)
  default
  iadd r9.y, r9.y, l(1)
  break
  case l(3)
  iadd r9.z, r9.z, l(1)
  ieq r2.z, r10.x, l(5)
  continuec_nz r2.z
  case l(4)
  case l(5)
  iadd r9.z, r9.z, l(100)
  ieq r2.z, r10.x, l(7)
  breakc_nz r2.z
  iadd r9.w, r9.w, l(1)
  break
  endswitch
  mov r3.x, l(0)
  loop
    iadd r3.x, r3.x, l(1)
    ult r3.y, r3.x, r10.x
    breakc_z r3.y
    and r3.z, r3.x, l(1)
    continuec_nz r3.z
    iadd r9.w, r9.w, l(1000)
  endloop
endloop
imul null, r11.x, r0.x, l(256)
store_raw u0.xyzw, r11.x, r9.xyzw
mov r4.xyzw, l(0.5,1.5,2.5,3.5)
sincos r4.x, r4.y, r4.x
mov r5.xyzw, l(100,7,3,0)
udiv r5.x, r5.y, r5.x, r5.y
mov r6.xyzw, l(-5,6,7,8)
imul null, r6.x, r6.x, r6.y
and r7.x, r0.x, l(1)
mov r7.yzw, l(0,11,22,33)
swapc r7.y, r7.z, r7.x, r7.y, r7.z
movc r7.xw, r7.xxxx, r7.wwwx, r7.xxxw
iadd r11.y, r11.x, l(16)
mov r8.xy, r4.xyxx
mov r8.zw, r5.xxxy
store_raw u0.xyzw, r11.y, r8.xyzw
iadd r11.y, r11.x, l(32)
mov r8.xy, r6.xyxx
mov r8.zw, r7.yyyz
store_raw u0.xyzw, r11.y, r8.xyzw
iadd r11.y, r11.x, l(48)
store_raw u0.xyzw, r11.y, r7.xwxw
mov r4.xyzw, l(1,2,3,4)
mov r4.xyzw, r4.wzyx
iadd r4.xyz, r4.yzxx, r4.zxyy
iadd r11.y, r11.x, l(64)
store_raw u0.xyzw, r11.y, r4.xyzw
mov x0[0].xyzw, l(1,2,3,4)
mov x0[1].xyzw, l(5,6,7,8)
mov x0[2].xyzw, l(9,10,11,12)
mov x0[3].xyzw, l(13,14,15,16)
and r1.x, r0.x, l(3)
mov x0[r1.x + 0].yz, x0[r1.x + 0].zzyy
mov r5.xyzw, x0[r1.x + 0].xyzw
iadd r11.y, r11.x, l(80)
store_raw u0.xyzw, r11.y, r5.xyzw
mov r5.xyzw, cb0[r0.x + 0].xyzw
iadd r11.y, r11.x, l(96)
store_raw u0.xyzw, r11.y, r5.xyzw
iadd r1.y, r0.x, l(40)
ld_raw r5.xyzw, r1.y, t0.xyzw
iadd r11.y, r11.x, l(112)
store_raw u0.xyzw, r11.y, r5.xyzw
ld_structured r5.xyz, r0.x, l(0), t1.zyxx
mov r5.w, l(77)
iadd r11.y, r11.x, l(128)
store_raw u0.xyzw, r11.y, r5.xyzw
bufinfo r5.xyz, u1.xxxx
bufinfo r5.y, t0.xxxx
bufinfo r5.z, t1.xxxx
iadd r11.y, r11.x, l(144)
store_raw u0.xyzw, r11.y, r5.xyzw
mov r1.z, l(4)
mov r6.w, l(0)
mov r6.x, r0.x
mov r6.y, r6.w
imm_atomic_iadd r5.x, u1, r6.xyxx, l(3)
mov r6.x, r0.x
mov r6.y, l(4)
imm_atomic_umax r5.y, u1, r6.xyxx, r0.x
ishl r6.z, r0.x, l(2)
imm_atomic_exch r5.z, u2, r6.z, r0.x
imm_atomic_cmp_exch r5.w, u2, r6.z, r0.x, l(5)
iadd r11.y, r11.x, l(160)
store_raw u0.xyzw, r11.y, r5.xyzw
ieq r6.w, r0.x, l(2)
if_nz r6.w
  store_raw u2.xyzw, l(64), l(51,52,53,54)
endif
iadd r5.x, r0.x, l(24)
ubfe r6.x, r5.x, l(5), l(-559038737)
and r5.y, r5.x, l(15)
ibfe r6.y, r5.y, r0.x, l(-559038737)
bfi r6.z, r5.x, r0.x, l(305419896), l(-559038737)
ishl r6.w, l(305419897), r5.x
iadd r11.y, r11.x, l(176)
store_raw u0.xyzw, r11.y, r6.xyzw
f32tof16 r6.x, r5.x
utof r5.y, r5.x
dp2 r6.y, r5.yyyy, l(0.5, -0.25, 0, 0)
mul_sat r6.z, r5.y, l(-0.5)
frc r6.w, -r5.y
iadd r11.y, r11.x, l(192)
store_raw u0.xyzw, r11.y, r6.xyzw
ret
