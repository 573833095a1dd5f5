//! purpose: increments and decrements before and after use
//! size: 16 16
void main() {
  float x = IJ.x, y = IJ.y;
  float a = x++; float b = ++x; float c = y--; float d = --y;
  vec2 v = vec2(x, y); v++;
  int i = int(IJ.x); int j = i++ + ++i;
  gl_FragColor = vec4(a + b, c + d, v.x + v.y, float(i + j));
}
