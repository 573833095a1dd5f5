//! error: 3 no integer bit operations
@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f {
  return vec4f(f32(countOneBits(u32(p.x))));
}
