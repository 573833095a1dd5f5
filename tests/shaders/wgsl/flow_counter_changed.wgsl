//! purpose: a loop changes its counter
//! size: 16 16
//! counterpart: flow_counter_changed

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  var n = 0.0; var last = 0;
  for (var i = 0; i < 40; i++) {
    if f32(i) > ij.x { i += 3; }
    n += 1.0; last = i;
  }
  return vec4f(n, f32(last), ij);
}
