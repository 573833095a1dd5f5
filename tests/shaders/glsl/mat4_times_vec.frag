//! purpose: a matrix of four columns by a vector
//! size: 16 16
void main() {
  vec4 p = vec4(IJ / 16.0, 0.5, 1.0);
  mat4 m = mat4(1.0, 0.5, 0.0, 0.0, -0.5, 1.0, 0.25, 0.0, 0.0, 0.125, 2.0, 0.0, 0.5, 0.25, -1.0, 1.0);
  gl_FragColor = m * p + p * m;
}
