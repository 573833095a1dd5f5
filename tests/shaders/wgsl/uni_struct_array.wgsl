//! purpose: an array of structures
//! size: 16 16
//! counterpart: uni_struct_array
//! uniform: scene.lights[0].place 1 2
//! uniform: scene.lights[0].power 0.5
//! uniform: scene.lights[1].place 8 3
//! uniform: scene.lights[1].power 2
struct Light { place: vec2f, power: f32 }
struct Scene { lights: array<Light, 2> }
@group(0) @binding(0) var<uniform> scene: Scene;

@fragment
fn main(@builtin(position) pos: vec4<f32>) -> @location(0) vec4<f32> {
  let ij = pos.xy - 0.5;
  var s = 0.0;
  for (var i = 0; i < 2; i++) {
    let d = scene.lights[i].place - ij; s += scene.lights[i].power / (dot(d, d) + 1.0);
  }
  return vec4f(s, s * s, scene.lights[1].place);
}
