//! error: 4 `b`
@fragment fn main() -> @location(0) vec4f {
  let a = 1.0;
  return vec4f(a + b);
}
