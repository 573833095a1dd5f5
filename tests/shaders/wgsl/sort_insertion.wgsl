//! purpose: five numbers in an array in order
//! size: 64 64
//! counterpart: sort_insertion

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let x = ij.x; var a = array<f32, 5>((x * 7.0) % 11.0, ij.y, (x * 3.0 + ij.y) % 8.0, 5.0, x);
  for (var i = 0; i < 4; i++) {
    for (var j = 0; j < 4 - i; j++) {
      if a[j] > a[j + 1] { let t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; }
    }
  }
  return vec4f(a[0], a[1], a[3], a[4]);
}
