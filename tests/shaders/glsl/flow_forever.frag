//! purpose: a loop without a test
//! size: 16 16
void main() {
  float x = IJ.x, n = 0.0;
  for (;;) { x += 1.0 + IJ.y * 0.125; n += 1.0; if (x > 20.0) break; }
  gl_FragColor = vec4(x, n, IJ);
}
