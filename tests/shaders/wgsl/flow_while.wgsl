//! purpose: a loop with its test in front
//! size: 16 16
//! counterpart: flow_while

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  var x = ij.x + 1.0; var n = 0.0; while x < 100.0 { x *= 2.0; n += 1.0; } return vec4f(x, n, ij.y, 1.0);
}
