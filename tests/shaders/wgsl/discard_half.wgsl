//! purpose: half of the picture is not written
//! size: 16 16
//! counterpart: discard_half

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  if ij.x < ij.y { discard; } return vec4f(ij, 1.0, 1.0);
}
