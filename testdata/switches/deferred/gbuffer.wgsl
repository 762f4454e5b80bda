fn gbuffer_surface(pixel: vec2i, uv: vec2f) -> Surface {
    let albedo = textureLoad(gbuffer_albedo, pixel, 0);
    let normal = textureLoad(gbuffer_normal, pixel, 0);
    var s: Surface;
    s.position = view_position(uv, textureLoad(gbuffer_depth, pixel, 0));
    s.normal = normalize(normal.xyz * 2.0 - 1.0);
    s.view = normalize(view.position - s.position);
    s.albedo = albedo.rgb;
    s.roughness = normal.a;
    return s;
}
