//! error: 2 no storage images
@group(0) @binding(0) var t: texture_storage_2d<rgba8unorm, write>;
@fragment fn main() -> @location(0) vec4f {
  textureStore(t, vec2(1, 1), vec4f());
  return vec4f();
}
