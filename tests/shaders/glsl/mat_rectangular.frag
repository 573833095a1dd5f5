//! purpose: matrices that are not square
//! size: 16 16
void main() {
  mat2x3 a = mat2x3(IJ / 16.0, 1.0, 2.0, 3.0, 4.0); mat3x2 b = transpose(a);
  mat2 c = b * a; vec3 d = a * IJ; vec2 e = b * vec3(IJ, 1.0);
  gl_FragColor = vec4(c[0] + e, d.xy + c[1]);
}
