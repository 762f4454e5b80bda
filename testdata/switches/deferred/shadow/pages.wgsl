const PAGE_SIDE = 64u;
const PAGE_ABSENT = 0xffffffffu;

struct ShadowPage {
    origin: vec2u,
    level: u32,
}

fn shadow_page(position: vec3f, level: u32) -> ShadowPage {
    let cell = vec2u(abs(position.xz)) >> vec2u(level);
    let word = shadow_pages[(cell.y % PAGE_SIDE) * PAGE_SIDE + cell.x % PAGE_SIDE];
    return ShadowPage(vec2u(word & 0xffu, (word >> 8u) & 0xffu), select(level, PAGE_ABSENT, word == 0u));
}
