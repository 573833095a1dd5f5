//! purpose: several lights with half vectors
//! size: 64 64
//! tolerance: 2e-4 0.01
//! uniform: lights 1 1 1 -1 0.5 1 0 -1 0.5
//! uniform: colours 1 0.2 0.1 0.1 0.8 0.2 0.2 0.3 1
uniform vec3 lights[3]; uniform vec3 colours[3];
void main() {
  vec2 p = (IJ - 31.5) / 34.0; vec3 n = normalize(vec3(p, 0.8)), c = vec3(0.02);
  for (int i = 0; i < 3; i++) {
    vec3 l = normalize(lights[i] - vec3(p, 0.0) * 0.2), h = normalize(l + vec3(0.0, 0.0, 1.0));
    c += colours[i] * (max(dot(n, l), 0.0) + pow(max(dot(n, h), 0.0), 24.0));
  }
  gl_FragColor = vec4(c, 1.0);
}
