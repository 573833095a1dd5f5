//! purpose: fetches in branches
//! size: 16 16
//! counterpart: tex_branch
//! texture: image random 16 16
@group(0) @binding(1) var image: texture_2d<f32>;

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  var c = vec4f();
  if ij.x > 8.0 { c = textureLoad(image, vec2<i32>(ij.yx), 0); } else if ij.y > 4.0 { c = textureLoad(image, vec2(3, 3), 0)
      * ij.x; }
  return c;
}
