//! purpose: vectors of floats
//! size: 16 16
//! counterpart: uni_vectors
//! uniform: u.a 1.5 -2
//! uniform: u.b 0.25 0.5 0.75
//! uniform: u.c 1 2 3 4
struct Values { a: vec2f, b: vec3f, c: vec4f }
@group(0) @binding(0) var<uniform> u: Values;

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  return u.c * vec4f(ij * u.a, u.b.x, u.b.y) + vec4f(u.b.zyx, u.a.y);
}
