//! purpose: fields of balls that meet
//! size: 64 64
//! uniform: balls 16 20 9 40 40 12 30 22 6 50 12 8
//! tolerance: 1e-4
uniform vec3 balls[4];
void main() {
  float f = 0.0; vec3 tint = vec3(0.0);
  for (int i = 0; i < 4; i++) {
    vec2 d = IJ - balls[i].xy; float v = balls[i].z * balls[i].z / (dot(d, d) + 1.0); f += v;
    tint += v * vec3(float(i) * 0.3, 1.0 - float(i) * 0.25, 0.5);
  }
  gl_FragColor = f > 1.0 ? vec4(tint / f, 1.0) : vec4(0.0, 0.0, 0.0, f);
}
