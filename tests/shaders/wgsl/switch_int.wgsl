//! purpose: choices by integers
//! size: 16 16
//! counterpart: switch_int

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  var r: f32;
  switch i32(ij.x) % 6 {
    case 0: { r = 1.0; }
    case 1: { r = ij.y; }
    case 2, 3: { r = ij.x * 2.0; }
    case 4: { r = -1.0; }
    default: { r = 0.25; }
  }
  return vec4f(r, ij, 1.0);
}
