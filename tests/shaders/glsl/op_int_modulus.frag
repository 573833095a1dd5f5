//! purpose: the operator for remainders
//! size: 16 16
//! r300: no
#version 130
void main() {
  int i = int(IJ.x), j = int(IJ.y) + 1;
  gl_FragColor = vec4(float(i % j), float((i * 16 + j) % 7), float(i / j * j + i % j), 1.0);
}
