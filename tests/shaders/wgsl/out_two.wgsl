//! purpose: two colours
//! size: 16 16
//! counterpart: out_two
//! outputs: 2
struct Colours { @location(0) a: vec4f, @location(1) b: vec4f }

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> Colours {
  let ij = pos.xy - 0.5;
  return Colours(vec4f(ij, 0.0, 1.0), vec4f(ij.y, ij.x * ij.y, 0.5, 0.25));
}
