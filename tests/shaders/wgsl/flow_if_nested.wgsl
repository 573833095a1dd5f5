//! purpose: branches in branches in branches
//! size: 16 16
//! counterpart: flow_if_nested

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  var r = 0.0;
  if ij.x > 3.0 {
    r += 1.0;
    if ij.y > 3.0 {
      r += 2.0;
      if ij.x > ij.y {
        r += 4.0;
        if ij.x > 12.0 { r += 8.0; } else { r -= 0.5; }
      } else { r *= 3.0; }
    }
    r += 0.25;
  }
  return vec4f(r, ij, 1.0);
}
