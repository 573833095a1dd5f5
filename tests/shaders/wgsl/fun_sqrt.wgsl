//! purpose: square roots, and their reciprocals
//! size: 16 16
//! counterpart: fun_sqrt

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  return vec4f(sqrt(ij), inverseSqrt(ij + 0.25));
}
