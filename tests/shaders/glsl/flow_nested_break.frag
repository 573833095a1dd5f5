//! purpose: the inner loop is left, and then the outer one
//! size: 16 16
void main() {
  float n = 0.0, found = -1.0;
  for (int i = 0; i < 8; i++) {
    for (int j = 0; j < 8; j++) {
      n += 1.0;
      if (float(i * j) == IJ.x) { found = float(i * 8 + j); break; }
    }
    if (found >= 0.0 && float(i) > IJ.y * 0.25) break;
  }
  gl_FragColor = vec4(n, found, IJ);
}
