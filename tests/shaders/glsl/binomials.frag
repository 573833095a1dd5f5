//! purpose: numbers of choices
//! size: 64 64
//! r300: no
void main() {
  float n = mod(IJ.x, 16.0), k = mod(IJ.y, 16.0), c = 1.0;
  if (k > n) c = 0.0;
  for (float i = 0.0; i < 16.0; i += 1.0) {
    if (i >= k) break;
    c = floor(c * (n - i) / (i + 1.0) + 0.5);
  }
  gl_FragColor = vec4(c, n, k, 1.0);
}
