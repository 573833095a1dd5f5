//! purpose: a chain of branches
//! size: 16 16
//! counterpart: flow_else_if

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let x = ij.x; var r: f32;
  if x < 2.0 { r = 1.0; } else if x < 5.0 { r = ij.y; } else if x < 9.0 { r = x
      * ij.y; } else if x < 13.0 { r = -x; } else { r = 0.5; }
  return vec4f(r, r * 2.0, x, 1.0);
}
