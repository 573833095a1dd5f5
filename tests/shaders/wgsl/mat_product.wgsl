//! purpose: products of matrices
//! size: 16 16
//! counterpart: mat_product

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let c = cos(ij.x * 0.25); let s = sin(ij.x * 0.25);
  let turn = mat3x3f(c, s, 0.0, -s, c, 0.0, 0.0, 0.0, 1.0);
  let shift = mat3x3f(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.5, ij.y / 16.0, 1.0);
  let m = turn * shift * turn; let a = mat2x2f(c, s, 1.0, 2.0) * mat2x2f(s, c, 0.5, 1.0);
  return vec4f(m * vec3f(1.0, 2.0, 1.0), a[0].x + a[1].y);
}
