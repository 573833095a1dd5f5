//! purpose: a loop whose count each pixel calculates
//! size: 16 16
//! counterpart: flow_for_bound

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  var s = 0.0; var x = 1.0; let n = i32(ij.x); for (var i = 0; i < n; i++) { s += x; x *= 1.25; } return vec4f(s, x, ij.y, 1.0);
}
