//! purpose: from hue, saturation and value
//! size: 64 64
//! counterpart: colour_hsv
fn rgb(c: vec3f) -> vec3f {
  let p = abs(fract(c.xxx + vec3f(1.0, 2.0 / 3.0, 1.0 / 3.0)) * 6.0 - 3.0);
  return c.z * mix(vec3f(1.0), clamp(p - 1.0, vec3f(0.0), vec3f(1.0)), c.y);
}

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  return vec4f(rgb(vec3f(ij.x / 64.0, 0.8, ij.y / 64.0)), 1.0);
}
