//! purpose: a filmic curve and the transfer function
//! size: 64 64
//! counterpart: tone_aces
//! texture: image unit 64 64
//! tolerance: 1e-4
@group(0) @binding(1) var image: texture_2d<f32>;
fn encode(c: vec3f) -> vec3f {
  let low = c * 12.92; let high = 1.055 * pow(c, vec3f(1.0 / 2.4)) - 0.055;
  return select(high, low, c < vec3f(0.0031308));
}

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  var c = textureLoad(image, vec2<i32>(ij), 0).rgb * 2.0;
  c = saturate(c * (2.51 * c + 0.03) / (c * (2.43 * c + 0.59) + 0.14));
  return vec4f(encode(max(c, vec3f(0.0001))), 1.0);
}
