struct Surface {
    position: vec3f,
    normal: vec3f,
    view: vec3f, // towards the eye
    albedo: vec3f,
    roughness: f32,
}
