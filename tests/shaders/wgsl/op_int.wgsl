//! purpose: arithmetic of integers, with quotients rounded towards zero
//! size: 16 16
//! counterpart: op_int

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let i = i32(ij.x) - 8; let j = i32(ij.y) + 1;
  let a = i + j * 3 - 2; let b = i / j; let c = i / 3; let d = -i * j;
  return vec4<f32>(vec4<i32>(a, b, c, d));
}
