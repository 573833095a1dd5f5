//! purpose: the four orders of numbers
//! size: 16 16
//! counterpart: op_compare

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  var c = vec4<f32>();
  if ij.x < ij.y { c.x = 1.0; } if ij.x <= ij.y { c.y = 1.0; } if ij.x > ij.y { c.z = 1.0; } if ij.x >= ij.y { c.w = 1.0; }
  return c;
}
