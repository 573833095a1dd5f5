//! purpose: choices between scalars
//! size: 16 16
//! counterpart: op_ternary

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let x = ij.x; let y = ij.y;
  let a = select(y, x, x > y);
  let b = select(y - x, x - y, x + y > 16.0);
  let c = select(select(0.0, 1.0, y > 3.0), select(2.0, 3.0, y > 3.0), x > 3.0);
  return vec4<f32>(a, b, c, select(1.0, 0.0, x < 8.0));
}
