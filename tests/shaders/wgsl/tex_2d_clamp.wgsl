//! purpose: coordinates outside of 0 to 1
//! size: 16 16
//! counterpart: tex_2d_clamp
//! texture: image random 8 8
@group(0) @binding(1) var image: texture_2d<f32>;
@group(0) @binding(2) var nearest: sampler;

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  return textureSample(image, nearest, (ij - 3.5) / 8.0 + 0.03125);
}
