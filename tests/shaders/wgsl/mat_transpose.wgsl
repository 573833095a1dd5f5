//! purpose: transposition
//! size: 16 16
//! counterpart: mat_transpose

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let m = mat3x3f(vec3f(ij / 16.0, 1.0), vec3f(2.0, 3.0, 4.0), vec3f(5.0, 6.0, 7.0)); let t = transpose(m);
  return vec4f(t[0] + t[1] * 0.5, t[2].x - m[2].x);
}
