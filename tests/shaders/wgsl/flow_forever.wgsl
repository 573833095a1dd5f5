//! purpose: a loop without a test
//! size: 16 16
//! counterpart: flow_forever

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  var x = ij.x; var n = 0.0; loop { x += 1.0 + ij.y * 0.125; n += 1.0; if x > 20.0 { break; } } return vec4f(x, n, ij);
}
