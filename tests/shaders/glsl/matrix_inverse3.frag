//! purpose: an inverse of a matrix with three columns
//! size: 64 64
mat3 inverted(mat3 m) {
  vec3 a = cross(m[1], m[2]), b = cross(m[2], m[0]), c = cross(m[0], m[1]); float d = dot(m[0], a);
  return transpose(mat3(a, b, c)) / d;
}
void main() {
  mat3 m = mat3(IJ.x + 9.0, 1.0, 2.0, 3.0, IJ.y + 11.0, 4.0, -2.0, 5.0, 20.0), n = inverted(m), one = m * n;
  gl_FragColor = vec4(n[0] * 10.0, one[1].y + one[2].x);
}
