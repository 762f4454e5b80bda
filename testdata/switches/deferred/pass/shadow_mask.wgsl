@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let depth = textureLoad(gbuffer_depth, vec2i(id.xy), 0);
    let position = view_position((vec2f(id.xy) + 0.5) / view.size, depth);
    let lit = shadow_directional(position, distance(position, view.position));
    textureStore(mask_out, id.xy, vec4f(lit));
}
