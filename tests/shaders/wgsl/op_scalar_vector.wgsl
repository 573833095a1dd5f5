//! purpose: operators between scalars and vectors, on both sides
//! size: 16 16
//! counterpart: op_scalar_vector

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let p = ij / 16.0 + 1.0;
  let a = 2.0 * vec4<f32>(p, p.yx) + 1.0;
  let b = 1.0 - a / 4.0;
  let c = 3.0 / a;
  return p.x * b + c - p.y;
}
