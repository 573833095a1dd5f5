//! purpose: construction and assignment of structures
//! size: 16 16
//! counterpart: struct_construct
struct Ray { origin: vec3<f32>, end: vec3<f32> }
struct Pair { a: f32, n: i32 }

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let ray = Ray(vec3f(ij, 0.0), vec3f(1.0, 2.0, 3.0)); var other = ray; let pair = Pair(ij.x, 3);
  other.end = ray.origin; other.origin.x = pair.a * f32(pair.n);
  return vec4f(other.origin + ray.end, other.end.x);
}
