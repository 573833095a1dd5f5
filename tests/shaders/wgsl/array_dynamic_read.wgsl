//! purpose: an element by an index that is calculated
//! size: 16 16
//! counterpart: array_dynamic_read

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  var a = array<f32, 6>(3.0, 1.0, 4.0, 1.5, 9.0, ij.y);
  let i = i32(ij.x) % 6;
  return vec4f(a[i], a[5 - i], a[i32(ij.y / 4.0)], 1.0);
}
