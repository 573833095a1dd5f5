//! error: 3 expected `)`
@fragment fn main() -> @location(0) vec4f {
  return vec4f(1.0;
}
