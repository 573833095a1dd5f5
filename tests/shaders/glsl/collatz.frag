//! purpose: steps to one
//! size: 64 64
void main() {
  float n = IJ.x + IJ.y * 64.0 + 1.0, steps = 0.0, most = n;
  for (int i = 0; i < 120; i++) {
    if (n < 1.5) break;
    float h = floor(n * 0.5); n = h * 2.0 == n ? h : n * 3.0 + 1.0; most = max(most, n);
    steps += 1.0;
  }
  gl_FragColor = vec4(steps, most, n, 1.0);
}
