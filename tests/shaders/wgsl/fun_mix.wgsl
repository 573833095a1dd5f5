//! purpose: linear interpolation
//! size: 16 16
//! counterpart: fun_mix

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let p = ij / 16.0; let a = vec3f(p, 1.0); let b = vec3f(2.0, p.yx);
  return vec4f(mix(a, b, p.x), mix(1.0, 3.0, p.y)) + vec4f(mix(a, b, a), 0.0);
}
