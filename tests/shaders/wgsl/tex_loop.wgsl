//! purpose: fetches in a loop
//! size: 16 16
//! counterpart: tex_loop
//! texture: image random 16 16
@group(0) @binding(1) var image: texture_2d<f32>;

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  var s = vec4f(); for (var i = 0; i < 16; i++) { s += textureLoad(image, vec2(i, i32(ij.y)), 0) * (f32(i) + ij.x); } return s;
}
