//! purpose: absolute values and signs
//! size: 16 16
//! counterpart: fun_abs_sign

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let p = ij - 8.0; return vec4f(abs(p), sign(p));
}
