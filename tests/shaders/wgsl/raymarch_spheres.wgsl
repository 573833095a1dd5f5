//! purpose: repeated balls, with fog
//! size: 64 64
//! counterpart: raymarch_spheres
//! tolerance: 2e-3 0.02
fn map(p: vec3f) -> f32 { let q = p - 4.0 * floor(p / 4.0) - 2.0; return length(q) - 0.75; }

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let d = normalize(vec3f((ij - 31.5) / 32.0, 1.5)); let o = vec3f(0.3, 0.7, 0.0); var t = 0.0;
  for (var i = 0; i < 40; i++) { let s = map(o + d * t); if s < 0.002 || t > 24.0 { break; } t += s; }
  return vec4f(vec3f(exp2(-t * 0.15)) * vec3f(1.0, 0.8, 0.6), t);
}
