//! purpose: values that change places in each pass
//! size: 16 16
void main() {
  float a = IJ.x, b = IJ.y, c = 1.0;
  for (int i = 0; i < 17; i++) { float t = a; a = b; b = c; c = t; }
  gl_FragColor = vec4(a, b, c, 1.0);
}
