//! purpose: values at the corners of a grid, interpolated smoothly
//! size: 64 64
//! counterpart: noise_value
//! texture: grid unit 16 16
@group(0) @binding(1) var grid: texture_2d<f32>;
fn at(p: vec2f) -> f32 { return textureLoad(grid, vec2<i32>(p) % 16, 0).x; }

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let p = ij / 5.0; let i = floor(p); let f = fract(p); let u = f * f * (3.0 - 2.0 * f);
  let n = mix(mix(at(i), at(i + vec2f(1.0, 0.0)), u.x), mix(at(i + vec2f(0.0, 1.0)), at(i + 1.0), u.x), u.y);
  return vec4f(n, n * n, u);
}
