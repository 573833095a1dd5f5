//! purpose: derivatives of linear functions
//! size: 16 16
//! counterpart: derive_linear

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let f = ij.x * 3.0 + ij.y * 0.5; return vec4f(dpdx(f), dpdy(f), fwidth(f), dpdx(ij.x));
}
