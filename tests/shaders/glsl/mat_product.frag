//! purpose: products of matrices
//! size: 16 16
void main() {
  float c = cos(IJ.x * 0.25), s = sin(IJ.x * 0.25);
  mat3 turn = mat3(c, s, 0.0, -s, c, 0.0, 0.0, 0.0, 1.0), shift = mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.5, IJ.y / 16.0, 1.0);
  mat3 m = turn * shift * turn; mat2 a = mat2(c, s, 1.0, 2.0) * mat2(s, c, 0.5, 1.0);
  gl_FragColor = vec4(m * vec3(1.0, 2.0, 1.0), a[0].x + a[1].y);
}
