//! purpose: smooth steps
//! size: 16 16
//! counterpart: fun_smoothstep

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let p = ij / 16.0; return vec4f(smoothstep(vec2f(0.25), vec2f(0.75), p), smoothstep(vec2f(0.75, 0.125), vec2f(0.25, 1.0), p));
}
