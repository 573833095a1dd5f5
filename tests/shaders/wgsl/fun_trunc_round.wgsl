//! purpose: the integers towards zero and next to a number
//! size: 16 16
//! counterpart: fun_trunc_round

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let p = (ij - 8.0) * 0.3; return vec4f(trunc(p), round(p.x), round(p.y));
}
