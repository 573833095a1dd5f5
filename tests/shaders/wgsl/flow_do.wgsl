//! purpose: a loop with its test behind
//! size: 16 16
//! counterpart: flow_do

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  var x = ij.x * 10.0; var n = 0.0; loop { x *= 0.5; n += 1.0; continuing { break if x <= 4.0; } } return vec4f(x, n, ij.y, 1.0);
}
