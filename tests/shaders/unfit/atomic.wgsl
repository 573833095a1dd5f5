//! error: 2 no atomics
var<workgroup> n: atomic<u32>;
@fragment fn main() -> @location(0) vec4f {
  return vec4f(f32(atomicAdd(&n, 1u)));
}
