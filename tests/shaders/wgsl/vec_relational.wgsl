//! purpose: comparisons component by component
//! size: 16 16
//! counterpart: vec_relational

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let a = vec3<f32>(ij, 5.0); let b = vec3<f32>(ij.y, 8.0, ij.x);
  let c = vec3<f32>(a < b) + 2.0 * vec3<f32>(a <= b) + 4.0 * vec3<f32>(a > b);
  let d = vec3<f32>(a >= b) + 2.0 * vec3<f32>(a == b) + 4.0 * vec3<f32>(a != b);
  return vec4<f32>(c + 8.0 * d, dot(vec2<f32>(vec2<i32>(ij) < vec2<i32>(4, 9)), vec2<f32>(1.0, 2.0)));
}
