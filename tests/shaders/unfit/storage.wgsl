//! error: 2 the hardware has no arrays without a size
@group(0) @binding(0) var<storage, read_write> data: array<f32>;
@fragment fn main() -> @location(0) vec4f {
  data[0] = 1.0;
  return vec4f(1.0);
}
