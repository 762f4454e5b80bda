@compute @workgroup_size(4, 4, 4)
fn main(@builtin(global_invocation_id) froxel: vec3u) {
    let uv = (vec2f(froxel.xy) + 0.5) / 64.0;
    let position = view_position(uv, (f32(froxel.z) + noise(froxel.xy, froxel.z)) / 64.0);
    let lit = shadow_directional(position, distance(position, view.position));
    let ambient = indirect_irradiance(position, vec3f(0.0, 1.0, 0.0));
    textureStore(fog_out, froxel, vec4f(lights.sun_color * lit + ambient, 1.0));
}
