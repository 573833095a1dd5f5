//! purpose: the position of the pixel
//! size: 16 16
//! counterpart: frag_coord

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  return vec4f(pos.xy, pos.x * pos.y, 1.0);
}
