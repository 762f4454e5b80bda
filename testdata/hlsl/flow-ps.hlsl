// Control flow of pixel programs: one shape an entry point.
cbuffer Params : register(b0) { float4 tint; int4 n; float4 table[8]; };
Texture2D map : register(t0);
SamplerState smp : register(s0);
struct In { float4 pos : SV_Position; float2 uv : TEXCOORD0; nointerpolation int4 k : INDICES; };

float4 if_else(In i) : SV_Target {
	float4 r;
	[branch] if (i.uv.x > 0.5) r = tint * i.uv.y; else r = tint - i.uv.y;
	return r;
}
float4 if_chain(In i) : SV_Target {
	float4 r = 0;
	[branch] if (i.k.x == 0) r.x = 1;
	else [branch] if (i.k.x == 1) r.y = i.uv.x;
	else [branch] if (i.k.x < n.x) r.z = map.SampleLevel(smp, i.uv, 0).x;
	else r = tint;
	return r;
}
float4 if_nested(In i) : SV_Target {
	float4 r = tint;
	[branch] if (i.uv.x > 0) {
		r.x += 1;
		[branch] if (i.uv.y > 0) {
			r.y = r.x * 2;
			[branch] if (i.k.y != 0) r.z = r.y - r.x; else r.w = 0;
		}
		r *= 0.5;
	}
	return r;
}
float4 if_flatten(In i) : SV_Target {
	float4 r = tint;
	[flatten] if (i.uv.x > i.uv.y) { r.xy = r.yx; r.z = 3; }
	return r;
}
float4 for_loop(In i) : SV_Target {
	float4 r = 0;
	[loop] for (int a = 0; a < n.x; a++) r += map.SampleLevel(smp, i.uv * a, 0);
	return r;
}
float4 while_carried(In i) : SV_Target {
	float a = i.uv.x, b = i.uv.y;
	int c = 0;
	[loop] while (a < 100 && c < 64) { float t = a + b; a = b; b = t + 0.125; c++; }
	return float4(a, b, c, 1);
}
float4 do_while(In i) : SV_Target {
	float s = 0; int c = i.k.x;
	[loop] do { s += c; c -= 3; } while (c > 0);
	return s;
}
float4 loop_break_continue(In i) : SV_Target {
	float4 r = 0;
	[loop] for (int a = 0; a < n.y; a++) {
		if (a == i.k.x) continue;
		r.x += a;
		if (r.x > tint.x) break;
		if (a & 1) { r.y += 1; continue; }
		r.z += r.x;
	}
	return r;
}
float4 loop_nested(In i) : SV_Target {
	float4 r = 0;
	[loop] for (int a = 0; a < n.x; a++) {
		[loop] for (int b = a; b < n.y; b++) {
			if (b == i.k.y) break;
			if (b < i.k.z) continue;
			r.x += b;
			[loop] while (r.y < r.x) { r.y += 1.5; if (r.y > tint.w) break; }
		}
		if (r.x > tint.y) break;
		r.z += a;
	}
	return r;
}
float4 loop_return(In i) : SV_Target {
	float4 r = tint;
	[loop] for (int a = 0; a < n.x; a++) {
		r += table[a & 7];
		if (r.x > 10) return r * 2;
		[loop] for (int b = 0; b < n.y; b++) { r.w += 1; if (r.w > 20) return r.wzyx; }
	}
	return r - 1;
}
float4 returns(In i) : SV_Target {
	if (i.uv.x < 0) return 0;
	if (i.uv.x < 0.25) { if (i.uv.y < 0.5) return tint; return tint.wzyx; }
	[branch] if (i.k.x) { float4 a = map.SampleLevel(smp, i.uv, 0); if (a.x > 0.5) return a; }
	return float4(i.uv, 0, 1);
}
float4 switch_plain(In i) : SV_Target {
	float4 r;
	[branch] switch (i.k.x) {
	case 0: r = tint; break;
	case 1: r = tint.yzwx; break;
	case -5: r = i.uv.xyxy; break;
	default: r = 1; break;
	}
	return r;
}
float4 switch_stacked(In i) : SV_Target {
	float4 r = tint;
	[branch] switch (i.k.x) {
	case 0: case 1: case 7: r.x = i.uv.x; break;
	default: case 3: r.y = i.uv.y; break;
	case 4: case 2147483647: r.z = r.x * r.y; break;
	}
	return r;
}
float4 switch_no_default(In i) : SV_Target {
	float4 r = tint;
	[branch] switch (n.x) {
	case 1: r.x = 0; break;
	case 2: { float4 m = map.SampleLevel(smp, i.uv, 1); r = m; if (m.x > 0.5) r.w = 2; break; }
	case 3: if (i.uv.x > 0) { r.y = 5; break; } r.z = 6; break;
	}
	return r;
}
float4 switch_return(In i) : SV_Target {
	[branch] switch (i.k.y) {
	case 0: return tint;
	case 1: if (i.uv.x > 0.5) return 1; break;
	case 2: return i.uv.xxyy;
	default: return 0.25;
	}
	return 0.75;
}
float4 switch_in_loop(In i) : SV_Target { // this compiler allows no `continue` in a switch
	float4 r = 0;
	[loop] for (int a = 0; a < n.x; a++) {
		[branch] switch (a & 3) {
		case 0: r.x += i.uv.x; break;
		case 1: r.y += 1; if (r.x > tint.x) break; r.y *= 2; break;
		case 2: if (r.x > tint.x) return r; r.z += 2; break;
		default: r.w += r.z; break;
		}
		if (r.w > 9) continue;
		r *= 0.99;
	}
	return r;
}
float4 loop_in_switch(In i) : SV_Target {
	float4 r = tint;
	[branch] switch (i.k.x) {
	case 0: { [loop] for (int a = 0; a < n.x; a++) { r.x += a; if (r.x > 30) break; } break; }
	case 1: { [loop] for (int b = n.x; b > 0; b--) { if (b == i.k.y) continue; r.y -= b; } r.z = 1; break; }
	default: [loop] while (r.w > 0.5) r.w *= 0.5; break;
	}
	return r;
}
float4 switch_nested(In i) : SV_Target {
	float4 r = 0;
	[branch] switch (i.k.x) {
	case 0: [branch] switch (i.k.y) { case 0: r = 1; break; case 5: r = 2; break; default: r = tint; break; } break;
	case 1: r = 3; break;
	default: [branch] switch (i.k.z) { case 9: r = 4; break; } r.w = 9; break;
	}
	return r;
}
float4 discards(In i) : SV_Target {
	if (map.SampleLevel(smp, i.uv, 0).a < tint.a) discard;
	float4 r = tint;
	[loop] for (int a = 0; a < n.x; a++) { r.x += 1; if (r.x > i.uv.x) discard; }
	return r;
}
float4 clips(In i) : SV_Target {
	clip(i.uv.x - 0.5);
	clip(float2(i.uv.y, tint.x - i.uv.x));
	return map.Sample(smp, i.uv);
}
float4 discard_all(In i) : SV_Target { discard; return tint; }
float4 discard_then_return(In i) : SV_Target {
	[branch] if (i.k.x == 3) { discard; return 0; }
	return map.Sample(smp, i.uv);
}
float4 unrolled(In i) : SV_Target {
	float4 r = 0;
	[unroll] for (int a = 0; a < 5; a++) { r = r * i.uv.x + table[a]; if (a == 3) r.x += 1; }
	return r;
}
float4 short_circuit(In i) : SV_Target {
	bool a = i.uv.x > 0.5 && i.uv.y < 0.5 || i.k.x == 2;
	bool b = !a && (i.k.y > i.k.z || n.x != 0);
	return float4(a, b, a ? 2 : 3, b ? tint.x : tint.y);
}
float4 derivative_in_branch(In i) : SV_Target {
	float4 r = tint;
	[branch] if (n.x > 0) r = map.Sample(smp, i.uv);
	[branch] if (n.y > 0) r += ddx(i.uv.x);
	return r;
}
float4 mixed_depth(In i) : SV_Target {
	float4 r = 0;
	[loop] for (int a = 0; a < n.x; a++) {
		[branch] if (i.uv.x * a > 1) {
			[branch] switch (i.k.x + a) {
			case 0: { [loop] for (int b = 0; b < a; b++) { if (b == 2) break; [branch] if (b == 1) { r.x += 1; continue; } r.y += b; } break; }
			case 1: if (r.x > 1) break; r.z += 1; break;
			default: if (r.z > 5) return r; r.w += 0.5; break;
			}
		} else if (a > 10) break;
		r.x += 0.1;
	}
	return r;
}
float4 swap_values(In i) : SV_Target {
	float4 a = tint, b = i.uv.xyxy;
	[loop] for (int k = 0; k < n.x; k++) { float4 t = a; a = b; b = t * 0.5; }
	return a - b;
}
float4 loop_uniform_and_varying(In i) : SV_Target {
	float4 r = 0; float v = i.uv.x;
	[loop] for (int k = 0; k < n.x; k++) { v *= 1.5; r += map.Sample(smp, i.uv * k); }
	return r * v;
}
float4 attributes_fastopt(In i) : SV_Target {
	float r = 0;
	[fastopt] for (int k = 0; k < n.x; k++) r += k * tint.x;
	[allow_uav_condition] while (r > 100) r -= n.y;
	return r;
}
