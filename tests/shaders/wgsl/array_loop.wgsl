//! purpose: an array that a loop fills and another reads
//! size: 16 16
//! counterpart: array_loop

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  var a: array<f32, 8>;
  for (var i = 0; i < 8; i++) { a[i] = ij.x * f32(i) + ij.y; }
  var sum = 0.0; var most = 0.0;
  for (var i = 0; i < 8; i++) { sum += a[i]; most = max(most, a[7 - i]); }
  return vec4f(sum, most, a[3], a[5]);
}
