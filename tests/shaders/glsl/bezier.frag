//! purpose: a quadratic curve, its distance by steps along it
//! size: 64 64
//! tolerance: 1e-4 0.01
void main() {
  vec2 p = IJ / 64.0, a = vec2(0.1, 0.2), b = vec2(0.5, 1.2), c = vec2(0.9, 0.3); float best = 9.0, where = 0.0;
  for (int i = 0; i <= 16; i++) {
    float t = float(i) / 16.0, s = 1.0 - t; vec2 q = a * s * s + b * 2.0 * s * t + c * t * t;
    float d = distance(p, q);
    if (d < best) { best = d; where = t; }
  }
  gl_FragColor = vec4(best, where, smoothstep(0.05, 0.03, best), 1.0);
}
