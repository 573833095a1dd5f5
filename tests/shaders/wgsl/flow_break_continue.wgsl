//! purpose: both ways out of a pass
//! size: 16 16
//! counterpart: flow_break_continue

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  var s = 0.0; var x = ij.x;
  for (var i = 0; i < 30; i++) { x += 1.5; if x < 8.0 { continue; } s += x; if s > 40.0 + ij.y { break; } s -= 1.0; }
  return vec4f(s, x, ij);
}
