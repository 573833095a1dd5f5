//! purpose: two colours that branches choose
//! size: 16 16
//! counterpart: out_branch
//! outputs: 2
struct Colours { @location(0) a: vec4f, @location(1) b: vec4f }

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> Colours {
  let ij = pos.xy - 0.5;
  var c: Colours;
  if ij.x > 7.0 { c.a = vec4f(1.0, ij, 0.0); c.b = vec4f(ij.x); } else { c = Colours(vec4f(ij, 0.5, 1.0), vec4f(ij.y)); }
  return c;
}
