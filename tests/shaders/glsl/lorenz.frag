//! purpose: steps of an attractor by the method of Runge and Kutta
//! size: 64 64
//! tolerance: 1e-3 0.01
vec3 flow(vec3 p) { return vec3(10.0 * (p.y - p.x), p.x * (28.0 - p.z) - p.y, p.x * p.y - 2.6667 * p.z); }
void main() {
  vec3 p = vec3(IJ / 16.0 - 2.0, 20.0); const float h = 0.01;
  for (int i = 0; i < 16; i++) {
    vec3 a = flow(p), b = flow(p + a * h * 0.5), c = flow(p + b * h * 0.5), d = flow(p + c * h);
    p += (a + 2.0 * b + 2.0 * c + d) * h / 6.0;
  }
  gl_FragColor = vec4(p, 1.0);
}
