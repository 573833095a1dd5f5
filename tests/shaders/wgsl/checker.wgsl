//! purpose: squares whose edges derivatives make soft
//! size: 64 64
//! counterpart: checker

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let p = ij / 64.0 * 7.3; let w = fwidth(p) + 0.001;
  let i = 2.0 * (abs(fract((p - 0.5 * w) * 0.5) - 0.5) - abs(fract((p + 0.5 * w) * 0.5) - 0.5)) / w;
  return vec4f(0.5 - 0.5 * i.x * i.y, w, 1.0);
}
