//! purpose: constants that fit into instructions
//! size: 16 16
//! counterpart: const_inline

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let p = ij; return vec4f(p.x * 0.5 + 1.0, p.y * 2.0 - 0.25, p.x * 3.0 + 480.0, p.y * 0.015625 + 1.625);
}
