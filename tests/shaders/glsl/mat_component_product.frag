//! purpose: products of matrices component by component
//! size: 16 16
void main() {
  mat2 a = mat2(IJ / 16.0, 1.0, 2.0), b = mat2(3.0, IJ.y, IJ.x, 4.0);
  mat2 c = matrixCompMult(a, b);
  gl_FragColor = vec4(c[0], c[1]);
}
