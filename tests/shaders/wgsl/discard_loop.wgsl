//! purpose: a loop drops pixels
//! size: 16 16
//! counterpart: discard_loop

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  var s = 0.0; for (var i = 0; i < 8; i++) { s += ij.x; if s > 50.0 { discard; } } return vec4f(s, ij, 1.0);
}
