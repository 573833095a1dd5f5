//! error: 3 no integer bit operations
@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f {
  return vec4f(bitcast<f32>(bitcast<u32>(p.x) + 1u));
}
