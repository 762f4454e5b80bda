const TILE = 8;

@compute @workgroup_size(TILE, TILE)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let uv = (vec2f(id.xy) + 0.5) / view.size;
    let s = gbuffer_surface(vec2i(id.xy), uv);
    let ray = reflect(-s.view, s.normal);
    let hit = s.position + ray * noise(id.xy, 0u);
    let light = indirect_radiance(hit, ray, s.roughness) + bounce_at(hit, -ray);
    textureStore(reflections_out, id.xy, vec4f(light, 1.0));
}
