//! The cost model: what one draw, vertex, triangle or pixel costs (`gl/cost.c`).

/// What an item's cost is told in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Millionths of a second.
    Microseconds,
    /// Milliardths of a second.
    Nanoseconds,
}

impl Unit {
    /// As tables have it.
    pub const fn symbol(self) -> &'static str {
        match self {
            Unit::Microseconds => "µs",
            Unit::Nanoseconds => "ns",
        }
    }

    /// How many of it a second has.
    pub const fn per_second(self) -> f64 {
        match self {
            Unit::Microseconds => 1e6,
            Unit::Nanoseconds => 1e9,
        }
    }
}

/// One thing that costs.
#[derive(Debug)]
pub struct CostItem {
    /// Its name in `gl/cost.c`.
    pub name: &'static str,
    /// What it is, in words.
    pub what: &'static str,
    /// What its cost is told in.
    pub unit: Unit,
    /// How many the program draws at a time.
    pub count: u32,
    /// How many things that are told one of those is: pixels, for layers.
    pub things: f64,
}

/// Pixels of a layer.
const LAYER: f64 = 1024.0 * 1024.0;

const fn layers(name: &'static str, what: &'static str, count: u32) -> CostItem {
    CostItem { name, what, unit: Unit::Nanoseconds, count, things: LAYER }
}

const fn draws(name: &'static str, what: &'static str) -> CostItem {
    CostItem { name, what, unit: Unit::Microseconds, count: 2000, things: 1.0 }
}

const fn pieces(name: &'static str, what: &'static str, count: u32) -> CostItem {
    CostItem { name, what, unit: Unit::Nanoseconds, count, things: 1.0 }
}

/// All of them.
pub const ITEMS: [CostItem; 12] = [
    draws("draws", "draw of two triangles over 8x8 pixels"),
    draws("uniforms", "the same, and a uniform changes"),
    pieces("vertices", "vertex of triangles outside of the view", 300_000),
    pieces("triangles", "triangle of 8 pixels", 30_000),
    pieces("triangles-depth", "the same with a depth test", 30_000),
    layers("colour", "pixel of large triangles, varying colour", 8),
    layers("depth", "pixel of large triangles, depth test", 8),
    layers("blend", "pixel of large triangles, blending", 8),
    layers("texture", "pixel of a texture, linear filter", 4),
    layers("mipmaps", "pixel of a texture, linear filter and mipmaps", 4),
    layers("all", "pixel of a texture, blending, depth test", 4),
    layers("samples", "pixel in 4 samples, varying colour", 4),
];
