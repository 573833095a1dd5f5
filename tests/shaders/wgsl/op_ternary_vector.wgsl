//! purpose: choices between vectors
//! size: 16 16
//! counterpart: op_ternary_vector

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let a = vec4<f32>(ij, 1.0, 2.0); let b = vec4<f32>(3.0, ij.yx, 4.0);
  var c = select(b, a, ij.x > 5.0);
  let d = select(c.xy, c.yx, ij.y > 9.0);
  return vec4<f32>(d, c.zw);
}
