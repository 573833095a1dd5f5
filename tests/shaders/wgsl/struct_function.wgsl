//! purpose: structures as parameters and results
//! size: 16 16
//! counterpart: struct_function
struct Hit { t: f32, n: vec3<f32> }
fn nearer(a: Hit, b: Hit) -> Hit { if a.t < b.t { return a; } return b; }
fn turn(h: ptr<function, Hit>) { (*h).n = (*h).n.zxy; (*h).t *= 2.0; }

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  var h = nearer(Hit(ij.x, vec3f(1.0, 2.0, 3.0)), Hit(ij.y, vec3f(4.0, 5.0, 6.0)));
  turn(&h);
  return vec4f(h.n, h.t);
}
