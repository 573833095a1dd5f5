//! purpose: sines and cosines
//! size: 16 16
//! counterpart: fun_sin_cos

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let p = (ij - 8.0) * 0.75; return vec4f(sin(p), cos(p));
}
