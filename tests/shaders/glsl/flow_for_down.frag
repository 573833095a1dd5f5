//! purpose: a loop that counts down in steps
//! size: 16 16
void main() {
  float s = 0.0, n = 0.0;
  for (int i = 20; i > 0; i -= 3) { s += float(i) * IJ.x; n += 1.0; }
  gl_FragColor = vec4(s, n, IJ.y, 1.0);
}
