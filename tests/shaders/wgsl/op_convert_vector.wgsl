//! purpose: conversions of vectors between types of components
//! size: 16 16
//! counterpart: op_convert_vector

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let v = vec4<f32>(ij * 0.4, 2.75 - ij.x, -1.5);
  let i = vec4<i32>(v); let b = vec4<bool>(i); let f = vec4<f32>(b);
  return vec4<f32>(i) + f * 0.25;
}
