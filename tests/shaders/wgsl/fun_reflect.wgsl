//! purpose: reflection
//! size: 16 16
//! counterpart: fun_reflect

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let n = normalize(vec3f(0.5, 1.0, 0.25)); let i = vec3f(ij / 8.0 - 1.0, -1.0);
  return vec4f(reflect(i, n), reflect(ij, vec2f(0.0, 1.0)).y);
}
