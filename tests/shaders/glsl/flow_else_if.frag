//! purpose: a chain of branches
//! size: 16 16
void main() {
  float x = IJ.x, r;
  if (x < 2.0) r = 1.0; else if (x < 5.0) r = IJ.y; else if (x < 9.0) { r = x * IJ.y; } else if (x < 13.0) r = -x; else r = 0.5;
  gl_FragColor = vec4(r, r * 2.0, x, 1.0);
}
