//! purpose: and, or, exclusive or, not
//! size: 16 16
//! counterpart: op_logic

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let a = ij.x > 7.0; let b = ij.y > 5.0; let c = (ij.x % 2.0) < 0.5;
  return vec4<f32>(f32(a && b), f32(a || (b && c)), f32(a != b), f32(!(a && !c)));
}
