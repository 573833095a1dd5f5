//! purpose: an array of vectors by an index that is calculated
//! size: 16 16
//! counterpart: array_vectors

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  var colours = array<vec3f, 4>(vec3f(1.0, 0.0, 0.0), vec3f(0.0, 1.0, 0.5), vec3f(0.25, 0.5, 1.0), vec3f(ij / 16.0, 0.0));
  return vec4f(colours[i32(ij.x / 4.0)] + colours[i32(ij.y / 4.0)] * 0.5, 1.0);
}
