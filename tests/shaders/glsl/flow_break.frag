//! purpose: a loop that is left
//! size: 16 16
void main() {
  float s = 0.0, n = 0.0;
  for (int i = 0; i < 16; i++) { if (float(i) > IJ.x) break; s += float(i); n += IJ.y; }
  gl_FragColor = vec4(s, n, IJ);
}
