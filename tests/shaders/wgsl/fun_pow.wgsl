//! purpose: powers
//! size: 16 16
//! counterpart: fun_pow
//! tolerance: 1e-4

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let p = ij / 8.0 + 0.125; return vec4f(pow(p.x, p.y), pow(p, vec2f(2.0, 0.5)), pow(p.x, 2.2));
}
