//! purpose: vectors by matrices
//! size: 16 16
//! counterpart: vec_times_mat

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let p = ij / 16.0;
  let m = mat2x2f(1.0, 2.0, 3.0, 4.0); let n = mat3x3f(p.x, 1.0, 0.0, 0.5, p.y, 2.0, 1.0, 0.0, 1.0);
  let a = p * m; let b = vec3f(p, 1.0) * n;
  return vec4f(a + b.xy, b.z, a.x * a.y);
}
