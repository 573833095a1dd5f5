//! purpose: exponentials and logarithms with base 2
//! size: 16 16
//! counterpart: fun_exp2_log2

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let p = ij / 4.0; return vec4f(exp2(p - 2.0), log2(p + 0.5));
}
