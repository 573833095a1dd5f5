//! purpose: a loop whose count each pixel calculates
//! size: 16 16
void main() {
  float s = 0.0, x = 1.0; int n = int(IJ.x);
  for (int i = 0; i < n; i++) { s += x; x *= 1.25; }
  gl_FragColor = vec4(s, x, IJ.y, 1.0);
}
