//! purpose: matrices
//! size: 16 16
//! counterpart: uni_matrices
//! uniform: u.a 1 2 3 4
//! uniform: u.b 1 0 0.5 0 1 0.25 2 3 1
//! uniform: u.c 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
struct Values { a: mat2x2f, b: mat3x3f, c: mat4x4f }
@group(0) @binding(0) var<uniform> u: Values;

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let p = ij / 16.0;
  return u.c * vec4f(p, 1.0, 0.5) + vec4f(u.a * p, 0.0, 1.0) + vec4f(u.b * vec3f(p, 1.0), 0.0)
      + vec4f(p * u.a, u.c[2][1], u.b[1].z);
}
