//! purpose: matrices that are not square
//! size: 16 16
//! counterpart: mat_rectangular

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let a = mat2x3f(vec3f(ij / 16.0, 1.0), vec3f(2.0, 3.0, 4.0)); let b = transpose(a);
  let c = b * a; let d = a * ij; let e = b * vec3f(ij, 1.0);
  return vec4f(c[0] + e, d.xy + c[1]);
}
