//! purpose: the inner loop is left, and then the outer one
//! size: 16 16
//! counterpart: flow_nested_break

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  var n = 0.0; var found = -1.0;
  for (var i = 0; i < 8; i++) {
    for (var j = 0; j < 8; j++) {
      n += 1.0;
      if f32(i * j) == ij.x { found = f32(i * 8 + j); break; }
    }
    if found >= 0.0 && f32(i) > ij.y * 0.25 { break; }
  }
  return vec4f(n, found, ij);
}
