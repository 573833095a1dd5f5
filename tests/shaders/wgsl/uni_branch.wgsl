//! purpose: branches by uniforms
//! size: 16 16
//! counterpart: uni_branch
//! uniform: u.mode 2
//! uniform: u.limit 7.5
struct Values { mode: i32, limit: f32 }
@group(0) @binding(0) var<uniform> u: Values;

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  var c = vec4f(ij, 0.0, 1.0);
  if u.mode == 1 { c = c.yxwz; } else if u.mode == 2 { c.z = u.limit; }
  if ij.x > u.limit { c *= 0.5; }
  return c;
}
