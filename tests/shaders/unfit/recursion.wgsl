//! error: 2 declaration of `f` is recursive
fn f(x: f32) -> f32 { if x < 1.0 { return 1.0; } return f(x - 1.0); }
@fragment fn main(@location(0) x: f32) -> @location(0) vec4f { return vec4f(f(x)); }
