//! purpose: structures in structures
//! size: 16 16
//! counterpart: struct_nested
struct Inner { a: vec2<f32>, b: f32 }
struct Outer { first: Inner, second: Inner, c: f32 }

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  var o = Outer(Inner(ij, 1.0), Inner(ij.yx, 2.0), 3.0);
  o.first.b += o.second.a.x; o.second = Inner(o.first.a * 2.0, o.c);
  return vec4f(o.second.a, o.first.b, o.second.b);
}
