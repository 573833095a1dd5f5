//! purpose: an array of structures
//! size: 16 16
//! uniform: lights[0].place 1 2
//! uniform: lights[0].power 0.5
//! uniform: lights[1].place 8 3
//! uniform: lights[1].power 2
struct Light { vec2 place; float power; };
uniform Light lights[2];
void main() {
  float s = 0.0;
  for (int i = 0; i < 2; i++) {
    vec2 d = lights[i].place - IJ; s += lights[i].power / (dot(d, d) + 1.0);
  }
  gl_FragColor = vec4(s, s * s, lights[1].place);
}
