//! purpose: constants, and what is calculated of them
//! size: 16 16
//! counterpart: const_global
const two = 2.0; const weights = vec3f(0.25, 0.5, two * 0.125); const count = 2 + 1; const quarter = 1.0 / (two * two);

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let s = dot(vec3f(ij, two), weights); var a: array<f32, count>;
  for (var i = 0; i < count; i++) { a[i] = s * f32(i); }
  return vec4f(s, quarter, a[2], sqrt(two));
}
