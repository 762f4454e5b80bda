// Light of the lamps near a pixel, as an earlier pass has gathered it.
fn light_local(s: Surface, pixel: vec2u) -> vec3f {
    let gathered = textureLoad(reservoir_radiance, vec2i(pixel), 0);
    return gathered.rgb * brdf_diffuse(s) * gathered.a;
}
