//! purpose: the right side of && and || is evaluated only if it decides
//! size: 16 16
//! counterpart: op_short_circuit
var<private> calls: f32 = 0.0;
fn count(answer: bool) -> bool { calls += 1.0; return answer; }

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let a = ij.x > 7.0; let b = ij.y > 7.0;
  let both = select(0.0, 1.0, a && count(b));
  let either = select(0.0, 1.0, b || count(a));
  return vec4<f32>(both, either, calls, 1.0);
}
