//! purpose: the greatest common divisor
//! size: 64 64
//! counterpart: euclid

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  var a = i32(ij.x) + 1; var b = i32(ij.y) * 3 + 1; var steps = 0;
  while b > 0 { let r = a % b; a = b; b = r; steps++; }
  return vec4f(f32(a), f32(steps), ij);
}
