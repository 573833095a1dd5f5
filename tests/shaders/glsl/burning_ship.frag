//! purpose: a fractal with absolute values
//! size: 64 64
//! tolerance: 1e-3 0.03
void main() {
  vec2 c = IJ / 64.0 * vec2(3.0, 3.0) - vec2(2.2, 2.0), z = vec2(0.0); float n = 0.0;
  while (n < 60.0 && dot(z, z) < 4.0) { z = abs(z); z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c; n += 1.0; }
  gl_FragColor = vec4(n / 60.0, n >= 60.0 ? 1.0 : 0.0, c);
}
