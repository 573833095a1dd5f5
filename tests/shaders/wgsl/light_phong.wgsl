//! purpose: a ball with a light and a highlight
//! size: 64 64
//! counterpart: light_phong
//! tolerance: 2e-4 0.01

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let p = (ij - 31.5) / 28.0; let r = dot(p, p); var c = vec3f(0.05);
  if r < 1.0 {
    let n = vec3f(p, sqrt(1.0 - r)); let l = normalize(vec3f(0.5, 0.7, 0.6));
    let v = vec3f(0.0, 0.0, 1.0); let h = reflect(-l, n);
    c = vec3f(0.8, 0.3, 0.2) * max(dot(n, l), 0.0) + vec3f(pow(max(dot(h, v), 0.0), 32.0));
  }
  return vec4f(c, select(0.0, 1.0, r < 1.0));
}
