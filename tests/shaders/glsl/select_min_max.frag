//! purpose: choices that are the least or the greatest
//! size: 16 16
void main() {
  float x = IJ.x, y = IJ.y;
  gl_FragColor = vec4(x < y ? x : y, x > y ? x : y, x < 0.0 ? 0.0 : (x > 9.0 ? 9.0 : x), y - 8.0 < 0.0 ? 8.0 - y : y - 8.0);
}
