//! purpose: sums and differences of scalars and vectors
//! size: 16 16
//! counterpart: op_add_sub

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let p = ij / 16.0;
  let s = p.x + p.y - 0.25;
  let v = vec3<f32>(p, 1.0) + vec3<f32>(0.5, -0.5, s);
  let w = v - vec3<f32>(p.y, p.x, 0.125);
  return vec4<f32>(w - v.zxy, s);
}
