//! purpose: a constant table by an index that is calculated
//! size: 16 16
//! counterpart: array_const_table
const table = array<f32, 8>(0.0, 1.0, 4.0, 9.0, 16.0, 25.0, 36.0, 49.0);

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let i = i32(ij.x) % 8; let j = i32(ij.y) % 8;
  return vec4f(table[i], table[j], table[i] - table[j], table[3]);
}
