//! purpose: sums of the last two
//! size: 16 16
void main() {
  float a = 0.0, b = 1.0;
  for (int i = 0; i < 25; i++) {
    if (float(i) >= IJ.x) break;
    float c = a + b; a = b; b = c;
  }
  gl_FragColor = vec4(a, b, IJ);
}
