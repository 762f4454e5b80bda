const PI = 3.14159265;

fn square(x: f32) -> f32 {
    return x * x;
}

// A number in 0..1 that looks random, from a pixel and a frame.
fn noise(pixel: vec2u, frame: u32) -> f32 {
    var h = pixel.x * 1664525u + pixel.y * 22695477u + frame * 747796405u;
    h = (h ^ (h >> 15u)) * 2246822519u;
    return f32(h >> 8u) / 16777216.0;
}
