//! purpose: vectors from scalars, from smaller and from larger vectors
//! size: 16 16
//! counterpart: vec_construct

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  let p = ij; let a = vec3f(p, 1.0); let b = vec3f(2.0, p); let c = vec4f(a, 3.0); let d = vec4f(p, p.yx);
  let e = c.xy; let f = vec2f(5.0); let g = d.xyz; let h = vec4f(1.0, p, b.x);
  return c + d + h + vec4f(e + f, g.xy);
}
