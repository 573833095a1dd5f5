//! purpose: products of columns and rows
//! size: 16 16
void main() {
  vec3 a = vec3(IJ / 16.0, 1.0), b = vec3(2.0, IJ.yx / 8.0); mat3 m = outerProduct(a, b);
  gl_FragColor = vec4(m[0] + m[1] + m[2] * 0.5, m[2][1]);
}
