//! purpose: variables that hide others
//! size: 16 16
//! counterpart: flow_scopes
var<private> x: f32 = 100.0;

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  var a = x; let x = ij.x; { let x = ij.y; a += x; }
  for (var x = 0; x < 3; x++) { a += f32(x); }
  if a > 0.0 { let x = 0.25; a += x; }
  return vec4f(a, x, ij);
}
