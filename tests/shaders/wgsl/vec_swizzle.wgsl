//! purpose: reads of components in any order, with repetition
//! size: 16 16
//! counterpart: vec_swizzle

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let v = vec4<f32>(ij, ij.x * 2.0, ij.y + 3.0);
  let a = v.wzyx; let b = v.xxyy; let c = v.zwzw; let d = v.yyy; let e = v.wxz; let f = v.zy;
  return a + b * 0.5 + c * 0.25 + vec4<f32>(d - e, f.x * f.y);
}
