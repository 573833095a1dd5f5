//! purpose: an inverse by hand
//! size: 16 16
mat2 inverted(mat2 m) { return mat2(m[1][1], -m[0][1], -m[1][0], m[0][0]) / (m[0][0] * m[1][1] - m[0][1] * m[1][0]); }
void main() {
  mat2 m = mat2(IJ.x + 20.0, 3.0, -2.0, IJ.y + 10.0), n = inverted(m), one = m * n;
  gl_FragColor = vec4(n[0], one[0]);
}
