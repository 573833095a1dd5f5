//! purpose: variables that hide others
//! size: 16 16
float x = 100.0;
void main() {
  float a = x; float x = IJ.x; { float x = IJ.y; a += x; }
  for (int x = 0; x < 3; x++) a += float(x);
  if (a > 0.0) { float x = 0.25; a += x; }
  gl_FragColor = vec4(a, x, IJ);
}
