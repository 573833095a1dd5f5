//! purpose: returns from branches
//! size: 16 16
float kind(float x, float y) {
  if (x > 11.0) return 3.0;
  if (y > 11.0) { if (x > 5.0) return 2.5; return 2.0; }
  x += y;
  if (x > 10.0) return x;
  return -1.0;
}
void main() { float k = kind(IJ.x, IJ.y); gl_FragColor = vec4(k, k * 2.0, kind(IJ.y, IJ.x), 1.0); }
