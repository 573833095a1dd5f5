//! purpose: a column by an index that is calculated
//! size: 16 16
//! counterpart: mat_columns_dynamic

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  var m = mat4x4f(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0);
  let i = i32(ij.x) % 4;
  return m[i] + vec4f(m[i32(ij.y / 4.0)][i]) * 0.5;
}
