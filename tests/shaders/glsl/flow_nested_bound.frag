//! purpose: a loop whose count the outer loop gives
//! size: 16 16
void main() {
  float s = 0.0;
  for (int i = 0; i < 9; i++) {
    float t = 0.0;
    for (int j = 0; j <= i; j++) t += IJ.x + float(j);
    s += t * 0.125;
    if (s > 60.0) break;
  }
  gl_FragColor = vec4(s, IJ, 1.0);
}
