//! purpose: matrices from larger, smaller and diagonal ones
//! size: 16 16
void main() {
  mat3 m = mat3(IJ.x, 1.0, 2.0, 3.0, IJ.y, 5.0, 6.0, 7.0, 8.0); mat2 a = mat2(m); mat3 b = mat3(a); mat4 c = mat4(2.0);
  gl_FragColor = vec4(a[0], a[1]) + vec4(b[2], 1.0) + c[1];
}
