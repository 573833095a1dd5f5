//! purpose: operators bind as they should
//! size: 16 16
void main() {
  float x = IJ.x, y = IJ.y;
  float a = x + y * 2.0 - x / 4.0 * y;
  float b = -x * y + -y;
  bool c = x < 8.0 == y < 8.0;
  bool d = x > 2.0 || y > 2.0 && x > 12.0;
  gl_FragColor = vec4(a, b, c ? 1.0 : 0.0, d ? 1.0 : 0.0);
}
