//! purpose: coordinates from a texel
//! size: 16 16
//! counterpart: tex_dependent
//! texture: map unit 16 16
//! texture: image random1 16 16
@group(0) @binding(1) var map: texture_2d<f32>;
@group(0) @binding(2) var image: texture_2d<f32>;

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let at = floor(textureLoad(map, vec2<i32>(ij), 0).xy * 15.0); return textureLoad(image, vec2<u32>(at), 0);
}
