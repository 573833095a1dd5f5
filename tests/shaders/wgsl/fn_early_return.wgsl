//! purpose: returns from branches
//! size: 16 16
//! counterpart: fn_early_return
fn kind(a: f32, y: f32) -> f32 {
  var x = a;
  if x > 11.0 { return 3.0; }
  if y > 11.0 { if x > 5.0 { return 2.5; } return 2.0; }
  x += y;
  if x > 10.0 { return x; }
  return -1.0;
}

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let k = kind(ij.x, ij.y); return vec4f(k, k * 2.0, kind(ij.y, ij.x), 1.0);
}
