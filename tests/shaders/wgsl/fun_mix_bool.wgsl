//! purpose: choices component by component
//! size: 16 16
//! counterpart: fun_mix_bool

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let a = vec3f(ij, 1.0); let b = vec3f(5.0); return vec4f(select(a, b, a < b), 1.0);
}
