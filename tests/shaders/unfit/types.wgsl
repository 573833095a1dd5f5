//! error: 4 vec2<f32>
@fragment fn main() -> @location(0) vec4f {
  let a = vec3f(1.0);
  let b: vec2f = a;
  return vec4f(b, b);
}
