fn shade_forward(s: Surface) -> vec3f {
    let ambient = indirect_irradiance(s.position, s.normal) * brdf_diffuse(s);
    return light_sun(s) + ambient + indirect_radiance(s.position, reflect(-s.view, s.normal), s.roughness) * 0.04;
}
