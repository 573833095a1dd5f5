//! purpose: values that change places in each pass
//! size: 16 16
//! counterpart: flow_swap_in_loop

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  var a = ij.x; var b = ij.y; var c = 1.0;
  for (var i = 0u; i < 17u; i++) { let t = a; a = b; b = c; c = t; }
  return vec4f(a, b, c, 1.0);
}
