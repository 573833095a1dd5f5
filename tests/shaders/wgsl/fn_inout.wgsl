//! purpose: parameters that are changed
//! size: 16 16
//! counterpart: fn_inout
fn swap(a: ptr<function, f32>, b: ptr<function, f32>) { let t = *a; *a = *b; *b = t; }
fn order(v: ptr<function, vec3f>) {
  var a = (*v).x; var b = (*v).y; var c = (*v).z;
  if a > b { swap(&a, &b); }
  if b > c { swap(&b, &c); }
  if a > b { swap(&a, &b); }
  *v = vec3f(a, b, c);
}

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  var v = vec3f(ij.x, ij.y, 8.0); order(&v); return vec4f(v, 1.0);
}
