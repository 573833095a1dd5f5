//! purpose: the operator for remainders
//! size: 16 16
//! counterpart: op_int_modulus

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let i = i32(ij.x); let j = i32(ij.y) + 1;
  return vec4<f32>(f32(i % j), f32((i * 16 + j) % 7), f32(i / j * j + i % j), 1.0);
}
