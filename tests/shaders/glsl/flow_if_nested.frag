//! purpose: branches in branches in branches
//! size: 16 16
void main() {
  float r = 0.0;
  if (IJ.x > 3.0) {
    r += 1.0;
    if (IJ.y > 3.0) {
      r += 2.0;
      if (IJ.x > IJ.y) { r += 4.0; if (IJ.x > 12.0) r += 8.0; else r -= 0.5; } else r *= 3.0;
    }
    r += 0.25;
  }
  gl_FragColor = vec4(r, IJ, 1.0);
}
