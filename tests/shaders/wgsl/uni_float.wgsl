//! purpose: a number
//! size: 16 16
//! counterpart: uni_float
//! uniform: time 0.75
@group(0) @binding(0) var<uniform> time: f32;

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  return vec4f(ij * time, time * time, 1.0 - time);
}
