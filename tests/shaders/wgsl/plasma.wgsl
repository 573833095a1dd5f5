//! purpose: sums of waves as a palette
//! size: 64 64
//! counterpart: plasma
//! uniform: time 1.5
@group(0) @binding(0) var<uniform> time: f32;

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let p = ij / 64.0 * 8.0;
  var v = sin(p.x + time) + sin(0.5 * (p.y + time)) + sin(0.5 * (p.x + p.y + time));
  let c = p + vec2f(sin(time / 3.0), cos(time / 2.0)) - 4.0;
  v += sin(sqrt(dot(c, c) + 1.0) + time);
  v *= 0.5;
  return vec4f(sin(v * 3.14159), cos(v * 3.14159), sin(v * 3.14159 + 2.0944), 2.0) * 0.5 + vec4f(0.5, 0.5, 0.5, 0.0);
}
