//! purpose: sequences in expressions
//! size: 16 16
void main() {
  float a = IJ.x, b = IJ.y, c;
  c = (a += 1.0, b *= 2.0, a + b);
  for (int i = 0, j = 3; i < j; i++, j--) c += float(i * j);
  gl_FragColor = vec4(a, b, c, 1.0);
}
