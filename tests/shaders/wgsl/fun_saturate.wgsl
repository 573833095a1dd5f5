//! purpose: results between 0 and 1, of many operations
//! size: 16 16
//! counterpart: fun_saturate

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let p = ij / 8.0 - 0.5;
  return vec4f(saturate(p.x * p.y + 0.25), saturate(dot(p, p)), saturate(p.x + p.y), saturate(1.0 / (p.x + 2.0)));
}
