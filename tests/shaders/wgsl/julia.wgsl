//! purpose: a Julia set with smooth colours
//! size: 64 64
//! counterpart: julia
//! tolerance: 2e-3 0.02
//! uniform: c -0.74 0.16
@group(0) @binding(0) var<uniform> c: vec2f;

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  var z = (ij - 31.5) / 24.0; var n = 0.0;
  for (var i = 0; i < 48; i++) { if dot(z, z) > 16.0 { break; } z = vec2f(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c; n += 1.0; }
  let smooth_n = n - log2(max(log2(max(dot(z, z), 1.01)), 0.01)) + 2.0;
  return vec4f(n / 48.0, select(0.0, smooth_n / 48.0, n < 48.0), 0.0, 1.0);
}
