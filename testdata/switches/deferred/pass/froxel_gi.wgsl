@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let froxel = vec3u(id.x % 64u, id.x / 64u % 64u, id.x / 4096u);
    let position = view_position((vec2f(froxel.xy) + 0.5) / 64.0, f32(froxel.z) / 64.0);
    var sum = vec3f();
    for (var i = 0u; i < 6u; i++) {
        var direction = vec3f();
        direction[i / 2u] = select(-1.0, 1.0, (i & 1u) == 0u);
        sum += indirect_irradiance(position, direction);
    }
    froxels[id.x % arrayLength(&froxels)] = vec4f(sum / 6.0, 1.0);
}
