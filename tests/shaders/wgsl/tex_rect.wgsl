//! purpose: a texel for each pixel
//! size: 16 16
//! counterpart: tex_rect
//! texture: image random 16 16
@group(0) @binding(1) var image: texture_2d<f32>;

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  return textureLoad(image, vec2<i32>(ij), 0);
}
