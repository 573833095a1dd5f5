//! purpose: a Julia set with smooth colours
//! size: 64 64
//! tolerance: 2e-3 0.02
//! uniform: c -0.74 0.16
uniform vec2 c;
void main() {
  vec2 z = (IJ - 31.5) / 24.0; float n = 0.0;
  for (int i = 0; i < 48; i++) { if (dot(z, z) > 16.0) break; z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c; n += 1.0; }
  float smooth_n = n - log2(max(log2(max(dot(z, z), 1.01)), 0.01)) + 2.0;
  gl_FragColor = vec4(n / 48.0, n < 48.0 ? smooth_n / 48.0 : 0.0, 0.0, 1.0);
}
