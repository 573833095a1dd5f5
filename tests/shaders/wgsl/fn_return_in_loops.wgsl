//! purpose: returns from a loop in a loop
//! size: 16 16
//! counterpart: fn_return_in_loops
fn find(sum: f32) -> vec2f {
  for (var i = 0; i < 6; i++) {
    for (var j = 0; j < 6; j++) {
      if f32(i * j + i) == sum { return vec2f(f32(i), f32(j)); }
    }
  }
  return vec2f(-1.0);
}

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  return vec4f(find(ij.x), find(ij.y * 2.0));
}
