//! purpose: two textures
//! size: 16 16
//! counterpart: tex_two
//! texture: one random 16 16
//! texture: two random1 16 16
@group(0) @binding(1) var one: texture_2d<f32>;
@group(0) @binding(2) var two: texture_2d<f32>;

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let a = textureLoad(one, vec2<i32>(ij), 0); let b = textureLoad(two, vec2<i32>(ij.yx), 0); return a * b + a.wzyx;
}
