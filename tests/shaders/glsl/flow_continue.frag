//! purpose: passes that end early
//! size: 16 16
void main() {
  float s = 0.0;
  for (int i = 0; i < 12; i++) { if (mod(float(i) + IJ.x, 3.0) < 0.5) continue; s += float(i); }
  gl_FragColor = vec4(s, IJ, 1.0);
}
