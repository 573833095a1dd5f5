//! purpose: loops in branches
//! size: 16 16
void main() {
  float s = 0.0;
  if (IJ.x > 5.0) { for (int i = 0; i < 7; i++) s += IJ.y * float(i); } else {
    float x = IJ.y;
    while (x > 1.0) { x -= 2.0; s += 1.0; }
  }
  gl_FragColor = vec4(s, IJ, 1.0);
}
