//! purpose: assignments to elements by indices that are calculated
//! size: 16 16
//! counterpart: array_dynamic_write

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  var a = array(0.0, 1.0, 2.0, 3.0);
  let i = u32(ij.x) % 4u; let j = u32(ij.y) % 4u;
  a[i] = 10.0; a[j] += 5.0;
  return vec4f(a[0], a[1], a[2], a[3]);
}
