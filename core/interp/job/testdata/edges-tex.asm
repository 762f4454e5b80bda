cs_5_0
dcl_globalFlags refactoringAllowed
dcl_sampler s0, mode_default
dcl_resource_texture2d (float,float,float,float) t0
dcl_resource_texture2darray (float,float,float,float) t1
dcl_resource_texture3d (float,float,float,float) t2
dcl_resource_texture1darray (float,float,float,float) t3
dcl_resource_texturecube (float,float,float,float) t4
dcl_uav_raw u0
dcl_uav_typed_texture2d (float,float,float,float) u1
dcl_input vThreadID.x
dcl_temps 12
dcl_thread_group 16, 1, 1
imul null, r11.x, vThreadID.x, l(256)
mov r0.x, vThreadID.x
itof r1.x, r0.x
iadd r2.x, r0.x, l(-4)
mov r2.y, r0.x
mov r2.z, l(0)
ishr r2.w, r0.x, l(2)
ld r3.xyzw, r2.xyzw, t0.wxyz
store_raw u0.xyzw, r11.x, r3.xyzw
ld_aoffimmi(-3,2,0) r3.xyzw, r2.xyzw, t0.xyzw
iadd r10.x, r11.x, l(16)
store_raw u0.xyzw, r10.x, r3.xyzw
iadd r4.xyzw, r2.xyyz, l(4,0,-2,0)
ld r3.xyzw, r4.xyzw, t1.xyzw
iadd r10.x, r11.x, l(32)
store_raw u0.xyzw, r10.x, r3.xyzw
ld r3.xyzw, r4.xyzw, t2.xyzw
iadd r10.x, r11.x, l(48)
store_raw u0.xyzw, r10.x, r3.xyzw
ld r3.xyzw, r4.xzyw, t3.xyzw
iadd r10.x, r11.x, l(64)
store_raw u0.xyzw, r10.x, r3.xyzw
iadd r5.x, r0.x, l(-1)
resinfo_uint r3.xyzw, l(2), t0.wzyx
utof r3.xyzw, r3.xyzw
iadd r10.x, r11.x, l(80)
store_raw u0.xyzw, r10.x, r3.xyzw
resinfo r3.xyzw, l(0), t1.xyzw
iadd r10.x, r11.x, l(96)
store_raw u0.xyzw, r10.x, r3.xyzw
resinfo r3.xyzw, l(1), t2.xyzw
iadd r10.x, r11.x, l(112)
store_raw u0.xyzw, r10.x, r3.xyzw
resinfo_uint r3.xyzw, l(0), t3.xyzw
resinfo_uint r6.xyzw, l(0), t4.xyzw
mov r3.zw, r6.xxxy
utof r3.xyzw, r3.xyzw
iadd r10.x, r11.x, l(128)
store_raw u0.xyzw, r10.x, r3.xyzw
mul r7.xyzw, r1.xxxx, l(0.0625, 0.11, 0.2, 0.3)
add r7.xy, r7.xyxx, l(0.013, 0.017, 0, 0)
gather4 r3.xyzw, r7.xyxx, t0.xyzw, s0.z
iadd r10.x, r11.x, l(144)
store_raw u0.xyzw, r10.x, r3.xyzw
imul null, r8.xy, r0.xxxx, l(9, -7, 0, 0)
gather4_po r3.xyzw, r7.xyxx, r8.xyxx, t0.wxyz, s0.x
iadd r10.x, r11.x, l(160)
store_raw u0.xyzw, r10.x, r3.xyzw
add r7.z, r1.x, l(-2)
mul r7.z, r7.z, l(0.5)
sample_l r3.xyzw, r7.xyzx, t1.xyzw, s0, l(0)
iadd r10.x, r11.x, l(192)
store_raw u0.xyzw, r10.x, r3.xyzw
iadd r9.xy, r0.xxxx, l(-2, -3, 0, 0)
store_uav_typed u1.xyzw, r9.xyyy, r7.xyzw
ret
