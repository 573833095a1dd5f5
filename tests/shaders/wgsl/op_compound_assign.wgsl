//! purpose: all assignments with an operator
//! size: 16 16
//! counterpart: op_compound_assign

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let p = ij / 16.0;
  var c = vec4<f32>(p, 1.0, 2.0);
  c += vec4<f32>(0.5); c -= vec4<f32>(p.yx, 0.0, 1.0); c *= vec4<f32>(2.0, 3.0, p); c /= vec4<f32>(4.0);
  var f = 1.0; f += p.x; f *= f; f -= p.y; f /= 2.0;
  c.y *= 2.0; c.z *= 2.0; c.w += f;
  return c;
}
