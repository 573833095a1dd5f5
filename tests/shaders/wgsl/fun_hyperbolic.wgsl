//! purpose: hyperbolic functions
//! size: 16 16
//! counterpart: fun_hyperbolic
//! tolerance: 1e-4

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let p = (ij - 8.0) * 0.25; return vec4f(sinh(p.x), cosh(p.y), tanh(p.x), tanh(p.y));
}
