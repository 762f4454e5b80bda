enable foo;
//! 1:1: error: unknown extension 'foo'; did you mean 'f16'?
---
requires foo;
//! 1:1: error: feature 'foo' is not supported
---
diagnostic(foo, bar);
//! 1:12: error: expected a severity (error, info, off or warning), got "foo"
---
diagnostic(off, bar);
//! 1:1: warning: unrecognized diagnostic rule 'bar'
---
@fragment fn f(@builtin(foo) x: u32) {}
//! 1:17: error: unknown builtin value 'foo'
---
@foo fn f() {}
//! 1:2: error: unknown attribute '@foo'
---
fn f(@location(0) @interpolate(foo) x: f32) {}
//! 1:7: error: '@location' is not valid for parameters of functions that are no entry points
//! 1:20: error: '@interpolate' is not valid for parameters of functions that are no entry points
---
fn f(@location(0) @interpolate(flat, foo) x: f32) {}
//! 1:7: error: '@location' is not valid for parameters of functions that are no entry points
//! 1:20: error: '@interpolate' is not valid for parameters of functions that are no entry points
---
var<private> t: texture_storage_2d<foo, read>;
//! 1:36: error: unresolved value "foo"
---
var<foo> t: u32;
//! 1:10: error: unresolved address space 'foo'
---
@group(0) @binding(0) var<storage, foo> t: u32;
//! 1:41: error: unresolved access 'foo'
---
struct S { a: array<f32, 4>} @group(0) @binding(0) var<uniform> t: S;
---
fn f() { loop {} }
//! 1:10: error: loop does not exit: it has no break or return
---
fn f() -> i32 { }
//! 1:17: error: missing return at end of function 'f', which returns 'i32'
---
fn f() { return; let x = 1; }
//! 1:18: warning: code is unreachable
---
const a = 1/0;
//! 1:11: error: integer division by zero is invalid
---
const a = 2147483647i + 1i;
---
fn f(a: i32) { let x = a / 0; let y = a << 32; let z = a % 0; }
//! 1:24: error: integer division by zero is invalid
//! 1:39: error: shift left value must be less than the bit width of the lhs, which is 32
//! 1:56: error: integer division by zero is invalid
---
fn f(a: array<i32, 4>) { let x = a[4]; let y = a[-1]; let z = vec2(1)[2]; }
//! 1:36: error: index 4 out of bounds [0..3]
//! 1:50: error: index -1 out of bounds [0..3]
//! 1:71: error: index 2 out of bounds [0..1]
---
const x = sqrt(-1.0);
//! 1:11: error: sqrt must be called with a value >= 0, got -1.0
---
fn f() { foo(1); }
//! 1:10: error: unresolved call target "foo"
---
fn f() { let x = min(1i, 2u); }
//! 1:18: error: no matching call to 'min(i32, u32)'; it takes (T, T) where T is one of abstract-int abstract-float i32 u32 f32 f16 or (vecN<T>, vecN<T>) where T is one of abstract-int abstract-float i32 u32 f32 f16
---
fn f() { let x = 1i + 2u; }
//! 1:18: error: no matching overload for 'operator + (i32, u32)'; convert one side: WGSL does not mix 'i32' and 'u32'
---
fn f() { let x: i32 = 2u; }
//! 1:23: error: cannot initialize 'let' of type 'i32' with value of type 'u32'
---
fn f() { min(1, 2); }
//! 1:10: error: ignoring return value of builtin 'min'
---
fn g() -> i32 { return 1;} fn f() { g(); _ = g(); }
---
@compute fn f() { }
//! 1:13: error: a compute shader must include '@workgroup_size' in its attributes
---
@vertex fn f() { }
//! 1:12: error: a vertex shader must include the 'position' builtin in its return type
---
@fragment fn f() -> f32 { return 1; }
//! 1:21: error: missing entry point IO attribute on return type
---
@fragment fn f(a: f32) { }
//! 1:16: error: missing entry point IO attribute on parameter
---
var x: i32;
//! 1:5: error: module-scope 'var' declarations that are not of texture or sampler types must provide an address space
---
var<uniform> x: i32;
//! 1:14: error: resource variables require '@group' and '@binding' attributes
---
var<uniform> x: i32; @compute @workgroup_size(1) fn f() { _ = x; }
//! 1:14: error: resource variables require '@group' and '@binding' attributes
---
const x = array<i32, 4>(1,2,3);
//! 1:11: error: array constructor has too few elements: expected 4, found 3
---
const x: u32 = -1;
//! 1:16: error: value -1 cannot be represented as 'u32'
---
const x: f32 = 1e40;
//! 1:16: error: value 1e+40 cannot be represented as 'f32'
---
const x = i32(3000000000);
//! 1:11: error: value 3000000000 cannot be represented as 'i32'
---
@compute @workgroup_size(1) fn f() { _ = dpdx(1.0); }
//! 1:42: error: built-in function 'dpdx' cannot be used by compute pipeline stage (reached from entry point 'f')
---
fn f(x: f32) { if x { } switch x { default {} } }
//! 1:19: error: if statement condition must be bool, got 'f32'
//! 1:32: error: switch statement selector expression must be of a scalar integer type, got 'f32'
---
fn f(x: i32) { switch x { case 1, 1: {} } }
//! 1:16: error: switch statement must have a default clause
//! 1:35: error: duplicate switch case '1'; it stands at 1:32 already
---
override o: array<f32, 2>;
//! 1:1: error: 'array<f32, 2>' cannot be used as the type of an 'override': it is no scalar
---
override o: i32 = 4; var<private> a: array<i32, o>;
//! 1:38: error: override-sized arrays can only be used in the <workgroup> address space
---
fn f() { let x = foo; bitcast(1); let y = vec2<foo>(1); }
//! 1:18: error: unresolved value "foo"
//! 1:23: error: 'bitcast' needs the type to convert to: bitcast<T>(x)
//! 1:48: error: unresolved value "foo"
---
requires uniform_buffer_standard_layout, readonly_and_readwrite_storage_textures, packed_4x8_integer_dot_product, unrestricted_pointer_parameters, pointer_composite_access, subgroup_id, linear_indexing, texture_and_sampler_let, sized_binding_array, subgroup_uniformity, texture_formats_tier1, swizzle_assignment, buffer_view, fragment_depth, immediate_address_space, chromium_print;
//! 1:1: error: feature 'sized_binding_array' is not supported
//! 1:1: error: feature 'chromium_print' is not supported
---
requires texture_and_sampler_let;
---
requires sized_binding_array;
//! 1:1: error: feature 'sized_binding_array' is not supported
---
requires swizzle_assignment;
---
requires immediate_address_space;
---
requires linear_indexing;
---
requires texture_formats_tier1;
---
requires buffer_view;
---
requires fragment_depth;
---
@group(0) @binding(0) var t: texture_2d<f32>; @group(0) @binding(1) var s: sampler; fn f() { let x = t; let y = s; _ = textureSample(x, y, vec2f()); }
---
fn f() { var v = vec4f(); v.xy = vec2f(1); v.zw += vec2f(2); }
---
var<immediate> x: u32; fn f() -> u32 { return x; }
---
@compute @workgroup_size(1) fn f(@builtin(global_invocation_index) x: u32, @builtin(workgroup_index) y: u32, @builtin(subgroup_id) z: u32, @builtin(num_subgroups) w: u32) {}
//! 1:111: error: '@builtin(subgroup_id)' needs the extension 'subgroups': write 'enable subgroups;' at the head of the source
//! 1:141: error: '@builtin(num_subgroups)' needs the extension 'subgroups': write 'enable subgroups;' at the head of the source
---
@fragment fn f(@builtin(barycentric_coord) x: vec3f) {}
//! 1:17: error: unknown builtin value 'barycentric_coord'
---
@group(0) @binding(0) var t: texture_storage_2d<r8unorm, write>;
---
@group(0) @binding(0) var t: texture_storage_2d<rgba16unorm, write>;
---
@group(0) @binding(0) var t: texture_storage_2d<rgba8unorm, read_write>;
---
@group(0) @binding(0) var t: texture_external; @group(0) @binding(1) var s: sampler; fn f() { _ = textureSampleBaseClampToEdge(t, s, vec2f()); }
---
fn f() { let x = &x; let p = vec2<bool>; }
//! 1:19: error: unresolved value "x"
//! 1:30: error: cannot use type 'vec2' as value; are you missing '()'?
---
@group(0) @binding(0) var t: binding_array<texture_2d<f32>, 4>;
//! 1:30: error: unresolved type "binding_array"
---
@group(0) @binding(0) var t: texel_buffer<rgba8unorm, read>;
//! 1:30: error: unresolved type "texel_buffer"
---
@group(0) @binding(0) var<storage> b: array<u32>; fn f() { _ = bufferView<vec4f>(&b); }
//! 1:64: error: unresolved call target "bufferView"
---
fn f() { let x = subgroup_matrix_left<f32,8,8>(); }
//! 1:18: error: unresolved call target "subgroup_matrix_left"
---
enable subgroups; @compute @workgroup_size(1) fn f() { _ = subgroupAdd(1); }
---
@compute @workgroup_size(1) fn f() { _ = subgroupAdd(1i); }
//! 1:42: error: built-in function 'subgroupAdd' needs the extension 'subgroups': write 'enable subgroups;' at the head of the source
---
@fragment fn f() -> @builtin(frag_depth, less) f32 { return 1.0; }
---
fn f() { let x = 1; x = 2; var y: i32 = 1.0; 3 = 4; }
//! 1:46: error: expected a statement, got literal "3"
---
fn f(p: ptr<storage, u32, read>, q: ptr<workgroup, u32>) {  } var<private> z: i32; fn g() { let t: ptr<private, i32> = &z; }
---
fn f() { let x: f16 = 1; }
//! 1:17: error: type 'f16' needs the extension 'f16': write 'enable f16;' at the head of the source
---
override a: i32; const b = a;
//! 1:28: error: const initializer requires a const-expression, but expression is an override-expression
---
fn f(x: i32) { const b = x; }
//! 1:26: error: const initializer requires a const-expression, but expression is a runtime-expression; consider 'let'
---
fn f() -> f32 { return 1.0; } const x = f();
//! 1:41: error: user-declared functions cannot be called at module-scope
---
struct A { a: i32 } fn f() { let x = A(1.5); let y = A(); let z = A(1,2); _ = x.b; _ = y.a.x; }
//! 1:40: error: type in structure constructor does not match member 'a': expected 'i32', found 'abstract-float'
//! 1:67: error: structure constructor has too many inputs: expected 1, found 2
//! 1:88: error: cannot take member 'x' of type 'i32': it is no structure or vector
---
fn f() { let v = vec3(1); _ = v.xx.rgba; _ = v.w; _ = v.xr; _ = v.foo; }
//! 1:36: error: invalid vector swizzle member in 'rgba': 'vec2<i32>' has 2 components
//! 1:48: error: invalid vector swizzle member in 'w': 'vec3<i32>' has 3 components
//! 1:57: error: invalid mixing of vector swizzle characters rgba with xyzw in 'xr'
//! 1:67: error: invalid vector swizzle 'foo'
---
alias T = i32; fn f() { let x = T; T(1); i32(2); x(); f = 2; }
//! 1:16: error: cyclic dependency found: 'f' -> 'f', by the use at 1:55
//! 1:33: error: cannot use type 'T' as value; are you missing '()'?
//! 1:36: error: value constructor evaluated but not used
//! 1:42: error: value constructor evaluated but not used
//! 1:50: error: cannot call 'x': it is let
//! 1:55: error: cannot use function 'f' as value; are you missing '()'?
---
fn f() { let a = select; let b = array<i32>(); let c = array(1, 2u); let d = array(); }
//! 1:18: error: cannot use builtin function 'select' as value; are you missing '()'?
//! 1:34: error: type 'array<i32>' is not constructible
//! 1:78: error: cannot infer element type of array without arguments
---
@workgroup_size(1) fn f() {}
//! 1:2: error: '@workgroup_size' is only valid for compute stages
---
@vertex @fragment fn f() {}
//! 1:10: error: a function has one stage: '@vertex' and '@fragment'
---
@must_use fn f() {}
//! 1:2: error: '@must_use' can only be applied to functions that return a value
---
@must_use fn f() -> i32 { return 1; } fn g() { f(); }
//! 1:48: error: ignoring return value of function 'f' annotated with '@must_use'
---
fn f() { var a: array<i32>; var b: sampler; var c: ptr<function, i32>; var d: atomic<u32>; }
//! 1:17: error: runtime-sized arrays cannot be used in the <function> address space
//! 1:36: error: cannot declare a 'var' of type 'sampler' in a function
//! 1:52: error: cannot declare a 'var' of type 'ptr<function, i32, read_write>' in a function
//! 1:79: error: atomic variables must have <storage> or <workgroup> address space
---
fn f() { break; continue; } fn g() { loop { continuing { break; } } }
//! 1:10: error: break statement must be in a loop or switch case
//! 1:17: warning: code is unreachable
//! 1:17: error: continue statement must be in a loop
//! 1:58: error: 'break' must not be used to exit from a continuing block; use 'break if' instead
---
fn f() -> i32 { return; } fn g() { return 1; } fn h() -> i32 { return 1.0; }
//! 1:17: error: return without a value in function 'f', which returns 'i32'
//! 1:43: error: function 'g' returns nothing
//! 1:71: error: return statement type must match its function return type, returned 'abstract-float', expected 'i32'
---
fn f(a: i32, b: i32) {} fn g() { f(1); f(1,2,3); f(1.0, 2); }
//! 1:34: error: too few arguments in call to 'f', expected 2, got 1
//! 1:40: error: too many arguments in call to 'f', expected 2, got 3
//! 1:52: error: type mismatch for argument 1 in call to 'f', expected 'i32', got 'abstract-float'
---
const x = 1 + true; const y = !1; const z = ~1.0; const w = -1u; const q = vec2(1) + vec3(1); const u = 1.0 % 0.0;
//! 1:11: error: no matching overload for 'operator + (abstract-int, bool)'
//! 1:31: error: no matching overload for 'operator ! (abstract-int)'; it takes (bool) or (vecN<bool>)
//! 1:45: error: no matching overload for 'operator ~ (abstract-float)'; it takes (T) where T is one of abstract-int i32 u32 or (vecN<T>) where T is one of abstract-int i32 u32
//! 1:61: error: no matching overload for 'operator - (u32)'; it takes (T) where T is one of abstract-int abstract-float i32 f32 f16 or (vecN<T>) where T is one of abstract-int abstract-float i32 f32 f16
//! 1:76: error: no matching overload for 'operator + (vec2<abstract-int>, vec3<abstract-int>)'; the vectors have different sizes
//! 1:105: error: '1.0 % 0.0' cannot be represented as 'abstract-float'
---
fn f() { _ = array(1,2,3)[3]; const i = 5; _ = array(1,2,3)[i]; let j = -1; _ = array(1,2)[j]; _ = array(1,2)[1.0]; }
//! 1:27: error: index 3 out of bounds [0..2]
//! 1:61: error: index 5 out of bounds [0..2]
//! 1:111: error: index must be of type 'i32' or 'u32', found: 'abstract-float'
---
@fragment fn f() -> @location(0) i32 { discard; }
//! 1:49: error: missing return at end of function 'f', which returns 'i32'
---
diagnostic(off, derivative_uniformity); diagnostic(error, derivative_uniformity);
//! 1:41: error: conflicting severities for diagnostic rule 'derivative_uniformity': 'off' and 'error'
---
@location(0) var<private> x: i32; @group(0) const a = 1; @id(1) const b = 2;
//! 1:2: error: '@location' is not valid for module-scope 'var'
//! 1:36: error: 'const' declaration does not accept attributes
//! 1:59: error: 'const' declaration does not accept attributes
---
@id(1) override a: i32; @id(1) override b: i32;
//! 1:26: error: @id values must be unique: override 'a' has id 1 already
---
struct S { a: S } struct T {} struct U { a: array<i32>, b: i32 }
//! 1:1: error: cyclic dependency found: 'S' -> 'S', by the use at 1:15
//! 1:26: error: structures must have at least one member
//! 1:45: error: runtime arrays may only appear as the last member of a struct
---
const_assert 1 == 2; const_assert 1; override o: bool; const_assert o;
//! 1:1: error: const assertion failed
//! 1:35: error: const assertion condition must be a bool, got 'abstract-int'
//! 1:69: error: const assertion requires a const-expression, but expression is an override-expression
