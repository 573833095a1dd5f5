//! purpose: choices between scalars
//! size: 16 16
void main() {
  float x = IJ.x, y = IJ.y;
  float a = x > y ? x : y;
  float b = x + y > 16.0 ? x - y : y - x;
  float c = x > 3.0 ? (y > 3.0 ? 3.0 : 2.0) : (y > 3.0 ? 1.0 : 0.0);
  gl_FragColor = vec4(a, b, c, x < 8.0 ? 0.0 : 1.0);
}
