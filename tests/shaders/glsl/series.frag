//! purpose: sums that approach a constant
//! size: 64 64
//! tolerance: 1e-4
void main() {
  float s = 0.0, sign = 1.0, e = 1.0, f = 1.0;
  for (float n = 0.0; n < 40.0; n += 1.0) {
    s += sign * 4.0 / (2.0 * n + 1.0); sign = -sign; f /= n + 1.0;
    if (n < IJ.x) e += f;
  }
  gl_FragColor = vec4(s, e, IJ);
}
