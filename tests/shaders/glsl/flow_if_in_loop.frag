//! purpose: branches in a loop
//! size: 16 16
void main() {
  float a = 0.0, b = 0.0;
  for (int i = 0; i < 10; i++) { float f = float(i); if (f < IJ.x) { a += f; if (f > IJ.y) b += 1.0; } else b += 0.5 * f; }
  gl_FragColor = vec4(a, b, IJ);
}
