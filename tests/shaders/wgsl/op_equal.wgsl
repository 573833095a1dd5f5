//! purpose: equality of scalars and of whole vectors
//! size: 16 16
//! counterpart: op_equal

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let a = floor(ij / 4.0); let b = a.yx;
  let same = select(0.0, 1.0, all(a == b)); let other = select(0.0, 1.0, any(a != b));
  return vec4<f32>(same, other, select(0.25, 0.5, a.x == b.x), select(0.25, 0.5, a.y != 2.0));
}
