//! purpose: inverse tangents of two numbers
//! size: 16 16
//! counterpart: fun_atan2
//! tolerance: 1e-4

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let p = ij - 7.5; return vec4f(atan2(p.y, p.x), atan2(p, p.yx + 0.25), atan2(p.x, 2.0));
}
