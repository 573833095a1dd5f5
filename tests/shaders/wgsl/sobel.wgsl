//! purpose: edges
//! size: 64 64
//! counterpart: sobel
//! texture: image unit 64 64
@group(0) @binding(1) var image: texture_2d<f32>;
fn grey(ij: vec2f, x: i32, y: i32) -> f32 {
  return dot(textureLoad(image, clamp(vec2<i32>(ij) + vec2(x, y), vec2(0), vec2(63)), 0).rgb, vec3f(0.299, 0.587, 0.114));
}

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let a = grey(ij, -1, -1); let b = grey(ij, 0, -1); let c = grey(ij, 1, -1);
  let d = grey(ij, -1, 0); let e = grey(ij, 1, 0); let f = grey(ij, -1, 1); let g = grey(ij, 0, 1);
  let h = grey(ij, 1, 1);
  let s = vec2f(c + 2.0 * e + h - a - 2.0 * d - f, f + 2.0 * g + h - a - 2.0 * b - c);
  return vec4f(s, length(s), 1.0);
}
