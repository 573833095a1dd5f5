//! purpose: derivatives of vectors
//! size: 16 16
//! counterpart: derive_vector

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let v = vec3f(ij.x * 2.0, ij.x + ij.y, ij.y * ij.y); return vec4f(dpdx(v) + dpdy(v), dpdx(v.xy).y);
}
