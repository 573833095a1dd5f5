//! purpose: refraction, and total reflection
//! size: 16 16
//! counterpart: fun_refract

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let n = vec3f(0.0, 1.0, 0.0); let i = normalize(vec3f(ij.x - 8.0, -ij.y * 0.5 - 0.25, 1.0));
  return vec4f(refract(i, n, 1.5), refract(i, n, 0.75).x);
}
