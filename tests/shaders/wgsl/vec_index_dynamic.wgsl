//! purpose: components by indices that are calculated
//! size: 16 16
//! counterpart: vec_index_dynamic

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  var v = vec4<f32>(1.0, 2.0, 4.0, 8.0);
  let i = i32(ij.x) % 4; let j = i32(ij.y) % 3;
  let a = v[i]; let w = vec3<f32>(ij, 1.0); let b = w[j];
  return vec4<f32>(a, b, a * b, v[i32(ij.x / 4.0)]);
}
