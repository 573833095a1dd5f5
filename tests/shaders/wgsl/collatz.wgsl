//! purpose: steps to one
//! size: 64 64
//! counterpart: collatz

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  var n = ij.x + ij.y * 64.0 + 1.0; var steps = 0.0; var most = n;
  for (var i = 0; i < 120; i++) {
    if n < 1.5 { break; }
    let h = floor(n * 0.5);
    if h * 2.0 == n { n = h; } else { n = n * 3.0 + 1.0; }
    most = max(most, n); steps += 1.0;
  }
  return vec4f(steps, most, n, 1.0);
}
