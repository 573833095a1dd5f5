//! purpose: sums, differences, and scalars times matrices
//! size: 16 16
void main() {
  mat2 a = mat2(IJ / 16.0, 1.0, 2.0), b = mat2(0.5);
  mat2 c = a + b * 2.0 - 3.0 * a / 4.0; c += a; c -= b; c *= 0.5;
  mat2 d = -c; d *= a;
  gl_FragColor = vec4(c[0], c[1]) + vec4(d[0], d[1]);
}
