//! purpose: lengths and distances
//! size: 16 16
//! counterpart: fun_length

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let a = vec3f(ij, 2.0); let b = vec3f(ij.yx, 5.0); return vec4f(length(a), distance(a, b), length(ij), length(ij.x - 8.0));
}
