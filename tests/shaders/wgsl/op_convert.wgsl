//! purpose: conversions between booleans, integers and floats
//! size: 16 16
//! counterpart: op_convert

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let x = (ij.x - 8.0) * 0.75;
  let i = i32(x); let b = bool(i); let f = f32(b);
  let g = f32(i32(ij.y) / 2); let h = f32(bool(ij.x - 3.0)) + f32(i32(b));
  return vec4<f32>(f32(i), f, g, h);
}
