//! purpose: transposition
//! size: 16 16
void main() {
  mat3 m = mat3(IJ / 16.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0), t = transpose(m);
  gl_FragColor = vec4(t[0] + t[1] * 0.5, t[2].x - m[2].x);
}
