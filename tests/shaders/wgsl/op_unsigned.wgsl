//! purpose: integers without a sign
//! size: 16 16
//! counterpart: op_unsigned

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let i = u32(ij.x); let j = u32(ij.y) + 1u;
  return vec4<f32>(f32(i / j), f32(i % j), f32(i * j + 3u), 1.0);
}
