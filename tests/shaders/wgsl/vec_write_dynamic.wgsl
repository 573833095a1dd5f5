//! purpose: assignments to components by indices that are calculated
//! size: 16 16
//! counterpart: vec_write_dynamic

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  var v = vec4<f32>(0.5);
  v[i32(ij.x) % 4] = 1.0; v[u32(ij.y) % 4u] += 2.0;
  return v;
}
