//! purpose: equality of matrices
//! size: 16 16
void main() {
  mat2 a = mat2(floor(IJ / 8.0), 1.0, 0.0), b = mat2(1.0, 1.0, 1.0, 0.0);
  gl_FragColor = vec4(a == b, a != b, a[0] == b[0], a[1] == b[1]);
}
