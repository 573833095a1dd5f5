//! purpose: products and quotients of scalars and vectors
//! size: 16 16
//! counterpart: op_mul_div

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let p = ij / 16.0 + 0.5;
  let v = vec3<f32>(p, 2.0) * vec3<f32>(3.0, p.y, p.x);
  let q = v / vec3<f32>(p.yx, 4.0);
  return vec4<f32>(q * 0.5, 1.0 / (p.x * p.y));
}
