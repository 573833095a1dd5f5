//! purpose: assignment and equality of whole arrays
//! size: 16 16
void main() {
  float a[3] = float[3](IJ.x, 2.0, 3.0), b[3] = a;
  b[1] = 5.0; bool same = a == b; a = b;
  gl_FragColor = vec4(same ? 1.0 : 0.0, a == b ? 1.0 : 0.0, a[1], a[0]);
}
