//! purpose: numbers without divisors
//! size: 64 64
void main() {
  float n = IJ.x + IJ.y * 64.0, divisor = 0.0;
  for (float d = 2.0; d * d <= n; d += 1.0) {
    if (mod(n, d) < 0.5) { divisor = d; break; }
  }
  gl_FragColor = vec4(n > 1.5 && divisor == 0.0 ? 1.0 : 0.0, divisor, n, 1.0);
}
