//! purpose: both ways out of a pass
//! size: 16 16
void main() {
  float s = 0.0, x = IJ.x;
  for (int i = 0; i < 30; i++) { x += 1.5; if (x < 8.0) continue; s += x; if (s > 40.0 + IJ.y) break; s -= 1.0; }
  gl_FragColor = vec4(s, x, IJ);
}
