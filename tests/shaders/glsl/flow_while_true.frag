//! purpose: a loop without an end that is left in two places
//! size: 16 16
void main() {
  float a = IJ.x + 1.0, b = IJ.y + 1.0, n = 0.0;
  while (true) { if (a == b) break; n += 1.0; if (a > b) a -= b; else b -= a; if (n > 30.0) break; }
  gl_FragColor = vec4(a, b, n, 1.0);
}
