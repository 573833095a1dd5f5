//! purpose: many values that live at the same time
//! size: 16 16
//! counterpart: pressure

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let a = vec4f(ij, ij.yx) / 16.0; let b = a * 2.0 + 1.0; let c = b * a - 0.5; let d = c * b + a;
  let e = d * c - b; let f = e * d + c; let g = f * e - d; let h = g * f + e;
  let s = a.wzyx * h + b.zwxy * g + c.yxwz * f + d * e.wwzz;
  return s * (a + b + c + d) - (e + f + g + h).yzwx;
}
